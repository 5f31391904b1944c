//! A statement whose workspaces outside of all loops are filled by launches of their own, each scheduled as a kernel of its own.
//!
//! ```text
//! (∀i y[i] = t0[i] + c[i]) where (∀j ∀i_t0 t0[i_t0] += A[i_t0, j] * x[j])
//!     →   t0[i_t0] = A[i_t0, j] * x[j]        ∀j ∀i_t0 t0[i_t0] += A[i_t0, j] * x[j]
//!         y[i] = t0[i] + c[i]                 ∀i y[i] = t0[i] + c[i]
//! ```
//!
//! The loops of a part stay those that the statement has; what is chosen for them is put back in their place. Loops that are made
//! for what fills a workspace have its name after theirs.

use super::{IgnoredRace, Scheduled, Step};
use crate::cin::launches::{Place, Translation};
use crate::cin::result::{ResultKind, result_kind};
use crate::cin::{Access, Cin, Expr, Provenance, Stmt, Target, Workspace, WorkspaceDecl, print};
use crate::format::{FormatSpec, Level, TensorId};
use crate::front::ast::{self, AssignOp, Assignment, IndexVar, Kernel, Mode, Tensor, Var};
use crate::front::command::Schedule;
use crate::scalar::Monoid;
use proc_macro2::Ident;

/// One of the launches, as a kernel.
pub struct Launch {
    /// It, without a schedule.
    pub kernel: Kernel,
    /// Its loops.
    pub cin: Cin,
    /// The workspace of the statement that it fills.
    fills: Option<Workspace>,
    /// The statement's variables, tensors and workspaces, by its own.
    vars: Vec<IndexVar>,
    tensors: Vec<Place>,
    workspaces: Vec<Workspace>,
}

/// The kernels of a statement's launches, in their order; none if it has one launch, or if what is filled before has no array.
pub fn launches(kernel: &Kernel, cin: &Cin) -> Option<Vec<Launch>> {
    let mut parts = vec![];
    is_apart(cin, &cin.root, &mut parts).then_some(())?;
    if parts.len() < 2 || result_kind(kernel, cin) == ResultKind::Append {
        return None;
    }
    parts.into_iter().map(|part| Launch::new(kernel, cin, part)).collect()
}

/// The parts of a statement, those that are filled first before what reads them. Are they all filled as arrays?
fn is_apart<'c>(cin: &Cin, s: &'c Stmt, parts: &mut Vec<&'c Stmt>) -> bool {
    let Some((consumer, producer, w)) = outermost(s) else {
        parts.push(s);
        return true;
    };
    let decl = &cin.workspaces[w.index()];
    let dense = !decl.format.is_sparse() && !decl.part;
    dense && is_apart(cin, producer, parts) && is_apart(cin, consumer, parts)
}

/// A workspace outside of all loops, if loops fill it.
fn outermost(s: &Stmt) -> Option<(&Stmt, &Stmt, Workspace)> {
    let Stmt::Where { consumer, producer } = s else { return None };
    let w = producer.fills().filter(|_| !producer.loops().is_empty())?;
    Some((consumer, producer, w))
}

impl Launch {
    fn new(kernel: &Kernel, cin: &Cin, part: &Stmt) -> Option<Launch> {
        let fills = part.fills();
        let vars = part.loops();
        let mut found = Found { tensors: vec![], workspaces: vec![], within: vec![] };
        found.visit(part);
        let written = match part.target() {
            Target::Tensor(a) => Place::Tensor(a.tensor),
            Target::Workspace(w, _) => Place::Workspace(*w),
        };
        let Found { mut tensors, workspaces, .. } = found;
        tensors.push(written);
        let at = |place: Place| TensorId(tensors.iter().position(|t| *t == place).unwrap_or(0) as u32);
        let own = |w: Workspace| workspaces.iter().position(|u| *u == w);
        let var = |v: IndexVar| IndexVar(vars.iter().position(|u| *u == v).unwrap_or(0) as u32);
        let workspace = |w: Workspace| match own(w) {
            Some(own) => Place::Workspace(Workspace(own as u32)),
            None => Place::Tensor(at(Place::Workspace(w))),
        };
        let tensor = |t: TensorId| Place::Tensor(at(Place::Tensor(t)));
        let to = Translation { var: &var, tensor: &tensor, workspace: &workspace };
        let root = to.stmt(part);
        let declared = tensors.iter().map(|place| match place {
            Place::Tensor(t) => kernel.tensors[t.index()].clone(),
            Place::Workspace(w) => of_workspace(kernel, &cin.workspaces[w.index()], *place == written),
        });
        let statement = statement(kernel, &root, fills.is_none())?;
        let names =
            vars.iter().map(|v| Var { name: cin.provenance.name(*v).to_owned(), span: kernel.name.span() });
        let part = Kernel {
            params: vec![],
            tensors: declared.collect(),
            vars: names.collect(),
            assignment: statement,
            cpu: Schedule::None,
            cuda: Schedule::Default,
            ..kernel.clone()
        };
        // Each dimension has the size of something that is read.
        let mut sized = vec![false; vars.len()];
        part.assignment.rhs.for_each_access(&mut |a| a.indices.iter().for_each(|v| sized[v.index()] = true));
        sized.iter().all(|is| *is).then_some(())?;
        let decl = |w: &Workspace| {
            let decl = &cin.workspaces[w.index()];
            WorkspaceDecl { vars: decl.vars.iter().map(|v| var(*v)).collect(), ..decl.clone() }
        };
        let cin = Cin {
            root,
            workspaces: workspaces.iter().map(decl).collect(),
            provenance: Provenance::new(&part),
            accumulates: fills.is_none() && cin.accumulates,
        };
        Some(Launch { kernel: part, cin, fills, vars, tensors, workspaces })
    }

