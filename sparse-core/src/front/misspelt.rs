//! What was probably meant by a type that the macro cannot read.

use super::scope::is_near;
use super::spelling::ALIASES;

const SPELL: &str = "write an alias of the prelude, such as `Csr<f32>`, or spell the structure out, as in `Tensor<f32, (Dense, Compressed)>`";

/// What to write instead of a type that is no path.
pub(super) fn no_path(ty: &syn::Type) -> &'static str {
    match ty {
        syn::Type::Tuple(t) if !t.elems.is_empty() => {
            "write one tensor: several results are several kernels, a `tensor_kernel!` each"
        }
        syn::Type::Array(_) | syn::Type::Slice(_) => {
            "write a tensor, such as `DenseVec<f32>`, and make it of a `Vec` with `from_dense`"
        }
        _ => SPELL,
    }
}

/// What to write instead of a path that ends in this name.
pub(super) fn path(name: &str) -> String {
    match name {
        "Result" => return "leave `Result` out: the function that the macro makes returns one".into(),
        "Arc" | "Rc" | "Box" | "Cow" => {
            return format!("leave `{name}` out: the function that the macro makes takes references");
        }
        "Filled" | "Reordered" => {
            let example = if name == "Filled" { "PosInf" } else { "1, 0" };
            return format!(
                "it is a part of the format: write `Tensor<f32, {name}<(Dense, Compressed), {example}>>`"
            );
        }
        "Bcsr" | "Bsr" => {
            return "spell it out, blocks as further dimensions: `Tensor<f32, (Dense, Compressed, Dense, Dense)>`"
                .into();
        }
        _ => {}
    }
    match alias(name) {
        Some(alias) => {
            format!(
                "did you mean `{alias}`? What is no alias is spelled out, as in `Tensor<f32, (Dense, Compressed)>`"
            )
        }
        None => SPELL.into(),
    }
}

/// An alias that the name resembles, or that other libraries call so.
fn alias(name: &str) -> Option<&'static str> {
    match name {
        "Vec" | "Vector" | "Array1" => return Some("DenseVec"),
        "Mat" | "Matrix" | "Array2" => return Some("DenseMat"),
        "SparseMat" | "SparseMatrix" | "CsMat" => return Some("Csr"),
        "Csf" => return Some("Csf3"),
        _ => {}
    }
    let lower = name.to_ascii_lowercase();
    // `DenseMatrix`, `CsrMatrix`.
    let begins = |alias: &&&str| {
        let rest = lower.strip_prefix(&alias.to_ascii_lowercase());
        rest.is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_alphabetic()))
    };
    // Another number is another rank.
    let near = |alias: &&&str| !name.ends_with(|c: char| c.is_ascii_digit()) && is_near(alias, name);
    let longest = ALIASES.iter().filter(begins).max_by_key(|alias| alias.len());
    longest.or_else(|| ALIASES.iter().find(near)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_libraries_and_slips() {
        for (written, meant) in [
            ("CSR", "Csr"),
            ("csr", "Csr"),
            ("CsrMatrix", "Csr"),
            ("Dcssr", "Dcsr"),
            ("DenseVector", "DenseVec"),
            ("DenseMatrix", "DenseMat"),
            ("SparseVector", "SparseVec"),
            ("Vec", "DenseVec"),
            ("SparseMatrix", "Csr"),
            ("coo3", "Coo3"),
        ] {
            assert_eq!(alias(written), Some(meant), "{written}");
        }
        for other in ["Coo5", "Graph", "T", "Edges"] {
            assert_eq!(alias(other), None, "{other}");
        }
    }
}
