//! A sparse matrix times a dense one, `C = A·B`: how fast, and is it right?
//!
//! `cargo run --release -p examples --bin spmm -- [FILE.mtx[.gz]]… [-n COLUMNS] [--device cpu|sim|cuda]`

use clap::Parser;
use examples::device::DeviceKind;
use examples::{Outcome, finish, median_seconds, println, progress};
use sparse_gpu::prelude::*;
use std::path::PathBuf;
use std::process::ExitCode;

tensor_kernel! {
    /// C = A·B; on a GPU `<8 nnz, 4 col>, 8`: a lane takes eight entries and four columns, eight lanes join their rows.
    fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda {
        fuse(i, j, f);
        pos(f, fpos, A[i, j]);
        split(fpos, block, fpos1, 2048);
        split(fpos1, warp, fpos2, 256);
        split(fpos2, lane, nnz, 8);
        split(k, ko, ki, 4);
        reorder(block, ko, warp, lane, nnz, ki);
        parallelize(block, GPUBlock, IgnoreRaces);
        parallelize(ko, GPUBlock, NoRaces);
        parallelize(warp, GPUWarp, IgnoreRaces);
        parallelize(lane, GPUGroup(8), Segment);
    }
}

tensor_kernel! {
    /// The same into a matrix that is there already: nothing is allocated, so this is the one to time.
    fn spmm_into(A: Csr<f32>, B: DenseMat<f32>, C: &mut DenseMat<f32>) {
        C[i, k] = A[i, j] * B[j, k];
    }
}

/// Multiplies sparse matrices by a random dense one, checks the results, and measures.
#[derive(Parser)]
struct Arguments {
    /// Matrix Market files, plain or gzip; without any, a power-law graph is generated
    files: Vec<PathBuf>,
    /// Columns of the dense matrix
    #[arg(short = 'n', long, short_alias = 'N', default_value_t = 32)]
    columns: usize,
    /// Generate a small matrix
    #[arg(long)]
    quick: bool,
    /// Where to multiply
    #[arg(long, value_enum, default_value_t)]
    device: DeviceKind,
}

fn main() -> ExitCode {
    finish(run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Outcome {
    if arguments.files.is_empty() {
        let (scale, edges) = if arguments.quick { (9, 8) } else { (16, 16) };
        let a = Csr::from_coordinates(generate::rmat(scale, edges, 1)?)?;
        return report(&format!("R-MAT graph of scale {scale}"), &a, arguments);
    }
    for file in &arguments.files {
        let a = io::read_matrix_market_with(file, progress(file))?;
        report(&file.display().to_string(), &a, arguments)?;
    }
    Ok(())
}

fn report(name: &str, a: &Csr<f32>, arguments: &Arguments) -> Outcome {
    let ([rows, cols], columns) = (a.dims(), arguments.columns);
    println!("{name}: {rows} x {cols}, {} entries, N = {columns}", a.stored());
    let b = DenseMat::try_random([cols, columns], 42)?;
    match arguments.device {
        DeviceKind::Cpu => on_cpu(a, b),
        DeviceKind::Sim => on_simulator(a, &b),
        DeviceKind::Cuda => on_gpu(a, &b),
    }
}

/// What a GPU would do, step by step.
fn on_simulator(a: &Csr<f32>, b: &DenseMat<f32>) -> Outcome {
    let sim = Sim::new();
    let c = spmm(&a.to(&sim)?, &b.to(&sim)?)?.to_host()?;
    println!("{}", sim.report());
    println!("  verified against a plain loop: largest relative error {:.1e}", worst_error(a, b, &c)?);
    Ok(())
}

/// The same function on a GPU, its time by events on the GPU itself.
fn on_gpu(a: &Csr<f32>, b: &DenseMat<f32>) -> Outcome {
    let gpu = Cuda::new(0)?;
    let (a_there, b_there) = (a.to(&gpu)?, b.to(&gpu)?);
    let c = spmm(&a_there, &b_there)?.to_host()?;
    let error = worst_error(a, b, &c)?;
    let seconds = median_seconds(|| {
        spmm(&a_there, &b_there)?;
        gpu.synchronize()
    })?;
    println!("  {}: {:.3} ms, with allocation and filling of the result", gpu.name(), seconds * 1e3);
    println!("  verified against a plain loop: largest relative error {error:.1e}");
    Ok(())
}

fn on_cpu(a: &Csr<f32>, b: DenseMat<f32>) -> Outcome {
    let columns = b.dim(1);
    let mut c = spmm(a, &b)?;
    let error = worst_error(a, &b, &c)?;
    let seconds = median_seconds(|| spmm_into(a, &b, &mut c))?;
    let again = worst_error(a, &b, &c)?;

    let (flops, bytes) = (2 * a.stored() * columns, traffic(a, &b, &c));
    let rate = |n: usize| n as f64 / seconds / 1e9;
    println!("  {:.3} ms, {:.2} GFLOP/s, {:.2} GB/s", seconds * 1e3, rate(flops), rate(bytes));
    println!("  verified against a plain loop: largest relative error {:.1e}", error.max(again));
    Ok(())
}

/// Bytes that have to move at least: every array once.
fn traffic(a: &Csr<f32>, b: &DenseMat<f32>, c: &DenseMat<f32>) -> usize {
    let index = a.level(1).pos().len() + a.level(1).crd().len();
    size_of::<i32>() * index + size_of::<f32>() * (a.stored() + b.stored() + c.stored())
}

/// The largest error of `C`, relative to the sum of magnitudes it is made of, by a loop over the entries in `f64`.
fn worst_error(a: &Csr<f32>, b: &DenseMat<f32>, c: &DenseMat<f32>) -> Outcome<f64> {
    const TOLERANCE: f64 = 1e-4;
    let columns = b.dim(1);
    let (mut sums, mut magnitudes) = (vec![0.0f64; columns], vec![0.0f64; columns]);
    let (mut entries, mut worst) = (a.iter().peekable(), 0.0f64);
    for i in 0..a.dim(0) {
        sums.fill(0.0);
        magnitudes.fill(0.0);
        while let Some(([_, j], v)) = entries.next_if(|([row, _], _)| *row == i) {
            for (k, &x) in b.vals()[j * columns..][..columns].iter().enumerate() {
                let product = v as f64 * x as f64;
                sums[k] += product;
                magnitudes[k] += product.abs();
            }
        }
        for (k, &found) in c.vals()[i * columns..][..columns].iter().enumerate() {
            let error = (found as f64 - sums[k]).abs();
            let same = found as f64 == sums[k] || (found.is_nan() && sums[k].is_nan());
            if !same {
                if error.is_nan() || error > TOLERANCE * magnitudes[k] {
                    return Err(format!("C[{i}, {k}] is {found}, a plain loop gives {}", sums[k]).into());
                }
                worst = worst.max(error / magnitudes[k]);
            }
        }
    }
    Ok(worst)
}
