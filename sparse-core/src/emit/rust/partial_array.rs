//! Reductions into a register array, over partial arrays.
//!
//! Where the array is a vector register or less, each stored entry's addition waits for the one before it. A
//! [`LoopKind::ReduceArray`] loop may be reassociated: four entries at a time go into arrays of their own, which are
//! combined at the end, and a plain loop does the rest. Wider arrays have independent registers already.

use super::expr::{Code, bare, binary, value};
use super::stmt::Stmts;
use crate::llir::{BufferId, Elem, Expr, LoopKind, Space, Stmt, VarId};
use crate::scalar::{DType, Monoid};
use proc_macro2::TokenStream;
use quote::quote;

/// Entries at a time.
const ENTRIES: u32 = 4;
/// Arrays of more bytes than the widest vector register are not split.
const REGISTER_BYTES: u32 = 64;

/// How a loop accumulates.
pub(super) struct PartialArray {
    buffer: BufferId,
    op: Monoid,
    dtype: DType,
    len: u32,
}

impl PartialArray {
    /// Whether a loop takes partial arrays: floating point, steps of 1, one vector register.
    pub(super) fn of(stmts: Stmts<'_>, stmt: &Stmt) -> Option<PartialArray> {
        let Stmt::For { step: 1, kind: LoopKind::ReduceArray { buffer, op }, .. } = stmt else { return None };
        let b = stmts.names.program.buffer(*buffer);
        let (Elem::Scalar(dtype), Space::Register { len }) = (b.elem, b.space) else { return None };
        let size = if dtype == DType::F32 { 4 } else { 8 };
        (dtype.is_float() && len * size <= REGISTER_BYTES).then_some(PartialArray {
            buffer: *buffer,
            op: *op,
            dtype,
            len,
        })
    }

    /// The loop over several entries at a time, and the rest of it.
    pub(super) fn emit(
        &self,
        stmts: Stmts<'_>,
        loop_var: VarId,
        lo: &Expr,
        hi: &Expr,
        body: &[Stmt],
    ) -> TokenStream {
        let names = stmts.names;
        let (next, end, partial, entry) = (&names.next, &names.end, &names.partial, &names.lane);
        let (var, acc) = (names.var(loop_var), names.buffer(self.buffer));
        let (lo, hi) = (stmts.exprs.initial(lo), stmts.exprs.initial(hi));
        let (entries, len) = (bare(u64::from(ENTRIES)), bare(u64::from(self.len)));
        // Both exist for floats, of which alone there are partial arrays.
        let identity = self.op.identity(self.dtype).map(value);
        let in_partial = stmts.with_array(self.buffer, &quote!(#partial[#entry])).block(body);
        let rest = stmts.block(body);
        let at = &names.at;
        let value = Code::atom(quote!(#partial[#at]));
        let combined = binary(self.op.op(), self.dtype, Code::atom(quote!(#acc[#at])), value).tokens();
        quote! {
            let mut #next = #lo;
            let #end = #hi;
            if #next + #entries <= #end {
                let mut #partial = [[#identity; #len]; #entries];
                while #next + #entries <= #end {
                    for #entry in 0..#entries {
                        let #var = #next + #entry;
                        #in_partial
                    }
                    #next += #entries;
                }
                for #partial in #partial {
                    for #at in 0..#len {
                        #acc[#at] = #combined;
                    }
                }
            }
            for #var in #next..#end {
                #rest
            }
        }
    }
}
