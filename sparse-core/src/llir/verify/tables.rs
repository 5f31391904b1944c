//! Rules of declarations: ids, names, tensors, extents, params, buffers.

use super::{Rule, VerifyError, broken, ensure};
use crate::format::{FormatSpec, Level, LevelMap, TensorId, WorkspaceFormat};
use crate::llir::{
    Array, Buffer, DenseBlock, Elem, Param, Program, Role, Space, Tensor, Ty, VarId, Workspace,
};
use std::collections::BTreeSet;

pub(super) fn verify_tables(p: &Program) -> Result<(), VerifyError> {
    names(p)?;
    tensors(p)?;
    extents(p)?;
    params(p)?;
    buffers(p)?;
    workspaces(p)
}

/// Rust's keywords, reserved ones included, in order.
const KEYWORDS: &[&str] = &[
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do",
    "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual",
    "where", "while", "yield",
];

pub(super) fn is_identifier(name: &str) -> bool {
    // Nearly all names are ASCII, and a debug build decodes characters slowly.
    let ascii = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let spelled = ascii || name.chars().all(|c| c == '_' || c.is_alphanumeric());
    let begun = name.starts_with(|c: char| c == '_' || c.is_alphabetic());
    spelled && begun && name != "_" && !is_keyword(name)
}

/// Is it one of Rust's keywords, reserved ones included?
pub(crate) fn is_keyword(name: &str) -> bool {
    // Most names are no words, but letters or longer.
    (2..=8).contains(&name.len()) && KEYWORDS.binary_search(&name).is_ok()
}

fn names(p: &Program) -> Result<(), VerifyError> {
    let identifier = |name: &String| {
        let place = || format!("name `{name}`");
        ensure(is_identifier(name), Rule::Names, place, || "it is not an identifier".into())
    };
    p.vars.iter().try_for_each(|v| identifier(&v.name))?;
    for (at, buffer) in p.buffers.iter().enumerate() {
        let name = &buffer.name;
        identifier(name)?;
        // Variables may share a name in disjoint scopes; `code` checks that none hides another.
        let taken = p.buffers[..at].iter().any(|b| b.name == *name) || p.vars.iter().any(|v| v.name == *name);
        ensure(!taken, Rule::Names, || format!("name `{name}`"), || "it is declared twice".into())?;
    }
    for (at, workspace) in p.workspaces.iter().enumerate() {
        let name = &workspace.name;
        identifier(name)?;
        let taken = p.workspaces[..at].iter().any(|w| w.name == *name)
            || p.buffers.iter().any(|b| b.name == *name)
            || p.vars.iter().any(|v| v.name == *name);
        ensure(!taken, Rule::Names, || format!("name `{name}`"), || "it is declared twice".into())?;
    }
    Ok(())
}

fn tensor<'a>(p: &'a Program, id: TensorId, place: &str) -> Result<&'a Tensor, VerifyError> {
    match p.tensors.get(id.index()) {
        Some(t) => Ok(t),
        None => broken(Rule::Ids, place, format!("there is no tensor {}", id.0)),
    }
}

fn is_argument(t: &Tensor) -> bool {
    matches!(t.role, Role::Input | Role::InOut)
}

fn tensors(p: &Program) -> Result<(), VerifyError> {
    let written = p.tensors.iter().filter(|t| t.role != Role::Input).count();
    ensure(
        written == 1,
        Rule::Tensors,
        || "the tensors".into(),
        || format!("{written} of them are written, not one"),
    )?;
    for t in &p.tensors {
        let place = format!("tensor `{}`", t.name);
        let LevelMap::Permutation(order) = &t.spec.map;
        let mut sorted = order.clone();
        sorted.sort_unstable();
        if !sorted.into_iter().eq(0..t.spec.rank()) {
            return broken(Rule::Tensors, place, "its mode order is not a permutation of its dimensions");
        }
        if let Some(packed) = &t.packed {
            let list = t.spec.levels.iter().skip(1).all(|l| matches!(l, Level::Singleton { .. }));
            let same =
                packed.map == t.spec.map && packed.fill == t.spec.fill && packed.rank() == t.spec.rank();
            if t.role != Role::Result || !list || !same {
                return broken(Rule::Tensors, place, "it is no list of entries that could be packed");
            }
        }
        if let Role::ResultLike(of, levels) = t.role {
            let like = tensor(p, of, &place)?;
            if !is_argument(like) || !shares_levels(&t.spec, &like.spec, levels) {
                return broken(
                    Rule::Tensors,
                    place,
                    format!("it cannot share the levels of `{}`", like.name),
                );
            }
        }
        if is_argument(t) {
            continue;
        }
        if t.dims_from.len() != t.spec.rank() {
            return broken(Rule::Tensors, place, "it does not say where each of its sizes comes from");
        }
        for &(of, dim) in &t.dims_from {
            let source = tensor(p, of, &place)?;
            if !is_argument(source) || dim >= source.spec.rank() {
                return broken(
                    Rule::Tensors,
                    place,
                    format!("dimension {dim} of `{}` cannot be its size", source.name),
                );
            }
        }
    }
    Ok(())
}