    /// The statement's tensor.
    pub fn tensor(&self, own: TensorId) -> Option<TensorId> {
        match self.tensors.get(own.index()) {
            Some(Place::Tensor(t)) => Some(*t),
            _ => None,
        }
    }

    /// The statement's variable.
    pub fn var(&self, own: IndexVar) -> Option<IndexVar> {
        self.vars.get(own.index()).copied()
    }
}

/// What a part reads, and the workspaces inside of it.
struct Found {
    tensors: Vec<Place>,
    workspaces: Vec<Workspace>,
    within: Vec<Workspace>,
}

impl Found {
    fn visit(&mut self, s: &Stmt) {
        match s {
            Stmt::Forall { body, .. } => self.visit(body),
            Stmt::Where { consumer, producer } => {
                self.within.extend(producer.fills());
                self.workspaces.extend(producer.fills());
                self.visit(producer);
                self.visit(consumer);
            }
            Stmt::Assign { rhs, .. } => {
                let (tensors, within) = (&mut self.tensors, &self.within);
                let mut read = |place: Place| {
                    if !tensors.contains(&place) {
                        tensors.push(place);
                    }
                };
                rhs.for_each_access(&mut |a| read(Place::Tensor(a.tensor)));
                rhs.for_each_workspace(&mut |w| {
                    if !within.contains(&w) {
                        read(Place::Workspace(w));
                    }
                });
            }
        }
    }
}

/// A workspace as a tensor.
fn of_workspace(kernel: &Kernel, decl: &WorkspaceDecl, is_written: bool) -> Tensor {
    let out = &kernel.tensors[kernel.assignment.lhs.tensor.index()];
    Tensor {
        name: Ident::new(&decl.name, kernel.name.span()),
        ty: out.ty.clone(),
        spec: FormatSpec::new(vec![Level::Dense; decl.vars.len()]),
        packed: None,
        dtype: kernel.dtype,
        mode: if is_written { Mode::Result } else { Mode::Input },
    }
}

/// The loops' assignment as index notation: sums inside of it stand where they are read.
fn statement(kernel: &Kernel, root: &Stmt, is_own: bool) -> Option<Assignment> {
    let mut filled: Vec<(Workspace, ast::Expr)> = vec![];
    let (lhs, op, rhs) = nested(kernel, root, &mut filled)?;
    let Target::Tensor(lhs) = lhs else { return None };
    let op = match op {
        _ if is_own => kernel.assignment.op,
        None | Some(Monoid::Add) => AssignOp::Assign,
        Some(monoid) => AssignOp::Reduce(monoid),
    };
    Some(Assignment { lhs: written(kernel, lhs), op, rhs })
}

fn nested<'s>(
    kernel: &Kernel,
    s: &'s Stmt,
    filled: &mut Vec<(Workspace, ast::Expr)>,
) -> Option<(&'s Target, Option<Monoid>, ast::Expr)> {
    match s {
        Stmt::Forall { body, .. } => nested(kernel, body, filled),
        Stmt::Where { consumer, producer } => {
            let (_, _, rhs) = nested(kernel, producer, filled)?;
            filled.push((producer.fills()?, rhs));
            nested(kernel, consumer, filled)
        }
        Stmt::Assign { target, op, rhs } => Some((target, *op, notation(kernel, rhs, filled)?)),
    }
}

fn notation(kernel: &Kernel, e: &Expr, filled: &[(Workspace, ast::Expr)]) -> Option<ast::Expr> {
    let inner = |e: &Expr| notation(kernel, e, filled).map(Box::new);
    Some(match e {
        Expr::Access(a) => ast::Expr::Access(written(kernel, a)),
        Expr::Workspace(w, _) => filled.iter().find(|(of, _)| of == w)?.1.clone(),
        Expr::Literal(v) => ast::Expr::Literal(*v),
        Expr::Scalar(n) => ast::Expr::Scalar(*n),
        Expr::Unary(op, a) => ast::Expr::Unary(*op, inner(a)?),
        Expr::Binary(op, a, b) => ast::Expr::Binary(*op, inner(a)?, inner(b)?),
    })
}

