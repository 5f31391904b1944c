//! Counts the triangles of a graph: a product of sparse matrices, computed where a mask has entries and nowhere else.
//!
//! Edges point from each vertex to its neighbours of higher degree, so that rows are short. Two edges from `i` over `j`
//! to `k` close a triangle if there is an edge from `i` to `k`, which is the mask.
//!
//! `cargo run --release -p examples --bin triangle_count -- [FILE.mtx[.gz]]`

use clap::Parser;
use examples::{Outcome, finish, median_seconds, println, progress, square};
use sparse_gpu::prelude::*;
use std::path::PathBuf;
use std::process::ExitCode;

tensor_kernel! {
    /// How many triangles each edge is the longest side of.
    fn close(L: Csr<i64>) -> Csr<i64> {
        C[i, k] = L[i, k] * L[i, j] * L[j, k];
    }
}

tensor_kernel! {
    fn total(C: Csr<i64>) -> Scalar<i64> {
        s = C[i, k];
    }
}

/// Counts the triangles of a graph, whose edges have no direction.
#[derive(Parser)]
struct Arguments {
    /// Matrix Market file with an entry for each edge; by default, a power-law graph
    file: Option<PathBuf>,
    /// Generate a small graph
    #[arg(long)]
    quick: bool,
}

fn main() -> ExitCode {
    finish(run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Outcome {
    let (name, graph): (_, Csr<f64>) = match &arguments.file {
        Some(file) => (file.display().to_string(), io::read_matrix_market_with(file, progress(file))?),
        None => {
            let (scale, edges) = if arguments.quick { (8, 6) } else { (14, 10) };
            let graph = Csr::from_coordinates(generate::rmat(scale, edges, 1)?)?;
            (format!("R-MAT graph of scale {scale}"), graph)
        }
    };
    let n = square(&name, graph.dims())?;
    let neighbours = neighbours(&graph);
    let edges = upwards(&neighbours)?;
    println!("{name}: {n} vertices, {} edges", edges.stored());

    let closed = close(&edges)?;
    let triangles = total(&closed)?.value()?;
    let seconds = median_seconds(|| close(&edges).map(drop))?;
    println!("  {triangles} triangles over {} edges, {:.3} ms", closed.stored(), seconds * 1e3);
    let expected = count(&neighbours);
    if triangles != expected {
        return Err(format!("the kernel finds {triangles} triangles, a plain loop {expected}").into());
    }
    println!("  verified: a plain loop counts as many");
    Ok(())
}

/// The neighbours of each vertex, in order, itself excepted. What the entries hold, and in which direction they go, is
/// of no matter.
fn neighbours(graph: &Csr<f64>) -> Vec<Vec<usize>> {
    let mut lists = vec![vec![]; graph.dim(0)];
    for ([i, j], _) in graph.iter().filter(|([i, j], _)| i != j) {
        lists[i].push(j);
        lists[j].push(i);
    }
    for list in &mut lists {
        list.sort_unstable();
        list.dedup();
    }
    lists
}

/// Each edge once, from the vertex of lower degree; vertices are numbered by degree, the highest first.
fn upwards(neighbours: &[Vec<usize>]) -> Result<Csr<i64>, Error> {
    let n = neighbours.len();
    let mut by_degree: Vec<usize> = (0..n).collect();
    by_degree.sort_by_key(|&v| std::cmp::Reverse(neighbours[v].len()));
    let mut number = vec![0; n];
    by_degree.iter().enumerate().for_each(|(rank, &v)| number[v] = rank);
    let edges = neighbours.iter().enumerate().flat_map(|(v, list)| list.iter().map(move |&w| (v, w)));
    let up = edges.map(|(v, w)| [number[v], number[w]]).filter(|[v, w]| v > w);
    Csr::from_triplets([n, n], up.map(|edge| (edge, 1)))
}

/// Counts by marking: for each vertex the pairs of its neighbours that are neighbours, all three in order.
fn count(neighbours: &[Vec<usize>]) -> i64 {
    let mut marked = vec![usize::MAX; neighbours.len()];
    let mut triangles = 0;
    for (u, list) in neighbours.iter().enumerate() {
        let after = |v: usize| neighbours[v].iter().copied().filter(move |&w| w > v);
        list.iter().for_each(|&v| marked[v] = u);
        for v in after(u) {
            triangles += after(v).filter(|&w| marked[w] == u).count() as i64;
        }
    }
    triangles
}