/// Has a result so many levels of another tensor, of which the last tells elements apart, and dense ones below?
fn shares_levels(result: &FormatSpec, like: &FormatSpec, levels: usize) -> bool {
    let (Some(own), Some(other)) = (result.levels.get(..levels), like.levels.get(..levels)) else {
        return false;
    };
    let unique = own.last().is_some_and(|l| l.is_unique());
    own == other && unique && result.levels[levels..].iter().all(|l| l.is_full())
}

fn extents(p: &Program) -> Result<(), VerifyError> {
    let extents = p.extents.iter().map(|e| (&e.index, &e.sources));
    for (index, sources) in extents.chain(p.fused.iter().map(|f| (&f.index, &f.of))) {
        let place = format!("extent of `{index}`");
        for &(of, dim) in sources {
            let source = tensor(p, of, &place)?;
            if !is_argument(source) || dim >= source.spec.rank() {
                let message = format!("`{}` is no argument with a dimension {dim}", source.name);
                return broken(Rule::Extents, place, message);
            }
        }
    }
    for fused in &p.fused {
        let place = format!("extent of `{}`", fused.index);
        for &(of, level) in &fused.entries {
            let source = tensor(p, of, &place)?;
            if source.role != Role::Input || source.spec.levels.get(level).is_none_or(|l| l.is_full()) {
                let message = format!("`{}` is no argument with entries at level {level}", source.name);
                return broken(Rule::Extents, place, message);
            }
        }
    }
    Ok(())
}

fn params(p: &Program) -> Result<(), VerifyError> {
    let mut seen = BTreeSet::new();
    for param in &p.params {
        let (Param::Dim { var, .. } | Param::Scalar { var, .. }) = param;
        let Some(declared) = p.vars.get(var.index()) else {
            return broken(Rule::Ids, "the parameters", format!("there is no variable {}", var.0));
        };
        let place = format!("parameter `{}`", declared.name);
        if !seen.insert(var) {
            return broken(Rule::Params, place, "its variable is that of another parameter");
        }
        match *param {
            Param::Dim { tensor: of, level, .. } => {
                let of = tensor(p, of, &place)?;
                if declared.ty != Ty::Index || level >= of.spec.rank() {
                    let message = format!("it is not the size of level {level} of `{}`", of.name);
                    return broken(Rule::Params, place, message);
                }
            }
            Param::Scalar { .. } => {
                if !matches!(declared.ty, Ty::Scalar(_)) {
                    return broken(Rule::Params, place, "a scalar parameter has a scalar type");
                }
            }
        }
    }
    Ok(())
}

fn buffers(p: &Program) -> Result<(), VerifyError> {
    let mut arrays: Vec<Array> = Vec::new();
    for b in &p.buffers {
        buffer(p, b)?;
        if b.array != Array::Local && arrays.contains(&b.array) {
            return broken(Rule::Buffers, format!("buffer `{}`", b.name), "another buffer is the same array");
        }
        arrays.push(b.array);
    }
    for (at, t) in p.tensors.iter().enumerate() {
        let id = TensorId(at as u32);
        let mut needed = vec![];
        if t.role == Role::Result {
            for (l, level) in t.spec.levels.iter().enumerate() {
                needed
                    .extend([Array::Pos(id, l), Array::Crd(id, l)].iter().filter(|a| a.is_stored_by(*level)));
            }
        }
        if !is_argument(t) {
            needed.push(Array::Vals(id));
        }
        if let Some(missing) = needed.iter().find(|a| !arrays.contains(a)) {
            let message = format!("no buffer is its array {missing:?}");
            return broken(Rule::Buffers, format!("tensor `{}`", t.name), message);
        }
    }
    Ok(())
}

