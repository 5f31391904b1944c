//! What the user sees of a kernel: a typed function, and beside it a module of the same name.
//!
//! ```text
//! pub fn spmm<D: Device>(A: &<Csr<f32> as OnDevice>::On<D>, …) -> Result<…> where spmm::Kernel: RunsOn<D>
//! impl Signature for spmm::Kernel            // names the user's types, so it stands outside the module
//! const _: () = assert!(…)                   // each type is what the compiler took it for
//! pub mod spmm {
//!     CIN, PROGRAM, explain(), Kernel
//!     impl RunsOn<Host> for Kernel           // from tensors to arrays and back
//!     mod native                             // the loops
//! }
//! ```

use super::expr::rust_type;
use super::launch::launch;
use super::names::{Names, ident};
use super::native::native;
use crate::driver::Compiled;
use crate::format::{Fill, FormatSpec, Level, LevelMap};
use crate::front::ast::{Kernel, Mode, Param, Tensor};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};

/// The expansion of a kernel that compiled. `krate` is the path of the crate whose `__private` module the code
/// refers to.
pub fn item(compiled: &Compiled, krate: &TokenStream) -> TokenStream {
    let kernel = &compiled.kernel;
    let names = Names::new(compiled.program.program());
    let function = function(kernel, krate);
    let (cin, program, explain) = (compiled.cin_text(), compiled.program_text(), compiled.explain());
    let launch = launch(kernel, &names);
    let native = native(&names);
    let module = module(
        kernel,
        krate,
        quote! {
            /// The kernel as concrete index notation.
            pub const CIN: &str = #cin;
            /// The lowered program.
            pub const PROGRAM: &str = #program;
            /// What the compiler did with the kernel, and why.
            pub fn explain() -> ::std::string::String {
                ::std::string::String::from(#explain)
            }
            #launch
            mod native {
                use #krate::__private::native::*;
                #native
            }
        },
    );
    let assertions = assertions(kernel, krate);
    quote!(#function #module #assertions)
}

/// The module beside the function; `items` follow the marker type.
fn module(kernel: &Kernel, krate: &TokenStream, items: TokenStream) -> TokenStream {
    let (vis, name, cfgs) = (&kernel.vis, own(&kernel.name), cfgs(kernel));
    let doc = format!("What the compiler made of the kernel [`{name}`](fn@{name}).");
    quote! {
        #(#cfgs)*
        #[doc = #doc]
        #vis mod #name {
            use #krate::__private::host::*;
            /// The kernel as a type: it implements `RunsOn` for the devices that it runs on.
            #[derive(Clone, Copy, Debug)]
            pub struct Kernel;
            #items
        }
    }
}

/// The function, and its parameters and result as associated types of the marker.
fn function(kernel: &Kernel, krate: &TokenStream) -> TokenStream {
    let Kernel { attrs, vis, name, .. } = kernel;
    let module = own(name);
    let cfgs = cfgs(kernel);
    let device = device(kernel);
    let private = quote!(#krate::__private);
    let on = |t: &Tensor| {
        let ty = &t.ty;
        quote!(<#ty as #private::OnDevice>::On<#device>)
    };
    let params: Vec<_> = kernel.params.iter().map(|p| param(kernel, *p)).collect();
    let types = |lifetime: TokenStream| {
        let types = kernel.params.iter().map(move |p| match *p {
            Param::Scalar(s) => rust_type(kernel.scalars[s].dtype),
            Param::Tensor(t) => {
                let tensor = &kernel.tensors[t.index()];
                let ty = on(tensor);
                match tensor.mode {
                    Mode::InOut => quote!(&#lifetime mut #ty),
                    Mode::Input | Mode::Result => quote!(&#lifetime #ty),
                }
            }
        });
        types.collect::<Vec<_>>()
    };
    let (bare, named) = (types(TokenStream::new()), types(quote!('a)));
    let output = match kernel.tensors.iter().find(|t| t.mode == Mode::Result) {
        Some(tensor) => on(tensor),
        None => quote!(()),
    };
    quote! {
        #(#attrs)*
        #vis fn #name<#device: #private::Device>(#(#params: #bare),*)
            -> ::core::result::Result<#output, #private::Error>
        where
            #module::Kernel: #private::RunsOn<#device>,
        {
            <#module::Kernel as #private::RunsOn<#device>>::run((#(#params,)*))
        }
        #(#cfgs)*
        impl #private::Signature for #module::Kernel {
            type Args<'a, #device: #private::Device> = (#(#named,)*);
            type Output<#device: #private::Device> = #output;
        }
    }
}

/// Constant assertions that each of the user's types has the structure that the compiler read from its name.
fn assertions(kernel: &Kernel, krate: &TokenStream) -> TokenStream {
    let cfgs = cfgs(kernel);
    let checks = kernel.tensors.iter().map(|t| {
        let (ty, spec) = (&t.ty, spec(&t.spec, krate));
        let dtype = dtype(t, krate);
        let message = format!(
            "the type of `{}` is not the one of this name in `sparse_gpu::prelude`: write it as `Tensor<T, (…)>`",
            t.name
        );
        quote!(assert!(#krate::__private::has_structure::<#ty>(#dtype, #spec), #message);)
    });
    quote! {
        #(#cfgs)*
        const _: () = { #(#checks)* };
    }
}

fn dtype(t: &Tensor, krate: &TokenStream) -> TokenStream {
    let t = rust_type(t.dtype);
    quote!(<#t as #krate::__private::Element>::DTYPE)
}

/// Levels, mode order and fill as constant expressions.
fn spec(spec: &FormatSpec, krate: &TokenStream) -> TokenStream {
    let levels = spec.levels.iter().map(|l| match l {
        Level::Dense => quote!(#krate::__private::Level::Dense),
        Level::Compressed { unique } => quote!(#krate::__private::Level::Compressed { unique: #unique }),
        Level::Singleton { unique } => quote!(#krate::__private::Level::Singleton { unique: #unique }),
    });
    let LevelMap::Permutation(order) = &spec.map;
    let fill = match spec.fill {
        Fill::Zero => quote!(Zero),
        Fill::One => quote!(One),
        Fill::PosInf => quote!(PosInf),
        Fill::NegInf => quote!(NegInf),
    };
    quote!(&[#(#levels),*], &[#(#order),*], #krate::__private::Fill::#fill)
}

/// A parameter's name in the function, with the macro's hygiene at the user's place.
fn param(kernel: &Kernel, p: Param) -> Ident {
    own(match p {
        Param::Tensor(t) => &kernel.tensors[t.index()].name,
        Param::Scalar(s) => &kernel.scalars[s].name,
    })
}

/// The user's identifier where the generated code repeats it: it points at the user's token, but lints take it as the
/// macro's.
fn own(name: &Ident) -> Ident {
    let mut name = name.clone();
    name.set_span(Span::mixed_site().located_at(name.span()));
    name
}

/// The `cfg` attributes of the function, which hold for all that stands beside it.
fn cfgs(kernel: &Kernel) -> Vec<&syn::Attribute> {
    kernel.attrs.iter().filter(|a| a.path().is_ident("cfg")).collect()
}

/// The device's type parameter: `D`, unless one of the user's types uses the name.
fn device(kernel: &Kernel) -> Ident {
    let types: TokenStream = kernel.tensors.iter().map(|t| t.ty.to_token_stream()).collect();
    let mut device = ident("D");
    while mentions(types.clone(), &device) {
        device = ident(&format!("{device}_"));
    }
    device
}

fn mentions(tokens: TokenStream, name: &Ident) -> bool {
    tokens.into_iter().any(|t| match t {
        TokenTree::Ident(i) => i == *name,
        TokenTree::Group(g) => mentions(g.stream(), name),
        _ => false,
    })
}
