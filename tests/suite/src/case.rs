//! One kernel with its tensors, and its text: a `tensor_kernel!` that can be pasted, and code that builds the data.

use crate::command::Command;
use sparse_core::cin::grid::RowClass;
use sparse_core::format::{Fill, FormatSpec, Level, LevelMap, TensorId};
use sparse_core::front::ast::{Access, AssignOp, Assignment, Expr, IndexVar, Mode};
use sparse_core::front::command::Platform;
use sparse_core::scalar::{BinaryOp, DType, UnaryOp, Value};
use std::fmt::Write;

/// An entry: coordinates in dimension order, and a value.
pub type Entry = (Vec<usize>, Value);

/// A tensor of a case.
#[derive(Clone, Debug)]
pub struct Operand {
    /// Its name in the kernel.
    pub name: String,
    /// Its format.
    pub spec: FormatSpec,
    /// How it enters.
    pub mode: Mode,
    /// Its dimensions.
    pub dims: Vec<usize>,
    /// Its entries, duplicates kept; empty for a result.
    pub entries: Vec<Entry>,
    /// Fibers that are stored though nothing is in them: their coordinates by level, from the root down.
    pub bare: Vec<Vec<usize>>,
}

/// A kernel and its arguments.
#[derive(Clone, Debug)]
pub struct Case {
    /// Element type of everything.
    pub dtype: DType,
    /// Name and size of each index variable.
    pub vars: Vec<(String, usize)>,
    /// Tensors: parameters, then the result if it is returned.
    pub tensors: Vec<Operand>,
    /// Scalar parameters.
    pub scalars: Vec<(String, Value)>,
    /// The statement.
    pub assignment: Assignment,
    /// What it is compiled for.
    pub platform: Platform,
    /// The platform's schedule; none for the default.
    pub schedule: Vec<Command>,
    /// Who assembles which rows of a scattered result on a GPU.
    pub row_classes: Vec<RowClass>,
    /// What it was drawn to be, in words that are counted.
    pub about: Vec<String>,
}

impl Case {
    /// The tensor that the kernel writes.
    pub fn output(&self) -> &Operand {
        &self.tensors[self.assignment.lhs.tensor.index()]
    }

    /// Sizes of the index variables.
    pub fn sizes(&self) -> Vec<usize> {
        self.vars.iter().map(|v| v.1).collect()
    }

    /// The kernel as the inside of `tensor_kernel! { … }`.
    pub fn kernel_text(&self) -> String {
        let mut params = Vec::new();
        let mut result = String::new();
        for t in &self.tensors {
            let ty = type_text(&t.spec, self.dtype);
            match t.mode {
                Mode::Input => params.push(format!("{}: {ty}", t.name)),
                Mode::InOut => params.push(format!("{}: &mut {ty}", t.name)),
                Mode::Result => result = format!(" -> {ty}"),
            }
        }
        params.extend(self.scalars.iter().map(|(name, _)| format!("{name}: {}", self.dtype)));
        let a = &self.assignment;
        let op = match a.op {
            AssignOp::Assign => "=".to_string(),
            AssignOp::Reduce(m) if m.symbol().len() > 1 => format!("{}=", m.symbol()),
            AssignOp::Reduce(m) => format!("{}=", m.symbol()),
        };
        let mut rhs = String::new();
        self.write_expr(&a.rhs, 0, &mut rhs);
        let mut text = format!(
            "pub fn kernel({}){result} {{\n    {} {op} {rhs};\n}}",
            params.join(", "),
            self.access_text(&a.lhs)
        );
        if !self.schedule.is_empty() {
            let target = match self.platform {
                Platform::Cpu => "cpu",
                Platform::Cuda => "cuda",
            };
            let _ = write!(text, "\nschedule {target} {{\n{}}}", self.schedule_text());
        }
        text
    }

    /// The commands, one a line.
    pub fn schedule_text(&self) -> String {
        self.schedule.iter().map(|c| format!("    {c};\n")).collect()
    }

    /// `A[i, j]`
    pub fn access_text(&self, a: &Access) -> String {
        let vars: Vec<_> = a.indices.iter().map(|v| self.vars[v.index()].0.as_str()).collect();
        access_text(&self.tensors[a.tensor.index()].name, &vars)
    }

    /// Writes an expression with the parentheses that Rust's precedence needs below an operator of this strength.
    fn write_expr(&self, e: &Expr, outer: u8, out: &mut String) {
        match e {
            Expr::Access(a) => out.push_str(&self.access_text(a)),
            Expr::Literal(v) => out.push_str(&literal_text(*v)),
            Expr::Scalar(n) => out.push_str(&self.scalars[*n].0),
            Expr::Unary(op @ (UnaryOp::Neg | UnaryOp::Not), a) => {
                out.push_str(op.symbol());
                self.write_expr(a, 9, out);
            }
            Expr::Unary(op, a) => {
                let _ = write!(out, "{}(", op.symbol());
                self.write_expr(a, 0, out);
                out.push(')');
            }
            Expr::Binary(op @ (BinaryOp::Min | BinaryOp::Max), a, b) => {
                let _ = write!(out, "{}(", op.symbol());
                self.write_expr(a, 0, out);
                out.push_str(", ");
                self.write_expr(b, 0, out);
                out.push(')');
            }
            Expr::Binary(op, a, b) => {
                let own = strength(*op);
                if own < outer {
                    out.push('(');
                }
                // Comparisons do not chain; the others associate to the left.
                self.write_expr(a, if op.is_comparison() { own + 1 } else { own }, out);
                let _ = write!(out, " {} ", op.symbol());
                self.write_expr(b, own + 1, out);
                if own < outer {
                    out.push(')');
                }
            }
        }
    }