fn buffer(p: &Program, b: &Buffer) -> Result<(), VerifyError> {
    let place = format!("buffer `{}`", b.name);
    let (of, elem, exists) = match b.array {
        Array::Local => {
            // A workspace is the program's own: the caller neither passes nor receives it.
            let fits = match b.space {
                Space::Register { len } | Space::Shared { len } => len > 0,
                Space::Scratch | Space::Gathered => true,
                Space::Output | Space::Growable => true,
                Space::Input | Space::InOut => false,
            };
            return ensure(fits, Rule::Buffers, || place, || "a workspace cannot live there".into());
        }
        Array::Pos(t, l) | Array::Crd(t, l) => {
            let t = tensor(p, t, &place)?;
            (t, Elem::Index, t.spec.levels.get(l).is_some_and(|l| b.array.is_stored_by(*l)))
        }
        Array::Vals(t) => {
            let t = tensor(p, t, &place)?;
            (t, Elem::Scalar(t.dtype), true)
        }
    };
    let is_vals = matches!(b.array, Array::Vals(_));
    let fits = match b.space {
        Space::Input => of.role == Role::Input || (of.role == Role::InOut && !is_vals),
        Space::InOut => of.role == Role::InOut && is_vals,
        Space::Output | Space::Growable => match of.role {
            Role::Result => true,
            Role::ResultLike(..) => is_vals,
            Role::Input | Role::InOut => false,
        },
        Space::Register { .. } | Space::Shared { .. } | Space::Scratch | Space::Gathered => false,
    };
    let problem = if !exists {
        "its level has no such array"
    } else if b.elem != elem {
        "its element type is not that of the array"
    } else if !fits {
        "its space does not fit the tensor's role"
    } else {
        return Ok(());
    };
    broken(Rule::Buffers, place, problem)
}

/// A workspace gathers into arrays of its own.
fn workspaces(p: &Program) -> Result<(), VerifyError> {
    let mut gathered = BTreeSet::new();
    for w in &p.workspaces {
        let place = || format!("workspace `{}`", w.name);
        let t = w.init.dtype();
        let arrays = w.crd.iter().map(|b| (*b, Elem::Index)).chain([(w.vals, Elem::Scalar(t))]);
        for (b, elem) in arrays {
            let Some(buffer) = p.buffers.get(b.index()) else {
                return broken(Rule::Ids, place(), format!("there is no buffer {}", b.0));
            };
            let fits = buffer.space == Space::Gathered && buffer.elem == elem && gathered.insert(b);
            ensure(fits, Rule::Workspaces, place, || {
                format!("`{}` is no array to gather into", buffer.name)
            })?;
        }
        if let Some(block) = &w.block {
            dense_block(p, w, block)?;
            ensure(gathered.insert(block.open), Rule::Workspaces, place, || {
                "its blocks are others' too".into()
            })?;
        }
        let shape = !w.dims.is_empty() && w.dims.len() == w.crd.len();
        ensure(shape, Rule::Workspaces, place, || "it has no coordinates, or not as many as sizes".into())?;
        let sorts = !w.on_threads || w.format == WorkspaceFormat::Sort;
        ensure(sorts, Rule::Workspaces, place, || "threads gather what is sorted alone".into())?;
        let lists = !w.masked || w.format == WorkspaceFormat::List && w.dims.len() == 1;
        ensure(lists, Rule::Workspaces, place, || "a list of one dimension alone is masked".into())?;
        ensure(w.op.is_none_or(|op| op.accepts(t)), Rule::Types, place, || {
            "its operator is not defined".into()
        })?;
    }
    Ok(())
}

/// A list of one dimension may have blocks, one of which is an array that its code writes.
fn dense_block(p: &Program, w: &Workspace, block: &DenseBlock) -> Result<(), VerifyError> {
    let place = || format!("workspace `{}`", w.name);
    let Some(buffer) = p.buffers.get(block.open.index()) else {
        return broken(Rule::Ids, place(), format!("there is no buffer {}", block.open.0));
    };
    let fits = buffer.space == Space::Scratch && buffer.elem == Elem::Scalar(w.init.dtype());
    ensure(fits, Rule::Workspaces, place, || format!("`{}` is no block of it", buffer.name))?;
    let lists = w.format == WorkspaceFormat::List && w.dims.len() == 1 && !w.masked;
    ensure(lists && !block.dims.is_empty(), Rule::Workspaces, place, || {
        "a list of one dimension alone has blocks, and no mask".into()
    })
}

/// The type of a variable that the table holds.
pub(super) fn var_ty(p: &Program, id: VarId, place: &dyn Fn() -> String) -> Result<Ty, VerifyError> {
    match p.vars.get(id.index()) {
        Some(v) => Ok(v.ty),
        None => broken(Rule::Ids, place(), format!("there is no variable {}", id.0)),
    }
}