fn written(kernel: &Kernel, a: &Access) -> ast::Access {
    ast::Access { tensor: a.tensor, indices: a.indices.clone(), span: kernel.assignment.lhs.span }
}

/// The statement with the loops that were chosen for each of its launches, and what these ignore.
pub fn joined(kernel: &Kernel, cin: &Cin, chosen: &[(&Launch, Scheduled)]) -> Scheduled {
    let mut whole = cin.clone();
    let (mut steps, mut ignored_races, mut parts) = (vec![], vec![], vec![]);
    let first = "default: what is filled before all loops, by launches of its own".to_owned();
    steps.push(Step { command: first, cin: print::print(cin, kernel) });
    for (launch, scheduled) in chosen {
        let (stmt, renamed) = put_back(&mut whole, launch, &scheduled.cin);
        parts.push(stmt);
        let step = |s: &Step| Step { command: words(&s.command, &renamed), cin: words(&s.cin, &renamed) };
        steps.extend(scheduled.steps.iter().map(step));
        ignored_races.extend(scheduled.ignored_races.iter().map(|race| IgnoredRace {
            tensor: race.tensor.and_then(|t| launch.tensor(t)),
            warning: words(&race.warning, &renamed),
        }));
    }
    whole.root = rebuilt(&cin.root, &mut parts.into_iter());
    let warnings = ignored_races.iter().map(|race| race.warning.clone()).collect();
    Scheduled { warnings, ignored_races, ..Scheduled::new(whole, steps) }
}

/// The statement with other parts.
fn rebuilt(s: &Stmt, parts: &mut impl Iterator<Item = Stmt>) -> Stmt {
    match outermost(s) {
        Some((consumer, producer, _)) => {
            let producer = Box::new(rebuilt(producer, parts));
            Stmt::Where { consumer: Box::new(rebuilt(consumer, parts)), producer }
        }
        None => parts.next().unwrap_or_else(|| s.clone()),
    }
}

/// A launch's loops in the statement's own variables, and the names that were taken already.
fn put_back(whole: &mut Cin, launch: &Launch, scheduled: &Cin) -> (Stmt, Vec<(String, String)>) {
    let (mut vars, mut renamed) = (launch.vars.clone(), vec![]);
    let (from, to) = (&scheduled.provenance, &mut whole.provenance);
    for v in (vars.len() as u32..from.len() as u32).map(IndexVar) {
        let name = from.name(v);
        let filled = launch.fills.map(|w| whole.workspaces[w.index()].name.as_str());
        let mut own = match filled {
            Some(w) if !name.contains(w) => format!("{name}_{w}"),
            _ => name.to_owned(),
        };
        while to.find(&own).is_some() {
            own.push('_');
        }
        if own != name {
            renamed.push((name.to_owned(), own.clone()));
        }
        let of = from.original(v);
        vars.push(if of == v { to.fresh(&own) } else { to.rename(vars[of.index()], &own) });
    }
    let var = |v: IndexVar| vars[v.index()];
    for v in (0..from.len() as u32).map(IndexVar) {
        *to.tag_mut(var(v)) = from.tag(v);
        from.commands(v).for_each(|command| to.record(var(v), &words(command, &renamed)));
    }
    let mut workspaces = launch.workspaces.clone();
    for n in workspaces.len()..scheduled.workspaces.len() {
        workspaces.push(Workspace((whole.workspaces.len() + n - launch.workspaces.len()) as u32));
    }
    let tensor = |t: TensorId| launch.tensors[t.index()];
    let workspace = |w: Workspace| Place::Workspace(workspaces[w.index()]);
    let back = Translation { var: &var, tensor: &tensor, workspace: &workspace };
    for relation in from.relations() {
        to.relate(back.relation(relation));
    }
    for (decl, Workspace(at)) in scheduled.workspaces.iter().zip(&workspaces) {
        let vars = decl.vars.iter().map(|v| var(*v)).collect();
        let decl = WorkspaceDecl { vars, ..decl.clone() };
        match whole.workspaces.get_mut(*at as usize) {
            Some(known) => *known = decl,
            None => whole.workspaces.push(decl),
        }
    }
    (back.stmt(&scheduled.root), renamed)
}

/// A text with other names.
fn words(text: &str, renamed: &[(String, String)]) -> String {
    let mut found = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let end = match is_word(c) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => c.len_utf8(),
        };
        let (word, after) = rest.split_at(end);
        found += renamed.iter().find(|(name, _)| name == word).map_or(word, |(_, own)| own);
        rest = after;
    }
    found
}
