//! The native code of a program: one body, and one wrapper of it an instruction set.

use super::entries;
use super::expr::{bare, rust_type};
use super::names::Names;
use super::quote::{Ident, Tokens, quote};
use super::shared;
use super::sizes::{common, row_size};
use super::stmt::Stmts;
use super::tasks;
use super::text::text;
use crate::llir::walk::visit_stmts;
use crate::llir::{BufferId, Elem, Param, Program, Space, Step, Stmt, Ty, VarId};

/// What each wrapper enables, beside the baseline. `rt::isa` asks the processor for all of them.
const AVX2: &str = "avx2,fma,bmi2";
const AVX512: &str = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2";

/// The functions of a private module: `run` takes what [`arguments`] lists, and gives the final lengths of the bounded
/// growable buffers, in the order of [`bounded`].
pub(crate) fn native(names: &Names<'_>) -> Tokens {
    let sharing = shared::shared(names);
    let names = sharing.as_ref().unwrap_or(names);
    let params: Vec<_> = arguments(names);
    let declared = params.iter().map(|Argument { name, ty, .. }| quote!(#name: #ty));
    let declared = quote!(#(#declared),*);
    let passed: Vec<_> = params.iter().map(|a| a.name).collect();
    let passed = quote!(#(#passed),*);
    let lens: Vec<_> = bounded(names).map(|b| names.len(b)).collect();
    let returned = match lens.len() {
        0 => Tokens::new(),
        n => {
            let n = bare(n as u64);
            quote!(-> [usize; #n])
        }
    };
    let ends = (!lens.is_empty()).then(|| quote!([#(#lens),*]));
    let code = code(names);
    let body_code = quote!(#(let mut #lens = 0_usize;)* #code #ends);
    let tasks = tasks::items(names);
    let isa = &names.isa;
    let source = text(&format!(" {}", names.program.source));
    let (body, avx512, avx2) = (&names.body, &names.avx512, &names.avx2);
    let row = row_size(names.program).map(|v| Row::of(names, v));
    let runs =
        names.program.steps.iter().filter_map(|s| if let Step::Run(block) = s { Some(block) } else { None });
    let rows = runs.filter_map(|block| entries::rows(names, block)).next();
    let all = quote!((#declared));
    let call = Call { body, declared: all.clone(), passed: &passed, returned: &returned, row, rows };
    let widest = (!names.narrow).then(|| call.wrapper(avx512, Set::Avx512));
    let wrappers = widest.into_iter().chain([call.wrapper(avx2, Set::Avx2)]);
    let on = |name: &Ident| match call.row {
        Some(_) => {
            let sized = call.sized(name);
            quote!({ let #name = #sized; #name(#passed) })
        }
        None => quote!({ #name(#passed) }),
    };
    let (on_avx512, on_avx2) = (on(if names.narrow { avx2 } else { avx512 }), on(avx2));
    quote! {
        #[doc = #source]
        ///
        /// # Safety
        /// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
        /// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
        /// instruction set are called on processors that have it.
        #[inline(always)]
        unsafe fn #body(#isa: impl rt::Isa, #declared) #returned {
            unsafe { #body_code }
        }
        #tasks
        #(#wrappers)*
        /// # Safety
        /// As for `body`.
        pub(super) unsafe fn run #all #returned {
            match rt::isa() {
                #[cfg(target_arch = "x86_64")]
                rt::Level::Avx512 => unsafe #on_avx512,
                #[cfg(target_arch = "x86_64")]
                rt::Level::Avx2 => unsafe #on_avx2,
                _ => unsafe { #body(rt::Baseline, #passed) },
            }
        }
    }
}

/// What a wrapper is compiled for.
#[derive(Clone, Copy)]
pub(super) enum Set {
    Baseline,
    Avx2,
    Avx512,
}

/// How the functions around a body declare and pass its arguments.
pub(super) struct Call<'a> {
    pub(super) body: &'a Ident,
    pub(super) declared: Tokens,
    pub(super) passed: &'a Tokens,
    pub(super) returned: &'a Tokens,
    /// The dimension whose common sizes are compiled as constants.
    pub(super) row: Option<Row<'a>>,
    /// What the rows are like whose entries it sums.
    pub(super) rows: Option<Tokens>,
}

/// A dimension, and its common sizes.
pub(super) struct Row<'a> {
    name: &'a Ident,
    sizes: &'static [u64],
}

impl<'a> Row<'a> {
    pub(super) fn of(names: &'a Names<'_>, var: VarId) -> Self {
        Row { name: names.var(var), sizes: common(names.program, var) }
    }
}

impl Call<'_> {
    /// The body compiled for an instruction set. A function for each size: one for all would keep the general
    /// code's values in the special code's registers. For the baseline there is but one.
    pub(super) fn wrapper(&self, name: &Ident, set: Set) -> Tokens {
        let Call { body, declared, passed, returned, row, rows } = self;
        let (features, marker) = match set {
            Set::Baseline => {
                return quote! {
                    unsafe fn #name #declared #returned {
                        unsafe { #body(rt::Baseline, #passed) }
                    }
                };
            }
            Set::Avx2 => (text(AVX2), quote!(rt::Avx2::assume())),
            Set::Avx512 => (text(AVX512), quote!(rt::Avx512::assume())),
        };
        let (generic, constant) = match row {
            Some(Row { name: row, .. }) => {
                (quote!(<const SIZE: usize>), quote!(let #row = if SIZE == 0 { #row } else { SIZE };))
            }
            None => (Tokens::new(), Tokens::new()),
        };
        // Not beside a function for each size: there would be too many.
        let call = match rows {
            Some(rows) if row.is_none() => quote! {
                match #rows {
                    rt::Rows::Streamed => #body(rt::Streaming(#marker), #passed),
                    rt::Rows::Alike => #body(rt::Alike(#marker), #passed),
                    rt::Rows::Irregular => #body(#marker, #passed),
                }
            },
            _ => quote!(#body(#marker, #passed)),
        };
        quote! {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = #features)]
            unsafe fn #name #generic #declared #returned {
                #constant
                unsafe { #call }
            }
        }
    }

    /// The wrapper for the row's size.
    pub(super) fn sized(&self, name: &Ident) -> Tokens {
        let Some(Row { name: row, sizes }) = &self.row else { return quote!(#name) };
        let common = sizes.iter().map(|size| bare(*size));
        quote! {
            match #row {
                #(#common => #name::<#common>,)*
                _ => #name::<0>,
            }
        }
    }
}

/// A parameter of the native code.
pub(crate) struct Argument<'a> {
    pub(crate) name: &'a Ident,
    pub(crate) ty: Tokens,
    /// Which buffer it is, unless it is a dimension or a scalar.
    pub(crate) buffer: Option<BufferId>,
}

/// Parameters of the native code: dimensions and scalars, then buffers.
pub(crate) fn arguments<'a>(names: &'a Names<'_>) -> Vec<Argument<'a>> {
    let program = names.program;
    let values = program.params.iter().map(|p| {
        let (Param::Dim { var, .. } | Param::Scalar { var, .. }) = p;
        let ty = match program.var(*var).ty {
            Ty::Index => quote!(usize),
            Ty::Scalar(t) => rust_type(t),
            Ty::Cond | Ty::Segments => quote!(bool),
        };
        Argument { name: names.var(*var), ty, buffer: None }
    });
    let buffers = buffers(names).map(|id| {
        let buffer = program.buffer(id);
        let t = element_type(buffer.elem);
        let ty = match buffer.space {
            Space::Input
            | Space::Register { .. }
            | Space::Shared { .. }
            | Space::Scratch
            | Space::Gathered => quote!(&[#t]),
            Space::InOut => quote!(&mut [#t]),
            Space::Growable if !names.is_bounded(id) => quote!(&mut rt::Grown<#t>),
            Space::Output | Space::Growable => quote!(&mut [MaybeUninit<#t>]),
        };
        Argument { name: names.buffer(id), ty, buffer: Some(id) }
    });
    values.chain(buffers).collect()
}

/// Buffers that the native code gets from outside.
pub(crate) fn buffers<'a>(names: &'a Names<'_>) -> impl Iterator<Item = BufferId> + 'a {
    let all = (0..names.program.buffers.len()).map(|b| BufferId(b as u32));
    let outside = |b: &BufferId| {
        let own = |s| matches!(s, Space::Register { .. } | Space::Scratch | Space::Gathered);
        !own(names.program.buffer(*b).space)
    };
    all.filter(outside)
}

/// Growable buffers with an upper bound, of which the native code returns the lengths; one of two that grow together.
pub(crate) fn bounded<'a>(names: &'a Names<'_>) -> impl Iterator<Item = BufferId> + 'a {
    buffers(names).filter(|b| names.is_bounded(*b) && !names.follows(*b))
}

/// Does the code take memory of its own, which there may not be?
pub(crate) fn allocates(program: &Program) -> bool {
    let mut found = !program.workspaces.is_empty();
    for step in &program.steps {
        let Step::Run(block) = step else { continue };
        visit_stmts(block, &mut |s| {
            found |= match s {
                Stmt::Alloc { buffer, .. } => program.buffer(*buffer).space == Space::Scratch,
                Stmt::Threads { private, appends, .. } => private.is_some() || appends.is_some(),
                _ => false,
            }
        });
    }
    found
}

/// An array element's type in memory.
pub(crate) fn element_type(elem: Elem) -> Tokens {
    match elem {
        Elem::Index => quote!(i32),
        Elem::Scalar(t) => rust_type(t),
    }
}

/// The code of all steps that are not the launcher's, in order.
fn code(names: &Names<'_>) -> Tokens {
    let stmts = Stmts::new(names);
    let steps = names.program.steps.iter().map(|step| match step {
        Step::Allocate { .. } | Step::Reserve { .. } => Tokens::new(),
        Step::Fill { buffer, value } => {
            let (name, value) = (names.buffer(*buffer), super::expr::value(*value));
            quote!(#name.set_n(0, #name.len(), #value);)
        }
        Step::Run(block) => {
            let (memories, code) = (tasks::memories(names, block, None), stmts.block(block));
            quote!(#memories #code)
        }
        Step::Read { .. }
        | Step::AtMost { .. }
        | Step::Fibers { .. }
        | Step::Let { .. }
        | Step::Fits { .. }
        | Step::Launch(_) => {
            unreachable!("native code is emitted of programs that run on the host")
        }
    });
    steps.collect()
}
