//! Reductions into a scalar, over partial sums.
//!
//! In strict order each step waits for the one before it, and floating-point sums can't be reordered by the Rust
//! compiler. A [`LoopKind::Reduce`] loop allows it: the loop accumulates into lanes, the lanes are combined, and a plain
//! loop does the rest. Measured on sparse rows: four lanes are 3 times as fast as strict order on long rows, and no
//! slower on short ones, where eight are; gather instructions lose on rows of equal length. Loads of adjacent elements
//! (dot products) become vectors: there the lanes fill several registers.

use super::expr::{Code, bare, binary, value};
use super::stmt::Stmts;
use crate::llir::walk::visit_exprs;
use crate::llir::{Expr, IndexOp, LoopKind, Stmt, Ty, VarId};
use crate::scalar::{DType, Monoid};
use proc_macro2::TokenStream;
use quote::quote;

/// Lanes where elements are picked by coordinates: independent sums for the pipeline to overlap.
const SCATTERED: u32 = 4;
/// Bytes of the lanes where elements are adjacent: two registers of the widest instruction set.
const ADJACENT_BYTES: u32 = 128;

/// How a loop accumulates.
pub(super) struct Partial {
    var: VarId,
    op: Monoid,
    dtype: DType,
    lanes: u32,
}

impl Partial {
    /// Whether and how a loop takes partial sums: floating point, steps of 1, straight code.
    pub(super) fn of(stmts: Stmts<'_>, stmt: &Stmt) -> Option<Partial> {
        let Stmt::For { var: loop_var, step: 1, kind: LoopKind::Reduce { var, op }, body, .. } = stmt else {
            return None;
        };
        let Ty::Scalar(dtype) = stmts.var_type(*var) else { return None };
        let straight =
            body.iter().all(|s| matches!(s, Stmt::Let { .. } | Stmt::Update { .. } | Stmt::Comment(_)));
        if !dtype.is_float() || !straight {
            return None;
        }
        let size = if dtype == DType::F32 { 4 } else { 8 };
        let lanes = if is_adjacent(*loop_var, body) { ADJACENT_BYTES / size } else { SCATTERED };
        Some(Partial { var: *var, op: *op, dtype, lanes })
    }

    /// The loop in lanes, and the rest of it.
    pub(super) fn emit(
        &self,
        stmts: Stmts<'_>,
        loop_var: VarId,
        lo: &Expr,
        hi: &Expr,
        body: &[Stmt],
    ) -> TokenStream {
        let names = stmts.names;
        let (next, end, partial, lane) = (&names.next, &names.end, &names.partial, &names.lane);
        let var = names.var(loop_var);
        let (lo, hi) = (stmts.exprs.initial(lo), stmts.exprs.initial(hi));
        let lanes = bare(u64::from(self.lanes));
        // Both exist for floats, of which alone there are partial sums.
        let identity = self.op.identity(self.dtype).map(value);
        let in_lane = stmts.with_accumulator(self.var, &quote!(#partial[#lane])).block(body);
        let rest = stmts.block(body);
        let combine = self.combine(stmts);
        quote! {
            let mut #next = #lo;
            let #end = #hi;
            if #next + #lanes <= #end {
                let mut #partial = [#identity; #lanes];
                while #next + #lanes <= #end {
                    for #lane in 0..#lanes {
                        let #var = #next + #lane;
                        #in_lane
                    }
                    #next += #lanes;
                }
                #combine
            }
            for #var in #next..#end {
                #rest
            }
        }
    }

    /// The lanes' values into the accumulator.
    fn combine(&self, stmts: Stmts<'_>) -> TokenStream {
        let names = stmts.names;
        let (total, isa, partial, lane) = (names.var(self.var), &names.isa, &names.partial, &names.lane);
        if self.op == Monoid::Add {
            return quote!(#total += #isa.sum(#partial););
        }
        let value = Code::atom(quote!(#lane));
        let combined = binary(self.op.op(), self.dtype, Code::atom(quote!(#total)), value).tokens();
        quote!(for #lane in #partial { #total = #combined; })
    }
}

/// Does every load that depends on the loop variable read adjacent elements in adjacent iterations?
fn is_adjacent(loop_var: VarId, body: &[Stmt]) -> bool {
    let mut varying = vec![loop_var];
    for stmt in body {
        if let Stmt::Let { var, value } = stmt
            && varying.iter().any(|v| value.mentions(*v))
        {
            varying.push(*var);
        }
    }
    let mut adjacent = true;
    visit_exprs(body, &mut |e| match e {
        Expr::Load { index, .. } => adjacent &= step(index, loop_var, &varying).is_some_and(|by| by <= 1),
        Expr::Search { .. } => adjacent = false,
        _ => {}
    });
    adjacent
}

/// By how much an index grows an iteration, if that is plain to see.
fn step(index: &Expr, loop_var: VarId, varying: &[VarId]) -> Option<u64> {
    match index {
        Expr::Var(v) if *v == loop_var => Some(1),
        Expr::IndexOp(IndexOp::Add, a, b) => Some(step(a, loop_var, varying)? + step(b, loop_var, varying)?),
        e if varying.iter().any(|v| e.mentions(*v)) => None,
        _ => Some(0),
    }
}
