//! Transposition as an ordinary kernel, from rows to rows, beside `convert`, which knows how formats are laid out.
//!
//! Entries come in the order of the rows and are stored in the order of the columns: the compiler collects them in a
//! workspace, and assembles the result from it.
//!
//! `cargo run --release -p examples --bin transpose -- [FILE.mtx[.gz]] [--device cpu|sim|cuda]`

use clap::Parser;
use examples::device::DeviceKind;
use examples::{Outcome, finish, median_seconds, println, progress};
use sparse_gpu::prelude::*;
use std::path::PathBuf;
use std::process::ExitCode;

tensor_kernel! {
    /// B = Aᵀ
    fn transpose(A: Csr<f64>) -> Csr<f64> {
        B[j, i] = A[i, j];
    }
}

/// Transposes a matrix that is stored by rows.
#[derive(Parser)]
struct Arguments {
    /// Matrix Market file; by default, a matrix without structure
    file: Option<PathBuf>,
    /// Where to compute
    #[arg(long, value_enum, default_value_t)]
    device: DeviceKind,
    /// Generate a small matrix
    #[arg(long)]
    quick: bool,
}

fn main() -> ExitCode {
    finish(run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Outcome {
    let (name, a): (_, Csr<f64>) = match &arguments.file {
        Some(file) => (file.display().to_string(), io::read_matrix_market_with(file, progress(file))?),
        None => {
            let rows = if arguments.quick { 300 } else { 100_000 };
            let a = Csr::from_coordinates(generate::uniform(rows, rows / 2, 8.0, 1)?)?;
            ("a matrix without structure".into(), a)
        }
    };
    println!("{name}: {} x {}, {} entries", a.dim(0), a.dim(1), a.stored());

    match arguments.device {
        DeviceKind::Cpu => {
            verify(&a, &transpose(&a)?)?;
            let kernel = median_seconds(|| transpose(&a).map(drop))?;
            let convert = median_seconds(|| a.convert::<Reordered<(Dense, Compressed), 1, 0>>().map(drop))?;
            println!("  {:.3} ms as a kernel, {:.3} ms by `convert`", kernel * 1e3, convert * 1e3);
        }
        DeviceKind::Sim => {
            let sim = Sim::new();
            verify(&a, &transpose(&a.to(&sim)?)?.to_host()?)?;
            println!("{}", sim.report());
        }
        DeviceKind::Cuda => {
            let gpu = Cuda::new(0)?;
            let there = a.to(&gpu)?;
            verify(&a, &transpose(&there)?.to_host()?)?;
            let seconds = median_seconds(|| {
                transpose(&there)?;
                gpu.synchronize()
            })?;
            println!("  {}: {:.3} ms, with allocation of the result", gpu.name(), seconds * 1e3);
        }
    }
    Ok(())
}

/// A matrix by columns has the arrays that its transposition has by rows, bit by bit: files may hold NaN.
fn verify(a: &Csr<f64>, b: &Csr<f64>) -> Outcome {
    fn arrays<F: Format>(t: &Tensor<f64, F>) -> (&[i32], &[i32], Vec<u64>) {
        (t.level(1).pos(), t.level(1).crd(), t.vals().iter().map(|v| v.to_bits()).collect())
    }
    if arrays(b) != arrays(&a.convert::<Reordered<(Dense, Compressed), 1, 0>>()?) {
        return Err("the transposition differs from the matrix by columns".into());
    }
    if arrays(&transpose(b)?) != arrays(a) {
        return Err("the transposition of the transposition is not the matrix".into());
    }
    println!(
        "  verified: the arrays are those of `convert::<Csc<f64>>()`, and transposing them again gives A"
    );
    Ok(())
}
