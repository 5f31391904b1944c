//! The header of the emitted function, for kernels that compiled and for those that did not.

use crate::emit::rust::quote::Tokens;
use crate::front::{ParamKind, Signature, SignatureParam};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};

/// The parts that function, associated types and module are put together from.
pub(super) struct Header<'a> {
    pub(super) signature: &'a Signature,
    /// Path of the `__private` module.
    pub(super) private: TokenStream,
    /// The device's type parameter.
    device: Ident,
}

impl<'a> Header<'a> {
    pub(super) fn new(signature: &'a Signature, krate: &TokenStream) -> Self {
        Header { signature, private: quote!(#krate::__private), device: device(signature) }
    }

    /// The name of function and module, as the macro's own: it points at the user's token, but lints pass it by.
    pub(super) fn module(&self) -> Ident {
        own(&self.signature.name)
    }

    /// The `cfg` attributes of the function, which hold for all that stands beside it.
    pub(super) fn cfgs(&self) -> TokenStream {
        let cfgs = self.signature.attrs.iter().filter(|a| a.path().is_ident("cfg"));
        quote!(#(#cfgs)*)
    }

    /// `D: Device`
    pub(super) fn device_param(&self) -> TokenStream {
        let (device, private) = (&self.device, &self.private);
        quote!(#device: #private::Device)
    }

    /// `D`
    pub(super) fn device(&self) -> &Ident {
        &self.device
    }

    /// The user's tensor type on the device.
    pub(super) fn on(&self, ty: &syn::Type) -> TokenStream {
        let (device, private) = (&self.device, &self.private);
        quote!(<#ty as #private::OnDevice>::On<#device>)
    }

    /// Parameters' names.
    pub(super) fn names(&self) -> Vec<Ident> {
        self.signature.params.iter().map(|p| own(&p.name)).collect()
    }

    /// Parameters' types. One that is at fault itself becomes any type, so that no call is at fault for it.
    pub(super) fn types(&self, lifetime: &TokenStream) -> Vec<TokenStream> {
        self.signature.params.iter().map(|p| self.param_type(p, lifetime)).collect()
    }

    fn param_type(&self, p: &SignatureParam, lifetime: &TokenStream) -> TokenStream {
        match (&p.ty, p.kind) {
            (Some(ty), ParamKind::Scalar) => ty.to_token_stream(),
            (None, ParamKind::Scalar) => quote!(impl ::core::marker::Sized),
            (Some(ty), kind) => {
                let (ty, mutable) = (self.on(ty), mutable(kind));
                quote!(&#lifetime #mutable #ty)
            }
            (None, kind) => {
                let mutable = mutable(kind);
                quote!(&#lifetime #mutable (impl ::core::marker::Sized + ?::core::marker::Sized))
            }
        }
    }

    /// Does a parameter's type name the device, so that a call infers it?
    pub(super) fn names_device(&self) -> bool {
        self.signature.params.iter().any(|p| p.kind != ParamKind::Scalar && p.ty.is_some())
    }

    /// The module beside the function: the marker type, and more items.
    pub(super) fn module_with(&self, items: Tokens) -> TokenStream {
        let (vis, name, cfgs, private) = (&self.signature.vis, self.module(), self.cfgs(), &self.private);
        let doc = format!(" What the compiler made of the kernel [`{name}`](fn@{name}).");
        let items = items.into_stream();
        quote! {
            #cfgs
            #[doc = #doc]
            #vis mod #name {
                use #private::host::*;
                /// The kernel as a type: it implements `RunsOn` for the devices that it runs on.
                #[derive(Clone, Copy, Debug)]
                pub struct Kernel;
                #items
            }
        }
    }
}

fn mutable(kind: ParamKind) -> TokenStream {
    match kind {
        ParamKind::TensorMut => quote!(mut),
        ParamKind::Tensor | ParamKind::Scalar => TokenStream::new(),
    }
}

/// The user's identifier where the generated code repeats it: it points at the user's token, but lints take it as the
/// macro's.
fn own(name: &Ident) -> Ident {
    let mut name = name.clone();
    name.set_span(Span::mixed_site().located_at(name.span()));
    name
}

/// The device's type parameter: `D`, unless one of the user's types uses the name.
fn device(signature: &Signature) -> Ident {
    let types =
        signature.params.iter().filter_map(|p| p.ty.as_ref()).chain(signature.output.iter().flatten());
    let types: TokenStream = types.map(|t| t.to_token_stream()).collect();
    let mut name = "D".to_owned();
    while mentions(types.clone(), &name) {
        name.push('_');
    }
    Ident::new(&name, Span::mixed_site())
}

fn mentions(tokens: TokenStream, name: &str) -> bool {
    tokens.into_iter().any(|t| match t {
        TokenTree::Ident(i) => i == *name,
        TokenTree::Group(g) => mentions(g.stream(), name),
        _ => false,
    })
}
