//! SpMM on the simulated GPU: what each of several schedules costs there, and how fast the simulator is. A power-law
//! matrix of 2¹⁶ rows and about a million entries by four columns.
//!
//! `cargo run --release -p sparse-core --example simulate`, with `-- SCHEDULE` for a schedule of your own.

use sparse_core::driver::{self, Options};
use sparse_core::front;
use sparse_core::sim::{Arg, Limits, run_reporting};
use sparse_core::tensor::{Csr, DenseMat, DynTensor, generate};
use std::error::Error;
use std::time::Instant;

const COLUMNS: usize = 4;

const SCHEDULES: [(&str, &str); 4] = [
    ("default", ""),
    (
        "<1 row, 4 col>, 1",
        "split(i, block, thread, 256); parallelize(block, GPUBlock, NoRaces); parallelize(thread, GPUThread, NoRaces);",
    ),
    (
        "<1/8 row, 4 col>, 8",
        "split(i, block, warp, 32); pos(j, p, A[i, j]); split(p, p0, p1, 8); reorder(block, warp, k, p1, p0); \
         parallelize(block, GPUBlock, NoRaces); parallelize(warp, GPUWarp, NoRaces); \
         parallelize(p1, GPUGroup(8), ParallelReduction);",
    ),
    (
        "<1 nnz, 4 col>, 8",
        "fuse(i, j, f); pos(f, p, A[i, j]); split(p, block, p1, 256); reorder(block, p1, k); \
         parallelize(block, GPUBlock, IgnoreRaces); parallelize(p1, GPUGroup(8), Segment);",
    ),
];

fn main() -> Result<(), Box<dyn Error>> {
    let a = Csr::<f32>::from_coordinates(generate::rmat(16, 16, 1)?)?;
    let size = a.dims()[0];
    let own: Vec<String> = std::env::args().skip(1).collect();
    let args = [Arg::Tensor(DynTensor::from(&a)), Arg::Tensor(dense(size)?)];
    println!("{} entries, {COLUMNS} columns", a.vals().len());
    let schedules: Vec<(&str, &str)> = match &own[..] {
        [] => SCHEDULES.to_vec(),
        own => own.iter().map(|s| ("", &s[..])).collect(),
    };
    for (name, schedule) in schedules {
        println!("\n{name}: {schedule}");
        if let Err(e) = simulate(schedule, &args, a.vals().len()) {
            println!("{e}");
        }
    }
    Ok(())
}

fn dense(size: usize) -> Result<DynTensor, Box<dyn Error>> {
    let b = DenseMat::from_dense([size, COLUMNS], (0..size * COLUMNS).map(|n| (n % 7) as f32).collect())?;
    Ok(DynTensor::from(&b))
}

fn simulate(schedule: &str, args: &[Arg], entries: usize) -> Result<(), Box<dyn Error>> {
    let schedule =
        if schedule.is_empty() { String::new() } else { format!("schedule cuda {{ {schedule} }}") };
    let kernel = format!(
        "fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {{ C[i, k] = A[i, j] * B[j, k]; }} {schedule}"
    );
    let kernel = front::parse_str(&kernel).map_err(|f| f.diagnostics.to_string())?;
    let compiled = driver::compile_cuda(kernel, &Options::default()).map_err(|d| d.to_string())?;
    let start = Instant::now();
    let (c, reports) = run_reporting(&compiled.program, args, Limits::default())?;
    let seconds = start.elapsed().as_secs_f64();
    let difference = largest_difference(&c, args);
    reports.iter().for_each(|r| println!("{r}"));
    let rate = (entries * COLUMNS) as f64 / seconds / 1e6;
    println!(
        "  {seconds:.2} s, {rate:.1} million products a second; largest relative error {difference:.1e}"
    );
    Ok(())
}

/// From the product in `f64`, relative to the sum of magnitudes (there are no negative ones).
fn largest_difference(c: &DynTensor, args: &[Arg]) -> f64 {
    let [Arg::Tensor(a), Arg::Tensor(b)] = args else { return f64::NAN };
    let mut expected = vec![0.0; c.vals.len()];
    for (at, v) in a.iter() {
        for k in 0..COLUMNS {
            expected[at[0] * COLUMNS + k] += v.to_f64() * b.vals[at[1] * COLUMNS + k].to_f64();
        }
    }
    let relative = c.vals.iter().zip(&expected).map(|(c, e)| (c.to_f64() - e).abs() / e.abs().max(1.0));
    relative.fold(0.0, f64::max)
}
