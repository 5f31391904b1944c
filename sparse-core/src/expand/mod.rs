//! What `tensor_kernel!` expands to: the one entry point of the macro crate.
//!
//! `item` is what the user sees, the function and its module; `launch` is the glue between tensors and the arrays of
//! the native code; `gpu` is the kernel on GPUs; `header` repeats the user's signature; `failure` stands in when there
//! is no program.

mod failure;
mod gpu;
mod header;
mod item;
mod launch;

use crate::diag::Diagnostics;
use crate::driver::{Compiled, Options, check_rest, check_schedules, compile_kernel};
use crate::emit::rust::quote::Tokens;
use crate::front::ast::Kernel;
use crate::front::{self, Failure, Signature};
use failure::failure;
use gpu::OnGpu;
use item::item;
use proc_macro2::{TokenStream, TokenTree};
use std::rc::Rc;

/// Expands the macro's input: the path of the crate with the `__private` module, a semicolon, the kernel. With a
/// mistake in the kernel, the expansion is its errors and a function that type-checks, so that nothing else fails.
pub fn expand(input: TokenStream) -> TokenStream {
    let (krate, kernel) = split(input);
    match written(kernel) {
        Ok((kernel, module)) => item(&kernel, module, &krate),
        Err(mistakes) => failure(&mistakes, &krate),
    }
}

/// What stands in the module of a kernel, as text; or the mistakes in the kernel. [`expand`] makes tokens of this.
///
/// # Errors
/// The user's mistakes.
pub fn module(kernel: TokenStream) -> Result<String, Diagnostics> {
    written(kernel).map(|(_, module)| module.into_text()).map_err(|failure| failure.diagnostics)
}

/// The kernel and what stands in its module.
fn written(tokens: TokenStream) -> Result<(Kernel, Tokens), Failure> {
    let text = gpu::text(&tokens);
    let kernel = front::parse(tokens).map_err(all_mistakes)?;
    let signature = Box::new(Signature::from(&kernel));
    match compile(kernel) {
        Ok((compiled, on_gpu)) => {
            let module = item::module(&compiled, &on_gpu, &text);
            Ok((Rc::unwrap_or_clone(compiled.kernel), module))
        }
        Err(diagnostics) => Err(Failure { diagnostics, signature: Some(signature), ..Failure::default() }),
    }
}

/// With the mistakes in what could be read.
fn all_mistakes(mut failure: Failure) -> Failure {
    let more = failure.rest.take().and_then(|rest| check_rest(*rest).err());
    failure.diagnostics.extend_new(more.unwrap_or_default());
    let (cpu, cuda) = &*failure.schedules;
    failure.diagnostics.extend_elsewhere(check_schedules(cpu, cuda));
    failure.diagnostics = failure.diagnostics.in_source_order();
    failure
}

/// What the compiler makes of a kernel, and why, step by step; given the kernel's text, as the expansion has it.
pub fn explain(text: &str) -> String {
    let compiled = front::parse_str(text).map_err(|failure| failure.diagnostics).and_then(compile);
    match compiled {
        Ok((compiled, on_gpu)) => compiled.explain() + &on_gpu.explain(),
        Err(diagnostics) => diagnostics.to_string(),
    }
}

/// The kernel's programs; the mistakes of all.
fn compile(kernel: Kernel) -> Result<(Compiled, OnGpu), Diagnostics> {
    let (on_gpu, schedules) = (OnGpu::of(&kernel), check_schedules(&kernel.cpu, &kernel.cuda));
    match (compile_kernel(kernel, &Options::of_macro()), on_gpu) {
        (Ok(compiled), Ok(on_gpu)) => Ok((compiled, on_gpu)),
        (on_cpu, on_gpu) => {
            let mut diagnostics = on_cpu.err().unwrap_or_default();
            diagnostics.extend_new(on_gpu.err().unwrap_or_default());
            diagnostics.extend_elsewhere(schedules);
            Err(diagnostics)
        }
    }
}

/// Splits at the first semicolon. The path can be `$crate`, which no parser of paths knows.
fn split(input: TokenStream) -> (TokenStream, TokenStream) {
    let mut rest = input.into_iter();
    let is_end = |t: &TokenTree| matches!(t, TokenTree::Punct(p) if p.as_char() == ';');
    let krate: TokenStream = rest.by_ref().take_while(|t| !is_end(t)).collect();
    (krate, rest.collect())
}
