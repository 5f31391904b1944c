//! Sums over the stored entries of a row, and the largest and the smallest of them, four at a time.
//!
//! The end of a short row is a branch that the processor can't foresee, and every loop that handles a remainder adds
//! one: on rows of irregular length these cost more than the arithmetic. So the last one to four entries are a vector
//! of four like the others, of which only the row's own entries count. What lies behind the row are the entries of the
//! rows that follow: they are there to be read, and as valid as any, up to the end of the array.
//!
//! Short rows take as long as they have instructions. The last four coordinates are therefore loaded one by one, which
//! takes no shifting, where the others come in pairs, which takes fewer loads; and after the last four nothing is asked.
//!
//! Picking elements one by one beats gather instructions, twofold in the caches. Rows of less than three entries
//! leave most of a vector empty: they are summed one by one. So are the last entries of rows that are [alike](rt), whose
//! ends are foreseen, and short rows of those.
//!
//! [rt]: crate::rt::Alike

use super::names::Names;
use super::partial::{Partial, is_of_vectors, varying};
use super::quote::{Tokens, quote};
use super::stmt::Stmts;
use crate::llir::walk::{visit_exprs, visit_stmts, visit_thread};
use crate::llir::{Array, BufferId, Expr, IndexOp, Program, Space, Step, Stmt, VarId};
use crate::scalar::BinaryOp;

/// A loop over all entries that one parent has in a level, whose body can be computed for four of them at once.
#[derive(Clone, PartialEq)]
pub(super) struct Entries {
    pos: BufferId,
    crd: BufferId,
    vals: Option<BufferId>,
    /// The entries' coordinates.
    coordinates: Vec<VarId>,
}

impl Entries {
    /// Whether it is such a loop. Being valid for entries of any parent, its body loads from nothing but the arrays of
    /// the level itself, and by what any coordinate of the level may index; and nobody writes there meanwhile.
    pub(super) fn of(
        program: &Program,
        (var, lo, hi): (VarId, &Expr, &Expr),
        body: &[Stmt],
    ) -> Option<Entries> {
        let (Expr::Load { buffer: pos, .. }, Expr::Load { buffer: end, .. }) = (lo, hi) else { return None };
        let Array::Pos(tensor, level) = program.buffer(*pos).array else { return None };
        let own = |e: &Expr, array: Array| match e {
            Expr::Load { buffer, index } if **index == Expr::Var(var) => {
                (program.buffer(*buffer).array == array).then_some(*buffer)
            }
            _ => None,
        };
        let last = level + 1 == program.tensors[tensor.index()].spec.levels.len();
        let (mut crd, mut coordinates) = (None, vec![]);
        for stmt in body {
            if let Stmt::Let { var, value } = stmt
                && let Some(buffer) = own(value, Array::Crd(tensor, level))
            {
                crd = Some(buffer);
                coordinates.push(*var);
            }
        }
        let mut vals = None;
        let varying = varying(var, body);
        let varies = |e: &Expr| varying.iter().any(|v| e.mentions(*v));
        let mut fits = pos == end && last;
        visit_exprs(body, &mut |e| {
            vals = vals.or_else(|| own(e, Array::Vals(tensor)));
            fits &= !varies(e)
                || match e {
                    Expr::Load { buffer, index } => {
                        stays(program, *buffer, var)
                            && (own(e, Array::Vals(tensor)).is_some()
                                || own(e, Array::Crd(tensor, level)).is_some()
                                || picks(index, &coordinates, &varies))
                    }
                    Expr::Var(_) | Expr::IndexOp(..) => true,
                    Expr::Unary(op, _) => is_of_vectors(*op),
                    Expr::Binary(op, ..) => {
                        matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div)
                    }
                    _ => false,
                }
        });
        fits &= body.iter().all(|s| match s {
            // Coordinates, and scalars.
            Stmt::Let { var, value } => coordinates.contains(var) || !varies(value),
            Stmt::Update { value, .. } => varies(value),
            _ => true,
        });
        Some(Entries { pos: *pos, crd: crd.filter(|_| fits)?, vals, coordinates })
    }
}

