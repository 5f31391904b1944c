//! What is known before the first loop: what the statement reads, and the state that lowering begins with.

use super::gpu::{HostSizes, Tiers};
use super::output::Output;
use super::program::sources;
use super::remarks::Remarks;
use super::state::{Cursor, Fiber, Lhs, State};
use super::tags::Tags;
use super::{Lowerer, Operand, Options};
use crate::cin::algebra::simplify;
use crate::cin::grid::Grid;
use crate::cin::nested::Nested;
use crate::cin::order::level_vars;
use crate::cin::provenance::Relation;
use crate::cin::result::ResultKind;
use crate::cin::{Cin, Workspace};
use crate::format::Level;
use crate::front::ast::{IndexVar, Kernel};
use crate::llir::{Array, BufferId, Expr, Ty};
use crate::looplet::{LevelRef, Position};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Where lowering begins.
pub(super) fn root_state(nested: &Nested, cin: &Cin, kernel: &Kernel, fiber: Option<Fiber>) -> State {
    State {
        rhs: simplify(&nested.nest.rhs, kernel.dtype),
        cursors: vec![Cursor { level: 0, position: Position::One(Expr::Index(0)) }; nested.accesses.len()],
        fiber,
        coords: vec![None; cin.provenance.len()],
        lhs: Lhs::Output { block: None },
        op: nested.nest.op,
        opened: 0,
        repeated: false,
        lane: None,
        opens: nested.nest.opens.clone(),
        places: BTreeMap::new(),
        steps: BTreeMap::new(),
        parts: BTreeMap::new(),
        fused: BTreeMap::new(),
        counted: vec![],
        within: vec![],
        leaf: None,
        threads: None,
        walks: vec![],
        stride: None,
        around: vec![],
        bound: vec![],
        ended: vec![],
        segment: None,
        scattered: false,
        sole: None,
        carried: None,
        resumes: vec![],
        tables: vec![],
        untabled: vec![],
    }
}

impl<'k> Lowerer<'k> {
    /// Beside another program that is one with it: what both declare is the same.
    pub(super) fn new(
        kernel: &'k Kernel,
        options: &'k Options,
        nested: &Nested,
        (kind, cin): (ResultKind, &'k Cin),
        beside: Option<&Lowerer<'_>>,
    ) -> Self {
        // Each makes sparse workspaces of its own.
        let spas_of = beside.map_or(vec![], |l| vec![Workspace(u32::MAX); l.spas.len()]);
        let mut l = Lowerer {
            kernel,
            options,
            dtype: kernel.dtype,
            levels: Vec::new(),
            level_vars: Vec::new(),
            tensors: nested.accesses.iter().map(|a| Operand::Tensor(a.tensor)).collect(),
            accesses: nested.accesses.clone(),
            provenance: &cin.provenance,
            workspaces: &cin.workspaces,
            remarks: Remarks::default(),
            tags: Tags::default(),
            extents: Vec::new(),
            sizes: Vec::new(),
            scalars: Vec::new(),
            vars: beside.map_or(vec![], |l| l.vars.clone()),
            buffers: beside.map_or(vec![], |l| l.buffers.clone()),
            provisional: beside.map_or(BTreeSet::new(), |l| l.provisional.clone()),
            spas: beside.map_or(vec![], |l| l.spas.clone()),
            spas_of,
            lists: Vec::new(),
            listing: None,
            before: Vec::new(),
            launched: Vec::new(),
            rows: BTreeMap::new(),
            buckets: None,
            directories: Vec::new(),
            out: Output::new(kernel, nested, kind, cin.accumulates),
            points: 0,
            definitions: Rc::default(),
            accumulators: BTreeSet::new(),
            apart: BTreeMap::new(),
            grid: Grid::of(cin),
            root: None,
            tiers: Tiers::default(),
            sizes_on_host: HostSizes::default(),
            gpu: None,
            refused: None,
        };
        for v in 0..kernel.vars.len() {
            let source = sources(kernel, IndexVar(v as u32))[0];
            let level = kernel.tensors[source.0.index()].spec.map.level_of_dim(source.1);
            let name = format!("{}{}_dim", kernel.tensors[source.0.index()].name, level + 1);
            let var = beside.map_or_else(|| l.fresh(&name, Ty::Index), |b| b.sizes[v]);
            let exact = cin.provenance.relations().iter().find_map(|r| match *r {
                Relation::Bound { child, size, exact: true, .. } => {
                    let (root, part) = cin.provenance.parts_of(child)?;
                    (root.index() == v && part == 1).then_some(Expr::Index(size))
                }
                _ => None,
            });
            l.extents.push(exact.unwrap_or(Expr::Var(var)));
            l.sizes.push(var);
        }
        for (n, s) in kernel.scalars.iter().enumerate() {
            let ty = Ty::Scalar(s.dtype);
            let var = beside.map_or_else(|| l.fresh(&s.name.to_string(), ty), |b| b.scalars[n]);
            l.scalars.push(var);
        }
        for a in &nested.accesses {
            let spec = &kernel.tensors[a.tensor.index()].spec;
            let vars = level_vars(spec, a);
            let refs = (0..spec.rank())
                .map(|level| LevelRef {
                    level: spec.levels[level],
                    size: l.extent(vars[level]),
                    pos: l.level_array(spec.levels[level], Array::Pos(a.tensor, level)),
                    crd: l.level_array(spec.levels[level], Array::Crd(a.tensor, level)),
                })
                .collect();
            l.input(Array::Vals(a.tensor));
            l.levels.push(refs);
            l.level_vars.push(vars);
        }
        l.declare_output();
        l
    }

    /// An operand's array, if a level stores it.
    fn level_array(&mut self, level: Level, array: Array) -> Option<BufferId> {
        array.is_stored_by(level).then(|| self.input(array))
    }
}
