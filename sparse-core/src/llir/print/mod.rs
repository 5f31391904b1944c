//! Readable text of a program: pseudo-code after Rust's syntax, the same bytes for the same program.
//!
//! It is the `PROGRAM` constant of a kernel and what golden files hold. Ids that no table holds print as `v7?`, so
//! that a program which the verifier rejects can be shown too.

mod expr;

use super::{
    Arrive, Block, Collective, Counted, Elem, Expr, FetchOp, Group, IndexOp, LoopKind, Neighbour, Param,
    Program, Promise, Role, Scope, Sole, Space, Step, Stmt, Tensor, TensorId, Ty, Write as WriteBack,
};
use crate::format::LevelMap;
use expr::{Prec, assign_op, buffer_name, expr, range, tensor_name, var_name};
use std::fmt::{self, Write};

/// The whole program: its declarations, then its steps.
pub fn print(program: &Program) -> String {
    let mut p = Printer { program, out: Lines::default(), depth: 0 };
    p.declarations();
    for step in &program.steps {
        p.step(step);
    }
    p.out.text()
}

/// One expression of the program.
pub fn print_expr(program: &Program, e: &Expr) -> String {
    expr(program, e, Prec::Lowest)
}

/// The first line of a statement.
pub(crate) fn print_headline(program: &Program, stmt: &Stmt) -> String {
    let mut p = Printer { program, out: Lines::default(), depth: 0 };
    p.stmt(stmt);
    p.out.text().lines().next().unwrap_or_default().to_owned()
}

/// The first line of a step.
pub(crate) fn print_step_headline(program: &Program, step: &Step) -> String {
    let mut p = Printer { program, out: Lines::default(), depth: 0 };
    p.step(step);
    p.out.text().lines().next().unwrap_or_default().to_owned()
}

/// Lines of text and how deep they are. They are put together by one call, for formatting is optimised in every build, and
/// pushing text on a `String` is not.
#[derive(Default)]
pub(crate) struct Lines(Vec<(usize, String)>);

impl Lines {
    pub(crate) fn push(&mut self, depth: usize, text: &str) {
        self.0.push((depth, text.to_owned()));
    }

    /// All of them. Not by `to_string`, which is compiled with the crate that calls it.
    pub(crate) fn text(&self) -> String {
        format!("{self}")
    }
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SPACES: &str = "                                ";
        for (depth, text) in &self.0 {
            let mut left = 4 * depth;
            while left > 0 {
                let some = left.min(SPACES.len());
                f.write_str(&SPACES[..some])?;
                left -= some;
            }
            f.write_str(text)?;
            f.write_str("\n")?;
        }
        Ok(())
    }
}

