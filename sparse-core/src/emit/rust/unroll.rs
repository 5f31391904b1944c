//! Unrolled loops: the body as often as asked, written out, and a plain loop for the rest.
//!
//! The Rust compiler has no attribute that unrolls a loop, and unrolls by its own estimate only what is small: a body
//! that is written out again is unrolled. The copies' variables differ by constants, so that adjacent accesses of
//! neighbouring copies become vector instructions where nothing else forbids it.

use super::expr::bare;
use super::quote::{Tokens, quote};
use super::stmt::Stmts;
use crate::llir::{Expr, IndexOp, Stmt, VarId};

/// So many copies are written out, by all unrolled loops around them together; of more, each is an iteration of a loop over as
/// many.
const MOST_COPIES: u32 = 64;

/// A loop to be unrolled.
pub(super) struct Unrolled<'a> {
    pub(super) var: VarId,
    pub(super) lo: &'a Expr,
    pub(super) hi: &'a Expr,
    pub(super) step: u32,
    pub(super) copies: u32,
    pub(super) body: &'a [Stmt],
}

impl Unrolled<'_> {
    pub(super) fn emit(&self, stmts: Stmts<'_>) -> Tokens {
        let (names, step) = (stmts.names, u64::from(self.step));
        let (next, end, var) = (&names.next, &names.end, names.var(self.var));
        let (lo, hi) = (stmts.exprs.initial(self.lo), stmts.exprs.initial(self.hi));
        let most = MOST_COPIES / stmts.copies;
        let trips = self.trips().and_then(|n| n.try_into().ok()).filter(|n| *n <= self.copies.min(most));
        let times = trips.or((self.copies <= most).then_some(self.copies)).unwrap_or(1);
        let body = stmts.written_out(times.max(1)).block(self.body);
        if let Some(trips) = trips {
            let copies = (0..u64::from(trips)).map(|n| match n * step {
                0 => quote!({ let #var = #next; #body }),
                ahead => {
                    let ahead = bare(ahead);
                    quote!({ let #var = #next + #ahead; #body })
                }
            });
            return quote!({ let #next = #lo; #(#copies)* });
        }
        let copies = u64::from(self.copies);
        let (last, all) = (bare((copies - 1) * step), bare(copies * step));
        let several = if self.copies <= most {
            let copies = (0..copies).map(|n| match n * step {
                0 => quote!({ let #var = #next; #body }),
                ahead => {
                    let ahead = bare(ahead);
                    quote!({ let #var = #next + #ahead; #body })
                }
            });
            quote!(#(#copies)*)
        } else {
            let step = bare(step);
            quote!(for #var in (#next..#next + #all).step_by(#step) { #body })
        };
        let rest = match self.step {
            1 => quote!(#next..#end),
            step => {
                let step = bare(u64::from(step));
                quote!((#next..#end).step_by(#step))
            }
        };
        quote! {
            let mut #next = #lo;
            let #end = #hi;
            while #next + #last < #end {
                #several
                #next += #all;
            }
            for #var in #rest { #body }
        }
    }

    /// The number of iterations, if it is a constant.
    fn trips(&self) -> Option<u64> {
        let (a, b) = (offset(self.lo), offset(self.hi));
        (a.0 == b.0).then(|| b.1.saturating_sub(a.1).div_ceil(u64::from(self.step)))
    }
}

/// An index as something and a constant that is added to it.
fn offset(e: &Expr) -> (Option<&Expr>, u64) {
    match e {
        Expr::Index(n) => (None, *n),
        Expr::IndexOp(IndexOp::Add, a, b) => match (&**a, &**b) {
            (e, Expr::Index(n)) | (Expr::Index(n), e) => {
                let (base, m) = offset(e);
                (base, m.saturating_add(*n))
            }
            _ => (Some(e), 0),
        },
        e => (Some(e), 0),
    }
}
