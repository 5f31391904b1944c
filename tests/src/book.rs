//! The book, `docs/`: its code is run as documentation tests, and what it shows of the compiler is what the compiler says.
//!
//! A comment above a `text` block says where its contents come from. `<!-- output NAME -->`: from the code of the chapter,
//! which calls [`output`] in a hidden line. Everything else is made by the test `book`, from a kernel and its commands.
//! `cargo xtask bless` writes the blocks anew.

use std::ops::Range;
use std::path::{Path, PathBuf};

macro_rules! chapters {
    ($($name:ident)*) => {
        /// The chapters whose code is tested, in the order of the book: names of files in `docs/src`, without `.md`.
        pub const CHAPTERS: &[&str] = &[$(stringify!($name)),*];

        #[cfg(doctest)]
        mod code {
            $(
                #[doc = include_str!(concat!("../../docs/src/", stringify!($name), ".md"))]
                #[allow(non_camel_case_types)]
                pub struct $name;
            )*
        }
    };
}

chapters! {
    introduction
    language
    formats
    results
    scheduling
    gpus
    reductions
    tuning
    simulator
    explain
    errors
    performance
    options
    level_format
    command
    testing
}

/// A chapter's file.
pub fn path(chapter: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src").join(chapter).with_extension("md")
}

/// A block of output in a chapter.
pub struct Shown {
    /// What the comment above it says.
    pub source: String,
    /// Where its contents stand in the chapter, without the fences.
    pub range: Range<usize>,
}

/// The blocks of a chapter that say where they come from.
///
/// # Errors
/// The comment below which no `text` block stands.
pub fn shown(chapter: &str) -> Result<Vec<Shown>, String> {
    const OPEN: &str = "```text\n";
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = chapter[at..].find("<!-- ").map(|p| at + p + 5) {
        let end = start + chapter[start..].find(" -->").ok_or("a comment has no end")?;
        let source = chapter[start..end].to_owned();
        let block = end + " -->\n".len();
        if !chapter[block..].starts_with(OPEN) {
            return Err(format!("no `text` block below `<!-- {source} -->`"));
        }
        let block = block + OPEN.len();
        let close = chapter[block..].find("```").ok_or("a block has no end")?;
        found.push(Shown { source, range: block..block + close });
        at = block + close + 3;
    }
    Ok(found)
}

/// Compares what a chapter shows under `<!-- output NAME -->` with what its code printed.
///
/// # Panics
/// If they differ, unless the variable `BLESS` is set: then the chapter is rewritten.
pub fn output(chapter: &str, name: &str, printed: &str) {
    let path = path(chapter);
    let text = std::fs::read_to_string(&path).expect("the chapter is a file");
    let source = format!("output {name}");
    let blocks = shown(&text).expect("comments have blocks");
    let block = blocks.iter().find(|b| b.source == source).expect("the chapter shows the output");
    if let Some(blessed) = compare(&text, block, printed) {
        std::fs::write(&path, blessed).expect("the chapter can be written");
    }
}

/// The chapter with the block as it should be, if `BLESS` is set and it is not.
///
/// # Panics
/// If they differ and `BLESS` is not set.
pub fn compare(chapter: &str, block: &Shown, expected: &str) -> Option<String> {
    let lines: Vec<_> = expected.trim_matches('\n').lines().map(str::trim_end).collect();
    let expected = lines.join("\n") + "\n";
    let found = &chapter[block.range.clone()];
    if found == expected {
        return None;
    }
    assert!(
        std::env::var_os("BLESS").is_some(),
        "`{}` is shown as\n{found}\nbut is\n{expected}\n`cargo xtask bless` writes it anew",
        block.source
    );
    Some(format!("{}{expected}{}", &chapter[..block.range.start], &chapter[block.range.end..]))
}