struct Printer<'a> {
    program: &'a Program,
    out: Lines,
    depth: usize,
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        self.out.push(self.depth, text);
    }

    fn declarations(&mut self) {
        let p = self.program;
        self.line(&format!("// {}: {}", p.name, p.source));
        for t in &p.tensors {
            self.tensor(t);
        }
        for e in &p.extents {
            let sources: Vec<String> = e.sources.iter().map(|s| dimension(p, *s)).collect();
            let promises = e.promises.iter().map(|p| match p {
                Promise::Exact(n) => format!(" == {n}"),
                Promise::Multiple(n) => format!(" % {n} == 0"),
                Promise::Parts { size, count } => format!(" in {count} parts of {size}"),
            });
            let promises: String = promises.collect();
            self.line(&format!("extent {}: {}{promises};", e.index, sources.join(", ")));
        }
        for param in &p.params {
            let (Param::Dim { var, .. } | Param::Scalar { var, .. }) = param;
            let ty = p.vars.get(var.index()).map_or("?", |v| ty_name(v.ty));
            self.line(&format!("param {}: {ty};", var_name(p, *var)));
        }
        for b in &p.buffers {
            let elem = match b.elem {
                Elem::Index => "index",
                Elem::Scalar(t) => t.rust_name(),
            };
            let space = match b.space {
                Space::Input => "input".to_owned(),
                Space::InOut => "in and out".to_owned(),
                Space::Output => "output".to_owned(),
                Space::Growable => "growable".to_owned(),
                Space::Register { len } => format!("register of {len}"),
                Space::Scratch => "scratch".to_owned(),
                Space::Gathered => "gathered".to_owned(),
                Space::Shared { len } => format!("shared of {len}"),
            };
            self.line(&format!("buffer {}: {elem}, {space};", b.name));
        }
        for w in &p.workspaces {
            let dims: Vec<_> = w.dims.iter().map(|d| print_expr(p, d)).collect();
            let op = w.op.map_or("=".to_owned(), assign_op);
            self.line(&format!(
                "workspace {}[{}] {op} {} from {}{};",
                w.name,
                dims.join(", "),
                w.format,
                w.init,
                if w.on_threads { ", gathered by threads" } else { "" }
            ));
        }
    }

    fn tensor(&mut self, t: &Tensor) {
        let levels: Vec<String> = t.spec.levels.iter().map(|l| l.to_string()).collect();
        let mut text = format!("tensor {}: {} ({})", t.name, t.dtype, levels.join(", "));
        if !t.spec.map.is_identity() {
            let LevelMap::Permutation(order) = &t.spec.map;
            let order: Vec<String> = order.iter().map(|d| d.to_string()).collect();
            let _ = write!(text, " in order {}", order.join(", "));
        }
        let fill = t.spec.fill.value(t.dtype);
        if !fill.is_zero() {
            let _ = write!(text, " filled {fill}");
        }
        text += &match t.role {
            Role::Input => ", input".to_owned(),
            Role::InOut => ", in and out".to_owned(),
            Role::Result => ", result".to_owned(),
            Role::ResultLike(of) => format!(", result with the pattern of {}", tensor_name(self.program, of)),
        };
        if matches!(t.role, Role::Result | Role::ResultLike(_)) && !t.dims_from.is_empty() {
            let dims: Vec<String> = t.dims_from.iter().map(|d| dimension(self.program, *d)).collect();
            let _ = write!(text, " of size {}", dims.join(", "));
        }
        if let Some(packed) = &t.packed {
            let levels: Vec<String> = packed.levels.iter().map(|l| l.to_string()).collect();
            let _ = write!(text, ", packed into ({})", levels.join(", "));
        }
        self.line(&(text + ";"));
    }

    fn step(&mut self, step: &Step) {
        let p = self.program;
        match step {
            Step::Allocate { buffer, len, init } => {
                let init = init.map_or(String::new(), |v| format!(" = {v}"));
                self.line(&format!("allocate {}[{}]{init};", buffer_name(p, *buffer), print_expr(p, len)));
            }
            Step::Reserve { buffer, capacity, exact } => {
                let capacity = capacity.as_ref().map_or(String::new(), |c| format!("[{}]", print_expr(p, c)));
                let exact = if *exact { " exactly" } else { "" };
                self.line(&format!("reserve {}{capacity}{exact};", buffer_name(p, *buffer)));
            }
            Step::Read { var, buffer, index } => {
                let (var, buffer) = (var_name(p, *var), buffer_name(p, *buffer));
                self.line(&format!("read {var} = {buffer}[{}];", print_expr(p, index)));
            }
            Step::AtMost { var, most, within, buffer, index } => {
                let (var, most) = (var_name(p, *var), print_expr(p, most));
                let element = format!("{}[{}]", buffer_name(p, *buffer), print_expr(p, index));
                self.line(&format!("at most {var} = {most} up to {within}, else read {element};"));
            }
            Step::Fibers { var, tensor, depth, what } => {
                let (var, tensor) = (var_name(p, *var), &p.tensors[tensor.index()].name);
                let (what, levels) = (what.name(), if *depth == 1 { "level" } else { "levels" });
                self.line(&format!("fibers {var} = {what} below {depth} {levels} of {tensor};"));
            }
            Step::Fits { misfits, columns, len } => {
                let columns: Vec<_> = columns.iter().map(|c| buffer_name(p, *c)).collect();
                let (misfits, columns, len) =
                    (buffer_name(p, *misfits), columns.join(", "), print_expr(p, len));
                self.line(&format!("fits {misfits} of {len} in {columns};"));
            }
            Step::Fill { buffer, value } => {
                self.line(&format!("fill {} = {value};", buffer_name(p, *buffer)))
            }
            Step::Run(block) => {
                self.line("run {");
                self.block(block);
                self.line("}");
            }
            Step::Launch(launch) => {
                let blocks = launch.grid.iter().map(|axis| {
                    format!("{} in 0..{}", var_name(p, axis.var), expr(p, &axis.blocks, Prec::Or))
                });
                let blocks: Vec<_> = blocks.collect();
                let thread = format!("{} in 0..{}", var_name(p, launch.thread), launch.threads);
                let resident = match launch.resident {
                    0 => String::new(),
                    n => format!(" resident({n})"),
                };
                self.line(&format!(
                    "launch {} blocks({}) threads({thread}){resident} {{",
                    launch.name,
                    blocks.join(", ")
                ));
                self.block(&launch.body);
                self.line("}");
            }
        }
    }

    fn block(&mut self, block: &Block) {
        self.depth += 1;
        for stmt in block {
            self.stmt(stmt);
        }
        self.depth -= 1;
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let p = self.program;
        let free = |e: &Expr| expr(p, e, Prec::Lowest);
        let text = match stmt {
            Stmt::Let { var, value } => format!("let {} = {};", var_name(p, *var), free(value)),
            Stmt::Mut { var, value } => format!("let mut {} = {};", var_name(p, *var), free(value)),
            Stmt::Assign { var, value } => match value {
                Expr::IndexOp(IndexOp::Add, a, b) if **a == Expr::Var(*var) => {
                    format!("{} += {};", var_name(p, *var), free(b))
                }
                _ => format!("{} = {};", var_name(p, *var), free(value)),
            },
            Stmt::Update { var, op, value } => {
                format!("{} {} {};", var_name(p, *var), assign_op(*op), free(value))
            }
            Stmt::Store { buffer, index, value } => {
                format!("{}[{}] = {};", buffer_name(p, *buffer), free(index), free(value))
            }
            Stmt::Reduce { buffer, index, op, value } => {
                format!("{}[{}] {} {};", buffer_name(p, *buffer), free(index), assign_op(*op), free(value))
            }
            Stmt::Append { buffer, value } => format!("{}.push({});", buffer_name(p, *buffer), free(value)),
            Stmt::AppendN { buffer, count, value } => {
                format!("{}.push_n({}, {});", buffer_name(p, *buffer), free(count), free(value))
            }
            Stmt::Local { buffer, init } => {
                let len = match p.buffers.get(buffer.index()).map(|b| b.space) {
                    Some(Space::Register { len }) => len.to_string(),
                    _ => "?".to_owned(),
                };
                format!("let mut {} = [{init}; {len}];", buffer_name(p, *buffer))
            }
            Stmt::LoadVector { to, buffer, index } => {
                format!("vector {} = {}[{}];", buffer_name(p, *to), buffer_name(p, *buffer), free(index))
            }
            Stmt::StoreVector { buffer, index, from } => {
                format!("vector {}[{}] = {};", buffer_name(p, *buffer), free(index), buffer_name(p, *from))
            }
            Stmt::Atomic { buffer, index, op, value } => {
                format!(
                    "atomic {}[{}] {} {};",
                    buffer_name(p, *buffer),
                    free(index),
                    assign_op(*op),
                    free(value)
                )
            }
            Stmt::Claim { var, buffer, index, value } => {
                let element = format!("{}[{}]", buffer_name(p, *buffer), free(index));
                format!("claim {} = {element}, {};", var_name(p, *var), free(value))
            }
            Stmt::Fetch { op, var, buffer, index, value } => {
                let declared = var.map_or(String::new(), |v| format!("let {} = ", var_name(p, v)));
                let name = match op {
                    FetchOp::Add => "fetch_add",
                    FetchOp::Max => "fetch_max",
                };
                let element = format!("{}[{}]", buffer_name(p, *buffer), free(index));
                format!("{declared}{name} {element}, {};", free(value))
            }
            Stmt::Scatter { workspace, at, value } => {
                let at: Vec<_> = at.iter().map(free).collect();
                let (name, op) = match p.workspaces.get(workspace.index()) {
                    Some(w) => (w.name.as_str(), w.op.map_or("=".to_owned(), assign_op)),
                    None => ("?", "=".to_owned()),
                };
                format!("scatter {name}[{}] {op} {};", at.join(", "), free(value))
            }
            Stmt::Gather(workspace) => {
                format!("gather {};", p.workspaces.get(workspace.index()).map_or("?", |w| &w.name))
            }
            Stmt::Alloc { buffer, len, init } => {
                format!("let mut {} = [{init}; {}];", buffer_name(p, *buffer), free(len))
            }
            Stmt::Scan { buffer, len } => format!("scan {}[..{}];", buffer_name(p, *buffer), free(len)),
            Stmt::Threads { var, lo, hi, work, balance, private, appends, body } => {
                let mut notes = vec![format!("work {}", free(work))];
                notes.extend(balance.map(|b| format!("balance {}", buffer_name(p, b))));
                notes.extend(private.map(|(b, op)| format!("private {} {}", op.symbol(), buffer_name(p, b))));
                if let Some(appends) = appends {
                    let buffers: Vec<_> = appends.buffers.iter().map(|b| buffer_name(p, *b)).collect();
                    let before = appends.before.as_ref().map(|e| format!(" up to {}", free(e)));
                    notes.push(format!("append {}{}", buffers.join(" "), before.unwrap_or_default()));
                }
                let over = range(p, lo, hi);
                self.line(&format!("for threads({}) {} in {over} {{", notes.join(", "), var_name(p, *var)));
                self.block(body);
                "}".to_owned()
            }
            Stmt::For { var, lo, hi, step, kind, body } => {
                let kind = match kind {
                    LoopKind::Serial => String::new(),
                    LoopKind::Unroll(n) => format!("unroll({n}) "),
                    LoopKind::Lanes => "lanes ".to_owned(),
                    LoopKind::Reduce { var, op } => {
                        format!("reduce({}, {}) ", var_name(p, *var), op.symbol())
                    }
                    LoopKind::ReduceArray { buffer, op } => {
                        format!("reduce({}, {}) ", p.buffer(*buffer).name, op.symbol())
                    }
                };
                let over = match step {
                    1 => range(p, lo, hi),
                    _ => format!("({}).step_by({step})", range(p, lo, hi)),
                };
                self.line(&format!("for {kind}{} in {over} {{", var_name(p, *var)));
                self.block(body);
                "}".to_owned()
            }
            Stmt::While { cond, body } => {
                self.line(&format!("while {} {{", free(cond)));
                self.block(body);
                "}".to_owned()
            }
            Stmt::If { cond, then, otherwise } => {
                self.conditional(cond, then, otherwise);
                return;
            }
            Stmt::Collective(c) => self.collective(c),
            Stmt::Barrier(scope) => match *scope {
                Scope::Block => "barrier;".to_owned(),
                Scope::WARP => "warp barrier;".to_owned(),
                Scope::Group(size) => format!("group({size}) barrier;"),
            },
            Stmt::Exit => "exit;".to_owned(),
            Stmt::Comment(text) => {
                for line in text.lines() {
                    self.line(&format!("// {line}"));
                }
                return;
            }
        };
        self.line(&text);
    }

    /// `group(8, warp) …`: eight lanes reduce, and all of the warp's arrive.
    fn collective(&self, c: &Collective) -> String {
        let p = self.program;
        let free = |e: &Expr| expr(p, e, Prec::Lowest);
        let Group { size, arrive } = c.group();
        let arrive = match arrive {
            Arrive::Warp => "warp",
            Arrive::Group => "group",
        };
        let what = match c {
            Collective::Total { var, op, .. } => {
                format!("{} = total({}, {})", var_name(p, *var), op.symbol(), var_name(p, *var))
            }
            Collective::Scatter { buffer, op, .. } => {
                let array = buffer_name(p, *buffer);
                format!("{array} = scatter({}, {array})", op.symbol())
            }
            Collective::Shuffle { var, value, from, .. } => {
                let from = match from {
                    Neighbour::Previous => "previous",
                    Neighbour::Next => "next",
                };
                format!("let {} = {from}({})", var_name(p, *var), free(value))
            }
            Collective::Count { var, when, of, .. } => {
                let of = match of {
                    Counted::Before => "count before",
                    Counted::All => "count",
                };
                format!("let {} = {of}({})", var_name(p, *var), free(when))
            }
            Collective::Segments { var, key, .. } => {
                format!("let {} = segments({})", var_name(p, *var), free(key))
            }
            Collective::Reduce { segments, op, value, buffer, index, when, write, .. } => {
                let sole = |sole| match sole {
                    Sole::Store => "store",
                    Sole::Combine => "combine",
                };
                let write = match *write {
                    WriteBack::Sole(s) => sole(s).to_owned(),
                    WriteBack::Atomic => "atomic".to_owned(),
                    WriteBack::Complete(s) => format!("{} complete, atomic", sole(s)),
                };
                let by = segments.map_or(String::new(), |s| format!(" by {}", var_name(p, s)));
                let when = match when {
                    Expr::Cond(true) => String::new(),
                    cond => format!(" if {}", free(cond)),
                };
                let element = format!("{}[{}]", buffer_name(p, *buffer), free(index));
                format!("{write} {element} {} {}{by}{when}", assign_op(*op), free(value))
            }
            Collective::Carry(c) => {
                let sole = match c.sole {
                    Sole::Store => "store",
                    Sole::Combine => "combine",
                };
                let when = match &c.when {
                    Expr::Cond(true) => String::new(),
                    cond => format!(" if {}", free(cond)),
                };
                let began = match &c.began {
                    Expr::Cond(false) => String::new(),
                    cond => format!(", begun where {}", free(cond)),
                };
                let element = format!("{}[{}]", buffer_name(p, c.buffer), free(&c.index));
                let to = [c.sums, c.elements].map(|b| buffer_name(p, b)).join(", ");
                let by = var_name(p, c.segments);
                let slot = free(&c.slot);
                format!(
                    "{sole} complete {element} {} {} by {by}{when}{began}, else carry to {to} at {slot}",
                    assign_op(c.op),
                    free(&c.value)
                )
            }
        };
        format!("group({size}, {arrive}) {what};")
    }

    /// `if … else if … else …`, the chain on one indentation.
    fn conditional(&mut self, cond: &Expr, then: &Block, mut otherwise: &Block) {
        self.line(&format!("if {} {{", print_expr(self.program, cond)));
        self.block(then);
        while let [Stmt::If { cond, then, otherwise: next }] = &otherwise[..] {
            self.line(&format!("}} else if {} {{", print_expr(self.program, cond)));
            self.block(then);
            otherwise = next;
        }
        if !otherwise.is_empty() {
            self.line("} else {");
            self.block(otherwise);
        }
        self.line("}");
    }
}

