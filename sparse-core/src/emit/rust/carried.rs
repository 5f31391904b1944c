//! Rows that follow each other: where one's entries begin is where the last one's ended.
//!
//! Both bounds read from memory for each row cost the product of a sparse matrix, of four entries a row, and a dense one,
//! of four columns, 7 % of its time.

use super::names::Names;
use super::quote::{Ident, Tokens, quote};
use crate::llir::walk::visit_stmts;
use crate::llir::{Array, BufferId, Expr, IndexOp, LoopKind, Program, Space, Stmt, VarId};
use std::collections::BTreeMap;

/// The bounds of the rows of a loop, in variables.
#[derive(Clone)]
pub(super) struct Carried {
    pos: BufferId,
    /// Where the row begins, which changes from row to row.
    begin: Ident,
    /// Where it ends.
    end: Ident,
}

/// Those of the loops of a block that read both bounds of each row in each iteration. Loops over the rows of one array
/// have the same names for them, and so are not inside of each other.
pub(super) fn carried(
    program: &Program,
    block: &[Stmt],
    mut name: impl FnMut(&str) -> Ident,
) -> Vec<(VarId, Carried)> {
    let (mut loops, mut names) = (vec![], BTreeMap::new());
    loops_over_rows(program, block, &mut vec![], &mut loops);
    let named = |(var, pos): (VarId, BufferId)| {
        let (begin, end): &(Ident, Ident) = names.entry(pos).or_insert_with(|| {
            let stem = program.buffer(pos).name.trim_end_matches("_pos");
            (name(&format!("{stem}_begin")), name(&format!("{stem}_end")))
        });
        (var, Carried { pos, begin: begin.clone(), end: end.clone() })
    };
    loops.into_iter().map(named).collect()
}

/// The loops and the arrays over whose rows they go; inside of loops over the rows of others.
fn loops_over_rows(
    program: &Program,
    block: &[Stmt],
    around: &mut Vec<BufferId>,
    found: &mut Vec<(VarId, BufferId)>,
) {
    for stmt in block {
        let over = rows(program, stmt).filter(|(_, pos)| !around.contains(pos));
        found.extend(over);
        around.extend(over.map(|(_, pos)| pos));
        stmt.blocks().into_iter().for_each(|nested| loops_over_rows(program, nested, around, found));
        if over.is_some() {
            around.pop();
        }
    }
}

impl Carried {
    /// With the names of another loop's bounds.
    pub(super) fn rename(&mut self, other: &Carried) {
        (self.begin, self.end) = (other.begin.clone(), other.end.clone());
    }

    /// With these names, if they are bounds of this array's rows.
    pub(super) fn rename_rows(&mut self, pos: BufferId, [begin, end]: &[Ident; 2]) {
        if self.pos == pos {
            (self.begin, self.end) = (begin.clone(), end.clone());
        }
    }

    /// The variable that an element of an array is in.
    pub(super) fn bound(&self, var: VarId, buffer: BufferId, index: &Expr) -> Option<&Ident> {
        match () {
            () if buffer != self.pos => None,
            () if index.is_var(var) => Some(&self.begin),
            () if is_next(index, var) => Some(&self.end),
            () => None,
        }
    }
}

/// The loop from `lo` over `range`.
pub(super) fn emit(names: &Names<'_>, var: VarId, lo: &Tokens, range: &Tokens, body: &Tokens) -> Tokens {
    let name = names.var(var);
    let Some(Carried { pos, begin, end }) = names.carried(var) else {
        return quote!(for #name in #range { #body });
    };
    let pos = names.buffer(*pos);
    quote! {
        let mut #begin = #pos.index(#lo);
        for #name in #range {
            let #end = #pos.index(#name + 1);
            #body
            #begin = #end;
        }
    }
}

/// Of a loop, its variable and the array whose elements at the variable and after it are read in each iteration; the only
/// such array, as each takes registers.
fn rows(program: &Program, stmt: &Stmt) -> Option<(VarId, BufferId)> {
    let (var, body) = match stmt {
        Stmt::For { var, lo, step: 1, kind: LoopKind::Serial, body, .. } => {
            // That the first row has a beginning is known though there be no row.
            let exists = match lo {
                Expr::Index(0) => true,
                Expr::Load { buffer, .. } => is_pos(program, *buffer),
                _ => false,
            };
            exists.then_some((*var, body))?
        }
        Stmt::Threads { var, body, .. } => (*var, body),
        _ => return None,
    };
    let mut threads = false;
    visit_stmts(body, &mut |s| threads |= matches!(s, Stmt::Threads { .. }));
    // What other threads run has variables of its own.
    if threads {
        return None;
    }
    let mut reads = Reads { program, var, begins: vec![], ends: vec![] };
    reads.block(body);
    let mut both = reads.begins.iter().filter(|b| reads.ends.contains(b));
    let pos = *both.next()?;
    both.all(|b| *b == pos).then_some((var, pos))
}

/// What a block reads at a loop's variable and after it.
struct Reads<'a> {
    program: &'a Program,
    var: VarId,
    begins: Vec<BufferId>,
    ends: Vec<BufferId>,
}

impl Reads<'_> {
    fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            stmt.for_each_expr(&mut |e| self.expr(e));
            // What a branch reads need not be there.
            if !matches!(stmt, Stmt::If { .. }) {
                stmt.blocks().into_iter().for_each(|nested| self.block(nested));
            }
        }
    }

    fn expr(&mut self, e: &Expr) {
        match e {
            Expr::Load { buffer, index } if is_pos(self.program, *buffer) && index.is_var(self.var) => {
                self.begins.push(*buffer);
            }
            Expr::Load { buffer, index } if is_pos(self.program, *buffer) && is_next(index, self.var) => {
                self.ends.push(*buffer);
            }
            // Nor what is read on a condition.
            Expr::Select(first, ..) | Expr::And(first, _) | Expr::Or(first, _) => self.expr(first),
            e => e.for_each_child(&mut |child| self.expr(child)),
        }
    }
}

fn is_pos(program: &Program, buffer: BufferId) -> bool {
    let buffer = program.buffer(buffer);
    matches!(buffer.array, Array::Pos(..)) && buffer.space == Space::Input
}

/// `var + 1`
fn is_next(index: &Expr, var: VarId) -> bool {
    matches!(index, Expr::IndexOp(IndexOp::Add, a, b) if a.is_var(var) && **b == Expr::Index(1))
}
