//! Loops that only append: what a workspace gathered, whole runs of elements, copied at once, or gathered where they are appended;
//! and the elements of a tile, each array's side by side.

use super::expr::{bare, sized};
use super::quote::{Tokens, quote};
use super::stmt::Stmts;
use super::workspaces;
use crate::llir::walk::visit_exprs;
use crate::llir::{BufferId, DenseBlock, Expr, Space, Stmt, VarId, WorkspaceFormat, build};

/// How many statements [`gathered`] has in view.
pub(super) const GATHERED: usize = 3;

/// What a block begins with, if that is a list that is gathered and appended, and not looked at after that.
pub(super) fn gathered(stmts: Stmts<'_>, block: &[Stmt]) -> Option<Tokens> {
    let (run, rest) = block.split_at_checked(GATHERED)?;
    let [Stmt::Gather(id), Stmt::Let { var: end, value: Expr::Len(counted) }, append] = run else {
        return None;
    };
    let workspace = stmts.names.program.workspace(*id);
    let ([crd], vals) = (&workspace.crd[..], workspace.vals) else { return None };
    let Stmt::For { var, lo: Expr::Index(0), hi, step: 1, body, .. } = append else { return None };
    let [to_crd, to_vals] = match &workspace.block {
        Some(block) => block_copies(stmts, *var, (*crd, vals), block, body)?,
        None => {
            let [first, second] = <[Copy; 2]>::try_from(copies(stmts, *var, body)?).ok()?;
            if first.from == vals { [second, first] } else { [first, second] }
        }
    };
    let mut used = false;
    visit_exprs(rest, &mut |e| {
        used |= e.is_var(*end) || e.buffer().is_some_and(|b| [*crd, vals].contains(&b));
    });
    let all = *hi == Expr::Var(*end)
        && [*crd, vals].contains(counted)
        && (to_crd.from, to_vals.from) == (*crd, vals)
        && workspace.format == WorkspaceFormat::List
        && !workspace.masked;
    (all && !used).then(|| workspaces::append(stmts.names, *id, to_crd.to, to_vals.to))
}

/// What is appended to what.
struct Copy {
    from: BufferId,
    to: BufferId,
}

