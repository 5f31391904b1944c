//! Identifiers of the generated code.
//!
//! They stand in the kernel's own module, where no name of the user's is.

use super::carried::{Carried, carried};
use super::gathers::gathers;
use super::quote::{Ident, Tokens, quote};
use super::shared::{Common, Pairs, Same};
use super::sizes::{Lets, lets};
use super::twins::Twins;
use crate::format::TensorId;
use crate::llir::verify::is_keyword;
use crate::llir::walk::visit_stmts;
use crate::llir::{BufferId, Expr, Init, Program, Space, Step, Stmt, VarId, WorkspaceId};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Everything the emission of a program's code looks up by id.
#[derive(Clone)]
pub(crate) struct Names<'a> {
    pub(crate) program: &'a Program,
    pub(super) lets: Lets<'a>,
    tensors: Vec<Ident>,
    vars: Vec<Ident>,
    buffers: Vec<Ident>,
    lens: Vec<Ident>,
    memories: BTreeMap<BufferId, Ident>,
    workspaces: Vec<WorkspaceNames>,
    tasks: BTreeMap<VarId, TaskNames>,
    same: BTreeMap<VarId, Same>,
    common: BTreeMap<VarId, Common>,
    carried: BTreeMap<VarId, Carried>,
    bounded: BTreeSet<BufferId>,
    unwritten: BTreeSet<BufferId>,
    twins: Twins,
    /// The instruction set's marker value.
    pub(crate) isa: Ident,
    /// Index of an element that is read, changed and written.
    pub(crate) at: Ident,
    /// How many copies are appended.
    pub(crate) count: Ident,
    /// Where a loop over partial sums goes on and ends; where it accumulates, in one sum or in each of several, and
    /// what it keeps of the former; how far a step goes, and where in it we are.
    pub(crate) next: Ident,
    pub(crate) end: Ident,
    pub(crate) partial: Ident,
    pub(crate) each: Ident,
    pub(crate) kept: Ident,
    pub(crate) fours: Ident,
    pub(crate) width: Ident,
    pub(crate) offset: Ident,
    /// The iterations that a thread runs.
    pub(crate) chunk: Ident,
    /// The function that all is in, and it compiled for an instruction set.
    pub(crate) body: Ident,
    pub(crate) avx2: Ident,
    pub(crate) avx512: Ident,
    /// Is AVX2 the most that it is compiled for?
    pub(super) narrow: bool,
}

/// Names of a sparse workspace.
#[derive(Clone)]
pub(super) struct WorkspaceNames {
    /// Its memory.
    pub(super) memory: Ident,
    /// Open to scatter into.
    pub(super) open: Ident,
}

/// Names of the items that a loop on threads becomes.
#[derive(Clone)]
pub(super) struct TaskNames {
    /// What the body captures.
    pub(super) ty: Ident,
    /// The loop.
    pub(super) body: Ident,
    /// The loop compiled for an instruction set.
    pub(super) baseline: Ident,
    pub(super) avx2: Ident,
    pub(super) avx512: Ident,
}

impl<'a> Names<'a> {
    pub(crate) fn new(program: &'a Program) -> Self {
        let mut taken = HashSet::with_capacity(2 * (program.vars.len() + program.buffers.len()) + 32);
        // The verifier has seen to it that these are identifiers, and that none hides another.
        let mut vars: Vec<_> = program.vars.iter().map(|v| ident(&v.name)).collect();
        let buffers = program.buffers.iter().map(|b| ident(&b.name)).collect();
        taken.extend(program.vars.iter().map(|v| v.name.clone()));
        taken.extend(program.buffers.iter().map(|b| b.name.clone()));
        let tensors = program.tensors.iter().map(|t| unique(&t.name, &mut taken)).collect();
        let lens = program.buffers.iter().map(|b| unique(&format!("{}_len", b.name), &mut taken)).collect();
        taken.extend(program.workspaces.iter().map(|w| w.name.clone()));
        let workspaces = program.workspaces.iter().map(|w| WorkspaceNames {
            memory: unique(&format!("{}_memory", w.name), &mut taken),
            open: ident(&w.name),
        });
        let workspaces = workspaces.collect();
        let mut unwritten = BTreeSet::new();
        let (mut memories, mut tasks, mut rows) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for step in &program.steps {
            let Step::Run(block) = step else { continue };
            visit_stmts(block, &mut |s| match s {
                Stmt::Alloc { buffer, init, .. } => {
                    if *init == Init::Unwritten {
                        unwritten.insert(*buffer);
                    }
                    let name = format!("{}_memory", program.buffer(*buffer).name);
                    memories.insert(*buffer, unique(&name, &mut taken));
                }
                Stmt::Threads { var, .. } => {
                    let name = &program.var(*var).name;
                    let mut item = |prefix: &str| unique(&format!("{prefix}_{name}"), &mut taken);
                    let (ty, body) = (item("Task"), item("body"));
                    let (baseline, avx2, avx512) = (item("baseline"), item("avx2"), item("avx512"));
                    tasks.insert(*var, TaskNames { ty, body, baseline, avx2, avx512 });
                }
                _ => {}
            });
            rows.extend(carried(program, block, |name| unique(name, &mut taken)));
        }
        name_bounds(program, &rows, &mut vars);
        let bounded = program.steps.iter().filter_map(|s| match s {
            Step::Reserve { buffer, capacity: Some(_), .. } => Some(*buffer),
            _ => None,
        });
        let bounded: BTreeSet<BufferId> = bounded.collect();
        Names {
            program,
            lets: lets(program),
            tensors,
            vars,
            buffers,
            lens,
            memories,
            workspaces,
            tasks,
            same: BTreeMap::new(),
            common: BTreeMap::new(),
            carried: rows,
            twins: Twins::of(program, |b| bounded.contains(&b)),
            bounded,
            unwritten,
            isa: unique("isa", &mut taken),
            at: unique("at", &mut taken),
            count: unique("count", &mut taken),
            next: unique("next", &mut taken),
            end: unique("end", &mut taken),
            partial: unique("partial", &mut taken),
            each: unique("each", &mut taken),
            kept: unique("kept", &mut taken),
            fours: unique("fours", &mut taken),
            width: unique("width", &mut taken),
            offset: unique("offset", &mut taken),
            chunk: unique("chunk", &mut taken),
            body: unique("body", &mut taken),
            avx2: unique("avx2", &mut taken),
            avx512: unique("avx512", &mut taken),
            narrow: gathers(program),
        }
    }

