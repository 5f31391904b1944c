//! What the user sees of a kernel: a typed function, and beside it a module of the same name.
//!
//! ```text
//! pub fn spmm<D: Device>(A: &<Csr<f32> as OnDevice>::On<D>, …) -> Result<…> where spmm::Kernel: RunsOn<D>
//! impl Signature for spmm::Kernel            // names the user's types, so it stands outside the module
//! const _: () = assert!(…)                   // each type is what the compiler took it for
//! pub mod spmm {
//!     CIN, PROGRAM, explain(), Kernel
//!     impl RunsOn<Host> for Kernel           // from tensors to arrays and back
//!     CUDA_SOURCE, CUDA_CIN, KERNELS, prepare()
//!     impl RunsOn<Cuda> for Kernel           // and on the simulator
//!     mod native                             // the loops
//! }
//! ```

use super::gpu::OnGpu;
use super::header::Header;
use super::launch::launch;
use crate::driver::Compiled;
use crate::emit::rust::expr::{bare, rust_type};
use crate::emit::rust::names::Names;
use crate::emit::rust::native::native;
use crate::emit::rust::quote::{Tokens, quote as code};
use crate::emit::rust::text::text as literal;
use crate::format::{Fill, FormatSpec, Level};
use crate::front::Signature;
use crate::front::ast::Kernel;
use crate::scalar::DType;
use proc_macro2::TokenStream;
use quote::quote;

/// The expansion of a kernel that compiled, of which the module consists of so much. `krate` is the path of the crate whose
/// `__private` module the code refers to.
pub(super) fn item(kernel: &Kernel, module: Tokens, krate: &TokenStream) -> TokenStream {
    let signature = Signature::from(kernel);
    let header = Header::new(&signature, krate);
    let mut item = function(&header);
    item.extend([header.module_with(module), assertions(kernel, &header)]);
    item
}

/// What the module consists of, besides the kernel as a type.
pub(super) fn module(compiled: &Compiled, on_gpu: &OnGpu, text: &str) -> Tokens {
    let kernel = &compiled.kernel;
    let names = Names::new(compiled.program.program());
    let (cin, program) = (literal(&compiled.cin_text()), literal(&compiled.program_text()));
    let (launch, on_gpu, native) = (launch(kernel, &names), on_gpu.items(kernel, text), native(&names));
    code! {
        /// The kernel as concrete index notation.
        pub const CIN: &str = #cin;
        /// The lowered program.
        pub const PROGRAM: &str = #program;
        /// What the compiler did with the kernel, and why.
        pub fn explain() -> ::std::string::String {
            gpu::explain(TEXT)
        }
        #launch
        #on_gpu
        #[allow(clippy::too_many_arguments, clippy::assign_op_pattern, clippy::manual_div_ceil)]
        mod native {
            use super::in_native::*;
            #native
        }
    }
}

/// The function, and its parameters and result as associated types of the marker.
fn function(header: &Header<'_>) -> TokenStream {
    let Signature { attrs, vis, name, output, .. } = header.signature;
    let (module, cfgs, private) = (header.module(), header.cfgs(), &header.private);
    let (device, device_param) = (header.device(), header.device_param());
    let params = header.names();
    let (types, args) = (header.types(&TokenStream::new()), header.types(&quote!('a)));
    let output = output.iter().flatten().map(|ty| header.on(ty)).next().unwrap_or_else(|| quote!(()));
    // Without a tensor nothing but the kernel says where a call runs.
    let (bound, run) = if header.names_device() {
        (
            quote!(#device: #private::Runs<#module::Kernel>),
            quote!(<#device as #private::Runs<#module::Kernel>>),
        )
    } else {
        (
            quote!(#module::Kernel: #private::RunsOn<#device>),
            quote!(<#module::Kernel as #private::RunsOn<#device>>),
        )
    };
    quote! {
        #(#attrs)*
        #vis fn #name<#device_param>(#(#params: #types),*)
            -> ::core::result::Result<#output, #private::Error>
        where
            #bound,
        {
            #run::run((#(#params,)*))
        }
        #cfgs
        impl #private::Signature for #module::Kernel {
            type Args<'a, #device_param> = (#(#args,)*);
            type Output<#device_param> = #output;
        }
    }
}

/// Constant assertions that each of the user's types has the structure that the compiler read from its name.
fn assertions(kernel: &Kernel, header: &Header<'_>) -> TokenStream {
    let (cfgs, private) = (header.cfgs(), &header.private);
    let each = kernel.tensors.iter().map(|t| {
        let (name, ty) = (t.name.to_string(), &t.ty);
        let structure = structure(t.dtype, t.packed.as_ref().unwrap_or(&t.spec)).into_stream();
        quote!(#name: #ty = #structure;)
    });
    quote!(#cfgs #private::have_structure! { #(#each)* })
}

/// Element type, levels, mode order and fill.
fn structure(dtype: DType, spec: &FormatSpec) -> Tokens {
    let levels = spec.levels.iter().map(|l| match l {
        Level::Dense => code!(Dense),
        Level::Compressed { unique } => code!(Compressed { unique: #unique }),
        Level::Singleton { unique } => code!(Singleton { unique: #unique }),
    });
    let order = spec.order().iter().map(|&d| bare(d as u64));
    let fill = match spec.fill {
        Fill::Zero => code!(Zero),
        Fill::One => code!(One),
        Fill::PosInf => code!(PosInf),
        Fill::NegInf => code!(NegInf),
    };
    let dtype = rust_type(dtype);
    code!(#dtype [#(#levels),*] [#(#order),*] #fill)
}