/// The copies that a loop from `lo` to `hi` makes, if it makes nothing else.
pub(super) fn emit(stmts: Stmts<'_>, var: VarId, lo: &Expr, hi: &Expr, body: &[Stmt]) -> Option<Tokens> {
    let copies = copies(stmts, var, body)?;
    let (lo, hi) = (stmts.exprs.expr(lo), stmts.exprs.expr(hi));
    let copies = copies.iter().map(|c| {
        let (from, to) = (stmts.names.buffer(c.from), stmts.names.buffer(c.to));
        quote!(#to.extend(#from, #lo..#hi);)
    });
    Some(copies.collect())
}

/// A loop of a constant number of iterations that only appends, an element to each array: where they grow, room is asked for
/// once; where they have it, each array's elements are written side by side.
pub(super) fn tile(stmts: Stmts<'_>, var: VarId, lo: &Expr, hi: &Expr, body: &[Stmt]) -> Option<Tokens> {
    let (Expr::Index(0), Expr::Index(n)) = (lo, hi) else { return None };
    let mut appended = vec![];
    for stmt in body {
        let Stmt::Append { buffer, value } = stmt else { return None };
        appended.iter().all(|(b, _)| b != buffer).then(|| appended.push((*buffer, value)))?;
    }
    let mut reads = false;
    visit_exprs(body, &mut |e| reads |= e.buffer().is_some_and(|b| appended.iter().any(|(to, _)| *to == b)));
    let (lane, n, lanes) = (stmts.names.var(var), bare(*n), sized(*n));
    let appends = appended.into_iter().map(|(to, value)| {
        let (name, value) = (stmts.names.buffer(to), stmts.element(to, value));
        if !stmts.names.is_bounded(to) {
            return quote!(#name.push_tile::<#n>(|#lane| #value););
        }
        let len = stmts.names.len(to);
        let count = (!stmts.names.leads(to)).then(|| quote!(#len += #n;));
        quote!(for #lane in 0..#lanes { #name.set(#len + #lane, #value); } #count)
    });
    (!reads).then(|| appends.collect())
}

fn copies(stmts: Stmts<'_>, var: VarId, body: &[Stmt]) -> Option<Vec<Copy>> {
    let program = stmts.names.program;
    let element = |value: &Expr| match value {
        Expr::Load { buffer, index } if **index == Expr::Var(var) => {
            (program.buffer(*buffer).space == Space::Gathered).then_some(*buffer)
        }
        _ => None,
    };
    let (mut named, mut copies) = (vec![], Vec::<Copy>::new());
    for stmt in body {
        match stmt {
            Stmt::Let { var, value } => named.push((*var, element(value)?)),
            Stmt::Append { buffer: to, value } => {
                let from = match value {
                    Expr::Var(v) => named.iter().find(|(name, _)| name == v)?.1,
                    value => element(value)?,
                };
                let grows = !stmts.names.is_bounded(*to) && copies.iter().all(|c| c.to != *to);
                let alike = program.buffer(from).elem == program.buffer(*to).elem;
                (grows && alike).then(|| copies.push(Copy { from, to: *to }))?;
            }
            _ => return None,
        }
    }
    (!copies.is_empty()).then_some(copies)
}

/// What a loop over gathered blocks appends to, if that is all that it does: each coordinate, and its block.
fn block_copies(
    stmts: Stmts<'_>,
    var: VarId,
    (crd, vals): (BufferId, BufferId),
    block: &DenseBlock,
    body: &[Stmt],
) -> Option<[Copy; 2]> {
    let (named, rest) = match body {
        [Stmt::Let { var: name, value }, rest @ ..] if *value == build::load(crd, var) => (Some(*name), rest),
        rest => (None, rest),
    };
    let [Stmt::Let { var: at, value: Expr::Len(len) }, append, append_n, inner] = rest else { return None };
    let Stmt::Append { buffer: to_crd, value } = append else { return None };
    let Stmt::AppendN { buffer: to_vals, count, value: Some(_) } = append_n else { return None };
    let coordinate = *value == build::load(crd, var) || named.is_some_and(|name| *value == Expr::Var(name));
    let grow = [to_crd, to_vals].iter().all(|to| !stmts.names.is_bounded(**to));
    let whole = len == to_crd && *count == block.len() && coordinate && grow;
    // The loops over a block, and where in it they are.
    let (mut inner, mut from, mut to) = (inner, Expr::Var(var), Expr::Var(*at));
    for size in &block.dims {
        let Stmt::For { var, lo: Expr::Index(0), hi, step: 1, body, .. } = inner else { return None };
        let [next] = &body[..] else { return None };
        if hi != size {
            return None;
        }
        (from, to) = (
            build::add(build::mul(from, size.clone()), *var),
            build::add(build::mul(to, size.clone()), *var),
        );
        inner = next;
    }
    let Stmt::Store { buffer, index, value } = inner else { return None };
    let moved = buffer == to_vals && *index == to && *value == build::load(vals, from);
    (whole && moved).then_some([Copy { from: crd, to: *to_crd }, Copy { from: vals, to: *to_vals }])
}

#[cfg(test)]
mod tests {
    use crate::driver::{Options, compile_kernel};
    use crate::emit::rust::native;
    use crate::front::parse_str;

    fn code(text: &str) -> String {
        let compiled = compile_kernel(parse_str(text).unwrap(), &Options::default()).unwrap();
        native(compiled.program.program())
    }

    #[test]
    fn a_tile_is_appended_at_once() {
        let tile = |text: &str, crd: &str, vals: &str| {
            let code = code(text);
            let text: String = code.split_whitespace().collect();
            for (width, acc) in [(128, "acc"), (32, "acc_2"), (8, "acc_3"), (4, "acc_4")] {
                let appends = [crd, vals].concat().replace("WIDTH", &width.to_string()).replace("ACC", acc);
                assert!(text.contains(&appends), "{appends}: {code}");
            }
        };
        tile(
            "fn f(A: Csr<f64>, X: DenseMat<f64>) -> Csr<f64> { Y[i, r] = A[i, j] * X[j, r]; }",
            "Y2_crd.push_tile::<WIDTH>(|lane|(r0+lane)asi32);",
            "Y_vals.push_tile::<WIDTH>(|lane|ACC[lane]);",
        );
        // One length serves both arrays, and is counted after the second one's.
        tile(
            "fn f(A: Csf3<f64>, X: DenseMat<f64>) -> Csf3<f64> { Y[i, j, r] = A[i, j, k] * X[k, r]; }",
            "forlanein0..WIDTH_usize{Y3_crd.set(Y3_crd_len+lane,(r0+lane)asi32);}",
            "forlanein0..WIDTH_usize{Y_vals.set(Y3_crd_len+lane,ACC[lane]);}Y3_crd_len+=WIDTH;",
        );
    }
}