    pub(crate) fn tensor(&self, id: TensorId) -> &Ident {
        &self.tensors[id.index()]
    }

    pub(crate) fn var(&self, id: VarId) -> &Ident {
        &self.vars[id.index()]
    }

    pub(crate) fn buffer(&self, id: BufferId) -> &Ident {
        &self.buffers[id.index()]
    }

    /// An array as an argument of a function that reads it: an operand's is a slice already.
    pub(super) fn slice(&self, id: BufferId) -> Tokens {
        let name = self.buffer(id);
        match self.program.buffer(id).space {
            Space::Input => quote!(#name),
            Space::Register { .. } => quote!(&#name[..]),
            _ => quote!(&*#name),
        }
    }

    /// The variable that holds an output's length: of those that grow together, the first one's.
    pub(crate) fn len(&self, id: BufferId) -> &Ident {
        &self.lens[self.twins.first(id).index()]
    }

    /// What holds the memory of a scratch array.
    pub(super) fn memory(&self, id: BufferId) -> &Ident {
        &self.memories[&id]
    }

    /// Is it a scratch array of which nothing is written when it is declared?
    pub(super) fn is_unwritten(&self, id: BufferId) -> bool {
        self.unwritten.contains(&id)
    }

    /// A sparse workspace.
    pub(super) fn workspace(&self, id: WorkspaceId) -> &WorkspaceNames {
        &self.workspaces[id.index()]
    }

    /// The items of a loop on threads.
    pub(super) fn task(&self, loop_var: VarId) -> &TaskNames {
        &self.tasks[&loop_var]
    }

    /// The loops with which a loop on threads has its items, if there are others.
    pub(super) fn same(&self, loop_var: VarId) -> Option<&Same> {
        self.same.get(&loop_var)
    }

    /// What is called otherwise in the items of the first of such loops.
    pub(super) fn common(&self, loop_var: VarId) -> Option<&Common> {
        self.common.get(&loop_var)
    }

    /// The names of the loops on threads that have the items of one.
    pub(super) fn loops(&self, first: VarId) -> Vec<String> {
        if self.same(first).is_none() {
            return vec![self.var(first).to_string()];
        }
        let name = |var: VarId| self.program.var(var).name.clone();
        let mut names = vec![name(first)];
        for (var, _) in self.same.iter().filter(|(_, same)| same.of == first) {
            if !names.contains(&name(*var)) {
                names.push(name(*var));
            }
        }
        names
    }

    /// With loops on threads that have one's items.
    pub(super) fn sharing(mut self, first: VarId, same: Vec<(VarId, Same)>, common: Common) -> Names<'a> {
        self.same.extend(same);
        self.common.insert(first, common);
        self
    }

    /// With the items' names given to those loops on threads that have their own, in order.
    pub(super) fn in_turn(mut self) -> Names<'a> {
        let mut loops = vec![];
        for step in &self.program.steps {
            if let Step::Run(block) = step {
                visit_stmts(block, &mut |s| {
                    if let Stmt::Threads { var, .. } = s {
                        loops.push(*var);
                    }
                });
            }
        }
        let first = |var: &VarId| self.same.get(var).map_or(*var, |same| same.of);
        let mut tasks = BTreeMap::new();
        for var in loops.iter().filter(|var| first(var) == **var) {
            let alike = |other: &&VarId| self.var(**other) == self.var(*var);
            let before = tasks.keys().filter(alike).count();
            let next = loops.iter().filter(alike).nth(before).unwrap_or(var);
            tasks.insert(*var, self.tasks[next].clone());
        }
        for var in &loops {
            let task = tasks[&first(var)].clone();
            tasks.insert(*var, task);
        }
        self.tasks = tasks;
        self
    }

    /// Inside of items that loops share.
    pub(super) fn within(&self, common: &Common) -> Names<'a> {
        let mut names = self.clone();
        for (var, name) in &common.vars {
            names.vars[var.index()] = name.clone();
        }
        for (buffer, array) in &common.buffers {
            names.buffers[buffer.index()] = array.name.clone();
            if let Some(memory) = names.memories.get_mut(buffer) {
                *memory = array.memory.clone();
            }
            names.carried.values_mut().for_each(|carried| carried.rename_rows(*buffer, &array.bounds));
        }
        names
    }

