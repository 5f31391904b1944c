//! Loops on `GPUVector`: a program in which rows are whole vectors, and one in which they need not be.
//!
//! ```text
//! if n % 4 == 0 { the nest, a load of four elements where there were four loads } else { the nest as it is }
//! ```
//!
//! All threads decide alike, once; the choice costs nothing where the entries are. Where rows are whole vectors the parts of
//! a column variable need no guards either. [`vectorize`](super::vectorize) rewrites the loops.

use super::super::state::State;
use super::super::{Lowered, Lowerer};
use super::vectorize::Vectorizer;
use crate::cin::grid::constant;
use crate::diag::Diagnostic;
use crate::front::ast::IndexVar;
use crate::front::command::Unit;
use crate::llir::align::Facts;
use crate::llir::{Block, Expr, Promise, Stmt, VarId, build};
use std::rc::Rc;

/// The version in which rows are whole vectors.
#[derive(Default)]
pub(super) struct Vectors {
    /// Sizes of dimensions, and what they are multiples of.
    sizes: Vec<(VarId, u64)>,
    /// Loops of which something became vectors.
    moved: Vec<IndexVar>,
}

impl Lowerer<'_> {
    /// The nest, in two versions if it has loops over vectors.
    pub(in super::super) fn versions(&mut self, loops: &[IndexVar], st: State) -> Lowered {
        let of_launch = |v: &IndexVar| self.is_launched(*v) && self.is_vector(*v);
        let leaves: Vec<IndexVar> =
            (0..self.provenance.len() as u32).map(IndexVar).filter(of_launch).collect();
        if self.gpu.is_none() || leaves.is_empty() {
            return self.lower(loops, st);
        }
        let (mut vectors, mut whole) = (Vectors::default(), Expr::Cond(true));
        for &leaf in &leaves {
            for root in self.provenance.roots(leaf) {
                let (Some(n), Expr::Var(size)) = (constant(self.provenance, leaf), self.extent(root)) else {
                    continue;
                };
                if !vectors.sizes.contains(&(size, n)) {
                    vectors.sizes.push((size, n));
                    whole = build::and(whole, self.is_whole_vectors(root, size, n));
                }
            }
        }
        self.set_vectors(Some(vectors));
        let vector = self.lower(loops, st.clone())?;
        let moved = self.set_vectors(None).map_or(vec![], |v| v.moved);
        if let Some(leaf) = leaves.iter().find(|v| !moved.contains(v))
            && !vector.is_empty()
        {
            return Err(self.not_contiguous(*leaf));
        }
        if whole == Expr::Cond(true) || vector.is_empty() {
            return Ok(vector);
        }
        self.reuse_tiles();
        let otherwise = self.lower(loops, st)?;
        Ok(vec![Stmt::If { cond: whole, then: vector, otherwise }])
    }

    fn set_vectors(&mut self, vectors: Option<Vectors>) -> Option<Vectors> {
        self.gpu.as_mut().and_then(|gpu| std::mem::replace(&mut gpu.vectors, vectors))
    }

    fn is_vector(&self, leaf: IndexVar) -> bool {
        matches!(self.provenance.tag(leaf).parallel, Some((Unit::GpuVector, _)))
    }

    /// `size % n == 0`, unless the schedule promises it.
    fn is_whole_vectors(&self, root: IndexVar, size: VarId, n: u64) -> Expr {
        let promised = |p: &Promise| matches!(p, Promise::Multiple(m) if m.is_multiple_of(n));
        if self.promises(self.provenance.original(root)).iter().any(promised) {
            return Expr::Cond(true);
        }
        let rest = build::rem(size, Expr::Index(n));
        build::eq(rest, Expr::Index(0))
    }

    /// Do parts of this size divide the variable's range, in the version that is lowered?
    pub(in super::super) fn divides(&self, v: IndexVar, n: u64) -> bool {
        let of = |size: &(VarId, u64)| {
            let all = self.provenance.made_by(v).is_none() && self.extent(v) == Expr::Var(size.0);
            all && size.1.is_multiple_of(n)
        };
        let vectors = self.gpu.as_ref().and_then(|gpu| gpu.vectors.as_ref());
        self.provenance.divides(v, n) || vectors.is_some_and(|vectors| vectors.sizes.iter().any(of))
    }

    /// A finished loop over a vector's elements, if it is one and something is moved at once.
    pub(in super::super) fn vector_loop(
        &mut self,
        leaf: IndexVar,
        var: VarId,
        range: (&Expr, &Expr),
        body: &Block,
    ) -> Option<Block> {
        let vectors = self.gpu.as_ref()?.vectors.as_ref().filter(|_| self.is_vector(leaf))?;
        let (Expr::Index(0), Expr::Index(len)) = range else { return None };
        let mut facts = Facts::with(Rc::clone(&self.definitions));
        vectors.sizes.iter().for_each(|(size, n)| facts.multiple(*size, *n));
        let block = Vectorizer::new(self, facts, var, *len as u32, body).run(body.clone())?;
        if let Some(vectors) = self.gpu.as_mut().and_then(|gpu| gpu.vectors.as_mut()) {
            vectors.moved.push(leaf);
        }
        Some(block)
    }

    fn not_contiguous(&self, leaf: IndexVar) -> Box<Diagnostic> {
        let name = self.name(leaf);
        Box::new(
            Diagnostic::new(
                "not-contiguous",
                self.kernel.assignment.lhs.span,
                format!("nothing is stored along `{name}` that one access could load or store"),
            )
            .help(format!(
                "run on `GPUVector` a part of the variable of a tensor's last level, which is dense; or leave `{name}` serial"
            )),
        )
    }
}
