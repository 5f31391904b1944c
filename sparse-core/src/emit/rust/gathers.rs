//! Programs that are not compiled for AVX-512: those whose innermost loops store values of elements, read or written, that are
//! anywhere, and that do nothing else: no sums, no tiles, nothing that is appended.
//!
//! A compiler makes such loops with gathers and scatters where the instruction set has both. On Zen 5 they are slower than one
//! element after another: `Y[i, j] = H[i, j] * D[i, j]` over the entries of D takes 2.5 times as long as by AVX2, which has no
//! scatter. Sums and tiles are written with vectors of their own, which are what AVX-512 is for.

use crate::llir::walk::visit_stmts;
use crate::llir::{Expr, LoopKind, Program, Step, Stmt, VarId};

/// Is it such a program?
pub(super) fn gathers(program: &Program) -> bool {
    let (mut found, mut others) = (false, false);
    for step in &program.steps {
        let Step::Run(block) = step else { continue };
        visit_stmts(block, &mut |s| match s {
            Stmt::For { kind: LoopKind::Serial | LoopKind::Unroll(_), body, .. }
            | Stmt::Threads { body, .. } => {
                found |= is_indirect(body);
            }
            Stmt::Let { .. } | Stmt::Mut { .. } | Stmt::Store { .. } | Stmt::If { .. } | Stmt::Comment(_) => {
            }
            _ => others = true,
        });
    }
    found && !others
}

/// Are there values and stores alone, at an index that is loaded?
fn is_indirect(body: &[Stmt]) -> bool {
    let mut loaded: Vec<VarId> = vec![];
    let (mut plain, mut stores, mut anywhere) = (true, false, false);
    for s in body {
        s.for_each_expr(&mut |e| {
            e.visit(&mut |e| {
                if let Expr::Load { index, .. } = e {
                    anywhere |= is_loaded(index, &loaded);
                }
            });
        });
        match s {
            Stmt::Let { var, value } => loaded.extend(is_loaded(value, &loaded).then_some(*var)),
            Stmt::Store { index, .. } => {
                stores = true;
                anywhere |= is_loaded(index, &loaded);
            }
            Stmt::Comment(_) => {}
            _ => plain = false,
        }
    }
    plain && stores && anywhere
}

/// Does it come from memory, directly or by one of the variables?
fn is_loaded(e: &Expr, variables: &[VarId]) -> bool {
    let mut loaded = false;
    e.visit(&mut |e| match e {
        Expr::Load { .. } => loaded = true,
        Expr::Var(v) => loaded |= variables.contains(v),
        _ => {}
    });
    loaded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::{Options, compile_kernel};
    use crate::front::parse_str;

    #[test]
    fn what_is_anywhere_and_alone() {
        let of = |text: &str| {
            gathers(compile_kernel(parse_str(text).unwrap(), &Options::default()).unwrap().program.program())
        };
        let dropout = "H: DenseMat<f32>, D: Csr<f32>";
        assert!(of(&format!("fn f({dropout}) -> DenseMat<f32> {{ Y[i, j] = H[i, j] * D[i, j]; }}")));
        assert!(of(&format!("fn f({dropout}) -> Csr<f32> {{ Y[i, j] = H[i, j] * D[i, j]; }}")));
        // Nothing is anywhere; sums have their own vectors.
        assert!(!of("fn f(A: Csr<f32>) -> Csr<f32> { Y[i, j] = 2.0 * A[i, j]; }"));
        assert!(!of("fn f(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] = A[i, j] * x[j]; }"));
        assert!(!of(
            "fn f(A: DenseMat<f32>, B: DenseMat<f32>) -> DenseMat<f32> { Y[i, j] = A[i, j] + B[i, j]; }"
        ));
    }
}
