//! One statement, four GPU algorithms: the schedules of Sgap's table, what becomes of each, and what it costs.
//!
//! `cargo run --release -p examples --bin explain_spmm -- [FILE.mtx[.gz]] [-n COLUMNS] [--source]`
//!
//! For each of DA-SpMM's points: the loops after scheduling, the CUDA kernel, and the simulator's report on the matrix.
//! Rows or entries are balanced over threads (RB, EB), and a row's reduction is serial or parallel (SR, PR).

use clap::Parser;
use examples::{Outcome, finish, println, progress};
use sparse_gpu::prelude::*;
use std::path::PathBuf;
use std::process::ExitCode;

tensor_kernel! {
    /// RB+SR, `<1 row, 4 col>, 1`: a thread has a row and four columns.
    fn rb_sr(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda {
        reorder(i, k, j);
        split(k, ko, ki, 4);
        fuse(i, ko, io);
        split(io, block, thread, 256);
        reorder(block, thread, j, ki);
        parallelize(block, GPUBlock, NoRaces);
        parallelize(thread, GPUThread, NoRaces);
    }
}

tensor_kernel! {
    /// RB+PR, `<1/8 row, 4 col>, 8`: eight lanes share a row and reduce together.
    fn rb_pr(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda {
        reorder(i, k, j);
        split(k, ko, ki, 4);
        fuse(i, ko, io);
        split(io, block, warp, 32);
        pos(j, jpos, A[i, j]);
        split(jpos, jpos0, jpos1, 8);
        reorder(block, warp, jpos1, jpos0, ki);
        parallelize(block, GPUBlock, NoRaces);
        parallelize(warp, GPUWarp, NoRaces);
        parallelize(jpos1, GPUGroup(8), ParallelReduction);
    }
}

tensor_kernel! {
    /// EB+SR, `<8 nnz, 4 col>, 1`: a thread has eight entries, whatever their rows, and four columns.
    fn eb_sr(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda {
        fuse(i, j, f);
        pos(f, fpos, A[i, j]);
        split(fpos, block, fpos1, 2048);
        split(fpos1, thread, nnz, 8);
        split(k, ko, ki, 4);
        reorder(block, ko, thread, nnz, ki);
        parallelize(block, GPUBlock, IgnoreRaces);
        parallelize(ko, GPUBlock, NoRaces);
        parallelize(thread, GPUThread, Atomics);
    }
}

tensor_kernel! {
    /// EB+PR, `<1 nnz, 4 col>, 8`: a lane has an entry, and eight reduce by segments of equal rows.
    fn eb_pr(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda {
        fuse(i, j, f);
        pos(f, fpos, A[i, j]);
        split(fpos, block, fpos1, 256);
        split(k, ko, ki, 4);
        reorder(block, ko, fpos1, ki);
        parallelize(block, GPUBlock, IgnoreRaces);
        parallelize(ko, GPUBlock, NoRaces);
        parallelize(fpos1, GPUGroup(8), Segment);
    }
}

/// Shows what four schedules of one statement become, and what they cost on the simulator.
#[derive(Parser)]
struct Arguments {
    /// A Matrix Market file, plain or gzip; without one, a power-law graph is generated
    file: Option<PathBuf>,
    /// Columns of the dense matrix
    #[arg(short = 'n', long, short_alias = 'N', default_value_t = 4)]
    columns: usize,
    /// Show the whole CUDA source, with the functions that the kernels call
    #[arg(long)]
    source: bool,
    /// Generate a small matrix
    #[arg(long)]
    quick: bool,
}

/// One of the four.
struct Algorithm {
    name: &'static str,
    cin: &'static str,
    source: &'static str,
    kernels: usize,
    run: Multiply,
}

type Multiply =
    fn(&Simulated<Csr<f32>>, &Simulated<DenseMat<f32>>) -> Result<Simulated<DenseMat<f32>>, Error>;

/// A tensor on the simulator.
type Simulated<T> = <T as OnDevice>::On<Sim>;

const ALGORITHMS: [Algorithm; 4] = [
    Algorithm {
        name: "RB+SR <1 row, 4 col>, 1",
        cin: rb_sr::CUDA_CIN,
        source: rb_sr::CUDA_SOURCE,
        kernels: rb_sr::KERNELS.len(),
        run: rb_sr,
    },
    Algorithm {
        name: "RB+PR <1/8 row, 4 col>, 8",
        cin: rb_pr::CUDA_CIN,
        source: rb_pr::CUDA_SOURCE,
        kernels: rb_pr::KERNELS.len(),
        run: rb_pr,
    },
    Algorithm {
        name: "EB+SR <8 nnz, 4 col>, 1",
        cin: eb_sr::CUDA_CIN,
        source: eb_sr::CUDA_SOURCE,
        kernels: eb_sr::KERNELS.len(),
        run: eb_sr,
    },
    Algorithm {
        name: "EB+PR <1 nnz, 4 col>, 8 (Segment)",
        cin: eb_pr::CUDA_CIN,
        source: eb_pr::CUDA_SOURCE,
        kernels: eb_pr::KERNELS.len(),
        run: eb_pr,
    },
];

fn main() -> ExitCode {
    finish(run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Outcome {
    let a: Csr<f32> = match &arguments.file {
        Some(file) => io::read_matrix_market_with(file, progress(file))?,
        None => Csr::from_coordinates(generate::rmat(if arguments.quick { 7 } else { 11 }, 8, 1)?)?,
    };
    let ([rows, cols], columns) = (a.dims(), arguments.columns);
    println!("C[i, k] = A[i, j] * B[j, k]; A: {rows} x {cols}, {} entries, N = {columns}", a.stored());
    let b = DenseMat::try_random([cols, columns], 42)?;
    let sim = Sim::new();
    let (a, b) = (a.to(&sim)?, b.to(&sim)?);
    let mut first: Option<DenseMat<f32>> = None;
    for algorithm in &ALGORITHMS {
        println!("\n=== {}\n\n{}\n", algorithm.name, algorithm.cin);
        println!("{}", if arguments.source { algorithm.source } else { kernels_of(algorithm.source) });
        sim.clear_report();
        let c = (algorithm.run)(&a, &b)?.to_host()?;
        println!("{}", sim.report());
        if sim.report().launches.len() > algorithm.kernels {
            return Err("the simulator launched more than the kernel has".into());
        }
        match &first {
            Some(expected) if !c.approx_eq(expected, 1e-4) => {
                return Err(format!("{} disagrees with {}", algorithm.name, ALGORITHMS[0].name).into());
            }
            Some(_) => {}
            None => first = Some(c),
        }
    }
    println!("\nall four agree");
    Ok(())
}

/// The source without the functions before its first kernel.
fn kernels_of(source: &str) -> &str {
    let kernel = source.find("extern \"C\"").unwrap_or(0);
    // The statement stands in a comment above it.
    source[..kernel].trim_end().rfind('\n').map_or(source, |line| &source[line + 1..])
}
