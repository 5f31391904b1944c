//! Names become tensors, scalars and index variables; the raw tree becomes index notation.
//!
//! Everything that can be resolved is, whatever else failed, so that independent mistakes are reported together.

use super::ast::{Access, AssignOp, Assignment, Expr, IndexVar, Kernel, Mode, Scalar, Tensor, Var};
use super::command::Schedule;
use super::functions::{Function, function, instead_of};
use super::scope::{DeclaredScalar, DeclaredTensor, Entity};
use super::syntax::{RawAccess, RawExpr, RawHeader, RawStatement, Reference};
use super::types::Declarations;
use super::{check, literal, print};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::format::TensorId;
use crate::scalar::DType;
use proc_macro2::{Ident, Span};
use std::collections::{HashMap, HashSet};

/// Most accesses on the right-hand side.
const MAX_ACCESSES: usize = 64;

pub(super) struct Resolver<'a> {
    pub(super) diagnostics: &'a mut Diagnostics,
    pub(super) tensors: Vec<DeclaredTensor>,
    pub(super) scalars: Vec<DeclaredScalar>,
    pub(super) names: HashMap<String, Entity>,
    pub(super) vars: Vec<Var>,
    /// Names that stand as an index somewhere in the statement.
    pub(super) index_names: HashSet<String>,
    pub(super) dtype: Option<DType>,
    pub(super) accesses: usize,
    /// A name has no meaning: what seems unused or unbounded may be what it meant.
    pub(super) unresolved: bool,
    /// The statement has been read: its index variables are all there are.
    pub(super) closed: bool,
    /// Names that commands before gave to what they compute first.
    pub(super) workspaces: Vec<String>,
}

/// Resolves and checks a kernel whose header could be read. `complete`: the statement was read without a mistake.
pub(super) fn resolve(
    header: RawHeader,
    declared: Declarations,
    statement: Option<RawStatement>,
    complete: bool,
    diagnostics: &mut Diagnostics,
) -> Option<Kernel> {
    let dtype = check::one_dtype(&header, &declared, diagnostics);
    let mut r = Resolver {
        diagnostics,
        tensors: vec![],
        scalars: vec![],
        names: HashMap::new(),
        vars: vec![],
        index_names: HashSet::new(),
        dtype,
        accesses: 0,
        unresolved: !complete,
        closed: false,
        workspaces: vec![],
    };
    let RawHeader { attrs, vis, name, params, output } = header;
    let is_mut: Vec<_> = params.iter().map(|p| matches!(p.ty.reference, Reference::Mut)).collect();
    let mut list = Vec::new();
    for (p, d) in params.into_iter().zip(&declared.params) {
        let mode = if matches!(p.ty.reference, Reference::Mut) { Mode::InOut } else { Mode::Input };
        list.push(r.parameter(p.name, p.ty.ty, &d.kind, mode));
    }
    let result = output.zip(declared.output).map(|(ty, d)| (ty.ty, d.kind));
    let lhs_name = statement.as_ref().and_then(|s| s.lhs.as_ref()).map(|a| a.name.clone());
    let output = r.output(&name, &list, &is_mut, result, lhs_name);

    let statement = statement?;
    if let Some(lhs) = &statement.lhs {
        r.collect_index_names(lhs);
    }
    statement.rhs.for_each_access(&mut |a| r.collect_index_names(a));
    let lhs = statement.lhs.as_ref().and_then(|raw| r.left(raw, output));
    let rhs = r.expr(&statement.rhs, output);

    let Resolver { diagnostics, tensors, scalars, vars, unresolved, .. } = r;
    if let Some(lhs) = &statement.lhs {
        check::left_repeats(lhs, diagnostics);
        let result = output.filter(|t| tensors[t.index()].mode == Mode::Result);
        if let (Some(result), true) = (result, complete) {
            check::bounds(lhs, &statement.rhs, &tensors[result.index()].name, diagnostics);
        }
    }
    if let Some(t) = dtype {
        check::reduction(&statement, t, diagnostics);
    }
    if !unresolved {
        check::unused(&tensors, &scalars, diagnostics);
    }
    let assignment = Assignment { lhs: lhs?, op: statement.op.unwrap_or(AssignOp::Assign), rhs: rhs? };
    let tensors = tensors.into_iter().map(|t| {
        let (spec, dtype) = t.shape?;
        Some(Tensor { name: t.name, ty: t.ty?, spec, packed: None, dtype, mode: t.mode })
    });
    let mut kernel = Kernel {
        attrs,
        vis,
        name,
        params: list,
        tensors: tensors.collect::<Option<_>>()?,
        scalars: scalars.into_iter().map(|s| Scalar { name: s.name, dtype: s.dtype }).collect(),
        vars,
        assignment,
        source: String::new(),
        dtype: dtype?,
        cpu: Schedule::Default,
        cuda: Schedule::Default,
    };
    check::kernel(&kernel, &statement, diagnostics);
    kernel.source = print::statement(&kernel);
    Some(kernel)
}

