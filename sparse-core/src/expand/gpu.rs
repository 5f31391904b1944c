//! A kernel on GPUs and their simulator: its CUDA, and the kernel as text, from which the program is made again when it
//! first runs there. The program is not in the user's crate: the compiler is in `sparse-gpu` anyway.

use crate::diag::Diagnostics;
use crate::driver::{Compiled, Options, Variants, compile_gpu};
use crate::emit::cuda::{self, Piece, Source};
use crate::emit::rust::expr::bare;
use crate::emit::rust::names::ident;
use crate::emit::rust::quote::{Tokens, quote};
use crate::emit::rust::text::text as literal;
use crate::front::ast::{Kernel, Mode, Param};
use crate::front::command::Schedule;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// What a kernel does on a GPU.
pub(super) enum OnGpu {
    /// Runs.
    Runs(Box<Variants>),
    /// Does not, and why: nobody scheduled it, or somebody said so.
    Not(String),
    /// Has no tensor that says where it runs.
    NoDevice,
}

impl OnGpu {
    /// Compiles for a GPU. A written schedule has to be possible.
    pub(super) fn of(kernel: &Kernel) -> Result<OnGpu, Diagnostics> {
        if !kernel.tensors.iter().any(|t| matches!(t.mode, Mode::Input | Mode::InOut)) {
            return Ok(OnGpu::NoDevice);
        }
        if matches!(kernel.cuda, Schedule::None) {
            return Ok(OnGpu::Not("it says `schedule cuda = none`".into()));
        }
        match compile_gpu(kernel.clone(), &Options::of_macro()) {
            Ok(variants) => Ok(OnGpu::Runs(Box::new(variants))),
            Err(mistakes) if !matches!(kernel.cuda, Schedule::Default) => Err(mistakes),
            // One reason will do.
            Err(mistakes) => {
                Ok(OnGpu::Not(mistakes.iter().next().map_or_else(String::new, |d| d.message.clone())))
            }
        }
    }

    /// How it was scheduled for GPUs, or why it was not.
    pub(super) fn explain(&self) -> String {
        match self {
            OnGpu::Runs(variants) => format!("\non a GPU\n\n{}", variants.explain_schedule()),
            OnGpu::Not(reason) => format!("\non a GPU\n\ndoes not run\n  {reason}\n"),
            OnGpu::NoDevice => String::new(),
        }
    }

    /// Constants, `prepare`, and `RunsOn` for GPUs and the simulator.
    pub(super) fn items(&self, kernel: &Kernel, text: &str) -> Tokens {
        let (constants, text) = (self.constants(), literal(text));
        let runs = match self {
            OnGpu::Runs(_) => runs(kernel),
            OnGpu::Not(reason) => does_not(kernel, reason),
            OnGpu::NoDevice => Tokens::new(),
        };
        quote! {
            #constants
            /// The kernel as text: what can be compiled again at run time, with another schedule.
            pub const TEXT: &str = #text;
            /// Compiles the kernel for a device, so that its first call there pays nothing.
            pub fn prepare<D: Runs<Kernel>>(device: &D) -> ::core::result::Result<(), Error> {
                device.prepare()
            }
            #runs
        }
    }

