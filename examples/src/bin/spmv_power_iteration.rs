//! PageRank: the power iteration `y = d·(P·x + dangling/n) + (1 − d)/n` on a graph, as one sparse kernel a step.
//!
//! `cargo run --release -p examples --bin spmv_power_iteration -- [FILE.mtx[.gz]] [--damping 0.85]`

use clap::Parser;
use examples::{Outcome, finish, println, progress, square};
use sparse_gpu::prelude::*;
use std::path::PathBuf;
use std::process::ExitCode;

tensor_kernel! {
    /// How many edges leave each vertex. The graph is stored by columns: by the vertex that an edge enters.
    fn out_degree(A: Csc<f64>) -> DenseVec<f64> {
        d[i] = A[i, j];
    }
}

tensor_kernel! {
    /// One step: each vertex gives its rank away in equal parts along its edges. What is added is outside the sum.
    fn step(
        A: Csc<f64>,
        x: DenseVec<f64>,
        degree: DenseVec<f64>,
        damping: f64,
        base: f64,
        y: &mut DenseVec<f64>,
    ) {
        y[j] = damping * A[i, j] * x[i] / degree[i] + base;
    }
}

tensor_kernel! {
    /// The rank of the vertices that no edge leaves.
    fn dangling(x: DenseVec<f64>, degree: DenseVec<f64>) -> Scalar<f64> {
        s = x[i] * (degree[i] == 0.0);
    }
}

tensor_kernel! {
    /// |x − y|₁
    fn distance(x: DenseVec<f64>, y: DenseVec<f64>) -> Scalar<f64> {
        s = abs(x[i] - y[i]);
    }
}

/// Ranks the vertices of a directed graph by PageRank.
#[derive(Parser)]
struct Arguments {
    /// Matrix Market file with an entry for each edge, from its row to its column; by default, a power-law graph
    file: Option<PathBuf>,
    /// Share of a rank that follows the edges, below 1
    #[arg(long, default_value_t = 0.85, value_parser = fraction)]
    damping: f64,
    /// Generate a small graph
    #[arg(long)]
    quick: bool,
}

fn fraction(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|v| (0.0..1.0).contains(v));
    value.ok_or_else(|| "expected a number from 0 up to, but not including, 1".into())
}

fn main() -> ExitCode {
    finish(run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Outcome {
    let (name, mut graph): (_, Csc<f64>) = match &arguments.file {
        Some(file) => (file.display().to_string(), io::read_matrix_market_with(file, progress(file))?),
        None => {
            let (scale, edges) = if arguments.quick { (9, 8) } else { (15, 12) };
            let graph = Csc::from_coordinates(generate::rmat(scale, edges, 1)?)?;
            (format!("R-MAT graph of scale {scale}"), graph)
        }
    };
    let n = square(&name, graph.dims())?;
    // An edge is an edge, whatever its weight.
    graph.vals_mut().fill(1.0);
    println!("{name}: {n} vertices, {} edges", graph.stored());

    let rank = power_iteration(&graph, arguments.damping)?;
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| rank.get([b]).total_cmp(&rank.get([a])));
    for &v in order.iter().take(5) {
        println!("  vertex {:>8}  rank {:.6}", v + 1, rank.get([v]));
    }
    let error = verify(&graph, arguments.damping, &rank)?;
    println!("  verified: the ranks sum to 1, and a plain loop over the edges keeps them to {error:.1e}");
    Ok(())
}

/// Steps until the ranks stand still.
fn power_iteration(graph: &Csc<f64>, damping: f64) -> Outcome<DenseVec<f64>> {
    const TOLERANCE: f64 = 1e-10;
    let n = graph.dim(0) as f64;
    let degree = out_degree(graph)?;
    let mut x = DenseVec::full([graph.dim(0)], 1.0 / n);
    let mut y = x.clone();
    // The distance shrinks by the damping in each step, so that this many suffice.
    let most = (TOLERANCE.ln() / damping.max(0.1).ln()).ceil() as usize + 10;
    for iteration in 1..=most {
        let base = (1.0 - damping + damping * dangling(&x, &degree)?.value()?) / n;
        step(graph, &x, &degree, damping, base, &mut y)?;
        let change = distance(&x, &y)?.value()?;
        std::mem::swap(&mut x, &mut y);
        if iteration % 10 == 0 || change < TOLERANCE {
            println!("  step {iteration:>3}: change {change:.1e}");
        }
        if change < TOLERANCE {
            return Ok(x);
        }
    }
    Err(format!("the ranks still change after {most} steps").into())
}

/// How far one more step, by a plain loop over the edges, moves the ranks.
fn verify(graph: &Csc<f64>, damping: f64, rank: &DenseVec<f64>) -> Outcome<f64> {
    let (n, x) = (graph.dim(0), rank.vals());
    let mut degree = vec![0usize; n];
    graph.iter().for_each(|([i, _], _)| degree[i] += 1);
    let lost: f64 = (0..n).filter(|&i| degree[i] == 0).map(|i| x[i]).sum();
    let mut y = vec![(1.0 - damping + damping * lost) / n as f64; n];
    for ([i, j], _) in graph.iter() {
        y[j] += damping * x[i] / degree[i] as f64;
    }
    let moved: f64 = x.iter().zip(&y).map(|(a, b)| (a - b).abs()).sum();
    let total: f64 = x.iter().sum();
    if moved < 1e-9 && (total - 1.0).abs() < 1e-9 {
        Ok(moved)
    } else {
        Err(format!("wrong ranks: they sum to {total}, and one more step moves them by {moved:e}").into())
    }
}