impl<'a> Resolver<'a> {
    /// The names of a kernel, for what is written about its statement.
    pub(super) fn of_kernel(kernel: &Kernel, diagnostics: &'a mut Diagnostics) -> Self {
        let tensors = kernel.tensors.iter().map(|t| DeclaredTensor {
            name: t.name.clone(),
            ty: Some(t.ty.clone()),
            shape: Some((t.spec.clone(), t.dtype)),
            mode: t.mode,
            used: true,
        });
        let scalars = kernel.scalars.iter().map(|s| DeclaredScalar {
            name: s.name.clone(),
            dtype: s.dtype,
            used: true,
        });
        let (tensors, scalars): (Vec<_>, Vec<_>) = (tensors.collect(), scalars.collect());
        let named = tensors.iter().enumerate();
        let named = named.map(|(n, t)| (t.name.to_string(), Entity::Tensor(TensorId(n as u32))));
        let values = scalars.iter().enumerate().map(|(n, s)| (s.name.to_string(), Entity::Scalar(n)));
        Resolver {
            names: named.chain(values).collect(),
            diagnostics,
            tensors,
            scalars,
            vars: kernel.vars.clone(),
            index_names: kernel.vars.iter().map(|v| v.name.clone()).collect(),
            dtype: Some(kernel.dtype),
            accesses: 0,
            unresolved: false,
            closed: true,
            workspaces: vec![],
        }
    }
}

