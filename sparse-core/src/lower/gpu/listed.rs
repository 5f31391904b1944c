//! A result that is what was scattered: a transposition, a conversion, a product whose rows are summed.
//!
//! Its rows are the buckets. Where each element was scattered once, its coordinates are those by which buckets are sorted,
//! and its values are brought from where they stand in the list, a thread an entry, however long the rows are:
//!
//! ```text
//! pos[n] = begins[n]               for n up to the number of rows
//! vals[n] = list[order[n]]         for every entry
//! ```
//!
//! Otherwise the first ones of equal elements are counted, and give the entries their places:
//!
//! ```text
//! launch firsts: first[n] = 1 if its bucket begins at n, or the element before is another
//! launches scan: first[n] = how many stand before n
//! read m = first[all], of which there is a copy; allocate crd[m], vals[m]
//! launch runs:   crd[first[n]] = …, run[first[n]] = n      for every first one
//! launches fill: vals[m] = the sum of list[order[n]], for n from run[m] on and before run[m + 1]      for every entry
//! ```
//!
//! ([`super::runs`] has the last one).
//!
//! A list of coordinates, as `Coo`, has for each entry the number of its bucket, which is found by a search.

use super::super::place::ceil;
use super::super::region::guard;
use super::super::{Lowerer, joined};
use super::THREADS;
use super::team::thread_number;
use crate::llir::{
    Array, Axis, Block, Bound, BufferId, Expr, Launch, LoopKind, Step, Stmt, Ty, VarId, build,
};
use crate::scalar::Monoid;

