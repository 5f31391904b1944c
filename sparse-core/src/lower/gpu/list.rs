//! Sparse workspaces that stand outside of all loops: a list of what is scattered, sorted by counting.
//!
//! No row of the result has them for itself, so that all threads of the producer scatter into one. It is a list of
//! elements in the order of the producer's loops, and *buckets* of places in it: one a coordinate of the first dimension.
//!
//! ```text
//! launch count:    rows[i] = how many, begins[crd + 1] += 1           for every iteration of the outermost loop
//! launches scan:   rows, begins: sums of the counts before
//! read n = rows[all], if no bound on it is known either; allocate crd[n], order[n], vals[n]
//! launch scatter:  q = begins[crd + 1], begins[crd + 1] += 1;         now begins[crd] is where the bucket begins
//!                  crd[q] = further coordinates, order[q] = p, vals[p] = value, p += 1
//! launch sort:     each bucket, by further coordinates and places in the list
//! ```
//!
//! In which order a bucket is filled is not known; after the sort equal elements stand in the order of the loops, in which
//! the consumer sums them. It reads buckets as an operand: a level of the coordinates whose bucket is not empty, a
//! compressed one below it, and singletons.

use super::super::assemble::Pass;
use super::super::place::ceil;
use super::super::region::guard;
use super::super::state::{Cursor, Lhs, SparseTarget, State};
use super::super::{Lowerer, Operand, counts, internal, tidy};
use super::team::number;
use super::{Blocks, THREADS};
use crate::cin::grid::Grid;
use crate::cin::launches;
use crate::cin::val::{AccessId, Constant, Production, Val};
use crate::cin::{Cin, Workspace};
use crate::diag::Diagnostic;
use crate::format::Level;
use crate::front::ast::IndexVar;
use crate::llir::{Block, BufferId, Elem, Expr, FetchOp, Space, Step, Stmt, Ty, VarId, build};
use crate::looplet::{LevelRef, Position};
use crate::scalar::{Monoid, Value};

/// What was scattered.
pub(in super::super) struct List {
    pub(in super::super) name: String,
    /// By dimension, how many coordinates there are.
    dims: Vec<Expr>,
    /// How values of one element are combined; none where each is scattered once.
    pub(in super::super) op: Option<Monoid>,
    /// The value of what was not scattered, with which the others are combined.
    pub(in super::super) init: Constant,
    /// By coordinate of the first dimension: where its bucket begins. While it is filled, where the one before does.
    begins: BufferId,
    /// By iteration of the producer's outermost loop: where its elements begin.
    rows: BufferId,
    /// The further coordinates, bucket by bucket.
    crd: Vec<BufferId>,
    /// Where in the list the elements are.
    order: BufferId,
    /// Values, in the order of the list.
    vals: BufferId,
    /// Has the result been made of it?
    pub(in super::super) is_result: bool,
}

/// The list that a launch counts or fills.
pub(in super::super) struct Listing {
    list: usize,
    pass: Pass,
    /// How many elements the thread has scattered, or the place of its next one.
    next: VarId,
}

/// How many elements a list has, for the host.
enum Len {
    /// So many.
    Exact(Expr),
    /// No more.
    AtMost(Expr),
}

impl List {
    /// By element of a bucket, where its value is.
    pub(in super::super) fn order(&self) -> BufferId {
        self.order
    }

    pub(in super::super) fn values(&self) -> BufferId {
        self.vals
    }

    /// The arrays that are sorted, bucket by bucket, and by how many of them: elements that are there once need no tie
    /// broken.
    pub(super) fn sorted(&self) -> (Vec<BufferId>, usize) {
        let arrays = self.crd.iter().copied().chain([self.order]).collect();
        (arrays, self.crd.len() + usize::from(self.op.is_some()))
    }

    /// The further coordinates.
    pub(super) fn further(&self) -> Vec<BufferId> {
        self.crd.clone()
    }

    /// Where buckets begin, and how many they are.
    pub(super) fn buckets(&self) -> (BufferId, Expr) {
        (self.begins, self.dims[0].clone())
    }
}

