//! Which indices need 64 bits.
//!
//! Sizes, coordinates and positions fit in 32, with room for a tile more ([`most`]). A product of two that vary may not, nor what
//! is made from it: these are *wide*. A product with a constant is narrow: the launcher sees to it that it fits (see
//! [`super::Kernel`]). Where it would have to refuse nearly everything, as parts are so large, all products and sums are wide.
//! What is bounded by something narrow is narrow again, even if it is computed from what is wide.

use crate::llir::walk::visit_stmts;
use crate::llir::{Collective, Expr, IndexOp, Launch, MOST, Stmt, VarId};

/// The wide variables of a launch.
pub(super) struct Widths {
    /// By variable, as far as some are.
    wide: Vec<bool>,
    /// Are all products and sums wide?
    far: bool,
}

impl Widths {
    pub(super) fn new(launch: &Launch, reach: &Reach) -> Self {
        let mut widths = Widths { wide: vec![], far: reach.is_far() };
        // Assignments in loops reach back: until nothing changes.
        loop {
            let mut changed = false;
            visit_stmts(&launch.body, &mut |s| {
                if let Some(var) = widths.assigned(s)
                    && !widths.is_wide_var(var)
                {
                    widths.widen(var);
                    changed = true;
                }
            });
            if !changed {
                return widths;
            }
        }
    }

    /// The variable that the statement gives a wide value.
    fn assigned(&self, stmt: &Stmt) -> Option<VarId> {
        match stmt {
            Stmt::Let { var, value }
            | Stmt::Mut { var, value }
            | Stmt::Assign { var, value }
            | Stmt::Collective(Collective::Shuffle { var, value, .. }) => self.is_wide(value).then_some(*var),
            Stmt::For { var, lo, hi, .. } => (self.is_wide(lo) || self.is_wide(hi)).then_some(*var),
            _ => None,
        }
    }

    fn widen(&mut self, var: VarId) {
        if var.index() >= self.wide.len() {
            self.wide.resize(var.index() + 1, false);
        }
        self.wide[var.index()] = true;
    }

    pub(super) fn is_wide_var(&self, var: VarId) -> bool {
        self.wide.get(var.index()).is_some_and(|wide| *wide)
    }

    /// Does the index need 64 bits?
    pub(super) fn is_wide(&self, e: &Expr) -> bool {
        match e {
            Expr::Index(n) => i32::try_from(*n).is_err(),
            Expr::Var(v) => self.is_wide_var(*v),
            Expr::IndexOp(op, a, b) => self.is_wide_result(*op, a, b),
            Expr::Select(_, a, b) => self.is_wide(a) || self.is_wide(b),
            // What memory holds, and positions in it.
            _ => false,
        }
    }

    fn is_wide_result(&self, op: IndexOp, a: &Expr, b: &Expr) -> bool {
        let (wide_a, wide_b) = (self.is_wide(a), self.is_wide(b));
        match op {
            IndexOp::Add => wide_a || wide_b || self.far,
            IndexOp::Sub | IndexOp::Max => wide_a || wide_b,
            IndexOp::Min | IndexOp::And => wide_a && wide_b,
            IndexOp::Count | IndexOp::Place | IndexOp::Below => false,
            IndexOp::Mul => {
                let constant = matches!(a, Expr::Index(_)) || matches!(b, Expr::Index(_));
                wide_a || wide_b || !constant || self.far
            }
            IndexOp::Rem => wide_a && wide_b,
            IndexOp::Xor => wide_a || wide_b,
            IndexOp::Div => wide_a && !self.is_narrow_quotient(a, b),
        }
    }

    /// `(x * y) / y`
    fn is_narrow_quotient(&self, product: &Expr, by: &Expr) -> bool {
        match product {
            Expr::IndexOp(IndexOp::Mul, x, y) => {
                **y == *by && !self.is_wide(x) || **x == *by && !self.is_wide(y)
            }
            _ => false,
        }
    }
}

/// How far the variables of a launch reach.
pub(super) struct Reach {
    /// By how much they grow from one block to the next, at most, in each dimension of the grid.
    strides: Vec<u64>,
    /// By how much narrow numbers may be more than the sizes that they are made of.
    past: u64,
}

impl Reach {
    /// Of a launch with this grid, which is given in full.
    pub(super) fn new(launch: &Launch, grid: &[Expr]) -> Self {
        let mut past = 1;
        visit_stmts(&launch.body, &mut |s| s.for_each_expr(&mut |e| past = past.max(past_the_end(e))));
        grid.iter().for_each(|blocks| past = past.max(past_the_end(blocks)));
        let strides = launch.grid.iter().map(|axis| stride(launch, axis.var)).collect();
        Reach { strides, past }
    }

    /// Is what one block goes over more than 32 bits count, or what goes past the end half of that?
    fn is_far(&self) -> bool {
        self.strides.iter().any(|stride| *stride > i32::MAX as u64) || self.past > MOST / 2
    }

