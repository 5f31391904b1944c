//! Shortest paths from one vertex, by relaxing edges in the min-plus semiring until no distance falls.
//!
//! What is not stored is +∞ here: no edge, or a vertex that the last round brought no nearer. Adding to it gives +∞,
//! and the smaller of that and anything is the other, so that the compiler visits stored entries alone.
//!
//! `cargo run --release -p examples --bin shortest_paths -- [FILE.mtx[.gz]] [--from VERTEX]`

use clap::Parser;
use examples::{Outcome, finish, println, progress, square};
use sparse_gpu::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::PathBuf;
use std::process::ExitCode;

tensor_kernel! {
    /// Goes one edge further from the vertices in `f`, whose distances fell in the last round.
    fn relax(
        f: Tensor<f64, Filled<(Compressed,), PosInf>>,
        A: Tensor<f64, Filled<(Dense, Compressed), PosInf>>,
        d: &mut DenseVec<f64>,
    ) {
        d[j] min= f[i] + A[i, j];
    }
}

/// Lengths of edges, from row to column.
type Graph = Tensor<f64, Filled<(Dense, Compressed), PosInf>>;
/// Distances of the vertices that came nearer.
type Frontier = Tensor<f64, Filled<(Compressed,), PosInf>>;

/// Finds the distances of all vertices of a directed graph from one.
#[derive(Parser)]
struct Arguments {
    /// Matrix Market file with the length of the edge from its row to its column; by default, a power-law graph
    file: Option<PathBuf>,
    /// Where the paths begin, counted from 1 as in the file; by default, where most edges do
    #[arg(long)]
    from: Option<usize>,
    /// Generate a small graph
    #[arg(long)]
    quick: bool,
}

fn main() -> ExitCode {
    finish(run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Outcome {
    let (name, graph) = match &arguments.file {
        Some(file) => (file.display().to_string(), io::read_matrix_market_with(file, progress(file))?),
        None => {
            let (scale, edges) = if arguments.quick { (9, 6) } else { (15, 8) };
            let mut graph = Graph::from_coordinates(generate::rmat(scale, edges, 1)?)?;
            graph.vals_mut().iter_mut().for_each(|length| *length = length.abs());
            (format!("R-MAT graph of scale {scale}"), graph)
        }
    };
    let n = square(&name, graph.dims())?;
    if let Some(([i, j], length)) = graph.iter().find(|(_, length)| length.is_nan() || *length < 0.0) {
        let edge = format!("the edge from {} to {} has length {length}", i + 1, j + 1);
        return Err(format!("{name}: {edge}: lengths must not be negative").into());
    }
    let from = match arguments.from {
        Some(v) if (1..=n).contains(&v) => v - 1,
        Some(v) => return Err(format!("{name}: there is no vertex {v}, they go from 1 to {n}").into()),
        None => busiest(&graph),
    };
    println!("{name}: {n} vertices, {} edges, paths from vertex {}", graph.stored(), from + 1);

    let start = std::time::Instant::now();
    let (distances, rounds) = shortest_paths(&graph, from)?;
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    let reached = distances.vals().iter().filter(|d| d.is_finite());
    let farthest = reached.clone().copied().fold(0.0, f64::max);
    println!(
        "  {} reached, the farthest at {farthest}, {rounds} rounds, {milliseconds:.3} ms",
        reached.count()
    );
    verify(&graph, from, &distances)?;
    println!("  verified: Dijkstra's algorithm finds the same distances");
    Ok(())
}

/// The vertex that most edges leave.
fn busiest(graph: &Graph) -> usize {
    let pos = graph.level(1).pos();
    let degree = |&v: &usize| (pos[v + 1] - pos[v], Reverse(v));
    (0..graph.dim(0)).max_by_key(degree).unwrap_or(0)
}

/// Distances from a vertex, and the number of rounds it took.
fn shortest_paths(graph: &Graph, from: usize) -> Result<(DenseVec<f64>, usize), Error> {
    let n = graph.dim(0);
    let mut distances = DenseVec::full([n], f64::INFINITY);
    distances.vals_mut()[from] = 0.0;
    let mut frontier = Frontier::from_triplets([n], [([from], 0.0)])?;
    let mut rounds = 0;
    while frontier.stored() > 0 {
        let before = distances.vals().to_vec();
        relax(&frontier, graph, &mut distances)?;
        let fell = distances.vals().iter().zip(&before).enumerate().filter(|(_, (now, before))| now < before);
        frontier = Frontier::from_triplets([n], fell.map(|(v, (&now, _))| ([v], now)))?;
        rounds += 1;
    }
    Ok((distances, rounds))
}

/// Compares with Dijkstra's algorithm. Both add the lengths of a path from its beginning, so that even the rounding
/// is the same.
fn verify(graph: &Graph, from: usize, distances: &DenseVec<f64>) -> Outcome {
    let mut edges = vec![vec![]; graph.dim(0)];
    graph.iter().for_each(|([i, j], length)| edges[i].push((j, length)));
    let mut expected = vec![f64::INFINITY; graph.dim(0)];
    expected[from] = 0.0;
    // Distances are not negative, and of those the bits are in order.
    let mut queue = BinaryHeap::from([Reverse((0.0f64.to_bits(), from))]);
    while let Some(Reverse((bits, i))) = queue.pop() {
        let distance = f64::from_bits(bits);
        if distance > expected[i] {
            continue;
        }
        for &(j, length) in &edges[i] {
            if distance + length < expected[j] {
                expected[j] = distance + length;
                queue.push(Reverse((expected[j].to_bits(), j)));
            }
        }
    }
    match distances.vals().iter().zip(&expected).position(|(found, expected)| found != expected) {
        None => Ok(()),
        Some(v) => {
            let (found, expected) = (distances.get([v]), expected[v]);
            Err(format!("vertex {} is {found} away, Dijkstra's algorithm says {expected}", v + 1).into())
        }
    }
}
