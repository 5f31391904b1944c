//! Arrays that the tasks of a loop on threads append to: with a bound, arrays that have room for it, and whose lengths a
//! task tells; without, arrays that grow.

use super::names::Names;
use super::native::element_type;
use super::quote::{Ident, Tokens, quote};
use crate::llir::{Appends, BufferId};

/// Coordinates and positions, and values.
fn parts(appends: &Appends) -> (&[BufferId], BufferId) {
    let Some((values, indices)) = appends.buffers.split_last() else {
        unreachable!("a verified loop that appends does so to values")
    };
    (indices, *values)
}

/// `impl rt::Appender`: the arrays, and the same task with others.
pub(super) fn items(names: &Names<'_>, ty: &Ident, life: &Tokens, appends: &Appends) -> Tokens {
    let (indices, values) = parts(appends);
    let t = element_type(names.program.buffer(values).elem);
    let n = super::expr::bare(indices.len() as u64);
    let indices: Vec<_> = indices.iter().map(|b| names.buffer(*b)).collect();
    let values = names.buffer(values);
    match appends.before.is_some() {
        true => quote! {
            impl rt::Appender<#t, #n> for #ty #life {
                fn arrays(&self) -> ([rt::Shared<i32>; #n], rt::Shared<#t>) {
                    ([#(self.#indices),*], self.#values)
                }

                fn with(&self, [#(#indices),*]: [rt::Shared<i32>; #n], #values: rt::Shared<#t>) -> Self {
                    #ty { #(#indices,)* #values, ..*self }
                }
            }
        },
        false => quote! {
            impl rt::Grower<#t, #n> for #ty #life {
                fn arrays(&self) -> ([rt::Own<rt::Grown<i32>>; #n], rt::Own<rt::Grown<#t>>) {
                    ([#(self.#indices),*], self.#values)
                }

                fn with(
                    &self,
                    [#(#indices),*]: [rt::Own<rt::Grown<i32>>; #n],
                    #values: rt::Own<rt::Grown<#t>>,
                ) -> Self {
                    #ty { #(#indices,)* #values, ..*self }
                }
            }
        },
    }
}

/// The lengths of bounded arrays, one of those that grow together.
pub(super) fn lens<'a>(names: &'a Names<'_>, appends: &Appends) -> Vec<&'a Ident> {
    appends.buffers.iter().filter(|b| !names.follows(**b)).map(|b| names.len(*b)).collect()
}

/// All lengths, as a value.
pub(super) fn ends(names: &Names<'_>, appends: &Appends) -> Tokens {
    let (indices, values) = parts(appends);
    let (indices, values) = (indices.iter().map(|b| names.len(*b)), names.len(values));
    quote!(rt::Lens { indices: [#(#indices),*], values: #values })
}

/// All lengths, each assigned once.
pub(super) fn next(names: &Names<'_>, appends: &Appends) -> Tokens {
    let (indices, values) = parts(appends);
    let place = |b: &BufferId| match names.follows(*b) {
        true => quote!(_),
        false => {
            let len = names.len(*b);
            quote!(#len)
        }
    };
    let (indices, values) = (indices.iter().map(place), place(&values));
    quote!(rt::Lens { indices: [#(#indices),*], values: #values })
}