    /// With a loop's names for what is in another one; none where these are not of one kind.
    pub(super) fn renamed(&self, pairs: &Pairs) -> Option<Names<'a>> {
        let mut names = self.clone();
        for (var, other) in &pairs.vars {
            names.vars[var.index()] = self.var(*other).clone();
            if let Some(task) = names.tasks.get_mut(var) {
                *task = self.tasks.get(other)?.clone();
            }
            if let Some(carried) = names.carried.get_mut(var) {
                carried.rename(self.carried(*other)?);
            }
        }
        for (buffer, other) in &pairs.buffers {
            names.buffers[buffer.index()] = self.buffer(*other).clone();
            // That of an array from outside is not named.
            if let (Some(memory), Some(other)) = (names.memories.get_mut(buffer), self.memories.get(other)) {
                *memory = other.clone();
            }
        }
        Some(names)
    }

    /// The bounds of the rows that a loop goes over, if it carries them.
    pub(super) fn carried(&self, loop_var: VarId) -> Option<&Carried> {
        self.carried.get(&loop_var)
    }

    /// The variable that an element is in, of those that loops carry.
    pub(super) fn bound(&self, buffer: BufferId, index: &Expr) -> Option<&Ident> {
        bound(&self.carried, buffer, index)
    }

    /// Is it declared already, as a bound of a row that a loop carries?
    pub(super) fn is_carried(&self, var: VarId, value: &Expr) -> bool {
        let Expr::Load { buffer, index } = value else { return false };
        self.bound(*buffer, index) == Some(self.var(var))
    }

    /// Does an append to this array come right before one that counts both?
    pub(crate) fn leads(&self, id: BufferId) -> bool {
        self.twins.leads(id)
    }

    /// Does another array's length serve this one?
    pub(crate) fn follows(&self, id: BufferId) -> bool {
        self.twins.follows(id)
    }

    /// A growable buffer whose final length has an upper bound: a slice and a length, no check per append.
    pub(crate) fn is_bounded(&self, id: BufferId) -> bool {
        self.bounded.contains(&id)
    }

    pub(crate) fn is_register(&self, id: BufferId) -> bool {
        matches!(self.program.buffer(id).space, Space::Register { .. })
    }
}

/// Variables that hold a bound of a row that a loop carries are called as that is.
fn name_bounds(program: &Program, carried: &BTreeMap<VarId, Carried>, vars: &mut [Ident]) {
    for step in &program.steps {
        let Step::Run(block) = step else { continue };
        visit_stmts(block, &mut |s| {
            if let Stmt::Let { var, value: Expr::Load { buffer, index } } = s
                && let Some(bound) = bound(carried, *buffer, index)
            {
                vars[var.index()] = bound.clone();
            }
        });
    }
}

/// The variable that an element is in, of those that loops carry.
fn bound<'c>(carried: &'c BTreeMap<VarId, Carried>, buffer: BufferId, index: &Expr) -> Option<&'c Ident> {
    carried.iter().find_map(|(var, carried)| carried.bound(*var, buffer, index))
}

/// An identifier that is not a keyword and not yet taken: the name, or the name and the first number after it.
pub(super) fn unique(name: &str, taken: &mut HashSet<String>) -> Ident {
    let name = name.strip_prefix("r#").unwrap_or(name);
    let mut free = name.to_owned();
    let mut number = 2;
    while is_keyword(&free) || !taken.insert(free.clone()) {
        free = format!("{name}_{number}");
        number += 1;
    }
    ident(&free)
}

/// An identifier.
pub(crate) fn ident(name: &str) -> Ident {
    Ident::new(name)
}
