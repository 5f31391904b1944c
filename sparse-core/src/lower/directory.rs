//! Directories of operands that loops around come to from their beginning each time, on CPUs: where to search for a coordinate.
//!
//! ```text
//! ∀i ∀j y += A[i, j] * x[j]
//!     →   for part in 0..n { while x1_crd[px] * scale / 2³² < part { px += 1 }; parts[part] = px }; parts[n] = x1_len
//!         ∀i { … part = jA * scale / 2³²; px = lower_bound(x1_crd, parts[part], parts[part + 1], jA) … }
//! ```
//!
//! To gallop from the last coordinate takes a time that grows with the logarithm of the distance, and that distance is long where
//! each row has few entries. The dimension is cut into a few times as many parts as the operand has coordinates, if it is so long: to
//! make the directory takes a time that grows as the operand does, however large the dimension is. Where the operand has more
//! coordinates than there are to search for, there is one part.

use super::{Lowerer, Operand};
use crate::cin::val::AccessId;
use crate::llir::walk::visit_exprs;
use crate::llir::{Block, Bound, BufferId, Elem, Expr, Init, LoopKind, Space, Stmt, Ty, VarId, build};
use crate::looplet::Stepper;

/// So many parts for each coordinate, at most: most of the parts that are asked for are empty if most coordinates are.
const PARTS: u64 = 4;

/// A part's number is the coordinate times a scale, over this: both products are less than 2⁶³.
const ONE: u64 = 1 << 32;

/// Where to search in the first level of an operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Directory {
    crd: BufferId,
    /// Where each part begins, and where the last one ends.
    parts: BufferId,
    scale: VarId,
}

impl Lowerer<'_> {
    /// The directory that a stepper's operand has.
    pub(super) fn directory_of(&self, stepper: &Stepper) -> Option<Directory> {
        self.directories.iter().map(|(directory, _)| *directory).find(|d| d.crd == stepper.crd)
    }

    /// Makes a directory of an operand, at whose first level a stepper is, for coordinates of others, if it is known before all loops
    /// how many these are.
    pub(super) fn make_directory(&mut self, a: AccessId, stepper: &Stepper, others: &[AccessId]) {
        let is_tensor = |a: &AccessId| matches!(self.tensors[a.index()], Operand::Tensor(_));
        if self.gpu.is_some() || !is_tensor(&a) || self.directory_of(stepper).is_some() {
            return;
        }
        let level = &self.levels[a.index()][0];
        let searches = others.iter().filter(|b| is_tensor(b)).map(|b| self.stored_entries(*b));
        let (Some(pos), Some(searches)) = (level.pos, searches.reduce(build::add)) else { return };
        let size = level.size.clone();
        let (tensor, mut block) = (self.tensor_name(a), Block::new());
        let entries = self.bind(&format!("{tensor}1_len"), build::load(pos, Expr::Index(1)), &mut block);
        let most = build::min(size.clone(), build::mul(entries.clone(), Expr::Index(PARTS)));
        let few = build::lt(searches, entries.clone());
        let all = build::max(build::select(few, Expr::Index(1), most), Expr::Index(1));
        let all = self.bind(&format!("{tensor}1_parts_len"), all, &mut block);
        let scale = self.fresh(&format!("{tensor}1_scale"), Ty::Index);
        let value = build::div(build::mul(all.clone(), Expr::Index(ONE)), build::max(size, Expr::Index(1)));
        block.push(Stmt::Let { var: scale, value });
        let parts = self.local(&format!("{tensor}1_parts"), Elem::Index, Space::Scratch);
        let directory = Directory { crd: stepper.crd, parts, scale };
        let len = build::add(all.clone(), Expr::Index(1));
        block.push(Stmt::Alloc { buffer: parts, len, init: Init::Unwritten });
        let p = self.fresh("next", Ty::Index);
        block.push(Stmt::Mut { var: p, value: Expr::Index(0) });
        let part = self.fresh("part", Ty::Index);
        let before = build::lt(directory.part(build::load(stepper.crd, p)), part);
        let begins = vec![
            Stmt::While {
                cond: build::and(build::lt(p, entries.clone()), before),
                body: vec![Stmt::Assign { var: p, value: build::add(p, Expr::Index(1)) }],
            },
            Stmt::Store { buffer: parts, index: Expr::Var(part), value: Expr::Var(p) },
        ];
        let (lo, hi) = (Expr::Index(0), all.clone());
        block.push(Stmt::For { var: part, lo, hi, step: 1, kind: LoopKind::Serial, body: begins });
        block.push(Stmt::Store { buffer: parts, index: all, value: entries });
        self.directories.push((directory, block));
    }

    /// What makes the directories that code uses, and the code.
    pub(super) fn with_directories(&mut self, code: Block) -> Block {
        let mut all = Block::new();
        for (directory, block) in std::mem::take(&mut self.directories) {
            let mut used = false;
            visit_exprs(&code, &mut |e| used |= e.buffer() == Some(directory.parts));
            if used {
                all.extend(block);
                let crd = &self.buffers[directory.crd.index()].name;
                self.note(format!("`{crd}` has a directory, which says where to search for a coordinate"));
            }
        }
        all.extend(code);
        all
    }

    /// The first position whose coordinate is not less than one that is larger than the one before.
    pub(super) fn in_directory(&mut self, directory: Directory, to: &Expr, block: &mut Block) -> Expr {
        let part = self.bind("part", directory.part(to.clone()), block);
        let end = build::add(part.clone(), Expr::Index(1));
        let (lo, hi) = (build::load(directory.parts, part), build::load(directory.parts, end));
        build::search(Bound::Lower, directory.crd, lo, hi, to.clone())
    }
}

impl Directory {
    /// The number of the part that a coordinate is in.
    fn part(&self, coordinate: Expr) -> Expr {
        build::div(build::mul(coordinate, self.scale), Expr::Index(ONE))
    }
}
