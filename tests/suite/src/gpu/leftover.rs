//! The folder of compiled kernels after random ones: as it was before.
//!
//! Random kernels come once, and a run of another seed finds none of them, so that each run would leave some megabytes for ever.
//! What `--compile` has put there is for a run to come, and stays; so does what is compiled for kernels on inputs.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

/// The compiled kernels that a folder had.
pub(super) struct Kept {
    folder: PathBuf,
    files: BTreeSet<OsString>,
}

impl Kept {
    /// Those that a folder has now.
    pub(super) fn of(folder: PathBuf) -> Kept {
        let files = kernels(&folder).collect();
        Kept { folder, files }
    }

    /// Removes those that have been added. Another program that shares the folder compiles again what it has added meanwhile.
    pub(super) fn restore(self) {
        for added in kernels(&self.folder).filter(|file| !self.files.contains(file)) {
            // One that cannot be removed does no harm.
            let _ = std::fs::remove_file(self.folder.join(added));
        }
    }
}

/// The names of a folder's compiled kernels: none if there is no folder yet.
fn kernels(folder: &std::path::Path) -> impl Iterator<Item = OsString> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_kernel = |name: &OsString| std::path::Path::new(name).extension().is_some_and(|e| e == "kernel");
    entries.map(|entry| entry.file_name()).filter(is_kernel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_there_stays() {
        let folder = std::env::temp_dir().join(format!("kept-{}", std::process::id()));
        Kept::of(folder.clone()).restore();
        std::fs::create_dir_all(&folder).unwrap();
        let write = |name: &str| std::fs::write(folder.join(name), "").unwrap();
        write("1.kernel");
        let kept = Kept::of(folder.clone());
        ["1.kernel", "2.kernel", "notes"].into_iter().for_each(write);
        kept.restore();
        let mut left: Vec<_> =
            std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["1.kernel", "notes"]);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
