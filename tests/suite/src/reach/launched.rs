//! What a case's programs do.

use crate::case::Case;
use sparse_core::cin::grid::RowClass;
use sparse_core::llir::walk::{visit_exprs, visit_stmts};
use sparse_core::llir::{
    Bound, Cmp, Collective, Elem, Expr, FetchOp, IndexOp, Init, Launch, Program, Step, Stmt,
};
use sparse_core::scalar::Monoid;

/// What a case's program does, in words that are counted.
pub fn launched(case: &Case, program: &Program) -> Vec<String> {
    let found = [
        merges(program),
        vectors(program),
        tables(program),
        pieces(program),
        masks(case, program),
        blocks(program),
        fibers(program),
        gaps(program),
        sums(case, program),
        lanes(case, program),
        arrays(case, program),
    ];
    [teams(case, program), found.concat()].concat()
}

/// Do threads have parts of sums without a schedule?
fn sums(case: &Case, program: &Program) -> Vec<String> {
    let names = ["part", "blocks"];
    let mut named = false;
    for launch in program.launches() {
        visit_stmts(&launch.body, &mut |s| {
            named |= s.declared().any(|var| names.contains(&program.var(var).name.as_str()));
        });
    }
    (named && case.schedule.is_empty()).then(|| "parts of a sum by default".to_owned()).into_iter().collect()
}

/// Do eight lanes share rows of dense operands without a schedule?
fn lanes(case: &Case, program: &Program) -> Vec<String> {
    let mut shared = false;
    for launch in program.launches() {
        visit_stmts(&launch.body, &mut |s| {
            shared |= matches!(s, Stmt::Collective(Collective::Reduce { group, segments: None, .. }) if group.size == 8);
        });
    }
    let found = shared && case.schedule.is_empty() && case.tensors.iter().all(|t| t.spec.is_dense());
    found.then(|| "rows of dense operands on lanes by default".to_owned()).into_iter().collect()
}

/// Do launches fill dense workspaces outside of all loops, or add to the result what would be in one?
fn arrays(case: &Case, program: &Program) -> Vec<String> {
    // Sums of the statement are `t0` and so on, what is precomputed `w0`.
    let is_workspace = |name: &str| {
        let number = name.strip_prefix(['t', 'w']).unwrap_or_default();
        !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit())
    };
    let mut filled: Vec<(&str, &Launch)> = vec![];
    for launch in program.launches() {
        let own = launch.name.strip_prefix(&program.name).and_then(|rest| rest.strip_prefix('_'));
        let name = own.and_then(|own| own.split('_').next()).filter(|name| is_workspace(name));
        filled.extend(name.filter(|name| !filled.iter().any(|f| f.0 == *name)).map(|name| (name, launch)));
    }
    let (mut atomic, mut added) = (false, false);
    for (name, launch) in &filled {
        added |= !program.buffers.iter().any(|b| b.name == *name);
        visit_stmts(&launch.body, &mut |s| {
            atomic |= matches!(s, Stmt::Atomic { .. } | Stmt::StoreVector { update: Some(_), .. });
        });
    }
    let why = if case.schedule.is_empty() { "by default" } else { "scheduled" };
    let mut found = vec![];
    let mut say = |is: bool, what: &str| found.extend(is.then(|| format!("{what}, {why}")));
    say(!added && !filled.is_empty(), "an array filled before");
    say(filled.len() > 1, "several launches before");
    say(added, "a sum added to the result");
    say(atomic, "what is filled before by atomic updates");
    found
}

/// Where blocks have tables of pieces of rows.
fn pieces(program: &Program) -> Vec<String> {
    let made = program.launches().filter(|l| l.name.contains("_pieces_"));
    let shares = |l: &Launch| l.shared.iter().any(|b| program.buffer(*b).name.contains("crd_shared"));
    let place = |l: &Launch| if shares(l) { "in shared memory" } else { "on the device" };
    made.map(|l| format!("rows in pieces, tables {}", place(l))).collect()
}

/// Are workspaces masked: because the compiler takes factors out of a sum, or by schedule?
fn masks(case: &Case, program: &Program) -> Vec<String> {
    let why = if case.schedule.is_empty() { "by default" } else { "scheduled" };
    let masked = program.workspaces.iter().any(|w| w.masked);
    masked.then(|| format!("a masked workspace, {why}")).into_iter().collect()
}

/// Are blocks of a workspace found once for all that goes there, or for each element?
fn blocks(program: &Program) -> Vec<String> {
    fn find(block: &[Stmt], found: &mut Vec<String>) {
        if block.iter().any(|s| matches!(s, Stmt::Place { .. })) {
            let whole = block.iter().any(|s| matches!(s, Stmt::For { .. }));
            let what = if whole { "blocks found as a whole" } else { "blocks found by elements" };
            found.push(what.to_owned());
        }
        block.iter().flat_map(Stmt::blocks).for_each(|inner| find(inner, found));
    }
    let mut found = vec![];
    program.steps.iter().filter_map(Step::code).for_each(|block| find(block, &mut found));
    found.dedup();
    found
}

