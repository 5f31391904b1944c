//! Where libraries of the CUDA toolkit may be: in the system, in the toolkit, or in the wheels of a Python environment.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A library that is looked for.
pub struct Library {
    /// What its files are called, without what the system adds: `nvrtc` of `libnvrtc.so.12`.
    stem: &'static str,
    /// Names for the system's loader, the newest first.
    names: &'static [&'static str],
    /// Wheels that bring it, below `nvidia`, the newest CUDA first.
    wheels: &'static [&'static str],
}

/// The compiler of kernels.
pub const NVRTC: Library = Library {
    stem: "nvrtc",
    #[cfg(not(windows))]
    names: &["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"],
    #[cfg(windows)]
    names: &["nvrtc64_130_0.dll", "nvrtc64_120_0.dll"],
    wheels: &["cu13", "cuda_nvrtc"],
};

/// NVIDIA's kernels of sparse matrices. CUDA 13 brings version 12 too.
pub const CUSPARSE: Library = Library {
    stem: "cusparse",
    #[cfg(not(windows))]
    names: &["libcusparse.so.12", "libcusparse.so"],
    #[cfg(windows)]
    names: &["cusparse64_12.dll"],
    wheels: &["cu13", "cusparse"],
};

impl Library {
    /// Everything that may be the library, the best first. Names without a folder are for the system's loader.
    pub fn everywhere(&self) -> impl Iterator<Item = PathBuf> {
        let system = self.names.iter().map(PathBuf::from);
        // Folders are read only if what stands before them does not suit.
        let toolkits = std::iter::once_with(toolkits).flatten();
        let wheels = std::iter::once_with(|| prefixes().into_iter().flat_map(|p| self.wheels(&p))).flatten();
        system.chain(toolkits.chain(wheels).flat_map(|folder| self.inside(&folder)))
    }

    /// The libraries in a folder, the newest first; of a file, the file.
    pub fn inside(&self, path: &Path) -> Vec<PathBuf> {
        if !path.is_dir() {
            return vec![path.to_path_buf()];
        }
        let entries = std::fs::read_dir(path).into_iter().flatten();
        let mut found: Vec<_> = entries
            .filter_map(|e| {
                let path = e.ok()?.path();
                Some((self.version(path.file_name()?.to_str()?)?, path))
            })
            .collect();
        found.sort();
        found.into_iter().rev().map(|(_, path)| path).collect()
    }

    /// The version in a file's name, if it is the library's: `libnvrtc.so.12.8.93`. Not NVRTC's builtins, nor the wheel's
    /// other build `libnvrtc.alt.so.12`.
    fn version(&self, name: &str) -> Option<Vec<u32>> {
        let windows = || name.strip_prefix(self.stem)?.strip_prefix("64_")?.strip_suffix(".dll");
        let numbers = match windows() {
            Some(numbers) => numbers.split('_'),
            None => {
                let rest = name.strip_prefix("lib")?.strip_prefix(self.stem)?.strip_prefix(".so")?;
                rest.trim_start_matches('.').split('.')
            }
        };
        let numbers = numbers.filter(|n| !n.is_empty());
        numbers.map(|n| n.parse().ok()).collect()
    }

    /// The wheels' folders of libraries below a prefix; an environment of conda's keeps libraries in its own folder too.
    fn wheels(&self, prefix: &Path) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let folders = |path: PathBuf| {
            std::fs::read_dir(path).into_iter().flatten().filter_map(|e| Some(e.ok()?.path()))
        };
        let pythons = folders(prefix.join("lib"))
            .filter(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("python")));
        for python in pythons {
            for packages in ["site-packages", "dist-packages"] {
                let nvidia = python.join(packages).join("nvidia");
                for package in self.wheels {
                    let folder = nvidia.join(package).join("lib");
                    found.extend(folder.is_dir().then_some(folder));
                }
            }
        }
        if prefix.join("conda-meta").is_dir() {
            found.push(prefix.join("lib"));
        }
        found
    }
}

