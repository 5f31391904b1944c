//! Sparse workspaces: their memory, one a thread; opened where the first element is scattered, and gathered.

use super::expr::{Arithmetic, Exprs};
use super::expr::{rust_type, value};
use super::names::Names;
use super::quote::{Tokens, quote};
use super::tasks::monoid;
use crate::llir::walk::visit_stmts;
use crate::llir::{BufferId, Expr, Stmt, WorkspaceFormat, WorkspaceId};
use crate::scalar::Monoid;

/// Where a workspace is opened: before a statement of a block, by its number.
pub(super) struct Opened {
    workspace: WorkspaceId,
    pub(super) at: usize,
    /// The statement that gathers it.
    gathered: usize,
}

/// The workspaces that a block gathers, opened before the first statement that scatters into them.
pub(super) fn opened(names: &Names<'_>, block: &[Stmt]) -> Vec<Opened> {
    if names.program.workspaces.is_empty() {
        return vec![];
    }
    let mut opened: Vec<Opened> = Vec::new();
    for (gathered, stmt) in block.iter().enumerate() {
        let Stmt::Gather(workspace) = stmt else { continue };
        if names.program.workspace(*workspace).masked {
            // Its mask opens it.
            continue;
        }
        let scatters = |stmt: &Stmt| {
            // A statement that gathers it as well opens it for itself.
            let (mut scatters, mut gathers) = (false, false);
            visit_stmts(std::slice::from_ref(stmt), &mut |s| {
                scatters |= matches!(s, Stmt::Scatter { workspace: w, .. } | Stmt::Place { workspace: w, .. } if w == workspace);
                gathers |= matches!(s, Stmt::Gather(w) if w == workspace);
            });
            scatters && !gathers
        };
        let from = opened.iter().rev().find(|o| o.workspace == *workspace).map_or(0, |o| o.gathered + 1);
        let first = block[from..gathered].iter().position(scatters);
        let at = first.map_or(gathered, |n| from + n);
        opened.push(Opened { workspace: *workspace, at, gathered });
    }
    opened
}

impl Opened {
    pub(super) fn open(&self, names: &Names<'_>) -> Tokens {
        let w = names.workspace(self.workspace);
        let (open, memory) = (&w.open, &w.memory);
        quote!(let mut #open = #memory.open();)
    }
}

/// Opens a workspace for what its mask lists.
pub(super) fn mask(names: &Names<'_>, id: WorkspaceId, crd: BufferId, [lo, hi]: [&Expr; 2]) -> Tokens {
    let w = names.workspace(id);
    let (open, memory, crd) = (&w.open, &w.memory, names.slice(crd));
    let exprs = Exprs::new(names, Arithmetic::Exact);
    let (lo, hi) = (exprs.expr(lo), exprs.expr(hi));
    quote!(let mut #open = #memory.open(#crd, #lo, #hi);)
}

/// Its memory, to be made once a thread.
pub(super) fn memory(names: &Names<'_>, id: WorkspaceId) -> Tokens {
    let w = names.program.workspace(id);
    let exprs = Exprs::new(names, Arithmetic::Exact);
    let dims = w.dims.iter().map(|d| exprs.expr(d));
    let (t, init) = (rust_type(w.init.dtype()), value(w.init));
    if let Some(block) = &w.block {
        // A size that no memory has may be more than a word can count.
        let len = Exprs::new(names, Arithmetic::Saturating).expr(&block.len());
        return quote!(rt::workspace::Blocks::<#t>::new([#(#dims),*], #len, #init));
    }
    let ty = match w.format {
        WorkspaceFormat::List if w.masked => quote!(Masked::<#t>),
        WorkspaceFormat::List => quote!(List::<#t>),
        WorkspaceFormat::Hash => quote!(Hash::<#t, _>),
        WorkspaceFormat::Sort => quote!(Sort::<#t, _>),
        WorkspaceFormat::Dense => unreachable!("a dense workspace is an array"),
    };
    let made = quote!(rt::workspace::#ty::new([#(#dims),*], #init));
    if w.on_threads { quote!(#made.on_threads()) } else { made }
}

/// The block at these coordinates, as an array that code writes.
pub(super) fn place(names: &Names<'_>, id: WorkspaceId, at: &[Expr], block: BufferId) -> Tokens {
    let exprs = Exprs::new(names, Arithmetic::Exact);
    let (block, open, at) =
        (names.buffer(block), &names.workspace(id).open, at.iter().map(|e| exprs.expr(e)));
    quote!(let #block = #open.block([#(#at),*]);)
}

/// What was scattered, as the arrays that code reads.
pub(super) fn gather(names: &Names<'_>, id: WorkspaceId) -> Tokens {
    let w = names.program.workspace(id);
    let open = &names.workspace(id).open;
    let (crd, vals) = (w.crd.iter().map(|b| names.buffer(*b)), names.buffer(w.vals));
    let combine = combine(w.op);
    quote!(let ([#(#crd),*], #vals) = #open.gather(#combine);)
}

/// What was scattered into a list, appended to arrays that grow.
pub(super) fn append(names: &Names<'_>, id: WorkspaceId, crd: BufferId, vals: BufferId) -> Tokens {
    let open = &names.workspace(id).open;
    let (crd, vals) = (names.buffer(crd), names.buffer(vals));
    let w = names.program.workspace(id);
    let combine = combine(w.op);
    let elements = match &w.block {
        Some(block) => {
            let len = Exprs::new(names, Arithmetic::Exact).expr(&block.len());
            quote!(n * (#len))
        }
        None => quote!(n),
    };
    quote!(#open.append(#combine, |n| (#crd.extended(n), #vals.extended(#elements)));)
}

/// How values of one element are combined.
fn combine(op: Option<Monoid>) -> Tokens {
    match op {
        Some(op) => {
            let monoid = monoid(op);
            quote!(rt::workspace::By(#monoid))
        }
        None => quote!(rt::workspace::Last),
    }
}
