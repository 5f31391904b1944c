//! `cargo xtask tidy`: import rules, long files, leftovers.

use crate::shell::{Done, root};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What each module of `sparse-core` may import; what is not listed is not allowed. `driver` and `expand` may
/// import all.
const IMPORTS: &[(&str, &[&str])] = &[
    ("scalar", &[]),
    ("work", &[]),
    ("diag", &[]),
    // One enum names what every module can raise, the readers included.
    ("error", &["io", "scalar", "diag"]),
    ("format", &["error", "scalar"]),
    ("tensor", &["format", "error", "scalar", "diag"]),
    ("io", &["tensor", "format", "error", "scalar"]),
    ("rt", &["tensor", "format", "error", "scalar", "work"]),
    ("front", &["format", "error", "scalar", "diag"]),
    ("cin", &["front", "format", "scalar", "diag"]),
    ("schedule", &["cin", "front", "format", "scalar", "diag", "work"]),
    ("llir", &["format", "scalar"]),
    ("looplet", &["cin", "llir", "format", "scalar"]),
    ("lower", &["looplet", "work", "cin", "llir", "front", "format", "scalar", "diag"]),
    ("concurrent", &[]),
    ("emit", &["llir", "format", "scalar", "concurrent"]),
    ("sim", &["llir", "tensor", "format", "error", "scalar"]),
];

/// A file longer than this is more than one idea.
const LINES: usize = 400;
/// A file longer than this is an error.
const MAX_LINES: usize = 700;

/// Words that say that something is not finished. Written apart, so that this file passes.
const LEFTOVERS: &[&str] = &[
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X:"),
    concat!("todo", "!("),
    concat!("unimple", "mented!("),
    concat!("dbg", "!("),
];

/// Checks the workspace.
pub(crate) fn run() -> Done {
    let root = root();
    let mut files = Vec::new();
    for package in ["sparse-core", "sparse-macros", "sparse-gpu", "examples", "tests", "bench", "xtask"] {
        collect(&root.join(package), &mut files);
    }
    files.sort();
    let mut wrong = Vec::new();
    let mut long = 0;
    for file in &files {
        let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        let name = file.strip_prefix(&root).unwrap_or(file).display().to_string();
        let lines = text.lines().count();
        if lines > MAX_LINES {
            wrong.push(format!("{name}: {lines} lines; split it by ideas"));
        } else if lines > LINES {
            long += 1;
            println!("note: {name}: {lines} lines");
        }
        for (n, line) in text.lines().enumerate() {
            if let Some(word) = LEFTOVERS.iter().find(|w| line.contains(**w)) {
                wrong.push(format!("{name}:{}: `{word}` left over", n + 1));
            }
        }
        if let Some(module) = module_of(file, &root) {
            imports(&module, &text, &name, &mut wrong);
        }
    }
    for w in &wrong {
        println!("{w}");
    }
    println!(
        "{} files, {long} of them long; {} passed, {} failed",
        files.len(),
        files.len() - wrong.len().min(files.len()),
        wrong.len()
    );
    if wrong.is_empty() { Ok(()) } else { Err(format!("tidy: {} mistakes", wrong.len())) }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.filter_map(|e| Some(e.ok()?.path())) {
        if path.is_dir() && !path.ends_with("target") && !path.ends_with("golden") {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}

/// The module of `sparse-core` that a file belongs to.
fn module_of(file: &Path, root: &Path) -> Option<String> {
    let inside = file.strip_prefix(root.join("sparse-core/src")).ok()?;
    let first = inside.iter().next()?.to_string_lossy();
    let name = first.strip_suffix(".rs").unwrap_or(&first);
    (!["lib", "driver", "expand"].contains(&name)).then(|| name.to_string())
}

/// Checks the paths that begin with `crate::`, but for unit tests, which may use everything.
fn imports(module: &str, text: &str, name: &str, wrong: &mut Vec<String>) {
    if name.ends_with("tests.rs") || name.contains("/tests/") {
        return;
    }
    let Some((_, allowed)) = IMPORTS.iter().find(|(m, _)| *m == module) else {
        wrong.push(format!("{name}: `{module}` is not in the list of modules; say what it may import"));
        return;
    };
    let code = text.split("#[cfg(test)]").next().unwrap_or(text);
    for (n, line) in code.lines().enumerate() {
        let line = line.split("//").next().unwrap_or(line);
        for used in crate_paths(line) {
            if used != module
                && !allowed.contains(&used)
                && used.starts_with(|c: char| c.is_ascii_lowercase())
            {
                wrong.push(format!("{name}:{}: `{module}` may not import `{used}`", n + 1));
            }
        }
    }
}

/// The first segment of every path below `crate`.
fn crate_paths(line: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    for (at, _) in line.match_indices("crate::") {
        let before = line[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let rest = &line[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            found.extend(group.split([',', '}']).map(|p| segment(p.trim())));
        } else {
            found.insert(segment(rest));
        }
    }
    found.remove("");
    found
}

fn segment(path: &str) -> &str {
    let end = path.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(path.len());
    &path[..end]
}
