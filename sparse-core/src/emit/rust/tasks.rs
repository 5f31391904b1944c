//! Loops on threads: what the body captures as a type, the loop as a function that any thread calls, and the call.
//!
//! Closures do not inherit target features, so a thread calls a function for the instruction set. It gets what is captured
//! as arguments, as the native code's body does: that is where the compiler learns that arrays do not overlap, without
//! which a dot product's row is read again for each entry of the other operand (5 % of SDDMM).

use super::appending;
use super::captures::{Capture, Captures, How};
use super::carried;
use super::entries;
use super::expr::{Arithmetic, Exprs, bare};
use super::names::{Names, TaskNames};
use super::native::{Call, Row, Set, element_type};
use super::partial::is_position_loop;
use super::quote::{Ident, Tokens, quote};
use super::sizes::runs_along_rows;
use super::stmt::Stmts;
use super::text::text;
use super::workspaces;
use crate::llir::walk::visit_thread;
use crate::llir::{Appends, BufferId, Expr, Init, Step, Stmt, VarId};
use crate::scalar::Monoid;
use std::collections::BTreeSet;

/// The items of every loop on threads.
pub(super) fn items(names: &Names<'_>) -> Tokens {
    let mut out = vec![];
    for step in &names.program.steps {
        if let Step::Run(block) = step {
            find(Stmts::new(names), block, &mut |stmts, stmt| {
                out.extend(Task::of(names, stmt).and_then(|task| task.own_items(stmts)));
            });
        }
    }
    out.into_iter().collect()
}

