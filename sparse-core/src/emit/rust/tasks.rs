//! Loops on threads: what the body captures as a type, the loop as a function that any thread calls, and the call.
//!
//! Closures do not inherit target features, so a thread calls a function for the instruction set. It gets what is captured
//! as arguments, as the native code's body does: that is where the compiler learns that arrays do not overlap, without
//! which a dot product's row is read again for each entry of the other operand (5 % of SDDMM).

use super::captures::{Capture, Captures, How};
use super::entries;
use super::expr::{Arithmetic, Exprs};
use super::names::{Names, TaskNames};
use super::native::{Call, Set, element_type};
use super::partial::is_position_loop;
use super::sizes::runs_along_rows;
use super::stmt::{Stmts, with_body};
use super::workspaces;
use crate::llir::walk::visit_thread;
use crate::llir::{BufferId, Expr, Step, Stmt, VarId};
use crate::scalar::Monoid;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// The items of every loop on threads.
pub(super) fn items(names: &Names<'_>) -> TokenStream {
    let mut out = TokenStream::new();
    for step in &names.program.steps {
        if let Step::Run(block) = step {
            find(Stmts::new(names), block, &mut |stmts, task| out.extend(task.items(stmts)));
        }
    }
    out
}

/// Calls `f` on each loop on threads, with where it stands.
fn find(stmts: Stmts<'_>, block: &[Stmt], f: &mut dyn FnMut(Stmts<'_>, &Task<'_>)) {
    for stmt in block {
        if let Some(task) = Task::of(stmts.names, stmt) {
            f(stmts, &task);
            continue;
        }
        let inside = match stmt {
            Stmt::For { var, body, .. } => stmts.inside(is_position_loop(stmts.names.program, *var, body)),
            _ => stmts,
        };
        stmt.blocks().into_iter().for_each(|nested| find(inside, nested, f));
    }
}

