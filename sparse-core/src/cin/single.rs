//! Sums of one term: over a variable of which an operand, without which nothing is done, has one coordinate below those above it.
//!
//! Below unique levels a `Singleton` has exactly one entry a parent, as a permutation's rows have. So the loop over its variable,
//! though it reduces, comes to each of the result's coordinates once, and may stand outside of the loops over those that are
//! not above it.

use super::algebra::simplify;
use super::nested::Nested;
use super::order::level_vars;
use super::result::background;
use super::val::{AccessId, Val};
use super::{Access, Cin};
use crate::format::Level;
use crate::front::ast::{IndexVar, Kernel};
use crate::scalar::Monoid;

/// A variable that has one value for each coordinate of those above it.
#[derive(Clone, Debug)]
pub struct Single {
    /// The variable.
    pub var: IndexVar,
    /// What its level is below: the result's variables, and others that have one value.
    pub above: Vec<IndexVar>,
}

/// The reduced variables of an assembled result that are such, by operands that are read as they are stored.
pub fn singles(kernel: &Kernel, cin: &Cin, is_read: impl Fn(&Access) -> bool) -> Vec<Single> {
    let Some(n) = Nested::from_cin(cin) else { return vec![] };
    // The least of a NaN and nothing is nothing's infinity: what is alone in a sum is not combined with that.
    if kernel.dtype.is_float() && matches!(n.nest.op, Some(Monoid::Min | Monoid::Max)) {
        return vec![];
    }
    let out = &kernel.tensors[n.lhs.tensor.index()].spec;
    let needed = |id: AccessId, a: &Access| {
        let fill = kernel.tensors[a.tensor.index()].spec.fill.value(kernel.dtype);
        let gone = simplify(&n.nest.rhs.replace(id, fill), kernel.dtype);
        gone.constant() == Some(background(n.nest.op, out, kernel))
    };
    // What a workspace is filled with by a loop over the variable is read at all of its coordinates.
    let filled = |v: &Val, var: &IndexVar| match v {
        Val::Work(p) if p.nest.loops.iter().any(|l| cin.provenance.roots(*l).contains(var)) => {
            Some(Val::Lit(kernel.dtype.zero()))
        }
        _ => None,
    };
    let walked = |id: AccessId, var: &IndexVar| n.nest.rhs.map(&|v| filled(v, var)).contains(id);
    let mut found: Vec<Single> = vec![];
    for (id, a) in (0..).map(AccessId).zip(&n.accesses).filter(|(_, a)| is_read(a)) {
        let spec = &kernel.tensors[a.tensor.index()].spec;
        let vars = level_vars(spec, a);
        let mut known = true;
        for (l, (level, var)) in spec.levels.iter().zip(&vars).enumerate() {
            let is_lone = matches!(level, Level::Singleton { .. }) && l > 0 && known;
            let is_reduced = !n.lhs.indices.contains(var) && !vars[..l].contains(var);
            if is_lone && is_reduced && needed(id, a) && walked(id, var) {
                found.push(Single { var: *var, above: vars[..l].to_vec() });
            }
            let is_known = n.lhs.indices.contains(var) || found.iter().any(|s| s.var == *var);
            known &= level.is_unique() && is_known;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::cin::concretize::concretize;
    use crate::cin::print::print;
    use crate::front::parse_str;

    fn cin(text: &str) -> String {
        let kernel = parse_str(text).unwrap();
        print(&concretize(&kernel).unwrap(), &kernel)
    }

    const IN_ORDER: &str = "∀i ∀j ∀k C[i, k] += P[i, j] * B[j, k]";

    #[test]
    fn rows_that_are_permuted_are_in_order() {
        let text = |levels: &str, result: &str| {
            format!(
                "fn f(P: Tensor<f32, ({levels})>, B: Csr<f32>) -> {result} {{ C[i, k] = P[i, j] * B[j, k]; }}"
            )
        };
        assert_eq!(cin(&text("Dense, Singleton", "Csr<f32>")), IN_ORDER);
        assert_eq!(cin(&text("Compressed, Singleton", "Dcsr<f32>")), IN_ORDER);
        assert_eq!(cin(&text("Compressed, Singleton", "Coo<f32>")), IN_ORDER);
        // Several entries a row.
        let scattered = "∀i (∀k C[i, k] = w[k]) where (∀j ∀k w[k] += P[i, j] * B[j, k])";
        assert_eq!(cin(&text("Dense, Compressed", "Csr<f32>")), scattered);
        assert_eq!(cin(&text("Compressed<NonUnique>, Singleton", "Csr<f32>")), scattered);
        // The columns come first.
        assert!(cin(&text("Dense, Singleton", "Csc<f32>")).contains("where"));
    }

    #[test]
    fn several_factors_may_have_one_entry() {
        let both = "fn f(P: Tensor<f32, (Dense, Singleton)>, Q: Tensor<f32, (Dense, Singleton)>, B: Csr<f32>) -> Csr<f32> \
                    { C[i, l] = P[i, j] * Q[j, k] * B[k, l]; }";
        assert_eq!(cin(both), "∀i ∀j ∀k ∀l C[i, l] += P[i, j] * Q[j, k] * B[k, l]");
        let scaled = "fn f(P: Tensor<f32, (Dense, Singleton)>, B: Csr<f32>, d: DenseVec<f32>) -> Csr<f32> \
                      { C[i, k] = 2 * d[i] * B[j, k] * P[i, j] * d[j]; }";
        assert_eq!(cin(scaled), "∀i ∀j ∀k C[i, k] += 2.0 * d[i] * B[j, k] * P[i, j] * d[j]");
    }

    #[test]
    fn terms_without_the_entry_are_terms() {
        let sum = "fn f(P: Tensor<f32, (Dense, Singleton)>, A: Csr<f32>, B: Csr<f32>) -> Csr<f32> \
                   { C[i, k] = (P[i, j] + A[i, j]) * B[j, k]; }";
        assert!(cin(sum).contains("where"), "{}", cin(sum));
        // The largest of products is of those with 0, too.
        let largest = "fn f(P: Tensor<i32, (Dense, Singleton)>, B: Csr<i32>) -> Tensor<i32, Filled<(Dense, Compressed), NegInf>> \
                       { C[i, k] max= P[i, j] * B[j, k]; }";
        assert!(!cin(largest).starts_with("∀i ∀j ∀k"), "{}", cin(largest));
        // And a NaN alone is no least element.
        let least = "fn f(P: Tensor<f32, Filled<(Dense, Singleton), PosInf>>, B: Csr<f32>) -> Tensor<f32, Filled<(Dense, Compressed), PosInf>> \
                     { C[i, k] min= P[i, j] + B[j, k]; }";
        assert!(!cin(least).starts_with("∀i ∀j ∀k"), "{}", cin(least));
    }
}