/// The CUDA toolkit's folders of libraries.
fn toolkits() -> Vec<PathBuf> {
    let named = ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    let roots = named.chain(cfg!(unix).then(|| PathBuf::from("/usr/local/cuda")));
    roots
        .flat_map(|root| ["lib64", "lib", "bin"].map(|folder| root.join(folder)))
        .filter(|p| p.is_dir())
        .collect()
}

/// Where Python's packages may be installed, the nearest first.
fn prefixes() -> Vec<PathBuf> {
    let named = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let with_python: Vec<_> = std::env::split_paths(&path)
        .filter(|bin| bin.join("python3").exists())
        // Where the interpreter itself is: `bin/python3` of an environment is a link to another one's.
        .flat_map(|bin| {
            let real = std::fs::canonicalize(bin.join("python3")).ok();
            let real = real.and_then(|p| Some(p.parent()?.parent()?.to_path_buf()));
            bin.parent().map(Path::to_path_buf).into_iter().chain(real)
        })
        .collect();
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local"));
    let system = ["/usr/local", "/usr"].map(PathBuf::from);
    let mut seen = BTreeSet::new();
    let all = named.chain(with_python).chain(home).chain(system);
    all.filter(|p| seen.insert(p.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_library_itself_counts() {
        assert_eq!(NVRTC.version("libnvrtc.so.12"), Some(vec![12]));
        assert_eq!(NVRTC.version("libnvrtc.so.12.8.93"), Some(vec![12, 8, 93]));
        assert_eq!(NVRTC.version("libnvrtc.so"), Some(vec![]));
        assert_eq!(NVRTC.version("nvrtc64_120_0.dll"), Some(vec![120, 0]));
        assert_eq!(CUSPARSE.version("libcusparse.so.12.6.3.3"), Some(vec![12, 6, 3, 3]));
        assert_eq!(CUSPARSE.version("cusparse64_12.dll"), Some(vec![12]));
        assert_eq!(CUSPARSE.version("libcusparseLt.so.0"), None);
        for other in ["libnvrtc.alt.so.12", "libnvrtc-builtins.so.12.9", "libnvrtc.so.old", "libcuda.so"] {
            assert_eq!(NVRTC.version(other), None, "{other}");
        }
    }

    #[test]
    fn wheels_are_found_below_a_prefix() {
        let root = std::env::temp_dir().join(format!("sparse-places-{}", std::process::id()));
        let lib = root.join("lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib");
        std::fs::create_dir_all(&lib).unwrap();
        for file in ["libnvrtc.so.12", "libnvrtc-builtins.so.12.9", "libnvrtc.alt.so.12"] {
            std::fs::write(lib.join(file), "").unwrap();
        }
        let found = NVRTC.wheels(&root);
        let libraries = NVRTC.inside(&found[0]);
        std::fs::remove_dir_all(&root).unwrap();
        assert_eq!((found.len(), libraries), (1, vec![lib.join("libnvrtc.so.12")]));
    }

    #[test]
    fn a_newer_cuda_keeps_all_libraries_together() {
        let root = std::env::temp_dir().join(format!("sparse-cu13-{}", std::process::id()));
        let [new, old] = ["cu13", "cusparse"]
            .map(|wheel| root.join("lib/python3.12/dist-packages/nvidia").join(wheel).join("lib"));
        for (folder, file) in
            [(&old, "libcusparse.so.12"), (&new, "libcusparse.so.12"), (&new, "libnvrtc.so.13")]
        {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(folder.join(file), "").unwrap();
        }
        let of = |library: &Library| {
            library.wheels(&root).iter().flat_map(|folder| library.inside(folder)).collect::<Vec<_>>()
        };
        let found = (of(&CUSPARSE), of(&NVRTC));
        std::fs::remove_dir_all(&root).unwrap();
        let cusparse = [&new, &old].map(|folder| folder.join("libcusparse.so.12")).to_vec();
        assert_eq!(found, (cusparse, vec![new.join("libnvrtc.so.13")]));
    }
}