impl Lowerer<'_> {
    /// The result's arrays of the further coordinates.
    pub(super) fn further(&mut self) -> Vec<BufferId> {
        let t = self.out.tensor;
        (1..self.out.vars.len()).map(|l| self.out_array(Array::Crd(t, l))).collect()
    }

    /// What makes the result of its list, which has so many elements, or no more.
    pub(super) fn finish_listed(&mut self, list: usize, all: &Expr, is_exact: bool) -> Vec<Step> {
        match self.lists[list].op {
            None => self.bring_values(list, all, is_exact),
            Some(op) => self.sum_equal(list, op, all, is_exact),
        }
    }

    fn bring_values(&mut self, list: usize, all: &Expr, is_exact: bool) -> Vec<Step> {
        let mut steps = self.allocate_listed(list, all, true);
        let (begins, buckets) = self.lists[list].buckets();
        let (order, from) = (self.lists[list].order(), self.lists[list].values());
        let (vals, at) = (self.out_values(), self.fresh("at", Ty::Index));
        let mut entry = self.first_coordinate(list, at, at);
        entry.push(store(vals, at, build::load(from, build::load(order, at))));
        let mut body = self.listed_pos(list, at, &|position| position);
        let len = build::load(begins, buckets.clone());
        body.extend(guard(build::lt(at, len.clone()), entry));
        let [threads, on_device] = [all, &len].map(|all| build::max(self.pos_len(list), all.clone()));
        steps.push(self.by_all("fill", at, (&threads, &on_device), is_exact, body));
        steps
    }

    fn sum_equal(&mut self, list: usize, op: Monoid, all: &Expr, is_exact: bool) -> Vec<Step> {
        let name = self.lists[list].name.clone();
        let (begins, buckets) = self.lists[list].buckets();
        let len = build::load(begins, buckets.clone());
        let firsts = self.device_array(&format!("{name}_firsts"));
        let next = |at: VarId| build::add(at, Expr::Index(1));

        let (at, begin) = (self.fresh("at", Ty::Index), self.fresh("begin", Ty::Index));
        let mut element =
            vec![Stmt::Let { var: begin, value: build::load(begins, self.bucket_of(list, at)) }];
        let crd = self.lists[list].further();
        let before = build::sub(at, Expr::Index(1));
        let differs =
            crd.iter().map(|crd| build::ne(build::load(*crd, before.clone()), build::load(*crd, at)));
        let first = differs.fold(build::eq(at, begin), |a, b| Expr::Or(Box::new(a), Box::new(b)));
        let one = build::select(first, Expr::Index(1), Expr::Index(0));
        element.push(store(firsts, at, one));
        let body = if is_exact { guard(build::lt(at, len.clone()), element) } else { element };
        let mut steps = vec![
            Step::Allocate { buffer: firsts, len: build::add(all.clone(), Expr::Index(1)), init: None },
            self.by_all(&format!("firsts_{name}"), at, (all, &len), is_exact, body),
        ];
        let (sums, total) = (format!("{name}_first_sums"), self.device_array(&format!("{name}_runs_many")));
        steps.push(Step::Allocate { buffer: total, len: Expr::Index(1), init: None });
        steps.extend(self.scan_for(firsts, [&sums, &format!("_{name}_firsts")], all, &len, Some(total)));
        let out = self.kernel.tensors[self.out.tensor.index()].name.to_string();
        let entries = self.fresh(&format!("{out}_len"), Ty::Index);
        let (var, buffer, index) = (entries, total, Expr::Index(0));
        // What is packed is read when its levels are counted, too.
        steps.push(if self.is_packed() {
            let (most, within) = (all.clone(), self.options.list_elements);
            Step::AtMost { var, most, within, buffer, index }
        } else {
            Step::Read { var, buffer, index }
        });
        steps.extend(self.allocate_listed(list, &entries.into(), false));

        let runs = self.device_array(&format!("{name}_runs"));
        let run_ends = build::add(entries, Expr::Index(1));
        steps.push(Step::Allocate { buffer: runs, len: run_ends, init: None });
        let [at, place] = ["at", "place"].map(|name| self.fresh(name, Ty::Index));
        let mut entry = self.first_coordinate(list, at, place);
        for (to, from) in self.further().into_iter().zip(crd) {
            entry.push(store(to, place, build::load(from, at)));
        }
        entry.push(store(runs, place, at.into()));
        let mut element = vec![Stmt::Let { var: place, value: build::load(firsts, at) }];
        element.extend(guard(build::lt(place, build::load(firsts, next(at))), entry));
        let mut body = self.listed_pos(list, at, &|position| build::load(firsts, position));
        body.extend(guard(build::lt(at, len.clone()), element));
        let last = Stmt::Store { buffer: runs, index: build::load(firsts, len.clone()), value: len.clone() };
        body.extend(guard(build::eq(at, Expr::Index(0)), vec![last]));
        let [threads, on_device] = [all, &len].map(|all| build::max(self.pos_len(list), all.clone()));
        steps.push(self.by_all(&format!("runs_{name}"), at, (&threads, &on_device), is_exact, body));
        let on_device = build::load(firsts, len);
        steps.extend(self.sum_runs(list, op, runs, (&entries.into(), &on_device), all));
        steps
    }

    /// Memory for the result, which has so many entries; the list may be where its further coordinates are.
    fn allocate_listed(&mut self, list: usize, entries: &Expr, is_list: bool) -> Vec<Step> {
        let t = self.out.tensor;
        let allocate = |buffer, len: Expr| Step::Allocate { buffer, len, init: None };
        let pos = self.out_array(Array::Pos(t, usize::from(self.has_rows())));
        let mut steps = vec![allocate(pos, self.pos_len(list))];
        if !self.has_rows() {
            steps.push(allocate(self.out_array(Array::Crd(t, 0)), entries.clone()));
        }
        if !is_list {
            steps.extend(self.further().into_iter().map(|buffer| allocate(buffer, entries.clone())));
        }
        steps.push(allocate(self.out_values(), entries.clone()));
        steps
    }

    /// Has the result a row for each bucket?
    fn has_rows(&self) -> bool {
        !self.out_groups().prefix.is_empty()
    }

    /// The length of its `pos`.
    fn pos_len(&self, list: usize) -> Expr {
        match self.has_rows() {
            true => build::add(self.lists[list].buckets().1, Expr::Index(1)),
            false => Expr::Index(2),
        }
    }

    /// The bucket of an element.
    fn bucket_of(&self, list: usize, at: VarId) -> Expr {
        let (begins, buckets) = self.lists[list].buckets();
        let after =
            build::search(Bound::Upper, begins, Expr::Index(0), build::add(buckets, Expr::Index(1)), at);
        build::sub(after, Expr::Index(1))
    }

    /// The first coordinate of an entry, where that is stored.
    fn first_coordinate(&mut self, list: usize, at: VarId, place: VarId) -> Block {
        if self.has_rows() {
            return vec![];
        }
        let crd = self.out_array(Array::Crd(self.out.tensor, 0));
        vec![store(crd, place, self.bucket_of(list, at))]
    }

    /// Where the result's rows begin, of each of which a thread knows where its bucket does; or where its list ends.
    fn listed_pos(&mut self, list: usize, at: VarId, entry: &dyn Fn(Expr) -> Expr) -> Block {
        let t = self.out.tensor;
        let (begins, buckets) = self.lists[list].buckets();
        let pos = self.out_array(Array::Pos(t, usize::from(self.has_rows())));
        let begin = match self.has_rows() {
            true => build::load(begins, at),
            false => {
                let (first, end) = (build::eq(at, Expr::Index(0)), build::load(begins, buckets));
                build::select(first, Expr::Index(0), end)
            }
        };
        guard(build::lt(at, self.pos_len(list)), vec![store(pos, at, entry(begin))])
    }

    /// A launch of a thread for each of so many numbers, or, where the host only knows how many there are at most, of no more
    /// threads than have tables at a time, each with one number after another.
    pub(super) fn by_all(
        &mut self,
        name: &str,
        at: VarId,
        (on_host, on_device): (&Expr, &Expr),
        is_exact: bool,
        body: Block,
    ) -> Step {
        if is_exact {
            return self.by_threads(name, at, on_host.clone(), body);
        }
        let threads = u64::from(THREADS);
        let most = (self.options.table_threads / threads).max(1) * threads;
        let first = self.fresh("first", Ty::Index);
        let turns = Stmt::For {
            var: at,
            lo: first.into(),
            hi: on_device.clone(),
            step: u32::try_from(most).unwrap_or(u32::MAX),
            kind: LoopKind::Serial,
            body,
        };
        self.by_threads(name, first, build::min(on_host.clone(), Expr::Index(most)), vec![turns])
    }

    /// A launch of so many threads, each with its number.
    pub(super) fn by_threads(&mut self, name: &str, at: VarId, threads: Expr, body: Block) -> Step {
        let (block, thread) = (self.fresh("block_x", Ty::Index), self.fresh("thread_x", Ty::Index));
        let number = thread_number(block, thread, THREADS.into());
        let grid = vec![Axis { var: block, blocks: ceil(threads, THREADS.into()) }];
        let body = joined(vec![Stmt::Let { var: at, value: number }], body);
        let name = format!("{}_{name}", self.kernel.name);
        Step::Launch(Launch::new(name, grid, (thread, THREADS), body))
    }
}

fn store(buffer: BufferId, at: VarId, value: Expr) -> Stmt {
    Stmt::Store { buffer, index: at.into(), value }
}
