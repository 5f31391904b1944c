//! Sums of counts, in three launches: sums of tiles, sums of these in one block, sums inside tiles.

use super::super::Lowerer;
use super::super::place::ceil;
use super::THREADS;
use super::team::thread_number;
use crate::llir::{
    Axis, Block, BufferId, Expr, Launch, LoopKind, Scanned, Scope, Step, Stmt, Ty, VarId, build,
};

/// Elements of a thread: what one access to memory moves.
const EACH: u64 = 8;

const TILE: u64 = THREADS as u64 * EACH;

/// One of the launches as it is written.
struct Kernel {
    block: VarId,
    thread: VarId,
    shared: BufferId,
    body: Block,
}

impl Lowerer<'_> {
    /// Steps after which element n of an array is the sum of those before, for n up to their number, which is an
    /// expression of the host and one of the device. The names are of an array of sums, and what the launches' end in.
    pub(in super::super) fn scan(
        &mut self,
        array: BufferId,
        [sums, suffix]: [&str; 2],
        len: &Expr,
        on_device: &Expr,
    ) -> Vec<Step> {
        self.scan_for(array, [sums, suffix], len, on_device, None)
    }

    /// The same, where the host may know only how many elements there are at most: an array of one element gets the sum of all.
    pub(super) fn scan_for(
        &mut self,
        array: BufferId,
        [sums, suffix]: [&str; 2],
        len: &Expr,
        on_device: &Expr,
        sum: Option<BufferId>,
    ) -> Vec<Step> {
        let sums = self.device_array(sums);
        let one = Expr::Index(1);
        let tiles = ceil(build::add(len.clone(), one.clone()), TILE);
        let device_tiles = ceil(build::add(on_device.clone(), one), TILE);
        let allocate = Step::Allocate { buffer: sums, len: tiles.clone(), init: None };
        vec![
            allocate,
            self.tile_sums(array, sums, on_device, &tiles, suffix),
            self.sum_tiles(sums, &device_tiles, suffix, sum),
            self.tile_begins(array, sums, on_device, &tiles, suffix),
        ]
    }

    /// `sums[tile] = Σ array[tile]`
    fn tile_sums(&mut self, array: BufferId, sums: BufferId, len: &Expr, tiles: &Expr, suffix: &str) -> Step {
        let mut k = self.scan_kernel();
        let sum = self.own_sum(&mut k, array, len);
        let (_, total) = self.sum_block(&mut k, sum.into());
        let store = Stmt::Store { buffer: sums, index: k.block.into(), value: total };
        let first = build::eq(k.thread, Expr::Index(0));
        k.body.push(Stmt::If { cond: first, then: vec![store], otherwise: vec![] });
        self.scan_launch(k, "sums", suffix, tiles.clone())
    }

    /// `sums[tile] = Σ sums[..tile]`, by one block.
    fn sum_tiles(&mut self, sums: BufferId, tiles: &Expr, suffix: &str, all: Option<BufferId>) -> Step {
        let mut k = self.scan_kernel();
        let carry = self.fresh("carry", Ty::Index);
        k.body.push(Stmt::Mut { var: carry, value: Expr::Index(0) });
        let begin = self.fresh("begin", Ty::Index);
        let outer = std::mem::take(&mut k.body);
        let at = self.fresh("tile", Ty::Index);
        k.body.push(Stmt::Let { var: at, value: build::add(begin, k.thread) });
        let has = build::lt(at, tiles.clone());
        let sum = self.fresh("sum", Ty::Index);
        let own = build::select(has.clone(), build::load(sums, at), Expr::Index(0));
        k.body.push(Stmt::Let { var: sum, value: own });
        let (before, total) = self.sum_block(&mut k, sum.into());
        let store = Stmt::Store { buffer: sums, index: at.into(), value: build::count(carry, before) };
        k.body.push(Stmt::If { cond: has, then: vec![store], otherwise: vec![] });
        k.body.push(Stmt::Assign { var: carry, value: build::count(carry, total) });
        k.body.push(Stmt::Barrier(Scope::Block));
        let body = std::mem::replace(&mut k.body, outer);
        k.body.push(Stmt::For {
            var: begin,
            lo: Expr::Index(0),
            hi: tiles.clone(),
            step: THREADS,
            kind: LoopKind::Serial,
            body,
        });
        if let Some(buffer) = all {
            let store = Stmt::Store { buffer, index: Expr::Index(0), value: carry.into() };
            let first = build::eq(k.thread, Expr::Index(0));
            k.body.push(Stmt::If { cond: first, then: vec![store], otherwise: vec![] });
        }
        self.scan_launch(k, "sum_tiles", suffix, Expr::Index(1))
    }

    /// `array[n] = sums[tile] + Σ array[tile, ..n]`
    fn tile_begins(
        &mut self,
        array: BufferId,
        sums: BufferId,
        len: &Expr,
        tiles: &Expr,
        suffix: &str,
    ) -> Step {
        let mut k = self.scan_kernel();
        let sum = self.own_sum(&mut k, array, len);
        let (before, _) = self.sum_block(&mut k, sum.into());
        let at = self.fresh("at", Ty::Index);
        let value = build::count(build::load(sums, k.block), before);
        k.body.push(Stmt::Mut { var: at, value });
        let (n, count) = (self.fresh("n", Ty::Index), self.fresh("count", Ty::Index));
        let own = build::load(array, n);
        // The sum of all stands behind the last element.
        let value = build::select(build::lt(n, len.clone()), own, Expr::Index(0));
        let body = vec![
            Stmt::Let { var: count, value },
            Stmt::Store { buffer: array, index: n.into(), value: at.into() },
            Stmt::Assign { var: at, value: build::count(at, count) },
        ];
        k.body.push(self.own_elements(&k, n, build::add(len.clone(), Expr::Index(1)), body));
        self.scan_launch(k, "begins", suffix, tiles.clone())
    }

    fn scan_kernel(&mut self) -> Kernel {
        let shared = self.partial_sums(THREADS);
        let (block, thread) = (self.fresh("block_x", Ty::Index), self.fresh("thread_x", Ty::Index));
        Kernel { block, thread, shared, body: vec![] }
    }

    fn scan_launch(&self, k: Kernel, name: &str, suffix: &str, blocks: Expr) -> Step {
        let name = format!("{}_{name}{suffix}", self.kernel.name);
        let grid = vec![Axis { var: k.block, blocks }];
        let launch = Launch::new(name, grid, (k.thread, THREADS), k.body);
        Step::Launch(Launch { shared: vec![k.shared], ..launch })
    }

    /// A loop over the elements of the thread's own part of the block's tile.
    fn own_elements(&self, k: &Kernel, var: VarId, len: Expr, body: Block) -> Stmt {
        let thread = thread_number(k.block, k.thread, THREADS.into());
        let lo = build::mul(thread, Expr::Index(EACH));
        let hi = build::min(build::add(lo.clone(), Expr::Index(EACH)), len);
        Stmt::For { var, lo, hi, step: 1, kind: LoopKind::Serial, body }
    }

    /// The sum of the thread's own elements.
    fn own_sum(&mut self, k: &mut Kernel, array: BufferId, len: &Expr) -> VarId {
        let (sum, n) = (self.fresh("sum", Ty::Index), self.fresh("n", Ty::Index));
        k.body.push(Stmt::Mut { var: sum, value: Expr::Index(0) });
        let more = Stmt::Assign { var: sum, value: build::count(sum, build::load(array, n)) };
        k.body.push(self.own_elements(k, n, len.clone(), vec![more]));
        sum
    }

    /// The sum of the values of the threads before, and of all the block's.
    fn sum_block(&mut self, k: &mut Kernel, value: Expr) -> (Expr, Expr) {
        let (scan, sums) = self.block_scan(k.shared, Scanned::Sum(value));
        k.body.push(scan);
        (sums.before, sums.all)
    }
}
