//! `bench compile`: every kernel that the GPU benchmarks run is compiled into the cache on disk, on a machine that needs no GPU.
//! Where the cache is taken to, `SPARSE_CACHE` names it, and nothing is left to compile if NVRTC has the same version there.

use super::kernel::Kernel;
use super::points::{self, Point};
use super::{Dtype, dgsparse, oopsla, sgap};
use crate::error::{Error, Result};
use clap::Args;
use rayon::prelude::*;
use sparse_core::scalar::DType;
use sparse_gpu::Sim;
use sparse_gpu::nvrtc::{AheadError, Compiler};
use std::collections::BTreeSet;
use std::sync::Mutex;

/// For which GPU.
#[derive(Args)]
pub(crate) struct Compile {
    /// The architecture: 90 for `sm_90`, the H100 and the H200.
    #[arg(long, default_value_t = 90)]
    architecture: u32,
    /// Types of elements; those of the papers' tables are `f32` alone.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "f32")]
    dtypes: Vec<Dtype>,
}

/// Compiles, and says how many.
pub(crate) fn run(options: &Compile) -> Result<()> {
    let nvrtc = Compiler::load(None)?;
    nvrtc.check_architecture(options.architecture)?;
    let seen = Mutex::default();
    // Each schedule to its end: a disk that can't be written shows at the first, and what was done until Ctrl-C is kept.
    let (sources, bytes) = everything(&options.dtypes)
        .par_iter()
        .map(|case| compile(&nvrtc, options.architecture, case, &seen))
        .try_reduce(|| (0, 0), |all, more| Ok((all.0 + more.0, all.1 + more.1)))?;
    if interrupt::requested() {
        return Err(Error::Stopped);
    }
    println!("{nvrtc:?}: {sources} sources for sm_{}, {bytes} bytes of code", options.architecture);
    Ok(())
}

/// Names and texts that were met: schedules may come out the same.
type Seen = Mutex<BTreeSet<(String, String)>>;

/// Compiles a kernel's sources that nobody has met into the cache: how many, and how much code.
fn compile(
    nvrtc: &Compiler,
    architecture: u32,
    (kernel, dtype, point): &(Kernel, DType, Point),
    seen: &Seen,
) -> Result<(usize, usize)> {
    let (mut count, mut bytes) = (0, 0);
    for source in sources(*kernel, *dtype, point)? {
        if interrupt::requested() {
            return Err(Error::Stopped);
        }
        if !seen.lock().unwrap_or_else(|e| e.into_inner()).insert(source.clone()) {
            continue;
        }
        let (name, text) = &source;
        let compiled = nvrtc.compile_ahead(text, name, architecture, &[]).map_err(|e| match e {
            AheadError::Jit(e) => Error::Internal(format!("{name}: {e}")),
            e => Error::NotKept(e),
        })?;
        (count, bytes) = (count + 1, bytes + compiled.cubin.len());
    }
    Ok((count, bytes))
}

/// What `bench gpu`, `bench sgap` and `bench oopsla` run on a GPU, but for what the tuner tries.
fn everything(dtypes: &[Dtype]) -> Vec<(Kernel, DType, Point)> {
    let mut all = vec![];
    for kernel in Kernel::ALL {
        for n in if kernel.has_columns() { vec![4, 16, 32, 64, 128] } else { vec![1] } {
            for dtype in dtypes.iter().map(|d| d.of()) {
                all.extend(points::chosen(kernel, dtype, n).into_iter().map(|p| (kernel, dtype, p)));
            }
        }
        all.extend(oopsla::published(kernel).map(|p| (kernel, DType::F32, p)));
    }
    let of_spmm = |p: Point| (Kernel::Spmm, DType::F32, p);
    all.extend(sgap::flexible(&(1..=3).collect()).into_iter().map(of_spmm));
    for n in sgap::WIDE {
        all.extend(dgsparse::space(n, false).iter().filter_map(|c| c.point(n)).map(of_spmm));
    }
    all
}

/// Names and sources of a kernel by a schedule, as they are compiled for a GPU.
fn sources(kernel: Kernel, dtype: DType, point: &Point) -> Result<Vec<(String, String)>> {
    let variants = point.compile(kernel, dtype, &Sim::new())?;
    let of = |k: &sparse_gpu::launch::Kernel| (k.file_name(), k.source().to_owned());
    Ok(variants.kernels().iter().map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each kernel by its default, by points of its own and by those of the tables; no schedule is refused.
    #[test]
    fn every_kernel_is_compiled_ahead() {
        let all = everything(&[Dtype::F32]);
        let default = |kernel| (kernel, DType::F32, Point::default_schedule());
        assert!(Kernel::ALL.into_iter().all(|kernel| all.contains(&default(kernel))));
        let different: BTreeSet<_> = all.iter().map(|(kernel, _, p)| (kernel.name(), &*p.name)).collect();
        let written: Vec<(String, String)> = all
            .par_iter()
            .flat_map(|(kernel, dtype, point)| sources(*kernel, *dtype, point).unwrap())
            .collect();
        assert!(written.len() >= all.len() && written.iter().all(|(_, text)| text.contains("__global__")));
        // Few schedules come out the same.
        let written: BTreeSet<_> = written.into_iter().collect();
        assert!(written.len() > different.len() / 2, "{} of {}", written.len(), different.len());
    }
}