impl Lowerer<'_> {
    /// Steps that scatter into a sparse workspace that is filled before all loops.
    pub(super) fn fill_list(
        &mut self,
        w: Workspace,
        loops: &[IndexVar],
        st: &mut State,
    ) -> Result<Vec<Step>, Box<Diagnostic>> {
        let reads = st.reads(w);
        let Some(Production { nest, written, .. }) = self.listable(w, &reads, loops, st) else {
            return Err(self.refuse_scattered(w));
        };
        let Some(&outermost) = nest.loops.first() else { return Err(self.refuse_scattered(w)) };
        let dims = self.dims(w)?;
        let init = self.before(&nest).unwrap_or_else(|| self.absent(w, st));
        let is_result = self.is_listed(w, init, loops, st);
        if is_result {
            self.fix_lengths();
        }
        let op = nest.op;
        // Its coordinates are sorted where they stay.
        let result = (is_result && op.is_none()).then(|| self.further());
        let list = self.list(w, dims, result.clone(), (op, init));
        let lhs = Lhs::Scattered(SparseTarget {
            workspace: None,
            indices: written,
            init: init.value(),
            masks: vec![],
        });
        let (inner, mut producer) = st.producer(nest, lhs);
        let known = self.list_len(&inner, &producer, result.is_some() && !self.is_packed());
        let mut steps = self.fill_outside(&inner, &mut producer)?;
        self.by_coordinates(outermost);
        let rows = (self.extent(outermost), self.extent(outermost));
        let Some([count, scatter]) = self.list_launches(list, &inner, &producer)? else {
            // Nothing is scattered, whatever the operands hold.
            st.rhs = st.rhs.map(&|v| match v {
                Val::Work(q) if q.workspace == w => Some(init.into()),
                _ => None,
            });
            return Ok(steps);
        };
        let is_exact = !matches!(known, Some(Len::AtMost(_)));
        let (counted, len) = self.count_list(list, count, &rows, known);
        steps.extend(counted);
        steps.push(scatter);
        steps.extend(self.sort_buckets(list, &len));
        if is_result {
            steps.extend(self.finish_listed(list, &len, is_exact));
            self.lists[list].is_result = true;
        }
        for read in reads {
            let rows = !self.is_read_first(&read, loops);
            let access = self.read_list(list, rows, &read, st);
            st.read_operand(w, &read, access);
        }
        Ok(steps)
    }

    /// What fills a workspace, if all that read it can find its buckets: a bucket is found by its coordinate, a thread's own one, or
    /// that of rows whose elements are scattered once.
    fn listable(
        &self,
        w: Workspace,
        reads: &[Vec<IndexVar>],
        loops: &[IndexVar],
        st: &State,
    ) -> Option<Production> {
        let mut production = None;
        st.rhs.for_each_production(&mut |p: &Production| {
            if p.workspace == w {
                production.get_or_insert_with(|| p.clone());
            }
        });
        production.filter(|p| {
            let rows = p.nest.op.is_none() && p.read.len() > 1;
            reads.iter().all(|read| rows || self.is_read_first(read, loops))
        })
    }

    /// The launches that count a list and that fill it; none if nothing is scattered.
    fn list_launches(
        &mut self,
        list: usize,
        inner: &[IndexVar],
        producer: &State,
    ) -> Result<Option<[Step; 2]>, Box<Diagnostic>> {
        let mut launches = Vec::new();
        for pass in [Pass::Count, Pass::Fill] {
            self.on_gpu();
            let next = self.fresh(if pass == Pass::Count { "count" } else { "place" }, Ty::Index);
            self.listing = Some(Listing { list, pass, next });
            let body = self.lower(inner, producer.clone());
            self.listing = None;
            let body = self.fetch_at_once(tidy::tidy(body?, &self.buffers));
            let body = counts::tidy(body);
            let name = if pass == Pass::Count { "counts" } else { "scatter" };
            let name = format!("_{name}_{}", self.lists[list].name);
            launches.extend(self.launch(&name, body)?);
        }
        Ok(launches.try_into().ok())
    }

    /// What the statement's own loops run on, after what is filled before them: what the schedule says, or without one a thread has
    /// a coordinate of the outermost.
    pub(in super::super) fn after_launches(&mut self, cin: &Cin, loops: &[IndexVar]) {
        if self.lists.is_empty() && self.before.is_empty() {
            return;
        }
        let own = launches::own(cin).vars;
        self.launched.clone_from(&own);
        if let Some(outermost) = loops.first()
            && !self.lists.is_empty()
            && own.iter().all(|v| cin.provenance.tag(*v).parallel.is_none())
        {
            return self.by_coordinates(*outermost);
        }
        // What the schedule says; or a scalar, which one thread writes.
        (self.root, self.grid) = (None, Grid::of(cin));
        self.on_gpu();
    }

    /// From here on threads have the coordinates of an outermost loop, one each.
    fn by_coordinates(&mut self, outermost: IndexVar) {
        self.root = Some(outermost);
        self.grid = Grid { blocks: vec![], warps: 1, lanes: THREADS.into(), team: None };
        self.on_gpu();
    }

    /// The coordinate of the outermost loop that this thread has.
    pub(super) fn bind_root(&mut self, var: VarId, extent: Expr, body: Block) -> Block {
        // A team of a class has a row of the list, as if it were a block.
        let of_class = self.gpu().of_class;
        let blocks =
            |size: Option<Expr>| size.map(|size| if of_class { size } else { ceil(size, THREADS.into()) });
        let (on_host, on_device) = (blocks(self.host_size(&extent)), blocks(self.device_size(&extent)));
        if on_host.is_none() {
            self.refused = Some(internal(self.kernel, "the host does not know how many rows there are"));
        }
        let body = self.row_of_list(&var.into(), body);
        let Some(gpu) = &mut self.gpu else { unreachable!("threads run in launches") };
        let (axis, blocks) = &mut gpu.axes[0];
        *blocks = on_host.map(|on_host| Blocks { on_host, on_device });
        let number = match gpu.turn {
            Some((number, _)) => number.into(),
            None if of_class => (*axis).into(),
            None => number(&gpu.grid, *axis, gpu.thread),
        };
        let mut block = vec![Stmt::Let { var, value: number }];
        block.extend(guard(if of_class { Expr::Cond(true) } else { build::lt(var, extent) }, body));
        block
    }

    /// What a thread scatters, counted, or from its place in the list on.
    fn row_of_list(&self, row: &Expr, body: Block) -> Block {
        let Some(Listing { list, pass, next }) = &self.listing else { return body };
        let rows = self.lists[*list].rows;
        let first = match pass {
            Pass::Count | Pass::Scatters | Pass::Pieces => Expr::Index(0),
            Pass::Fill => build::load(rows, row.clone()),
        };
        let mut block = vec![Stmt::Mut { var: *next, value: first }];
        block.extend(body);
        if *pass == Pass::Count {
            block.push(Stmt::Store { buffer: rows, index: row.clone(), value: Expr::Var(*next) });
        }
        block
    }

    /// Is only counted what is scattered?
    pub(in super::super) fn counts_list(&self) -> bool {
        self.listing.as_ref().is_some_and(|l| l.pass == Pass::Count)
    }

    /// Puts an element on the list, and into its bucket.
    pub(in super::super) fn scatter_into_list(
        &mut self,
        target: &SparseTarget,
        st: &State,
        value: Expr,
    ) -> Block {
        let Some(Listing { list, pass, next }) = &self.listing else {
            self.refused = Some(internal(self.kernel, "a list is filled before it is opened"));
            return vec![];
        };
        let (list, pass, next) = (*list, *pass, *next);
        let mut keys = target.indices.iter().map(|v| {
            self.known(*v, st)
                .unwrap_or_else(|| unreachable!("a workspace's loops are open when it is written"))
        });
        let bucket = keys.next().unwrap_or(Expr::Index(0));
        let further: Vec<Expr> = keys.collect();
        let one = Expr::Index(1);
        let List { begins, crd, order, vals, .. } = &self.lists[list];
        let (begins, crd, order, vals) = (*begins, crd.clone(), *order, *vals);
        let index = build::add(bucket, one.clone());
        if pass == Pass::Count {
            let more = Stmt::Assign { var: next, value: build::count(next, one) };
            return vec![
                Stmt::Fetch { op: FetchOp::Add, var: None, buffer: begins, index, value: Expr::Index(1) },
                more,
            ];
        }
        let at = self.fresh("at", Ty::Index);
        let mut block = vec![Stmt::Fetch {
            op: FetchOp::Add,
            var: Some(at),
            buffer: begins,
            index,
            value: Expr::Index(1),
        }];
        block.extend(crd.into_iter().zip(further).map(|(buffer, value)| Stmt::Store {
            buffer,
            index: at.into(),
            value,
        }));
        block.push(Stmt::Store { buffer: order, index: at.into(), value: next.into() });
        block.push(Stmt::Store { buffer: vals, index: next.into(), value });
        block.push(Stmt::Assign { var: next, value: build::add(next, one) });
        block
    }

    /// Declares a list.
    fn list(
        &mut self,
        w: Workspace,
        dims: Vec<Expr>,
        crd: Option<Vec<BufferId>>,
        (op, init): (Option<Monoid>, Constant),
    ) -> usize {
        let name = self.unique(&self.workspaces[w.index()].name);
        let begins = self.device_array(&format!("{name}_begins"));
        let rows = self.device_array(&format!("{name}_rows"));
        let further = 1..dims.len();
        let crd = crd
            .unwrap_or_else(|| further.map(|d| self.device_array(&format!("{name}{}_crd", d + 1))).collect());
        let order = self.device_array(&format!("{name}_order"));
        let vals = self.local(&format!("{name}_vals"), Elem::Scalar(self.dtype), Space::Output);
        self.lists.push(List { name, dims, op, init, begins, rows, crd, order, vals, is_result: false });
        self.lists.len() - 1
    }

    /// How many elements a producer scatters, as far as the host knows. Where the list's arrays are the result's they are as long
    /// as it has elements.
    fn list_len(&mut self, loops: &[IndexVar], producer: &State, is_result: bool) -> Option<Len> {
        if let Some(exact) = self.entries_in_all(loops, producer) {
            return Some(Len::Exact(exact));
        }
        let most = if is_result { None } else { self.scattered_at_most(loops, producer) };
        most.map(Len::AtMost)
    }

    /// Counts the list's elements, and makes room for them. Gives how many they are, or at most are.
    fn count_list(
        &mut self,
        list: usize,
        count: Step,
        rows: &(Expr, Expr),
        known: Option<Len>,
    ) -> (Vec<Step>, Expr) {
        let one = || Expr::Index(1);
        let List { name, dims, begins, rows: by_row, crd, order, vals, .. } = &self.lists[list];
        let (name, begins, by_row) = (name.clone(), *begins, *by_row);
        let arrays: Vec<BufferId> = crd.iter().copied().chain([*order, *vals]).collect();
        // The first bucket begins at 0, as many as none before it: one count more.
        let buckets = build::add(dims[0].clone(), one());
        let allocate = |buffer, len: &Expr, init| Step::Allocate { buffer, len: len.clone(), init };
        let mut steps = vec![
            allocate(begins, &build::add(buckets.clone(), one()), Some(Value::I32(0))),
            allocate(by_row, &build::add(rows.0.clone(), one()), None),
            count,
        ];
        steps.extend(self.scan(
            by_row,
            [&format!("{name}_row_sums"), &format!("_{name}_rows")],
            &rows.0,
            &rows.1,
        ));
        let sums = format!("{name}_sums");
        steps.extend(self.scan(begins, [&sums, &format!("_{name}")], &buckets, &buckets));
        let mut declared = |what: &str| self.fresh(&format!("{name}_{what}"), Ty::Index);
        let index = rows.0.clone();
        let len = match known {
            Some(Len::Exact(len)) => len,
            Some(Len::AtMost(most)) => {
                let var = declared("room");
                let within = self.options.list_elements;
                steps.push(Step::AtMost { var, most, within, buffer: by_row, index });
                var.into()
            }
            None => {
                let var = declared("len");
                steps.push(Step::Read { var, buffer: by_row, index });
                var.into()
            }
        };
        steps.extend(arrays.into_iter().map(|buffer| allocate(buffer, &len, None)));
        (steps, len)
    }

    /// The buckets, as an operand. The outermost loop comes to those that are not empty; an inner one reads `rows`, of which each
    /// coordinate of the first dimension has one, empty or not.
    fn read_list(&mut self, list: usize, rows: bool, vars: &[IndexVar], st: &mut State) -> AccessId {
        let List { dims, op, init, begins, crd, .. } = &self.lists[list];
        let (last, init) = (dims.len() - 1, *init);
        let levels = dims.iter().enumerate().map(|(d, size)| {
            let unique = d == last && op.is_none();
            let level = match d {
                0 if rows => Level::Dense,
                0 | 1 => Level::Compressed { unique },
                _ => Level::Singleton { unique },
            };
            let pos = (d == usize::from(rows)).then_some(*begins);
            LevelRef { level, size: size.clone(), pos, crd: (d > 0).then(|| crd[d - 1]) }
        });
        let levels = levels.collect();
        self.levels.push(levels);
        self.level_vars.push(vars.to_vec());
        self.tensors.push(Operand::Listed(list, init));
        let root = Cursor { level: 0, position: Position::One(Expr::Index(0)) };
        st.cursors.resize(self.levels.len(), root);
        AccessId(self.levels.len() as u32 - 1)
    }
}