impl Resolver<'_> {
    /// The type of the kernel's elements, for examples.
    fn element(&self) -> DType {
        self.dtype.unwrap_or(DType::F32)
    }

    pub(super) fn error(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.diagnostics.push(Diagnostic::new(code, span, message).help(help));
    }

    fn collect_index_names(&mut self, a: &RawAccess) {
        let indices = a.indices.iter().flatten().flatten();
        self.index_names.extend(indices.map(Ident::to_string));
    }

    fn left(&mut self, raw: &RawAccess, output: Option<TensorId>) -> Option<Access> {
        let indices = self.indices(raw);
        let id = output?;
        self.rank_fits(raw, id).then_some(())?;
        Some(Access { tensor: id, indices: indices?, span: raw.name.span() })
    }

    /// The access's variables; `None` after a mistake in one.
    fn indices(&mut self, raw: &RawAccess) -> Option<Vec<IndexVar>> {
        let mut vars = Some(Vec::new());
        for index in raw.indices.iter().flatten() {
            let var = index.as_ref().and_then(|i| self.index(i));
            vars = vars.zip(var).map(|(mut vars, v)| {
                vars.push(v);
                vars
            });
        }
        vars
    }

    fn index(&mut self, name: &Ident) -> Option<IndexVar> {
        let text = name.to_string();
        if let Some(&entity) = self.names.get(&text) {
            // Its use is a mistake, and one is enough.
            if let Entity::Scalar(n) = entity {
                self.scalars[n].used = true;
            }
            let taken = |name: &&str| self.names.contains_key(*name) || self.index_names.contains(*name);
            let free =
                ["i", "j", "k", "l", "m", "n", "p", "q", "r", "s"].into_iter().find(|name| !taken(name));
            self.error(
                "index-shadows-parameter",
                name.span(),
                format!("`{text}` names a parameter or the result, so it can't be an index variable"),
                format!("write another name, such as `{}`", free.unwrap_or("i0")),
            );
            return None;
        }
        let known = self.vars.iter().position(|v| v.name == text);
        if self.closed && known.is_none() {
            let vars: Vec<_> = self.vars.iter().map(|v| format!("`{}`", v.name)).collect();
            let message = format!("there is no index variable `{text}` in the statement");
            let help = format!("its variables are {}", vars.join(", "));
            self.error("unknown-variable", name.span(), message, help);
            return None;
        }
        Some(IndexVar(known.unwrap_or_else(|| {
            self.vars.push(Var { name: text, span: name.span() });
            self.vars.len() - 1
        }) as u32))
    }

    /// Has the access one index a dimension? Reported if not; unknown formats fit anything.
    fn rank_fits(&mut self, raw: &RawAccess, id: TensorId) -> bool {
        let Some((spec, _)) = &self.tensors[id.index()].shape else { return true };
        if raw.indices.iter().flatten().any(Option::is_none) {
            return false; // An index has been reported.
        }
        let (rank, name) = (spec.rank(), &raw.name);
        let example = example_access(&name.to_string(), rank);
        match &raw.indices {
            None if rank > 0 => self.error(
                "missing-indices",
                name.span(),
                format!("`{name}` is a tensor of rank {rank}, written here without indices"),
                format!("write one index variable a dimension, such as `{example}`"),
            ),
            Some(indices) if indices.len() != rank => self.error(
                "wrong-rank",
                name.span(),
                format!(
                    "`{name}` has rank {rank}, written here with {}",
                    count(indices.len(), "index", "indices")
                ),
                format!("write one index variable a dimension, such as `{example}`"),
            ),
            _ => return true,
        }
        false
    }

    pub(super) fn expr(&mut self, e: &RawExpr, output: Option<TensorId>) -> Option<Expr> {
        match e {
            RawExpr::Error => None,
            RawExpr::Literal(l) => literal::value(l, self.dtype?, self.diagnostics).map(Expr::Literal),
            RawExpr::Access(a) => self.operand(a, output),
            RawExpr::Call { name, args } => {
                // `A(i, j)`: indices are no arguments.
                let text = name.to_string();
                let tensor = matches!(self.names.get(&text), Some(Entity::Tensor(_)));
                // A tensor may have a function's name: brackets tell them apart.
                let unknown = function(&text).is_none();
                let mut resolved = Vec::new();
                for a in args {
                    // As in `sum(j, …)`: the function is the mistake, not its argument.
                    let skipped = unknown && (tensor || self.is_index(a));
                    resolved.push(if skipped { None } else { self.expr(a, output) });
                }
                self.call(name, resolved)
            }
            RawExpr::Unary { op, span, arg } => {
                let arg = self.expr(arg, output);
                let defined = self.dtype.is_none_or(|t| check::unary(*op, t, *span, self.diagnostics));
                Some(Expr::Unary(*op, Box::new(arg.filter(|_| defined)?)))
            }
            RawExpr::Binary { op, span, args } => {
                let (a, b) = (self.expr(&args.0, output), self.expr(&args.1, output));
                let defined = self.dtype.is_none_or(|t| check::binary(*op, t, *span, self.diagnostics));
                Some(Expr::Binary(*op, Box::new(a.filter(|_| defined)?), Box::new(b?)))
            }
        }
    }

    /// A name, with indices or without.
    fn operand(&mut self, raw: &RawAccess, output: Option<TensorId>) -> Option<Expr> {
        let (name, span) = (raw.name.to_string(), raw.name.span());
        let indices = self.indices(raw);
        match self.names.get(&name).copied() {
            Some(Entity::Tensor(t)) if Some(t) == output => {
                self.error(
                    "output-on-right",
                    span,
                    format!("`{name}` is the output: it can't stand on the right-hand side"),
                    format!("accumulate with `+=`, or take the old value as a parameter of another name: `{name}_old`"),
                );
                None
            }
            Some(Entity::Tensor(t)) => {
                self.tensors[t.index()].used = true;
                self.accesses += 1;
                if self.accesses == MAX_ACCESSES + 1 {
                    let message = format!("the statement has more than {MAX_ACCESSES} accesses");
                    self.error("too-many-accesses", span, message, "split it into several kernels");
                }
                self.rank_fits(raw, t).then_some(())?;
                Some(Expr::Access(Access { tensor: t, indices: indices?, span }))
            }
            Some(Entity::Scalar(n)) => {
                self.scalars[n].used = true;
                if raw.indices.is_none() {
                    return Some(Expr::Scalar(n));
                }
                let message = format!("`{name}` is a scalar: it has no indices");
                self.error("scalar-with-indices", span, message, format!("write `{name}`"));
                None
            }
            None => {
                self.unknown(raw);
                None
            }
        }
    }

    /// The name of an index variable alone.
    fn is_index(&self, e: &RawExpr) -> bool {
        matches!(e, RawExpr::Access(a) if a.indices.is_none() && self.index_names.contains(&a.name.to_string()))
    }

    fn unknown(&mut self, raw: &RawAccess) {
        self.unresolved = true;
        let (name, span) = (raw.name.to_string(), raw.name.span());
        if self.workspaces.contains(&name) {
            let message = format!(
                "`{name}` is a workspace: what a command computes first is of the statement's tensors"
            );
            let help = "write the expression that it stands for; of two, precompute the one that contains the other first";
            return self.error("unknown-tensor", span, message, help);
        }
        if let Some(indices) = &raw.indices {
            let t = self.element();
            let ty = match indices.len() {
                1 => format!("DenseVec<{t}>"),
                2 => format!("DenseMat<{t}>"),
                3 => format!("Dense3<{t}>"),
                _ => format!("Tensor<{t}, (Dense, …)>"),
            };
            let help = match self.similar(&name) {
                Some(other) => format!("did you mean `{other}`?"),
                None => format!("declare it among the parameters, such as `{name}: {ty}`"),
            };
            return self.error("unknown-tensor", span, format!("there is no tensor `{name}`"), help);
        }
        if self.index_names.contains(&name) {
            let message = format!("the index variable `{name}` is not a value");
            let help = format!("pass a vector that holds the numbers, and write `x[{name}]`");
            return self.error("index-as-value", span, message, help);
        }
        let help = match self.similar(&name) {
            _ if function(&name).is_some() => format!("a function has arguments: `{name}(…)`"),
            Some(other) => format!("did you mean `{other}`?"),
            None => format!("declare it among the parameters, such as `{name}: {}`", self.element()),
        };
        self.error("unknown-name", span, format!("there is no scalar or tensor `{name}`"), help);
    }

    fn call(&mut self, name: &Ident, args: Vec<Option<Expr>>) -> Option<Expr> {
        let text = name.to_string();
        let span = name.span();
        let given = args.len();
        let arity = |r: &mut Self, wanted: &str, example: &str| {
            let message = format!("`{text}` takes {wanted}, not {given}");
            r.error("wrong-arity", span, message, format!("write `{example}`"));
        };
        match function(&text) {
            Some(Function::Unary(op)) => {
                let defined = self.dtype.is_none_or(|t| check::unary(op, t, span, self.diagnostics));
                let Ok([arg]) = <[_; 1]>::try_from(args) else {
                    arity(self, "one argument", &format!("{text}(A[i, j])"));
                    return None;
                };
                Some(Expr::Unary(op, Box::new(arg.filter(|_| defined)?)))
            }
            Some(Function::Binary(op)) => {
                if given < 2 {
                    arity(self, "two arguments or more", &format!("{text}(A[i, j], B[i, j])"));
                    return None;
                }
                let mut args = args.into_iter();
                let first = args.next()??;
                args.try_fold(first, |a, b| Some(Expr::Binary(op, Box::new(a), Box::new(b?))))
            }
            None => {
                self.unresolved = true;
                let help = match (self.names.get(&text), text.as_str()) {
                    (Some(Entity::Tensor(t)), _) => {
                        let rank =
                            self.tensors[t.index()].shape.as_ref().map_or(given, |(spec, _)| spec.rank());
                        format!("indices stand in brackets: `{}`", example_access(&text, rank))
                    }
                    (Some(Entity::Scalar(_)), _) => {
                        format!("`{text}` is a scalar: write an operator after it")
                    }
                    (None, name) => instead_of(name).into(),
                };
                self.error("unknown-function", span, format!("there is no function `{text}`"), help);
                None
            }
        }
    }
}

/// `A[i, j]`.
fn example_access(name: &str, rank: usize) -> String {
    const LETTERS: [&str; 6] = ["i", "j", "k", "l", "m", "n"];
    match rank {
        0 => name.to_owned(),
        rank => format!("{name}[{}]", LETTERS[..rank.min(6)].join(", ")),
    }
}

fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
