//! What a kernel of a GPU takes, in order: one source for the text that declares it and for the launcher that passes it.
//!
//! First the arrays that it only reads, then sizes and scalars, then the arrays that it writes; within each part in the
//! program's order. Nothing that the body does not use.

use crate::llir::walk::{visit_exprs, visit_stmts};
use crate::llir::{Buffer, BufferId, Elem, Expr, Launch, Param, Program, Space, Stmt, Ty, VarId};
use crate::scalar::DType;
use std::fmt;

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in the kernel: `A2_pos`, `A1_dim`, `alpha`.
    pub name: String,
    /// Its type in the kernel.
    pub ty: CType,
    /// What is passed.
    pub passes: Passes,
}

impl fmt::Display for Parameter {
    /// As C declares it: `const float* A_vals`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.ty, self.name)
    }
}

/// What the launcher passes for a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Passes {
    /// An array.
    Buffer(BufferId),
    /// A size or a scalar: the value of one of the program's parameters.
    Value(VarId),
}

/// A parameter's type in CUDA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CType {
    /// An array that the kernel reads alone.
    Const(Elem),
    /// An array that the kernel writes.
    Mut(Elem),
    /// A size, as 32 bits.
    Index,
    /// A scalar.
    Scalar(DType),
}

impl fmt::Display for CType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            CType::Const(e) => write!(f, "const {}*", element(e)),
            CType::Mut(e) => write!(f, "{}*", element(e)),
            CType::Index => f.write_str("int"),
            CType::Scalar(t) => f.write_str(scalar(t)),
        }
    }
}

/// An array's element in CUDA.
fn element(e: Elem) -> &'static str {
    match e {
        Elem::Index => "int",
        Elem::Scalar(t) => scalar(t),
    }
}

/// An element type in CUDA.
pub fn scalar(t: DType) -> &'static str {
    match t {
        DType::F32 => "float",
        DType::F64 => "double",
        DType::I32 => "int",
        DType::I64 => "long long",
        DType::U8 => "unsigned char",
        DType::Bool => "bool",
    }
}

/// The parameters of a kernel, in order.
pub fn signature(program: &Program, launch: &Launch) -> Vec<Parameter> {
    let Used { arrays, vars } = used(program, launch);
    let array = |(written, n): (&Option<bool>, u32)| {
        let (id, written) = (BufferId(n), (*written)?);
        let Buffer { name, elem, space, .. } = program.buffer(id);
        let ty = match space {
            // Shared arrays and registers are the kernel's own.
            Space::Shared { .. } | Space::Register { .. } | Space::Scratch | Space::Gathered => return None,
            Space::Input | Space::InOut | Space::Output | Space::Growable if written => CType::Mut(*elem),
            Space::Input | Space::InOut | Space::Output | Space::Growable => CType::Const(*elem),
        };
        Some(Parameter { name: name.clone(), ty, passes: Passes::Buffer(id) })
    };
    let (written, read): (Vec<_>, Vec<_>) =
        arrays.iter().zip(0..).filter_map(array).partition(|p| matches!(p.ty, CType::Mut(_)));
    let values = program.params.iter().filter_map(|param| {
        let (Param::Dim { var, .. } | Param::Scalar { var, .. }) = param;
        let declared = program.var(*var);
        let ty = match declared.ty {
            Ty::Scalar(t) => CType::Scalar(t),
            Ty::Index | Ty::Cond | Ty::Segments => CType::Index,
        };
        let parameter = Parameter { name: declared.name.clone(), ty, passes: Passes::Value(*var) };
        vars[var.index()].then_some(parameter)
    });
    read.into_iter().chain(values).chain(written).collect()
}

/// What a kernel's body mentions.
struct Used {
    /// By buffer: is it mentioned, and does the body write it?
    arrays: Vec<Option<bool>>,
    /// By variable.
    vars: Vec<bool>,
}

fn used(program: &Program, launch: &Launch) -> Used {
    let (mut arrays, mut vars) = (vec![None; program.buffers.len()], vec![false; program.vars.len()]);
    visit_stmts(&launch.body, &mut |s| match s {
        Stmt::Store { buffer, .. }
        | Stmt::Reduce { buffer, .. }
        | Stmt::Atomic { buffer, .. }
        | Stmt::Claim { buffer, .. }
        | Stmt::Fetch { buffer, .. }
        | Stmt::StoreVector { buffer, .. } => arrays[buffer.index()] = Some(true),
        Stmt::Collective(c) => c.written().into_iter().for_each(|buffer| arrays[buffer.index()] = Some(true)),
        Stmt::LoadVector { buffer, .. } => {
            arrays[buffer.index()].get_or_insert(false);
        }
        _ => {}
    });
    visit_exprs(&launch.body, &mut |e| match e {
        Expr::Load { buffer, .. } | Expr::Search { buffer, .. } => {
            arrays[buffer.index()].get_or_insert(false);
        }
        Expr::Var(var) => vars[var.index()] = true,
        _ => {}
    });
    Used { arrays, vars }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llir::build::{add, load};
    use crate::llir::kernel::Axis;
    use crate::llir::samples::{Tables, let_};
    use crate::llir::{Array, Role};

    #[test]
    fn parameters_are_what_the_body_uses_in_a_fixed_order() {
        let mut t = Tables::new("f", "");
        let levels = [crate::format::Level::Dense, crate::format::Level::Compressed { unique: true }];
        let a = t.tensor("A", &levels, Role::Input);
        let y = t.tensor("y", &levels[..1], Role::Result);
        let vals = t.buffer("y_vals", Space::Output, Array::Vals(y));
        let (rows, columns) = (t.dim("A1_dim", a, 0), t.dim("A2_dim", a, 1));
        let pos = t.buffer("A2_pos", Space::Input, Array::Pos(a, 1));
        t.buffer("A2_crd", Space::Input, Array::Crd(a, 1));
        let tile = t.buffer("tile", Space::Shared { len: 32 }, Array::Local);
        let (block, thread, p) = (t.index("b"), t.index("t"), t.index("p"));
        let program = t.0;
        let mut launch = Launch {
            name: "k".into(),
            grid: vec![Axis { var: block, blocks: columns.into() }],
            thread,
            threads: 32,
            resident: 0,
            follows: false,
            shared: vec![tile],
            body: vec![
                let_(p, load(pos, add(thread, rows))),
                Stmt::Store { buffer: tile, index: thread.into(), value: Expr::Lit(DType::F64.zero()) },
                Stmt::Atomic {
                    buffer: vals,
                    index: p.into(),
                    op: crate::scalar::Monoid::Add,
                    value: Expr::Load { buffer: tile, index: Box::new(thread.into()) },
                },
            ],
        };
        let text = |launch: &Launch| {
            let all = signature(&program, launch);
            all.iter().map(Parameter::to_string).collect::<Vec<_>>()
        };
        assert_eq!(text(&launch), ["const int* A2_pos", "int A1_dim", "double* y_vals"]);
        launch.body.truncate(1);
        assert_eq!(text(&launch), ["const int* A2_pos", "int A1_dim"]);
    }
}