fn dimension(p: &Program, (tensor, dim): (TensorId, usize)) -> String {
    format!("{}.{dim}", tensor_name(p, tensor))
}

fn ty_name(ty: Ty) -> &'static str {
    match ty {
        Ty::Index => "index",
        Ty::Scalar(t) => t.rust_name(),
        Ty::Cond => "cond",
        Ty::Segments => "segments",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llir::build::{add, load, mul, sub};
    use crate::llir::samples::{sparse_add, spmv};
    use crate::llir::{BufferId, Cmp, VarId};
    use crate::scalar::{BinaryOp, UnaryOp};
    use expect_test::expect;

    #[test]
    fn programs() {
        expect![[r#"
            // spmv: y[i] = A[i, j] * x[j]
            tensor A: f64 (Dense, Compressed), input;
            tensor x: f64 (Dense), input;
            tensor y: f64 (Dense), result of size A.0;
            extent i: A.0;
            extent j: A.1, x.0;
            param A1_dim: index;
            buffer A2_pos: index, input;
            buffer A2_crd: index, input;
            buffer A_vals: f64, input;
            buffer x_vals: f64, input;
            buffer y_vals: f64, output;
            allocate y_vals[A1_dim];
            run {
                // rows of A
                for i in 0..A1_dim {
                    let mut t = 0.0;
                    for reduce(t, +) p in A2_pos[i]..A2_pos[i + 1] {
                        let j = A2_crd[p];
                        t += A_vals[p] * x_vals[j];
                    }
                    y_vals[i] = t;
                }
            }
        "#]]
        .assert_eq(&print(&spmv()));
        expect![[r#"
            // sparse_add: a[i] = b[i] + c[i]
            tensor b: f64 (Compressed), input;
            tensor c: f64 (Compressed), input;
            tensor a: f64 (Compressed), result of size b.0;
            extent i: b.0, c.0;
            buffer b1_pos: index, input;
            buffer b1_crd: index, input;
            buffer b_vals: f64, input;
            buffer c1_pos: index, input;
            buffer c1_crd: index, input;
            buffer c_vals: f64, input;
            buffer a1_pos: index, output;
            buffer a1_crd: index, growable;
            buffer a_vals: f64, growable;
            allocate a1_pos[2] = 0;
            reserve a1_crd[b1_pos[1] + c1_pos[1]];
            reserve a_vals[b1_pos[1] + c1_pos[1]];
            run {
                let mut pb = b1_pos[0];
                let pb_end = b1_pos[1];
                let mut pc = c1_pos[0];
                let pc_end = c1_pos[1];
                while pb < pb_end && pc < pc_end {
                    let ib = b1_crd[pb];
                    let ic = c1_crd[pc];
                    let i = min(ib, ic);
                    if ib == i && ic == i {
                        a1_crd.push(i);
                        a_vals.push(b_vals[pb] + c_vals[pc]);
                    } else if ib == i {
                        a1_crd.push(i);
                        a_vals.push(b_vals[pb]);
                    } else {
                        a1_crd.push(i);
                        a_vals.push(c_vals[pc]);
                    }
                    if ib == i {
                        pb += 1;
                    }
                    if ic == i {
                        pc += 1;
                    }
                }
                while pb < pb_end {
                    a1_crd.push(b1_crd[pb]);
                    a_vals.push(b_vals[pb]);
                    pb += 1;
                }
                while pc < pc_end {
                    a1_crd.push(c1_crd[pc]);
                    a_vals.push(c_vals[pc]);
                    pc += 1;
                }
                a1_pos[1] = a1_crd.len();
            }
        "#]]
        .assert_eq(&print(&sparse_add()));
    }

    #[test]
    fn parentheses_where_grouping_asks_for_them() {
        let p = spmv();
        let v = |n| Expr::Var(VarId(n));
        let op = |op, a, b| Expr::Binary(op, Box::new(a), Box::new(b));
        let one = || Expr::Index(1);
        let (a, b, c) = (v(0), v(1), v(2));
        let cases = [
            (add(a.clone(), add(b.clone(), c.clone())), "A1_dim + i + p"),
            (sub(a.clone(), sub(b.clone(), c.clone())), "A1_dim - (i - p)"),
            (mul(add(a.clone(), one()), b.clone()), "(A1_dim + 1) * i"),
            (add(mul(a.clone(), b.clone()), c.clone()), "A1_dim * i + p"),
            (load(BufferId(0), add(a.clone(), one())), "A2_pos[A1_dim + 1]"),
            (op(BinaryOp::Add, a.clone(), op(BinaryOp::Add, b.clone(), c.clone())), "A1_dim + (i + p)"),
            (op(BinaryOp::Min, a.clone(), b.clone()), "min(A1_dim, i)"),
            (Expr::Unary(UnaryOp::Neg, Box::new(Expr::Unary(UnaryOp::Neg, Box::new(v(4))))), "-(-t)"),
            (
                Expr::Not(Box::new(Expr::Cmp(Cmp::Lt, Box::new(a.clone()), Box::new(b.clone())))),
                "!(A1_dim < i)",
            ),
            (
                add(Expr::Select(Box::new(Expr::Cond(true)), Box::new(a), Box::new(b)), c),
                "(if true { A1_dim } else { i }) + p",
            ),
        ];
        for (e, text) in cases {
            assert_eq!(print_expr(&p, &e), text);
        }
    }
}