    /// The kernel and its data as code to paste into a test.
    pub fn to_code(&self) -> String {
        let mut out = String::from("tensor_kernel! {\n");
        for line in self.kernel_text().lines() {
            let _ = writeln!(out, "    {line}");
        }
        out.push_str("}\n");
        for t in self.tensors.iter().filter(|t| t.mode != Mode::Result) {
            let _ = writeln!(out, "{}", self.operand_code(t));
        }
        for (name, v) in &self.scalars {
            let _ = writeln!(out, "let {name} = {};", value_code(*v));
        }
        let sizes: Vec<_> = self.vars.iter().map(|(n, s)| format!("{n} in 0..{s}")).collect();
        let _ = writeln!(out, "// {}", sizes.join(", "));
        if self.platform == Platform::Cuda {
            let _ = writeln!(out, "// {:?}", self.row_classes);
        }
        out
    }

    fn operand_code(&self, t: &Operand) -> String {
        let entries: Vec<_> = t.entries.iter().map(|(c, v)| format!("({c:?}, {})", value_code(*v))).collect();
        let mutable = if t.mode == Mode::InOut { "mut " } else { "" };
        let ty = type_text(&t.spec, self.dtype);
        let mut coords: Vec<_> = t.entries.iter().map(|e| &e.0).collect();
        coords.sort();
        let repeated = coords.windows(2).any(|w| w[0] == w[1]);
        let mut remark = if repeated { " // duplicates are stored one by one".into() } else { String::new() };
        if !t.bare.is_empty() {
            let _ = write!(remark, " // without entries, by level: {:?}", t.bare);
        }
        format!(
            "let {mutable}{} = <{ty}>::from_triplets({:?}, [{}])?;{remark}",
            t.name,
            t.dims,
            entries.join(", ")
        )
    }
}

/// How tightly an infix operator binds in Rust.
fn strength(op: BinaryOp) -> u8 {
    use BinaryOp::*;
    match op {
        Mul | Div => 7,
        Add | Sub => 6,
        And => 4,
        Xor => 3,
        Or => 2,
        Eq | Ne | Lt | Le | Gt | Ge => 1,
        Min | Max => 9,
    }
}

/// A literal of index notation.
fn literal_text(v: Value) -> String {
    match v {
        Value::Bool(b) => b.to_string(),
        Value::F32(v) if v.fract() == 0.0 => format!("{v:.0}"),
        Value::F64(v) if v.fract() == 0.0 => format!("{v:.0}"),
        v => v.to_string(),
    }
}

/// A value as Rust.
pub fn value_code(v: Value) -> String {
    let special = |name: &str, f: f64| match f {
        f if f.is_nan() => format!("{name}::NAN"),
        f if f > 0.0 => format!("{name}::INFINITY"),
        _ => format!("{name}::NEG_INFINITY"),
    };
    match v {
        Value::F32(f) if !f.is_finite() => special("f32", f.into()),
        Value::F64(f) if !f.is_finite() => special("f64", f),
        v => v.to_string(),
    }
}

/// A tensor's type as the user would write it: an alias where there is one.
pub fn type_text(spec: &FormatSpec, dtype: DType) -> String {
    use Level::*;
    const C: Level = Compressed { unique: true };
    const N: Level = Compressed { unique: false };
    let LevelMap::Permutation(order) = &spec.map;
    let alias = match (spec.levels.as_slice(), order.as_slice()) {
        _ if spec.fill != Fill::Zero => None,
        ([], _) => Some("Scalar"),
        ([Dense], _) => Some("DenseVec"),
        ([C], _) => Some("SparseVec"),
        ([Dense, Dense], [0, 1]) => Some("DenseMat"),
        ([Dense, C], [0, 1]) => Some("Csr"),
        ([Dense, C], [1, 0]) => Some("Csc"),
        ([C, C], [0, 1]) => Some("Dcsr"),
        ([C, C], [1, 0]) => Some("Dcsc"),
        ([N, Singleton { unique: true }], [0, 1]) => Some("Coo"),
        ([C, C, C], [0, 1, 2]) => Some("Csf3"),
        _ => None,
    };
    if let Some(alias) = alias {
        return format!("{alias}<{dtype}>");
    }
    let levels: Vec<_> = spec.levels.iter().map(ToString::to_string).collect();
    let mut format = match levels.as_slice() {
        [one] => format!("({one},)"),
        many => format!("({})", many.join(", ")),
    };
    if !spec.map.is_identity() {
        let order: Vec<_> = order.iter().map(ToString::to_string).collect();
        format = format!("Reordered<{format}, {}>", order.join(", "));
    }
    if spec.fill != Fill::Zero {
        format = format!("Filled<{format}, {:?}>", spec.fill);
    }
    format!("Tensor<{dtype}, {format}>")
}

/// An access as it is printed.
pub fn access_text(tensor: &str, vars: &[&str]) -> String {
    if vars.is_empty() { tensor.to_string() } else { format!("{tensor}[{}]", vars.join(", ")) }
}

/// An access, for building cases.
pub fn access(tensor: usize, indices: &[usize]) -> Access {
    Access {
        tensor: TensorId(tensor as u32),
        indices: indices.iter().map(|&v| IndexVar(v as u32)).collect(),
        span: proc_macro2::Span::call_site(),
    }
}
