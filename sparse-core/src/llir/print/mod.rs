//! Readable text of a program: pseudo-code after Rust's syntax, the same bytes for the same program.
//!
//! It is the `PROGRAM` constant of a kernel and what golden files hold. Ids that no table holds print as `v7?`, so
//! that a program which the verifier rejects can be shown too.

mod expr;
mod step;
#[cfg(test)]
mod tests;

use super::{
    Arrive, Block, Collective, Elem, Expr, FetchOp, Group, IndexOp, Init, LoopKind, Neighbour, Over, Param,
    Program, Promise, Role, Scanned, Scope, Sole, Space, Step, Stmt, Tensor, TensorId, Ty,
    Write as WriteBack,
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
        for fused in &p.fused {
            let of: Vec<String> = fused.of.iter().map(|s| dimension(p, *s)).collect();
            self.line(&format!("fused {}: {};", fused.index, of.join(" * ")));
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
            let block = w.block.as_ref().map_or(String::new(), |block| {
                let dims: Vec<_> = block.dims.iter().map(|d| print_expr(p, d)).collect();
                format!("[{}]", dims.join(", "))
            });
            self.line(&format!(
                "workspace {}[{}]{block} {op} {} from {}{}{};",
                w.name,
                dims.join(", "),
                w.format,
                w.init,
                if w.masked { ", masked" } else { "" },
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
            Role::ResultLike(of, levels) => {
                let name = tensor_name(self.program, of);
                match self.program.tensors.get(of.index()) {
                    Some(of) if of.spec.rank() > levels => {
                        format!(", result with the pattern of the first {levels} levels of {name}")
                    }
                    _ => format!(", result with the pattern of {name}"),
                }
            }
        };
        if matches!(t.role, Role::Result | Role::ResultLike(..)) && !t.dims_from.is_empty() {
            let dims: Vec<String> = t.dims_from.iter().map(|d| dimension(self.program, *d)).collect();
            let _ = write!(text, " of size {}", dims.join(", "));
        }
        if let Some(packed) = &t.packed {
            let levels: Vec<String> = packed.levels.iter().map(|l| l.to_string()).collect();
            let _ = write!(text, ", packed into ({})", levels.join(", "));
        }
        self.line(&(text + ";"));
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
                let value = value.as_ref().map_or("_".to_owned(), free);
                format!("{}.push_n({}, {value});", buffer_name(p, *buffer), free(count))
            }
            Stmt::Local { buffer, init } => {
                let len = match p.buffers.get(buffer.index()).map(|b| b.space) {
                    Some(Space::Register { len }) => len.to_string(),
                    _ => "?".to_owned(),
                };
                let init = init.map_or("_".to_owned(), |init| init.to_string());
                format!("let mut {} = [{init}; {len}];", buffer_name(p, *buffer))
            }
            Stmt::LoadVector { to, part, buffer, index } => {
                let part = part.as_ref().map_or(String::new(), |p| format!("[{}, {}]", free(&p.at), p.len));
                let to = buffer_name(p, *to);
                format!("vector {to}{part} = {}[{}];", buffer_name(p, *buffer), free(index))
            }
            Stmt::StoreVector { buffer, index, from, update } => {
                let (atomic, assign) = update.map_or(("", "=".into()), |op| ("atomic ", assign_op(op)));
                let element = format!("{}[{}]", buffer_name(p, *buffer), free(index));
                format!("{atomic}vector {element} {assign} {};", buffer_name(p, *from))
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
                    FetchOp::Mark => "fetch_mark",
                };
                let element = format!("{}[{}]", buffer_name(p, *buffer), free(index));
                format!("{declared}{name} {element}, {};", free(value))
            }
            Stmt::Mask { workspace, crd, lo, hi } => {
                let name = p.workspaces.get(workspace.index()).map_or("?", |w| &w.name);
                format!("mask {name} by {}[{}];", buffer_name(p, *crd), range(p, lo, hi))
            }
            Stmt::Scatter { workspace, at, value } => {
                let at: Vec<_> = at.iter().map(free).collect();
                let (name, op) = match p.workspaces.get(workspace.index()) {
                    Some(w) => (w.name.as_str(), w.op.map_or("=".to_owned(), assign_op)),
                    None => ("?", "=".to_owned()),
                };
                format!("scatter {name}[{}] {op} {};", at.join(", "), free(value))
            }
            Stmt::Place { workspace, at, block } => {
                let at: Vec<_> = at.iter().map(free).collect();
                let name = p.workspaces.get(workspace.index()).map_or("?", |w| &w.name);
                format!("let {} = place {name}[{}];", buffer_name(p, *block), at.join(", "))
            }
            Stmt::Gather(workspace) => {
                format!("gather {};", p.workspaces.get(workspace.index()).map_or("?", |w| &w.name))
            }
            Stmt::Alloc { buffer, len, init } => {
                let init = match init {
                    Init::Value(value) => value.to_string(),
                    Init::Kept => "kept".to_owned(),
                    Init::Unwritten => "unwritten".to_owned(),
                };
                format!("let mut {} = [{init}; {}];", buffer_name(p, *buffer), free(len))
            }
            Stmt::Scan { buffer, len } => format!("scan {}[..{}];", buffer_name(p, *buffer), free(len)),
            Stmt::Threads { var, lo, hi, work, balance, private, appends, body } => {
                let mut notes = vec![format!("work {}", free(work))];
                let balance: Vec<_> = balance.iter().map(|b| buffer_name(p, *b)).collect();
                notes.extend((!balance.is_empty()).then(|| format!("balance {}", balance.join(" "))));
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
            Collective::Scan { of, before, all, over } => {
                let what = match of {
                    Scanned::Lanes(_) => "count",
                    Scanned::Sum(_) => "sum",
                };
                let (vars, before) = match (before, all) {
                    (Some(before), Some(all)) => {
                        (format!("({}, {})", var_name(p, *before), var_name(p, *all)), "")
                    }
                    (Some(before), None) => (var_name(p, *before), " before"),
                    (None, Some(all)) => (var_name(p, *all), ""),
                    (None, None) => ("_".to_owned(), ""),
                };
                let by = match over {
                    Over::Group(_) => String::new(),
                    Over::Block { partial } => format!(" by {}", buffer_name(p, *partial)),
                };
                format!("let {vars} = {what}{before}({}){by}", free(of.value()))
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
        match c.is_barrier() {
            true => format!("block {what};"),
            false => format!("group({size}, {arrive}) {what};"),
        }
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
