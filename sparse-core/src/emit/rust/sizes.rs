//! Which dimension is worth compiling for: the one along which rows are cut into register tiles or vectors.
//!
//! With its size a constant, the tiles that do not occur disappear, and what is left is unrolled: 1.5 to 2 times as
//! fast for rows of 4 elements, where the tests for the other tiles cost more than the arithmetic.

use super::partial::Partial;
use crate::llir::walk::{visit_stmts, visit_thread};
use crate::llir::{Expr, LoopKind, Param, Program, Space, Step, Stmt, TensorId, VarId};
use std::collections::BTreeMap;

/// Sizes that programs use.
const COMMON: &[u64] = &[4, 8, 16, 32, 64, 128];
/// Those of blocks: unknowns of a point of a mesh, and what is pruned of a layer at once.
const OF_BLOCKS: &[u64] = &[2, 3, 4, 5, 6, 8, 16, 32];

/// The sizes of a dimension that are worth compiling for.
pub(super) fn common(program: &Program, row: VarId) -> &'static [u64] {
    let of_block = program.params.iter().any(|p| match p {
        Param::Dim { var, tensor, level } if *var == row => is_of_blocks(program, *tensor, *level),
        _ => false,
    });
    if of_block { OF_BLOCKS } else { COMMON }
}

/// Is a dimension, or one in an argument that has the same variable, of blocks: several dense levels below a sparse one?
fn is_of_blocks(program: &Program, tensor: TensorId, level: usize) -> bool {
    let spec = |t: TensorId| &program.tensors[t.index()].spec;
    let dimension = spec(tensor).map.dim_of_level(level);
    let extent = program.extents.iter().find(|e| e.sources.contains(&(tensor, dimension)));
    let here = [(tensor, dimension)];
    let mut sources = extent.map_or(&here[..], |e| &e.sources[..]).iter();
    sources.any(|&(t, dimension)| {
        let spec = spec(t);
        let dense = spec.levels.iter().rev().take_while(|l| l.is_full()).count();
        let first = spec.rank() - dense;
        first > 0 && dense > 1 && (first..spec.rank()).any(|l| spec.map.dim_of_level(l) == dimension)
    })
}

/// The dimension of the code outside of loops on threads, if there is exactly one.
pub(super) fn row_size(program: &Program) -> Option<VarId> {
    let code = program.steps.iter().filter_map(|s| match s {
        Step::Run(block) => Some(&block[..]),
        _ => None,
    });
    only(program, code.collect())
}

/// The dimension of the body of a loop on threads, if there is exactly one.
pub(super) fn task_row_size(program: &Program, body: &[Stmt]) -> Option<VarId> {
    only(program, vec![body])
}

/// Does the body of a loop on threads run along rows, in tiles or vectors?
pub(super) fn runs_along_rows(program: &Program, body: &[Stmt]) -> bool {
    !ends(program, vec![body]).is_empty()
}

fn only(program: &Program, code: Vec<&[Stmt]>) -> Option<VarId> {
    let dims = program.params.iter().filter_map(|p| match p {
        Param::Dim { var, .. } => Some(*var),
        Param::Scalar { .. } => None,
    });
    let ends = ends(program, code);
    let mut found = dims.filter(|d| ends.iter().any(|e| e.mentions(*d)));
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// Where loops over tiles and vectors end.
fn ends<'a>(program: &'a Program, code: Vec<&'a [Stmt]>) -> Vec<&'a Expr> {
    let lets = lets(program);
    let mut ends = vec![];
    for block in code {
        visit_thread(block, &mut |stmt| {
            let end = match stmt {
                // A loop inside of a tile does the same to its lanes each time.
                Stmt::For { hi, step: 2.., body, .. } if has_lanes(body) => Some(hi),
                Stmt::For { hi, kind: LoopKind::Serial, body, .. } if adds_to_registers(program, body) => {
                    Some(hi)
                }
                stmt => Partial::of(program, &lets, stmt, false).and_then(|p| p.vector_end()),
            };
            // The end of whole tiles is computed beforehand.
            ends.extend(end.map(|e| match e {
                Expr::Var(v) => lets.get(v).copied().unwrap_or(e),
                e => e,
            }));
        });
    }
    ends
}

/// What constant variables are declared as.
pub(super) type Lets<'a> = BTreeMap<VarId, &'a Expr>;

pub(super) fn lets(program: &Program) -> Lets<'_> {
    let mut lets = BTreeMap::new();
    for step in &program.steps {
        let Step::Run(block) = step else { continue };
        visit_stmts(block, &mut |stmt| {
            if let Stmt::Let { var, value } = stmt {
                lets.insert(*var, value);
            }
        });
    }
    lets
}

/// Does a tile's body end with a loop over its lanes?
fn has_lanes(body: &[Stmt]) -> bool {
    body.iter().any(|s| matches!(s, Stmt::For { kind: LoopKind::Lanes, .. }))
}

/// Does a loop over lanes whose number is not known beforehand add to each, of whatever type? Without it they were no registers.
fn adds_to_registers(program: &Program, body: &[Stmt]) -> bool {
    matches!(body.last(), Some(Stmt::Reduce { buffer, .. })
        if matches!(program.buffer(*buffer).space, Space::Register { .. }))
}

#[cfg(test)]
mod tests {
    use crate::driver::{Options, compile_kernel};
    use crate::emit::rust::native;
    use crate::front::parse_str;

    fn code(text: &str) -> String {
        let compiled = compile_kernel(parse_str(text).unwrap(), &Options::default()).unwrap();
        native(compiled.program.program()).split_whitespace().collect()
    }

    /// Of whatever operand the size is taken; a fiber of one dense level is a row, as those of matrices are.
    #[test]
    fn blocks_have_sizes_of_their_own() {
        for text in [
            "fn f(A: Tensor<f64, (Dense, Compressed, Dense, Dense)>, x: DenseMat<f64>) -> DenseMat<f64> {
                y[i, r] = A[i, j, r, c] * x[j, c];
            }",
            "fn f(x: DenseMat<f64>, A: Tensor<f64, (Dense, Compressed, Dense, Dense)>) -> DenseMat<f64> {
                y[i, r] = x[j, c] * A[i, j, r, c];
            }",
        ] {
            let code = code(text);
            assert!(code.contains("{2=>avx2_i::<2>,3=>avx2_i::<3>,4=>"), "{code}");
            assert!(!code.contains("128=>"), "{code}");
        }
        for text in [
            "fn f(A: Tensor<f64, (Dense, Compressed, Dense)>, x: DenseMat<f64>) -> DenseVec<f64> {
                y[i] = A[i, j, c] * x[j, c];
            }",
            "fn f(A: Csr<f64>, B: DenseMat<f64>) -> DenseMat<f64> { C[i, k] = A[i, j] * B[j, k]; }",
        ] {
            let code = code(text);
            assert!(code.contains("{4=>avx2_i::<4>,8=>"), "{code}");
        }
    }
}