/// Is a fiber looked up that loops come to again?
fn fibers(program: &Program) -> Vec<String> {
    let mut looks = false;
    for block in program.steps.iter().filter_map(Step::code) {
        visit_stmts(block, &mut |s| looks |= matches!(s, Stmt::Alloc { init: Init::Kept, .. }));
    }
    looks.then(|| "a fiber by its table".to_owned()).into_iter().collect()
}

/// Are rows combined once where an operand stores nothing, if it stores fewer entries than there are coordinates?
fn gaps(program: &Program) -> Vec<String> {
    let (mut scattered, mut written) = (false, false);
    let once = |s: &Stmt, found: &mut dyn FnMut(&Stmt)| {
        if let Stmt::If { cond: Expr::Cmp(Cmp::Lt, stored, _), then, otherwise } = s
            && matches!(**stored, Expr::IndexOp(IndexOp::Sub, ..))
            && otherwise.is_empty()
        {
            let loops = then.iter().filter(|s| matches!(s, Stmt::For { .. }));
            loops.flat_map(Stmt::blocks).for_each(|body| visit_stmts(body, found));
        }
    };
    for block in program.steps.iter().filter_map(Step::code) {
        visit_stmts(block, &mut |s| {
            once(s, &mut |s| {
                scattered |= matches!(s, Stmt::Scatter { .. });
                written |= matches!(s, Stmt::Reduce { .. });
            });
        });
    }
    let found =
        [(scattered, "rows scattered once for all gaps"), (written, "rows combined once for all gaps")];
    found.into_iter().filter(|(is, _)| *is).map(|(_, what)| what.to_owned()).collect()
}

/// Which teams merge long rows, each of whose lanes has a part.
fn merges(program: &Program) -> Vec<String> {
    let fills = program.launches().filter(|l| l.name.contains("_fill_") && in_parts(program, l));
    let who = fills.map(|launch| match &launch.name {
        name if name.ends_with("_block") => "blocks",
        name if name.ends_with("_warp") => "warps",
        _ => "groups",
    });
    who.map(|who| format!("long rows merged by {who}")).collect()
}

/// Do the lanes of a launch have the parts of rows between samples?
fn in_parts(program: &Program, launch: &Launch) -> bool {
    launch.shared.iter().any(|b| program.buffer(*b).name.ends_with("_sampled"))
}

/// Where rows have their tables, and how teams fill them.
fn tables(program: &Program) -> Vec<String> {
    let mut found = Vec::new();
    for launch in program.launches() {
        let shared = launch.shared.iter().any(|b| program.buffer(*b).name.contains("crd_shared"));
        let (mut claims, mut abreast, mut searches, mut marks) = (false, false, false, false);
        visit_stmts(&launch.body, &mut |s| {
            marks |= matches!(s, Stmt::Fetch { op: FetchOp::Mark, .. });
            claims |= matches!(s, Stmt::Claim { .. });
            abreast |= s.declared().any(|var| program.var(var).name.starts_with("lane_of_part"));
        });
        visit_exprs(&launch.body, &mut |e| searches |= matches!(e, Expr::Search { bound: Bound::Lower, .. }));
        found.extend((claims && abreast && searches).then(|| "entries abreast under a mask".to_owned()));
        found.extend(marks.then(|| "tables in order by marks".to_owned()));
        let place = if shared { "in shared memory" } else { "on the device" };
        found.extend(claims.then(|| format!("teams' tables {place}")));
        found.extend((shared && !claims).then(|| "threads' tables in shared memory".to_owned()));
        found.extend(abreast.then(|| format!("entries abreast, tables {place}")));
    }
    found
}

/// Which of the case's teams of a GPU's threads have rows, or buckets, in launches of their own.
pub fn teams(case: &Case, program: &Program) -> Vec<String> {
    let whole = program.launches().filter(|l| !in_parts(program, l));
    let launches: Vec<&str> = whole.map(|l| l.name.as_str()).collect();
    let mut found = Vec::new();
    for RowClass { threads, .. } in &case.row_classes {
        for (who, of) in [(format!("fill_group{threads}"), "rows"), (format!("_group{threads}"), "buckets")] {
            let does = |name: &&str| name.ends_with(&who) && name.contains("_sort_") == (of == "buckets");
            if launches.iter().any(does) {
                found.push(format!("{of} of groups of {threads}"));
            }
        }
    }
    found
}

/// How the threads of a GPU go to memory for several elements at once.
fn vectors(program: &Program) -> Vec<String> {
    let mut found = Vec::new();
    for launch in program.launches() {
        visit_stmts(&launch.body, &mut |s| {
            let what = match s {
                Stmt::LoadVector { part: Some(_), buffer, .. }
                    if program.buffer(*buffer).elem == Elem::Index =>
                {
                    "coordinates that stand together are a vector"
                }
                Stmt::LoadVector { part: Some(_), .. } => {
                    "vectors of several entries are loaded before any is used"
                }
                Stmt::LoadVector { part: None, .. } => "a vector is loaded",
                Stmt::StoreVector { update: None, .. } => "a vector is stored",
                Stmt::StoreVector { update: Some(Monoid::Add), .. } => {
                    "a vector is added to what others add to"
                }
                Stmt::StoreVector { .. } => "a vector is combined with what others combine with",
                _ => return,
            };
            found.push(what.to_owned());
        });
    }
    found
}
