//! The procedural macro behind `sparse_gpu::tensor_kernel!`: a shell over [`sparse_core::expand`].

use proc_macro::TokenStream;

/// `$crate; kernel`, from `sparse_gpu::tensor_kernel!`, which knows the crate's path whatever a user calls it.
#[doc(hidden)]
#[proc_macro]
pub fn expand_kernel(input: TokenStream) -> TokenStream {
    sparse_core::expand::expand(input.into()).into()
}