/// Calls `f` on each loop on threads, with where it stands.
pub(super) fn find<'a>(stmts: Stmts<'_>, block: &'a [Stmt], f: &mut dyn FnMut(Stmts<'_>, &'a Stmt)) {
    for stmt in block {
        if let Stmt::Threads { .. } = stmt {
            f(stmts, stmt);
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
/// workspaces. A chunk gets what its thread had for the one before.
pub(super) fn memories(names: &Names<'_>, code: &[Stmt], chunk: Option<&Ident>) -> Tokens {
    let mut all = vec![];
    let mut made = BTreeSet::new();
    visit_thread(code, &mut |s| {
        if let Stmt::Alloc { buffer, init, .. } = s {
            let t = element_type(names.program.buffer(*buffer).elem);
            let memory = match init {
                Init::Value(_) | Init::Unwritten => quote!(rt::Scratch::<#t>::new()),
                Init::Kept => quote!(rt::Table::new()),
            };
            all.push((names.memory(*buffer), memory));
        }
        if let Stmt::Gather(workspace) = s
            && made.insert(*workspace)
        {
            all.push((&names.workspace(*workspace).memory, workspaces::memory(names, *workspace)));
        }
    });
    let declared = all.into_iter().enumerate().map(|(number, (name, make))| match chunk {
        Some(chunk) => {
            let number = bare(number as u64);
            quote!(let mut #name = #chunk.home.keep(#number, || #make);)
        }
        None => quote!(let mut #name = #make;),
    });
    declared.collect()
}

/// A loop on threads.
pub(super) struct Task<'a> {
    var: VarId,
    lo: &'a Expr,
    hi: &'a Expr,
    work: &'a Expr,
    balance: &'a [BufferId],
    private: Option<(BufferId, Monoid)>,
    appends: Option<&'a Appends>,
    body: &'a [Stmt],
    pub(super) captures: Captures<'a>,
}

impl<'a> Task<'a> {
    /// What the loop captures; `None` of other statements.
    pub(super) fn of(names: &'a Names<'_>, stmt: &'a Stmt) -> Option<Task<'a>> {
        let Stmt::Threads { var, lo, hi, work, balance, private, appends, body } = stmt else { return None };
        let (var, balance, private, appends) = (*var, &balance[..], *private, appends.as_ref());
        let captures = Captures::of(names, var, private.map(|p| p.0), appends, body);
        Some(Task { var, lo, hi, work, balance, private, appends, body, captures })
    }

    /// Capturing in the order of these names.
    pub(super) fn in_order(self, order: &[Ident]) -> Self {
        Task { captures: self.captures.in_order(order), ..self }
    }

    /// Its items, unless they are another loop's.
    fn own_items(&self, stmts: Stmts<'_>) -> Option<Tokens> {
        match stmts.names.same(self.var) {
            None => Some(self.items(stmts)),
            Some(same) if same.of == self.var => {
                let within = stmts.names.within(stmts.names.common(self.var)?);
                Some(self.items(Stmts::new(&within).inside(stmts.in_positions)))
            }
            Some(_) => None,
        }
    }

    /// The type, what it implements, and the functions.
    pub(super) fn items(&self, stmts: Stmts<'_>) -> Tokens {
        let names = stmts.names;
        let TaskNames { ty, body, baseline, avx2, avx512 } = names.task(self.var);
        let captures = self.captures.parts(names);
        let (declared_life, life) = match captures.iter().any(|c| c.how.is_reference()) {
            true => (quote!(<'a>), quote!(<'_>)),
            false => (Tokens::new(), Tokens::new()),
        };
        let fields = captures.iter().map(|Capture { name, ty, how }| match how {
            How::Slice | How::Reborrowed | How::Written => quote!(#name: &'a #ty),
            How::Value | How::Shared => quote!(#name: #ty),
            How::Own => quote!(#name: rt::Own<#ty>),
        });
        let params = captures.iter().map(|Capture { name, ty, how }| match how {
            How::Value => quote!(#name: #ty),
            How::Shared | How::Slice | How::Reborrowed | How::Written => quote!(#name: &#ty),
            How::Own => quote!(#name: &mut #ty),
        });
        let own = captures.iter().map(|Capture { name, how, .. }| match how {
            How::Shared => quote!(ref #name),
            How::Value | How::Slice | How::Reborrowed | How::Written | How::Own => quote!(#name),
        });
        let own = quote!(let #ty { #(#own),* } = *self;);
        let (isa, chunk, returned) = (&names.isa, &names.chunk, self.returned(names));
        let passed = captures.iter().map(|c| c.name);
        let (declared, passed) = (quote!(#chunk: rt::Chunk, #(#params),*), quote!(#chunk, #(#passed),*));
        let call = Call {
            body,
            declared: quote!((#declared)),
            passed: &passed,
            returned: &returned,
            row: self.captures.row.map(|v| Row::of(names, v)),
            rows: entries::rows(names, self.body),
        };
        let widest = (!names.narrow).then_some((avx512, Set::Avx512));
        let wrappers = widest.into_iter().chain([(avx2, Set::Avx2), (baseline, Set::Baseline)]);
        let wrappers = wrappers.map(|(name, set)| call.wrapper(name, set));
        let passed = captures.iter().map(|Capture { name, how, .. }| match how {
            How::Own => quote!(#name.get()),
            How::Value | How::Slice | How::Shared | How::Reborrowed | How::Written => quote!(#name),
        });
        let passed = quote!((#chunk, #(#passed),*));
        let (on_avx512, on_avx2) = (call.sized(if names.narrow { avx2 } else { avx512 }), call.sized(avx2));
        let other = match (self.private, self.appends) {
            (Some((buffer, _)), _) => reducer(names, ty, &life, buffer),
            (None, Some(appends)) => appending::items(names, ty, &life, appends),
            (None, None) => Tokens::new(),
        };
        let appended = match self.appended(names) {
            Some(ty) => ty,
            None => quote!(()),
        };
        let code = self.code(stmts);
        let loops: Vec<_> = names.loops(self.var).into_iter().map(|name| format!("`{name}`")).collect();
        let loops = loops.join(", and of ");
        let (of_type, of_body) = (
            text(&format!(" What the iterations of {loops} capture.")),
            text(&format!(" Iterations of {loops}.")),
        );
        quote! {
            #[doc = #of_type]
            struct #ty #declared_life {
                #(#fields,)*
            }

            impl rt::Task for #ty #life {
                type Appended = #appended;

                unsafe fn run(&self, #isa: rt::Level, #chunk: rt::Chunk) #returned {
                    #own
                    let #body = match #isa {
                        #[cfg(target_arch = "x86_64")]
                        rt::Level::Avx512 => #on_avx512,
                        #[cfg(target_arch = "x86_64")]
                        rt::Level::Avx2 => #on_avx2,
                        _ => #baseline,
                    };
                    unsafe { #body #passed }
                }
            }

            #other

            #[doc = #of_body]
            ///
            /// # Safety
            /// As for `body`, and no other thread runs these.
            #[inline(always)]
            unsafe fn #body(#isa: impl rt::Isa, #declared) #returned {
                unsafe { #code }
            }

            #(#wrappers)*
        }
    }

    fn code(&self, stmts: Stmts<'_>) -> Tokens {
        let names = stmts.names;
        let again = self.captures.again.iter().map(|(var, value)| {
            let (var, value) = (names.var(*var), stmts.exprs.initial(value));
            quote!(let #var = #value;)
        });
        let memories = memories(names, self.body, Some(&names.chunk));
        let chunk = &names.chunk;
        let inside = stmts.inside(is_position_loop(names.program, self.var, self.body));
        let body = inside.block(self.body);
        let rows = carried::emit(names, self.var, &quote!(#chunk.lo), &quote!(#chunk.lo..#chunk.hi), &body);
        let ends = self.bounded(names);
        let lens = ends.iter().flat_map(|a| appending::lens(names, a));
        let lens = lens.map(|len| quote!(let mut #len = 0_usize;));
        let ends = ends.map(|a| appending::ends(names, a));
        quote! {
            #(#again)*
            #memories
            #(#lens)*
            #rows
            #ends
        }
    }

    /// What it appends to, if that is bounded.
    fn bounded(&self, names: &Names<'_>) -> Option<&'a Appends> {
        self.appends.filter(|a| a.buffers.iter().all(|b| names.is_bounded(*b)))
    }

    /// The type in which its functions tell how much they have appended.
    fn appended(&self, names: &Names<'_>) -> Option<Tokens> {
        let indices = bare(self.bounded(names)?.buffers.len() as u64 - 1);
        Some(quote!(rt::Lens<#indices>))
    }

    fn returned(&self, names: &Names<'_>) -> Tokens {
        self.appended(names).map(|ty| quote!(-> #ty)).unwrap_or_default()
    }

    /// About how many scalar operations the loop takes.
    fn work(&self, stmts: Stmts<'_>) -> Tokens {
        let names = stmts.names;
        let work = Exprs { arithmetic: Arithmetic::Saturating, ..stmts.exprs }.expr(self.work);
        match self.captures.row.map(|v| names.var(v)) {
            Some(row) => quote!(rt::in_lanes(#work, #row)),
            None if runs_along_rows(names.program, self.body) => quote!(rt::in_lanes(#work, usize::MAX)),
            None => work,
        }
    }

    /// The statement: the loop, handed to `rt`.
    pub(super) fn call(&self, stmts: Stmts<'_>) -> Tokens {
        let names = stmts.names;
        let ty = &names.task(self.var).ty;
        let isa = &names.isa;
        let fields = names.same(self.var).map(|same| &same.fields);
        let captures = self.captures.parts(names).into_iter().enumerate();
        let fields = captures.map(|(n, Capture { name, how, .. })| {
            let field = fields.map_or(name, |fields| &fields[n]);
            match how {
                How::Value | How::Slice if field == name => quote!(#name),
                How::Value | How::Slice => quote!(#field: #name),
                How::Shared => quote!(#field: #name.shared()),
                How::Reborrowed => quote!(#field: &*#name),
                How::Written => quote!(#field: rt::written(#name)),
                How::Own => quote!(#field: rt::Own::of(#name)),
            }
        });
        let task = quote!(&#ty { #(#fields),* });
        let range = stmts.exprs.range(self.lo, self.hi);
        let work = self.work(stmts);
        let positions = self.balance.iter().map(|buffer| {
            let array = names.slice(*buffer);
            quote!(rt::Positions(#array))
        });
        let balance = positions.reduce(|all, more| quote!((#all, #more))).unwrap_or_else(|| quote!(rt::Even));
        match (self.private, self.appends) {
            (None, None) => quote!(rt::threads(#isa, #task, #range, #work, #balance);),
            (Some((_, op)), _) => {
                let monoid = monoid(op);
                quote!(rt::threads_with_copies(#isa, #task, #monoid, #range, #work, #balance);)
            }
            (None, Some(Appends { before: None, .. })) => {
                quote!(rt::grow(#isa, #task, #range, #work, #balance);)
            }
            (None, Some(appends @ Appends { before: Some(before), .. })) => {
                let exprs = Exprs { inside: false, ..stmts.exprs };
                let (var, before) = (names.var(self.var), exprs.initial(before));
                let (ends, next) = (appending::ends(names, appends), appending::next(names, appends));
                quote!(#next = rt::append(#isa, #task, #ends, |#var| #before, #range, #work, #balance);)
            }
        }
    }
}

/// `impl rt::Reducer`: the array that is reduced into, and the same task with another.
fn reducer(names: &Names<'_>, ty: &Ident, life: &Tokens, buffer: BufferId) -> Tokens {
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
pub(super) fn monoid(op: Monoid) -> Tokens {
    match op {
        Monoid::Add => quote!(rt::monoid::Add),
        Monoid::Mul => quote!(rt::monoid::Mul),
        Monoid::Min => quote!(rt::monoid::Min),
        Monoid::Max => quote!(rt::monoid::Max),
        Monoid::And => quote!(rt::monoid::And),
        Monoid::Or => quote!(rt::monoid::Or),
    }
}
