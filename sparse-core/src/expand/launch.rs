//! From tensors to arrays and back: what the function does around the native code.

use crate::emit::rust::expr::{Arithmetic, Exprs, bare, value};
use crate::emit::rust::names::{Names, ident};
use crate::emit::rust::native::{allocates, arguments, bounded, element_type};
use crate::emit::rust::quote::{Ident, Tokens, quote};
use crate::emit::rust::text::text as literal;
use crate::format::{Level, TensorId};
use crate::front::ast::{Kernel, Param as KernelParam};
use crate::llir::{Array, Buffer, BufferId, Expr, Param, Promise, Role, Space, Step, Tensor};

/// `impl RunsOn<Host> for Kernel`
pub(super) fn launch(kernel: &Kernel, names: &Names<'_>) -> Tokens {
    let args = kernel.params.iter().map(|p| match p {
        KernelParam::Tensor(t) => names.tensor(*t).clone(),
        KernelParam::Scalar(s) => scalar(names, *s),
    });
    let extents = extents(names);
    let inputs = inputs(names);
    let sizes = sizes(names);
    let allocations = allocations(names);
    let lens: Vec<_> = bounded(names).map(|b| names.len(b)).collect();
    let bind = if lens.is_empty() { Tokens::new() } else { quote!(let [#(#lens),*] =) };
    let passed: Vec<_> = arguments(names).into_iter().map(|a| pass(names, a.buffer, a.name)).collect();
    let call = quote!(native::run(#(#passed),*));
    let call = if allocates(names.program) { quote!(rt::within_memory(|| #call)?) } else { call };
    let again = again(names, &quote!(#bind #call;));
    let finish = finish(names);
    let result = result(names);
    quote! {
        impl RunsOn<Host> for Kernel {
            fn run((#(#args,)*): Args<'_, Self, Host>) -> ::core::result::Result<Output<Self, Host>, Error> {
                #extents
                #inputs
                #sizes
                #allocations
                unsafe {
                    #again
                    #finish
                }
                #result
            }
        }
    }
}

/// The name of a scalar parameter, whether the program reads it or not.
fn scalar(names: &Names<'_>, number: usize) -> Ident {
    let read = names.program.params.iter().find_map(|p| match p {
        Param::Scalar { var, index } if *index == number => Some(names.var(*var).clone()),
        _ => None,
    });
    read.unwrap_or_else(|| ident("_"))
}

/// Every dimension that one index variable ranges over must have one size, the one that the schedule promises.
fn extents(names: &Names<'_>) -> Tokens {
    let checks = names.program.extents.iter().filter(|e| e.sources.len() > 1).map(|e| {
        let index = literal(&e.index);
        let sources = e.sources.iter().map(|&(t, dim)| {
            let (tensor, name) = (names.tensor(t), literal(&names.program.tensors[t.index()].name));
            let dim = bare(dim as u64);
            quote!((#name, #tensor.dim(#dim)))
        });
        quote!(rt::check_extent(#index, &[#(#sources),*])?;)
    });
    let promises = names.program.extents.iter().flat_map(|e| {
        e.promises.iter().filter_map(|promise| {
            let (index, &(t, dim)) = (literal(&e.index), e.sources.first()?);
            let (tensor, name) = (names.tensor(t), literal(&names.program.tensors[t.index()].name));
            let dim = bare(dim as u64);
            let source = quote!((#name, #tensor.dim(#dim)));
            let (n, exact) = match *promise {
                Promise::Exact(n) => (bare(n), true),
                Promise::Multiple(n) => (bare(n), false),
                Promise::Parts { size, count } => {
                    let (size, count) = (bare(size), bare(count));
                    return Some(quote!(rt::check_parts(#index, #source, #size, #count)?;));
                }
            };
            Some(quote!(rt::check_bound(#index, #source, #n, #exact)?;))
        })
    });
    let fused = names.program.fused.iter().map(|fused| {
        let index = literal(&fused.index);
        let sizes = fused.of.iter().map(|&(t, dim)| {
            let (tensor, dim) = (names.tensor(t), bare(dim as u64));
            quote!(#tensor.dim(#dim))
        });
        let entries = fused.entries.iter().map(|&(t, level)| {
            let (tensor, level) = (names.tensor(t), bare(level as u64));
            quote!(#tensor.level(#level).crd().len())
        });
        let counts = entries.chain(sizes);
        quote!(rt::check_fused(#index, &[#(#counts),*])?;)
    });
    checks.chain(promises).chain(fused).collect()
}

/// Dimensions and arrays of the arguments, under the program's names.
fn inputs(names: &Names<'_>) -> Tokens {
    let program = names.program;
    let dims = program.params.iter().filter_map(|p| match p {
        Param::Dim { var, tensor, level } => {
            let (var, tensor) = (names.var(*var), dimension(names, *tensor, *level));
            Some(quote!(let #var = #tensor;))
        }
        Param::Scalar { .. } => None,
    });
    let arrays = crate::emit::rust::native::buffers(names).filter_map(|id| {
        let (name, buffer) = (names.buffer(id), program.buffer(id));
        let argument = |t: TensorId, level: usize| {
            (names.tensor(t), bare(level as u64), program.tensors[t.index()].role == Role::InOut)
        };
        let array = match (buffer.space, buffer.array) {
            // An in-place output is about to be borrowed for its values.
            (Space::Input, Array::Pos(t, level)) => match argument(t, level) {
                (t, level, true) => quote!(&rt::shared_pos(#t, #level)),
                (t, level, false) => quote!(#t.level(#level).pos()),
            },
            (Space::Input, Array::Crd(t, level)) => match argument(t, level) {
                (t, level, true) => quote!(&rt::shared_crd(#t, #level)),
                (t, level, false) => quote!(#t.level(#level).crd()),
            },
            (Space::Input, Array::Vals(t)) => {
                let t = names.tensor(t);
                quote!(#t.vals())
            }
            (Space::InOut, Array::Vals(t)) => {
                let t = names.tensor(t);
                quote!(#t.vals_mut())
            }
            _ => return None,
        };
        Some(quote!(let #name = #array;))
    });
    dims.chain(arrays).collect()
}

/// Size of the dimension at a level: an argument's own, or where a result takes it from.
fn dimension(names: &Names<'_>, tensor: TensorId, level: usize) -> Tokens {
    let t = &names.program.tensors[tensor.index()];
    let dim = t.spec.map.dim_of_level(level);
    match t.role {
        Role::Input | Role::InOut => size(names, (tensor, dim)),
        Role::Result | Role::ResultLike(..) => size(names, t.dims_from[dim]),
    }
}

fn size(names: &Names<'_>, (tensor, dim): (TensorId, usize)) -> Tokens {
    let (tensor, dim) = (names.tensor(tensor), bare(dim as u64));
    quote!(#tensor.dim(#dim))
}

/// Positions must count a result's dense levels. Of two the lengths of its arrays say so.
fn sizes(names: &Names<'_>) -> Tokens {
    let (_, output) = names.program.output();
    let sizes: Vec<_> = output.first_dense().map(|source| size(names, source)).collect();
    if sizes.len() > 2 { quote!(rt::check_dense(&[#(#sizes),*])?;) } else { Tokens::new() }
}

/// Output arrays. Sizes saturate, so that one too large for the machine is refused by the allocator.
fn allocations(names: &Names<'_>) -> Tokens {
    let exprs = Exprs::new(names, Arithmetic::Saturating);
    let steps = names.program.steps.iter().map(|step| match step {
        Step::Allocate { buffer, len, init } => {
            let (name, t) = (names.buffer(*buffer), element_type(names.program.buffer(*buffer).elem));
            let (size, len) = (names.len(*buffer), host_size(exprs, len));
            let allocate = match init {
                Some(v) => {
                    let v = value(*v);
                    quote!(allocate_full::<#t>(#size, #v))
                }
                None => quote!(allocate::<#t>(#size)),
            };
            quote! {
                let #size = #len;
                let mut #name = rt::#allocate?;
            }
        }
        Step::Reserve { buffer, capacity, exact } => {
            let (name, t) = (names.buffer(*buffer), element_type(names.program.buffer(*buffer).elem));
            match capacity {
                Some(capacity) => {
                    let capacity = host_size(exprs, capacity);
                    match exact {
                        true => quote!(let mut #name = rt::reserve_exactly::<#t>(#capacity)?;),
                        false => quote!(let mut #name = rt::reserve::<#t>(#capacity)?;),
                    }
                }
                None => quote!(let mut #name = rt::Grown::<#t>::new();),
            }
        }
        Step::Read { .. }
        | Step::AtMost { .. }
        | Step::Fibers { .. }
        | Step::Let { .. }
        | Step::Fits { .. }
        | Step::Fill { .. }
        | Step::Run(_)
        | Step::Launch(_) => Tokens::new(),
    });
    steps.collect()
}

/// A size in a host step; the arrays that it reads are those of arguments.
fn host_size(exprs: Exprs<'_>, size: &Expr) -> Tokens {
    let mut reads = false;
    size.visit(&mut |e| reads |= matches!(e, Expr::Load { .. } | Expr::Search { .. }));
    let size = exprs.initial(size);
    if reads { quote!(unsafe { #size }) } else { size }
}

/// The call. Where arrays grow without a bound, one of them may turn out too long for that: it is counted then, and the
/// code runs again, on arrays as they were at first.
fn again(names: &Names<'_>, call: &Tokens) -> Tokens {
    let grown = crate::emit::rust::native::buffers(names).filter(|b| grows(names, *b));
    let grown: Vec<_> = grown.map(|b| names.buffer(b)).collect();
    if grown.is_empty() {
        return call.clone();
    }
    let initialised = names.program.steps.iter().filter_map(|step| match step {
        Step::Allocate { buffer, init: Some(v), .. } => {
            let (name, v) = (names.buffer(*buffer), value(*v));
            Some(quote!(#name.fill(#v);))
        }
        _ => None,
    });
    quote! {
        #call
        if #(#grown.is_short())||* {
            #(#grown = #grown.again()?;)*
            #(#initialised)*
            #call
        }
    }
}

/// Does an array grow without a bound?
fn grows(names: &Names<'_>, id: BufferId) -> bool {
    names.program.buffer(id).space == Space::Growable && !names.is_bounded(id)
}

/// An argument of the native code.
fn pass(names: &Names<'_>, buffer: Option<BufferId>, name: &Ident) -> Tokens {
    match buffer.map(|id| names.program.buffer(id).space) {
        Some(Space::Output) => quote!(rt::room(&mut #name)),
        Some(Space::Growable) if buffer.is_some_and(|id| names.is_bounded(id)) => {
            quote!(rt::room(&mut #name))
        }
        Some(Space::Growable) => quote!(&mut #name),
        Some(
            Space::Input
            | Space::InOut
            | Space::Register { .. }
            | Space::Shared { .. }
            | Space::Scratch
            | Space::Gathered,
        )
        | None => quote!(#name),
    }
}

/// Output buffers learn what has been written to them.
fn finish(names: &Names<'_>) -> Tokens {
    let set = crate::emit::rust::native::buffers(names).filter_map(|id| {
        let (name, len) = (names.buffer(id), names.len(id));
        match names.program.buffer(id).space {
            Space::Output => Some(quote!(#name.set_len(#len);)),
            Space::Growable if names.is_bounded(id) => Some(quote!(#name.set_len(#len); #name.shrink();)),
            _ => None,
        }
    });
    set.collect()
}

/// The result tensor from its buffers.
fn result(names: &Names<'_>) -> Tokens {
    let (id, output) = names.program.output();
    let vals = array(names, |b| b.array == Array::Vals(id));
    match output.role {
        Role::Input | Role::InOut => quote!(Ok(())),
        Role::ResultLike(of, levels) => {
            let (like, pattern) = (&names.program.tensors[of.index()], names.tensor(of));
            if like.spec.rank() == levels && like.spec.map == output.spec.map {
                return quote!(Ok(unsafe { rt::assemble_like(#pattern, #vals) }));
            }
            let dims = output.dims_from.iter().map(|d| size(names, *d));
            let levels = bare(levels as u64);
            quote!(unsafe { rt::assemble_within([#(#dims),*], #pattern, #levels, #vals) })
        }
        Role::Result => {
            let dims = output.dims_from.iter().map(|d| size(names, *d));
            if output.packed.is_some() {
                let columns = (0..output.spec.rank()).map(|l| array(names, |b| b.array == Array::Crd(id, l)));
                return quote!(unsafe { rt::pack([#(#dims),*], ::std::vec![#(#columns),*], #vals) });
            }
            let levels = levels(names, id, output);
            quote! {
                unsafe { rt::assemble([#(#dims),*], ::std::vec![#(#levels),*], #vals) }
            }
        }
    }
}

/// Storage of each level of the result.
fn levels<'a>(names: &'a Names<'_>, id: TensorId, output: &'a Tensor) -> impl Iterator<Item = Tokens> + 'a {
    output.spec.levels.iter().enumerate().map(move |(l, level)| {
        let pos = || array(names, |b| b.array == Array::Pos(id, l));
        let crd = || array(names, |b| b.array == Array::Crd(id, l));
        match level {
            Level::Dense => quote!(rt::LevelArrays::Dense),
            Level::Compressed { .. } => {
                let (pos, crd) = (pos(), crd());
                quote!(rt::LevelArrays::Compressed { pos: rt::Arc::new(#pos), crd: rt::Arc::new(#crd) })
            }
            Level::Singleton { .. } => {
                let crd = crd();
                quote!(rt::LevelArrays::Singleton { crd: rt::Arc::new(#crd) })
            }
        }
    })
}

/// The output buffer of this description.
fn array(names: &Names<'_>, wanted: impl Fn(&Buffer) -> bool) -> Tokens {
    let found = names.program.buffers.iter().position(wanted);
    match found {
        Some(at) => {
            let id = BufferId(at as u32);
            let name = names.buffer(id);
            if grows(names, id) { quote!(#name.into_buffer()?) } else { quote!(#name) }
        }
        // A result without this array (a verified program has them all) is an empty one.
        None => quote!(rt::Buffer::new()),
    }
}
