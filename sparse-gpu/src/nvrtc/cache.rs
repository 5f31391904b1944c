//! Compiled kernels on disk: the second run of a program compiles nothing.
//!
//! A file of the user's [`folder`] holds what was compiled, whole: a kernel is found only if source, name, options,
//! NVRTC's version and architecture are the same. What is damaged does not count, and is written anew. Where the disk
//! can't be written, nothing is cached.

use super::{Compiled, Version};
use crate::folder::{self, hash};
use std::path::{Path, PathBuf};

/// The first bytes of a file; another layout gets another number.
const MAGIC: &[u8] = b"sparse-gpu kernel 1\n";

/// Everything that what is compiled depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key<'a> {
    pub(crate) source: &'a str,
    pub(crate) name: &'a str,
    pub(crate) architecture: u32,
    pub(crate) options: &'a [&'a str],
    pub(crate) nvrtc: Version,
}

impl Key<'_> {
    fn bytes(&self) -> Vec<u8> {
        let (major, minor) = self.nvrtc;
        let mut bytes = format!("nvrtc {major}.{minor} sm_{}", self.architecture).into_bytes();
        for part in [self.name, self.source].iter().chain(self.options) {
            bytes.extend((part.len() as u64).to_le_bytes());
            bytes.extend(part.as_bytes());
        }
        bytes
    }
}

/// A folder of compiled kernels.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// The user's; `None` if it is turned off, or the platform has no folder for it.
    pub(crate) fn open() -> Option<Cache> {
        folder::folder().map(|folder| Cache { folder })
    }

    fn file(&self, key: &[u8]) -> PathBuf {
        self.folder.join(format!("{:032x}.kernel", hash(key)))
    }

    /// What was compiled before.
    pub(crate) fn load(&self, key: &Key<'_>) -> Option<Compiled> {
        let key = key.bytes();
        let file = std::fs::read(self.file(&key)).ok()?;
        let (body, sum) = file.split_last_chunk::<16>()?;
        if hash(body).to_le_bytes() != *sum {
            return None;
        }
        let rest = body.strip_prefix(MAGIC)?;
        let (stored, rest) = part(rest)?;
        let (log, rest) = part(rest)?;
        let (cubin, rest) = part(rest)?;
        let log = std::str::from_utf8(log).ok()?.to_owned();
        (stored == key && rest.is_empty()).then(|| Compiled { cubin: cubin.to_vec(), log })
    }

    /// The folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Keeps what was compiled.
    ///
    /// # Errors
    /// What the disk reports.
    pub(crate) fn store(&self, key: &Key<'_>, compiled: &Compiled) -> std::io::Result<()> {
        let key = key.bytes();
        let mut file = MAGIC.to_vec();
        for part in [&key[..], compiled.log.as_bytes(), &compiled.cubin] {
            file.extend((part.len() as u64).to_le_bytes());
            file.extend(part);
        }
        let sum = hash(&file);
        file.extend(sum.to_le_bytes());
        folder::write(&self.file(&key), &file)
    }
}

/// A length and so many bytes.
fn part(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = bytes.split_first_chunk::<8>()?;
    rest.split_at_checked(usize::try_from(u64::from_le_bytes(*len)).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: Key<'_> =
        Key { source: "source", name: "k.cu", architecture: 90, options: &["-O3"], nvrtc: (12, 9) };

    fn compiled(n: u8) -> Compiled {
        Compiled { cubin: vec![n; 1000], log: "a log".into() }
    }

    fn with_cache(name: &str, test: impl Fn(&Cache)) {
        let folder = std::env::temp_dir().join(format!("sparse-cache-{name}-{}", std::process::id()));
        test(&Cache { folder: folder.clone() });
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_kernel_is_found_by_everything_it_depends_on() {
        with_cache("keys", |cache| {
            assert_eq!(cache.load(&KEY), None);
            cache.store(&KEY, &compiled(1)).unwrap();
            assert_eq!(cache.load(&KEY), Some(compiled(1)));
            for other in [
                Key { source: "sourceX", ..KEY },
                Key { name: "l.cu", ..KEY },
                Key { architecture: 80, ..KEY },
                Key { options: &["-O", "3"], ..KEY },
                Key { options: &[], ..KEY },
                Key { nvrtc: (12, 8), ..KEY },
            ] {
                assert_eq!(cache.load(&other), None, "{other:?}");
            }
            cache.store(&KEY, &compiled(2)).unwrap();
            assert_eq!(cache.load(&KEY), Some(compiled(2)));
            let left = std::fs::read_dir(&cache.folder).unwrap().count();
            assert_eq!(left, 1, "nothing but the file is left");
        });
    }

    #[test]
    fn damage_anywhere_is_seen() {
        with_cache("damage", |cache| {
            cache.store(&KEY, &compiled(1)).unwrap();
            let path = cache.file(&KEY.bytes());
            let whole = std::fs::read(&path).unwrap();
            for at in 0..whole.len() {
                let mut damaged = whole.clone();
                damaged[at] ^= 4;
                std::fs::write(&path, damaged).unwrap();
                assert_eq!(cache.load(&KEY), None, "byte {at}");
            }
            for len in [0, 5, 16, MAGIC.len() + 20, whole.len() - 1] {
                std::fs::write(&path, &whole[..len]).unwrap();
                assert_eq!(cache.load(&KEY), None, "{len} bytes");
            }
            std::fs::remove_file(&path).unwrap();
            std::fs::create_dir(&path).unwrap();
            assert_eq!(cache.load(&KEY), None);
            assert!(cache.store(&KEY, &compiled(1)).is_err(), "a folder is in the way");
        });
    }

    #[test]
    fn equal_hashes_do_no_harm() {
        with_cache("hashes", |cache| {
            let other = Key { source: "other", ..KEY };
            cache.store(&other, &compiled(1)).unwrap();
            std::fs::rename(cache.file(&other.bytes()), cache.file(&KEY.bytes())).unwrap();
            assert_eq!(cache.load(&KEY), None);
        });
    }

    #[test]
    fn many_threads_see_whole_files() {
        with_cache("threads", |cache| {
            std::thread::scope(|scope| {
                for n in 0..4 {
                    scope.spawn(move || {
                        for _ in 0..100 {
                            cache.store(&KEY, &compiled(n)).unwrap();
                            let found = cache.load(&KEY).unwrap();
                            assert!(found.cubin.iter().all(|&b| b == found.cubin[0]));
                        }
                    });
                }
            });
        });
    }
}