    /// The most blocks in each dimension of the grid for which narrow multiples of their numbers fit, and that the
    /// hardware takes.
    pub(super) fn max_blocks(&self) -> Vec<u64> {
        const HARDWARE: [u64; 3] = [i32::MAX as u64, 65_535, 65_535];
        let most = |stride| if self.is_far() { u64::MAX } else { i32::MAX as u64 / stride };
        self.strides.iter().zip(HARDWARE).map(|(stride, hardware)| hardware.min(most(*stride))).collect()
    }

    /// The largest size of what the launch goes over with which its variables fit: the last step of a strided loop, and the
    /// last part of a split one, go past the end.
    pub(super) fn most(&self, launch: &Launch) -> u64 {
        let mut past = if self.is_far() { 1 } else { self.past };
        visit_stmts(&launch.body, &mut |s| {
            if let Stmt::For { step, .. } = s {
                past = past.max(u64::from(*step));
            }
        });
        MOST.saturating_sub(past)
    }
}

/// By how much variables grow from one block to the next, at most, in the dimension of the grid of this variable.
fn stride(launch: &Launch, block: VarId) -> u64 {
    let mut strides = Strides { of: vec![], largest: 1, raised: false };
    strides.raise(block, 1);
    // Variables are declared before they are used; what loops assign goes round once more.
    visit_stmts(&launch.body, &mut |s| strides.stmt(s));
    if strides.raised {
        visit_stmts(&launch.body, &mut |s| strides.stmt(s));
    }
    strides.largest
}

/// By how much what an expression goes through may be more than the sizes it is made of: all that is added on the way, as to
/// a quotient that is rounded up, or the part that it is a number of.
fn past_the_end(e: &Expr) -> u64 {
    let (mut added, mut part) = (0_u64, 1);
    e.visit(&mut |e| {
        let Expr::IndexOp(op, a, b) = e else { return };
        for n in [a, b] {
            // Sums and products with larger ones are wide.
            if let Expr::Index(n @ ..=MOST) = **n {
                match op {
                    IndexOp::Add => added = added.saturating_add(n),
                    IndexOp::Div => part = part.max(n),
                    _ => {}
                }
            }
        }
    });
    added.max(part)
}

/// By how much narrow variables grow from one block to the next, at most.
struct Strides {
    /// By variable, of those that have one.
    of: Vec<Option<u64>>,
    largest: u64,
    /// Did one grow that may have been read before?
    raised: bool,
}

impl Strides {
    fn stmt(&mut self, s: &Stmt) {
        let mut stride = 0;
        s.for_each_expr(&mut |e| stride = self.expr(e).max(stride));
        let (Stmt::Let { var, .. }
        | Stmt::Mut { var, .. }
        | Stmt::Assign { var, .. }
        | Stmt::Collective(Collective::Shuffle { var, .. })
        | Stmt::For { var, .. }) = s
        else {
            return;
        };
        self.raise(*var, stride);
    }

    fn raise(&mut self, var: VarId, stride: u64) {
        if var.index() >= self.of.len() {
            self.of.resize(var.index() + 1, None);
        }
        let of = &mut self.of[var.index()];
        if let Some(before) = *of {
            self.raised |= stride > before;
        }
        *of = Some(stride.max(of.unwrap_or(0)));
    }

    fn expr(&mut self, e: &Expr) -> u64 {
        let stride = match e {
            Expr::Var(v) => self.of.get(v.index()).copied().flatten().unwrap_or(0),
            Expr::IndexOp(op, a, b) => {
                let strides = (self.expr(a), self.expr(b));
                match (op, &**a, &**b) {
                    (IndexOp::Mul, Expr::Index(n), _) => strides.1.saturating_mul(*n),
                    (IndexOp::Mul, _, Expr::Index(n)) => strides.0.saturating_mul(*n),
                    (IndexOp::Add | IndexOp::Sub | IndexOp::Max | IndexOp::Xor, ..) => {
                        strides.0.max(strides.1)
                    }
                    (IndexOp::Min | IndexOp::And, ..) => strides.0.min(strides.1),
                    // A product that varies is wide; quotients and remainders are coordinates, which fit, and counts
                    // stop.
                    (
                        IndexOp::Mul
                        | IndexOp::Div
                        | IndexOp::Rem
                        | IndexOp::Count
                        | IndexOp::Place
                        | IndexOp::Below,
                        ..,
                    ) => 0,
                }
            }
            Expr::Select(cond, a, b) => {
                self.expr(cond);
                self.expr(a).max(self.expr(b))
            }
            e => {
                e.for_each_child(&mut |child| {
                    self.expr(child);
                });
                0
            }
        };
        self.largest = self.largest.max(stride);
        stride
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llir::build::mul;
    use crate::llir::samples::{for_, let_, mut_};

    #[test]
    fn strides_of_what_loops_assign_reach_back() {
        let [block, thread, at, n, far] = [0, 1, 2, 3, 4].map(VarId);
        let next = Stmt::Assign { var: at, value: mul(block, Expr::Index(8)) };
        let inside = vec![let_(far, mul(at, Expr::Index(4))), next];
        let body = vec![mut_(at, Expr::Index(0)), for_(n, Expr::Index(0), Expr::Index(3), inside)];
        assert_eq!(stride(&Launch::new("f".into(), vec![], (thread, 32), body), block), 32);
    }
}
