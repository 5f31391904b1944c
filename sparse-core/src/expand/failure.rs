//! The expansion of a kernel with mistakes.

use super::header::Header;
use crate::diag::Diagnostic;
use crate::emit::rust::quote::quote as code;
use crate::front::{Failure, Signature};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

/// Every mistake at its token; and, if the header could be read, a function and a module that type-check, so that
/// uses of the kernel are not mistakes too.
pub fn failure(failure: &Failure, krate: &TokenStream) -> TokenStream {
    let errors = failure.diagnostics.iter().map(error);
    let item = failure.signature.as_ref().map(|s| stand_in(s, krate));
    quote!(#(#errors)* #item)
}

fn error(d: &Diagnostic) -> TokenStream {
    let text = d.to_string();
    quote_spanned!(d.span=> ::core::compile_error! { #text })
}

/// The function without a body that could run: the crate does not compile anyway.
fn stand_in(signature: &Signature, krate: &TokenStream) -> TokenStream {
    let header = Header::new(signature, krate);
    let Signature { attrs, vis, name, .. } = signature;
    let (params, types, private) = (header.names(), header.types(&TokenStream::new()), &header.private);
    let device = header.names_device().then(|| header.device_param());
    let (output, any) = match &signature.output {
        None => (quote!(()), None),
        Some(Some(ty)) if header.names_device() => (header.on(ty), None),
        Some(Some(ty)) => (quote!(#ty), None),
        Some(None) => (quote!(AnyResult), Some(quote!(AnyResult))),
    };
    let generics: Vec<_> = device.into_iter().chain(any).collect();
    let function = quote! {
        #(#attrs)*
        #vis fn #name<#(#generics),*>(#(#params: #types),*)
            -> ::core::result::Result<#output, #private::Error>
        {
            ::core::panic!("this kernel did not compile")
        }
    };
    let module = header.module_with(code! {
        /// Empty: the kernel did not compile.
        pub const CIN: &str = "";
        /// Empty: the kernel did not compile.
        pub const PROGRAM: &str = "";
        /// Empty: the kernel did not compile.
        pub const CUDA_SOURCE: &str = "";
        /// Empty: the kernel did not compile.
        pub const CUDA_CIN: &str = "";
        /// Empty: the kernel did not compile.
        pub const KERNELS: &[KernelInfo] = &[];
        /// Empty: the kernel did not compile.
        pub const TEXT: &str = "";
        /// Does nothing: the kernel did not compile.
        pub fn prepare<D: Device>(_: &D) -> ::core::result::Result<(), Error> {
            Ok(())
        }
        /// Empty: the kernel did not compile.
        pub fn explain() -> ::std::string::String {
            ::std::string::String::new()
        }
    });
    let marker = marker(&header);
    quote!(#function #module #marker)
}

/// The kernel as a type that runs anywhere, for the bounds of generic functions that call it.
fn marker(header: &Header<'_>) -> TokenStream {
    let (module, cfgs, private) = (header.module(), header.cfgs(), &header.private);
    let (device, device_param) = (header.device(), header.device_param());
    let args = header.signature.params.iter().zip(header.types(&quote!('a)));
    // A type that is at fault itself is none here.
    let args = args.map(|(p, ty)| if p.ty.is_some() { ty } else { quote!(()) });
    let output = header.signature.output.iter().flatten().map(|ty| header.on(ty)).next();
    let output = output.unwrap_or_else(|| quote!(()));
    quote! {
        #cfgs
        impl #private::Signature for #module::Kernel {
            type Args<'a, #device_param> = (#(#args,)*);
            type Output<#device_param> = #output;
        }
        #cfgs
        impl<#device_param> #private::RunsOn<#device> for #module::Kernel {
            fn run(_: #private::rt::Args<'_, Self, #device>)
                -> ::core::result::Result<#private::rt::Output<Self, #device>, #private::Error>
            {
                ::core::panic!("this kernel did not compile")
            }
        }
    }
}