/// Does nobody write an array while a loop runs: is it an operand's, or one of the call's that was filled before the threads began
/// that the loop belongs to?
fn stays(program: &Program, buffer: BufferId, var: VarId) -> bool {
    match program.buffer(buffer).space {
        Space::Input => true,
        Space::Scratch => program.steps.iter().filter_map(Step::code).all(|code| {
            let mut stays = true;
            visit_stmts(code, &mut |s| {
                if let Stmt::Threads { body, .. } = s {
                    let (mut has_loop, mut uses) = (false, false);
                    visit_stmts(body, &mut |inner| {
                        has_loop |= inner.declared().any(|v| v == var);
                        uses |= inner.buffers().contains(&buffer);
                    });
                    stays &= !(has_loop && uses);
                }
            });
            stays
        }),
        _ => false,
    }
}

/// Is it an index made of a coordinate, by sums and products with what is fixed?
fn picks(index: &Expr, coordinates: &[VarId], varies: &impl Fn(&Expr) -> bool) -> bool {
    match index {
        Expr::Var(v) => coordinates.contains(v),
        Expr::IndexOp(IndexOp::Add | IndexOp::Mul, a, b) => {
            [a, b].into_iter().all(|e| !varies(e) || picks(e, coordinates, varies))
        }
        _ => false,
    }
}

/// What the rows are like whose entries a block of statements sums.
pub(super) fn rows(names: &Names<'_>, block: &[Stmt]) -> Option<Tokens> {
    let mut found = None;
    visit_thread(block, &mut |stmt| {
        let entries = || Partial::of(names.program, &names.lets, stmt, false)?.of_entries().cloned();
        found = found.take().or_else(entries);
    });
    let Entries { pos, crd, vals, .. } = found?;
    let (pos, crd, vals) = (names.buffer(pos), names.buffer(crd), names.buffer(vals?));
    Some(quote!(rt::Rows::of(#pos, #crd, #vals)))
}

impl Partial<'_> {
    /// In vectors, where rows are long enough; one by one where not, and where the arrays end.
    pub(super) fn entries(&self, entries: &Entries, stmts: Stmts<'_>) -> Tokens {
        let names = stmts.names;
        let (next, end, partial, kept) = (&names.next, &names.end, &names.partial, &names.kept);
        let (pos, crd, isa) = (names.buffer(entries.pos), names.buffer(entries.crd), &names.isa);
        let (var, (identity, whole, _)) = (names.var(self.var), self.of_vectors());
        let first = if self.adds() { self.zero() } else { identity };
        let varying = varying(self.var, self.body);
        let place = quote!(#partial);
        let vectors = stmts.in_vectors(&varying).accumulating(self.accumulator, &place);
        let [four, last] =
            [false, true].map(|last| vectors.picking(&entries.coordinates, last).block(self.body));
        let one = stmts.block(self.body);
        let combine = self.sum_up(stmts, quote!(#partial.#whole()));
        quote! {
            if #isa.in_fours(#pos, #crd) {
                let mut #partial = #isa.four(#first);
                while rt::more_than_four(#next, #end) {
                    let #var = #next;
                    #four
                    #next += 4;
                }
                if #isa.over_the_end() && #next + 4 <= #crd.len() {
                    let #kept = #partial;
                    let #var = #next;
                    #last
                    #partial = #partial.first(#end - #next, #kept);
                } else {
                    #isa.to_the_end();
                    for #var in #next..#end { #one }
                }
                #combine
            } else if #next < #end {
                #next = #isa.first_entry(#next);
                loop {
                    let #var = #next;
                    #one
                    #next = #isa.next_entry(#next);
                    if #next >= #end { break; }
                }
            }
        }
    }
}
