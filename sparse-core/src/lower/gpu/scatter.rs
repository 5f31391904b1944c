//! Reduce-scatter: the columns that lanes keep are exchanged by halves among the group, and each lane writes its own.
//!
//! ```text
//! acc = scatter(+, acc); kii = lane; if kii < 4 { C[i, k] = acc[0] }
//! ```
//!
//! In place of c trees of log r steps there are c − 1 exchanges and a tree of log (r / c), and neighbouring lanes write
//! neighbouring columns. A lane that has no column, or one past the end, writes nothing.

use super::super::accumulate::each;
use super::super::recover::{Fact, under};
use super::super::state::{ArrayTarget, State};
use super::super::{Lowered, Lowerer};
use crate::cin::val::Val;
use crate::diag::Diagnostic;
use crate::front::ast::IndexVar;
use crate::front::command::Strategy;
use crate::llir::{Arrive, Block, Collective, Expr, Group, IndexOp, Stmt, Ty, build};
use crate::looplet::Position;

impl Lowerer<'_> {
    /// The group whose lanes have a part of every column, if it is to scatter them.
    pub(in super::super) fn scatters(&mut self, columns: u32, st: &State) -> Option<Group> {
        self.gpu.as_ref()?;
        let Some((size, Strategy::ReduceScatter)) = self.group_of(st) else { return None };
        if !columns.is_power_of_two() {
            self.refused = Some(self.no_columns(columns));
            return None;
        }
        if self.lanes_decide(st) {
            self.refused = Some(self.no_segments());
        }
        (columns > 1).then_some(Group { size, arrive: Arrive::Warp })
    }

    /// Writes what lanes have accumulated of columns: each the columns that are left to it.
    pub(in super::super) fn write_scattered(
        &mut self,
        target: &ArrayTarget,
        group: Group,
        columns: &[IndexVar],
        mut st: State,
    ) -> Lowered {
        let Some(op) = st.op else { unreachable!("only a reduction is accumulated") };
        let sizes: Vec<u64> =
            target.dims.iter().filter_map(|n| if let Expr::Index(n) = n { Some(*n) } else { None }).collect();
        let len = sizes.iter().product::<u64>() as u32;
        let width = group.width(len);
        let of = |op, a: Expr, n: u64| Expr::IndexOp(op, Box::new(a), Box::new(Expr::Index(n)));
        let lane = of(IndexOp::Rem, self.gpu().thread.into(), group.size.into());
        let n = self.fresh("n", Ty::Index);
        let (at, own) = match len / width {
            1 => (Expr::Index(0), lane),
            _ => (n.into(), build::add(build::mul(n, Expr::Index(width.into())), lane)),
        };
        let mut facts = Vec::new();
        let own = match columns {
            [_] => own,
            _ => {
                let mut block = Block::new();
                let own = self.bind("column", own, &mut block);
                facts.extend(Fact::of(block));
                own
            }
        };
        let mut inside = sizes.iter().product::<u64>();
        for (k, (v, size)) in columns.iter().zip(sizes).enumerate() {
            inside /= size;
            let part = if inside > 1 { of(IndexOp::Div, own.clone(), inside) } else { own.clone() };
            let part = if k > 0 { of(IndexOp::Rem, part, size) } else { part };
            st = self.enter(*v, st);
            let part = self.fact(*v, part, &mut facts);
            if k == 0 && width < group.size {
                facts.push(Fact::Guard(build::lt(part.clone(), Expr::Index(size))));
            }
            st.coords[v.index()] = Some(part);
            self.learn(*v, &mut st, &mut facts)?;
        }
        let id = self.read(target.buffer, &[], &[], &mut st);
        st.cursors[id.index()].position = Position::One(at);
        st.rhs = Val::Access(id);
        (st.leaf, st.scattered) = (None, true);
        let body = under(facts, self.lower(&[], st)?);
        let mut block = vec![Stmt::Collective(Collective::Scatter { buffer: target.buffer, op, group })];
        columns.iter().for_each(|v| block.extend(self.comments(*v)));
        match len / width {
            1 => block.extend(body),
            count => block.push(each(n, count, body)),
        }
        Ok(block)
    }

    pub(super) fn no_columns(&self, kept: u32) -> Box<Diagnostic> {
        let what = match kept {
            1 => "here a lane keeps one value".to_owned(),
            n => format!("{n} cannot be halved until one is left"),
        };
        Box::new(
            Diagnostic::new(
                "no-columns",
                self.kernel.assignment.lhs.span,
                format!("`ReduceScatter` exchanges the columns of the output that a lane keeps in registers: {what}"),
            )
            .help("split one of its dense variables by 2, 4, 8, 16 or 32, as in `split(k, ko, ki, 4)`, and `reorder` so that the inner part is innermost; or write `ParallelReduction`"),
        )
    }
}
