//! The user's folder of caches: compiled kernels, and the results of tuning.
//!
//! The folder is `SPARSE_CACHE`, or `sparse-gpu` in the platform's folder of caches; set to nothing, `SPARSE_CACHE` turns
//! it off. Files appear at once, so programs that run at the same time do not disturb each other.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The user's; `None` if it is turned off, or the platform has none.
pub(crate) fn folder() -> Option<PathBuf> {
    match std::env::var_os("SPARSE_CACHE") {
        Some(folder) => (!folder.is_empty()).then(|| folder.into()),
        None => Some(platform()?.join("sparse-gpu")),
    }
}

/// Writes a file beside its place and moves it there: nobody sees a part of it. Its folder is made if it is missing.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let beside = path.with_extension(format!("{}-{number}", std::process::id()));
    let written = std::fs::File::create(&beside)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        // What is left of it is in nobody's way: a failure is no matter.
        let _ = std::fs::remove_file(&beside);
    }
    written
}

/// FNV-1a of 128 bits: names files and finds damage. Files hold their keys, so that equal hashes do no harm.
pub(crate) fn hash(bytes: &[u8]) -> u128 {
    const PRIME: u128 = (1 << 88) + 0x13b;
    bytes.iter().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |h, &b| (h ^ b as u128).wrapping_mul(PRIME))
}

/// The platform's folder of caches.
fn platform() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    if cfg!(windows) {
        folder("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        Some(folder("HOME")?.join("Library/Caches"))
    } else {
        folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")))
    }
}