    fn constants(&self) -> Tokens {
        let (source, cin, kernels) = match self {
            OnGpu::Runs(variants) => {
                let emitted: Vec<_> = variants.all.iter().map(Compiled::cuda).collect();
                let (source, kernels) = cuda::source_of(emitted.iter().map(AsRef::as_ref));
                let infos = kernels.iter().flatten().map(|k| {
                    let (name, signature, block) =
                        (literal(&k.name), literal(&k.signature()), bare(k.threads.into()));
                    let grid = k.grid.iter().map(|blocks| literal(blocks));
                    quote!(KernelInfo { name: #name, signature: #signature, grid: &[#(#grid),*], block: #block })
                });
                (joined(&source), variants.cin_text(), quote!(&[#(#infos),*]))
            }
            OnGpu::Not(_) | OnGpu::NoDevice => (quote!(""), String::new(), quote!(&[])),
        };
        let empty = match self {
            OnGpu::Runs(_) => String::new(),
            OnGpu::Not(reason) => format!(" Empty, for the kernel does not run on GPUs: {reason}."),
            OnGpu::NoDevice => " Empty: a kernel without tensors runs on the CPU.".to_owned(),
        };
        let chosen = matches!(self, OnGpu::Runs(variants) if variants.choice.is_some());
        let (several, one) = match chosen {
            true => {
                (", by each point of a rule", ": of each call, that which the rule of [`CUDA_CIN`] chooses")
            }
            false => ("", ""),
        };
        let doc = |text: &str| literal(&format!(" {text}{empty}"));
        let docs = [
            doc("The kernel's CUDA: one source, with everything that it needs."),
            doc(&format!("The kernel as concrete index notation, as it is scheduled for GPUs{several}.")),
            doc(&format!(
                "The entry points of [`CUDA_SOURCE`], in the order in which they are launched{one}."
            )),
        ];
        let [source_doc, cin_doc, kernels_doc] = docs;
        let cin = literal(&cin);
        quote! {
            #[doc = #source_doc]
            pub const CUDA_SOURCE: &str = #source;
            #[doc = #cin_doc]
            pub const CUDA_CIN: &str = #cin;
            #[doc = #kernels_doc]
            pub const KERNELS: &[KernelInfo] = #kernels;
        }
    }
}

/// The text of a source as a constant: what it has of the prelude stands in the library.
fn joined(source: &Source) -> Tokens {
    let pieces = source.0.iter().map(|piece| match piece {
        Piece::Part(part) => {
            let name = ident(part.constant());
            quote!(gpu::parts::#name)
        }
        Piece::Text(text) => literal(text),
    });
    quote!(__joined! { #(#pieces),* })
}

/// `RunsOn` for GPUs and the simulator, by one function that is generic over them.
fn runs(kernel: &Kernel) -> Tokens {
    let names: Vec<_> = (0..kernel.params.len()).map(|n| ident(&format!("argument{n}"))).collect();
    let mut tensors = Vec::new();
    let mut scalars = Vec::new();
    for (param, name) in kernel.params.iter().zip(&names) {
        match param {
            Param::Tensor(t) if kernel.tensors[t.index()].mode == Mode::InOut => {
                tensors.push(quote!(gpu::Argument::write(#name)?));
            }
            Param::Tensor(_) => tensors.push(quote!(gpu::Argument::read(#name))),
            Param::Scalar(_) => scalars.push(quote!(gpu::Element::to_value(#name))),
        }
    }
    let in_place = kernel.tensors.iter().any(|t| t.mode == Mode::InOut);
    let run = if in_place { quote!(in_place) } else { quote!(result) };
    let name = literal(&kernel.name.to_string());
    quote! {
        static GPU: gpu::Embedded = gpu::Embedded::new(#name, TEXT, CUDA_SOURCE);
        fn launch<D: gpu::Backend>(
            (#(#names,)*): Args<'_, Kernel, D>,
        ) -> ::core::result::Result<Output<Kernel, D>, Error> {
            let arguments = ::std::vec![#(#tensors),*];
            gpu::Call::new(GPU.kernel(&arguments)?, arguments, ::std::vec![#(#scalars),*])?.#run()
        }
        __runs_on_gpus! { Kernel, launch, GPU }
    }
}

/// `RunsOn` behind a bound that nothing meets and that says why. In a module without a prelude rustc finds no attributes of tools,
/// so that who wants no code for GPUs has a trait of the library instead, which knows no other reason.
fn does_not(kernel: &Kernel, reason: &str) -> Tokens {
    if matches!(kernel.cuda, Schedule::None) {
        return quote!(__does_not_run_on_gpus! { Kernel, gpu::OnGpu<Kernel> });
    }
    let message = literal(&format!("kernel `{}` does not run on GPUs: {reason}", kernel.name));
    let note = literal("bring the tensors there with `to_host()`, or write a `schedule cuda { ... }`");
    quote! {
        #[doc(hidden)]
        #[diagnostic::on_unimplemented(
            message = #message,
            label = "it runs on the CPU alone",
            note = #note
        )]
        pub trait OnGpu {}
        __does_not_run_on_gpus! { Kernel, OnGpu }
    }
}

/// The kernel's tokens as text that parses to the same kernel. Attributes are the function's.
pub(super) fn text(kernel: &TokenStream) -> String {
    let mut tokens = TokenStream::new();
    let mut rest = kernel.clone().into_iter().peekable();
    while let Some(token) = rest.next() {
        match token {
            TokenTree::Punct(p) if p.as_char() == '#' && matches!(rest.peek(), Some(TokenTree::Group(_))) => {
                rest.next();
            }
            TokenTree::Group(g) if g.delimiter() == Delimiter::Brace => {
                tokens.extend([group(Delimiter::Brace, visible(g.stream(), true))]);
            }
            token => tokens.extend(visible(token.into(), false)),
        }
    }
    tokens.to_string()
}

fn group(delimiter: Delimiter, tokens: TokenStream) -> TokenTree {
    Group::new(delimiter, tokens).into()
}

/// Fragments that `macro_rules!` passed on come in groups without delimiters, which text does not show. In a statement
/// and its schedules they get parentheses, unless they are one operand anyway; types and names need none.
fn visible(tokens: TokenStream, in_expressions: bool) -> TokenStream {
    let mut out = TokenStream::new();
    for token in tokens {
        let TokenTree::Group(g) = token else {
            out.extend([token]);
            continue;
        };
        let inner = visible(g.stream(), in_expressions);
        match g.delimiter() {
            Delimiter::None if !in_expressions || is_operand(&inner) => out.extend(inner),
            Delimiter::None => out.extend([group(Delimiter::Parenthesis, inner)]),
            delimiter => out.extend([group(delimiter, inner)]),
        }
    }
    out
}

/// A name, a literal or an access.
fn is_operand(tokens: &TokenStream) -> bool {
    let all: Vec<_> = tokens.clone().into_iter().collect();
    match &all[..] {
        [_] => true,
        [TokenTree::Ident(_), TokenTree::Group(g)] => g.delimiter() == Delimiter::Bracket,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::{parse, parse_str};
    use quote::quote;

    /// The CUDA of a kernel's tokens, and of its text.
    fn both(tokens: TokenStream) -> [String; 2] {
        let text = text(&tokens);
        let kernels = [parse(tokens).unwrap(), parse_str(&text).unwrap()];
        kernels.map(|k| {
            let variants = compile_gpu(k, &Options::default()).unwrap();
            cuda::emit_all(&variants.all.iter().map(|c| &c.program).collect::<Vec<_>>()).0
        })
    }

    #[test]
    fn text_compiles_to_what_its_tokens_do() {
        for kernel in [
            "/// Docs with \"quotes\".\n #[cfg(all())] #[inline] pub(crate) fn twice(A: Csr<f32>, x: my::DenseVec<f32>)
                -> sparse_gpu::tensor::DenseVec<f32> { y[i] = -1.5e-3 * A[i, j] * x[j] / 2f32; }",
            "fn f(C: &mut Tensor<f64, (Dense, Dense)>, beta: f64, A: Tensor<f64, Reordered<(Dense, Compressed), 1, 0>>) {
                C[i, j] += beta * max(A[i, j], 0.0);
             }
             schedule cpu = none;
             schedule cuda {
                split(j, block, lane, 32);
                parallelize(block, GPUBlock, NoRaces);
                parallelize(lane, GPUThread, NoRaces);
             }",
            "fn f(A: Tensor<i64, Filled<(Dense, Compressed), PosInf>>) -> DenseVec<i64> { y[i] min= A[i, j] + 3; }",
        ] {
            let [tokens, text] = both(kernel.parse().unwrap());
            assert!(tokens.contains("__global__"));
            assert_eq!(tokens, text);
        }
    }

    #[test]
    fn fragments_of_macros_keep_their_bounds() {
        let fragment = |text: &str| group(Delimiter::None, text.parse().unwrap());
        let (ty, sum, operand) = (fragment("Csr<f32>"), fragment("x[i] + 1.0"), fragment("A[i, j]"));
        let kernel = quote! {
            fn f(A: #ty, x: DenseVec<f32>) -> DenseVec<f32> { y[i] = 2.0 * #sum * #operand; }
        };
        assert!(text(&kernel).contains("2.0 * (x [i] + 1.0) * A [i , j]"), "{}", text(&kernel));
        let [tokens, text] = both(kernel);
        assert_eq!(tokens, text);
    }
}