/// The memory of the scratch arrays of one thread's code, kept from one declaration to the next, and of its sparse
/// workspaces.
pub(super) fn memories(names: &Names<'_>, code: &[Stmt]) -> TokenStream {
    let mut out = TokenStream::new();
    visit_thread(code, &mut |s| {
        if let Stmt::Alloc { buffer, .. } = s {
            let (name, t) = (names.memory(*buffer), element_type(names.program.buffer(*buffer).elem));
            out.extend(quote!(let mut #name = rt::Scratch::<#t>::new();));
        }
        if let Stmt::Gather(workspace) = s {
            out.extend(workspaces::memory(names, *workspace));
        }
    });
    out
}

/// A loop on threads.
pub(super) struct Task<'a> {
    var: VarId,
    lo: &'a Expr,
    hi: &'a Expr,
    work: &'a Expr,
    balance: Option<BufferId>,
    private: Option<(BufferId, Monoid)>,
    body: &'a [Stmt],
    pub(super) captures: Captures<'a>,
}

impl<'a> Task<'a> {
    /// What the loop captures; `None` of other statements.
    pub(super) fn of(names: &'a Names<'_>, stmt: &'a Stmt) -> Option<Task<'a>> {
        let Stmt::Threads { var, lo, hi, work, balance, private, body } = stmt else { return None };
        let captures = Captures::of(names, *var, private.map(|p| p.0), body);
        Some(Task { var: *var, lo, hi, work, balance: *balance, private: *private, body, captures })
    }

    /// The type, what it implements, and the functions.
    fn items(&self, stmts: Stmts<'_>) -> TokenStream {
        let names = stmts.names;
        let TaskNames { ty, body, baseline, avx2, avx512 } = names.task(self.var);
        let captures = self.captures.parts(names);
        let (declared_life, life) = match captures.iter().any(|c| c.how.is_reference()) {
            true => (quote!(<'a>), quote!(<'_>)),
            false => (TokenStream::new(), TokenStream::new()),
        };
        let fields = captures.iter().map(|Capture { name, ty, how }| match how.is_reference() {
            true => quote!(#name: &'a #ty),
            false => quote!(#name: #ty),
        });
        let params = captures.iter().map(|Capture { name, ty, how }| match how {
            How::Value => quote!(#name: #ty),
            How::Shared | How::Slice | How::Reborrowed => quote!(#name: &#ty),
        });
        let own = captures.iter().map(|Capture { name, how, .. }| match how {
            How::Shared => quote!(ref #name),
            How::Value | How::Slice | How::Reborrowed => quote!(#name),
        });
        let own = quote!(let #ty { #(#own),* } = *self;);
        let (isa, chunk, returned) = (&names.isa, &names.chunk, TokenStream::new());
        let passed = captures.iter().map(|c| c.name);
        let call = Call {
            body,
            declared: quote!(#chunk: rt::Chunk, #(#params),*),
            passed: quote!(#chunk, #(#passed),*),
            returned: &returned,
            row: self.captures.row.map(|v| names.var(v)),
            streams: entries::streams(names, self.body),
        };
        let wrappers = [(avx512, Set::Avx512), (avx2, Set::Avx2), (baseline, Set::Baseline)];
        let wrappers = wrappers.map(|(name, set)| call.wrapper(name, set));
        let (on_avx512, on_avx2) = (call.sized(avx512), call.sized(avx2));
        let reducer = self.private.map(|(buffer, _)| reducer(names, ty, &life, buffer));
        let Call { declared, passed, .. } = &call;
        let code = self.code(stmts);
        let (of_type, of_body) = (
            format!(" What the iterations of `{}` capture.", names.var(self.var)),
            format!(" Iterations of `{}`.", names.var(self.var)),
        );
        quote! {
            #[doc = #of_type]
            struct #ty #declared_life {
                #(#fields,)*
            }

            impl rt::Task for #ty #life {
                unsafe fn baseline(&self, #chunk: rt::Chunk) {
                    #own
                    unsafe { #baseline(#passed) }
                }

                #[cfg(target_arch = "x86_64")]
                unsafe fn avx2(&self, #chunk: rt::Chunk) {
                    #own
                    unsafe { #on_avx2 }
                }

                #[cfg(target_arch = "x86_64")]
                unsafe fn avx512(&self, #chunk: rt::Chunk) {
                    #own
                    unsafe { #on_avx512 }
                }
            }

            #reducer

            #[doc = #of_body]
            ///
            /// # Safety
            /// As for `body`, and no other thread runs these.
            #[inline(always)]
            unsafe fn #body(#isa: impl rt::Isa, #declared) {
                unsafe { #code }
            }

            #(#wrappers)*
        }
    }

    fn code(&self, stmts: Stmts<'_>) -> TokenStream {
        let names = stmts.names;
        let again = self.captures.again.iter().map(|(var, value)| {
            let (var, value) = (names.var(*var), stmts.exprs.initial(value));
            quote!(let #var = #value;)
        });
        let memories = memories(names, self.body);
        let (var, chunk) = (names.var(self.var), &names.chunk);
        let inside = stmts.inside(is_position_loop(names.program, self.var, self.body));
        let body = inside.block(self.body);
        let mut code = quote!(#(#again)* #memories);
        code.extend(with_body(quote!(for #var in #chunk.lo..#chunk.hi), body));
        code
    }

    /// About how many scalar operations the loop takes.
    fn work(&self, stmts: Stmts<'_>) -> TokenStream {
        let names = stmts.names;
        let work = Exprs { arithmetic: Arithmetic::Saturating, ..stmts.exprs }.expr(self.work);
        match self.captures.row.map(|v| names.var(v)) {
            Some(row) => quote!(rt::in_lanes(#work, #row)),
            None if runs_along_rows(names.program, self.body) => quote!(rt::in_lanes(#work, usize::MAX)),
            None => work,
        }
    }

    /// The statement: the loop, handed to `rt`.
    pub(super) fn call(&self, stmts: Stmts<'_>) -> TokenStream {
        let names = stmts.names;
        let ty = &names.task(self.var).ty;
        let isa = &names.isa;
        let fields = self.captures.parts(names).into_iter().map(|Capture { name, how, .. }| match how {
            How::Value | How::Slice => quote!(#name),
            How::Shared => quote!(#name: #name.shared()),
            How::Reborrowed => quote!(#name: &*#name),
        });
        let task = quote!(&#ty { #(#fields),* });
        let range = stmts.exprs.range(self.lo, self.hi);
        let work = self.work(stmts);
        let balance = match self.balance {
            Some(buffer) => {
                let name = names.buffer(buffer);
                quote!(rt::Positions(&*#name))
            }
            None => quote!(rt::Even),
        };
        match self.private {
            None => quote!(rt::threads(#isa, #task, #range, #work, #balance);),
            Some((_, op)) => {
                let monoid = monoid(op);
                quote!(rt::threads_with_copies(#isa, #task, #monoid, #range, #work, #balance);)
            }
        }
    }
}

/// `impl rt::Reducer`: the array that is reduced into, and the same task with another.
fn reducer(names: &Names<'_>, ty: &Ident, life: &TokenStream, buffer: BufferId) -> TokenStream {
    let (name, t) = (names.buffer(buffer), element_type(names.program.buffer(buffer).elem));
    quote! {
        impl rt::Reducer<#t> for #ty #life {
            fn target(&self) -> rt::Shared<#t> {
                self.#name
            }

            fn with(&self, copy: rt::Shared<#t>) -> Self {
                #ty { #name: copy, ..*self }
            }
        }
    }
}

/// The monoid's type.
pub(super) fn monoid(op: Monoid) -> TokenStream {
    match op {
        Monoid::Add => quote!(rt::monoid::Add),
        Monoid::Mul => quote!(rt::monoid::Mul),
        Monoid::Min => quote!(rt::monoid::Min),
        Monoid::Max => quote!(rt::monoid::Max),
        Monoid::And => quote!(rt::monoid::And),
        Monoid::Or => quote!(rt::monoid::Or),
    }
}
