//! Two layers of graph convolution: `Z = Â·relu(Â·X·W₀)·W₁`, with the sparse products on a CPU, a GPU or the simulator.
//!
//! `cargo run --release -p examples --bin gcn -- [FILE.mtx[.gz]] [--device cpu|sim|cuda]`
//!
//! `Â = D^(-1/2)·(A + I)·D^(-1/2)` is the graph's normalised adjacency matrix (Kipf and Welling, 2017). Everything after
//! it is one function, generic in its device: a kernel is called where its tensors are. The result is checked against
//! plain loops.

use clap::Parser;
use examples::device::DeviceKind;
use examples::{Outcome, finish, println, progress, square};
use sparse_gpu::prelude::*;
use std::path::PathBuf;
use std::process::ExitCode;

tensor_kernel! {
    /// H = X·W
    fn project(X: DenseMat<f32>, W: DenseMat<f32>) -> DenseMat<f32> {
        H[v, c] = X[v, f] * W[f, c];
    }
}

tensor_kernel! {
    /// S = Â·H: each vertex sums its neighbours' features. On a GPU eight lanes share a vertex, four features each.
    fn aggregate(A: Csr<f32>, H: DenseMat<f32>) -> DenseMat<f32> {
        S[v, c] = A[v, u] * H[u, c];
    }
    schedule cuda {
        reorder(v, c, u);
        split(c, co, ci, 4);
        fuse(v, co, vo);
        split(vo, block, warp, 32);
        pos(u, upos, A[v, u]);
        split(upos, upos0, upos1, 8);
        reorder(block, warp, upos1, upos0, ci);
        parallelize(block, GPUBlock, NoRaces);
        parallelize(warp, GPUWarp, NoRaces);
        parallelize(upos1, GPUGroup(8), ParallelReduction);
    }
}

tensor_kernel! {
    fn relu(S: DenseMat<f32>) -> DenseMat<f32> {
        R[v, c] = max(S[v, c], 0);
    }
}

/// Classifies the vertices of a graph by two layers of graph convolution with random weights.
#[derive(Parser)]
struct Arguments {
    /// A graph's adjacency matrix in Matrix Market format; without one, a power-law graph is generated
    file: Option<PathBuf>,
    /// Where to compute
    #[arg(long, value_enum, default_value_t)]
    device: DeviceKind,
    /// Generate a small graph
    #[arg(long)]
    quick: bool,
}

const FEATURES: usize = 32;
const HIDDEN: usize = 16;
const CLASSES: usize = 7;

fn main() -> ExitCode {
    finish(run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Outcome {
    let graph: Csr<f32> = match &arguments.file {
        Some(file) => io::read_matrix_market_with(file, progress(file))?,
        None => Csr::from_coordinates(generate::rmat(if arguments.quick { 7 } else { 13 }, 8, 1)?)?,
    };
    let name = arguments.file.as_ref().map_or("the graph".into(), |f| f.display().to_string());
    let vertices = square(&name, graph.dims())?;
    let network = Network {
        adjacency: normalised(&graph)?,
        features: DenseMat::try_random([vertices, FEATURES], 1)?,
        first: DenseMat::try_random([FEATURES, HIDDEN], 2)?,
        second: DenseMat::try_random([HIDDEN, CLASSES], 3)?,
    };
    println!("{name}: {vertices} vertices, {} edges with loops", network.adjacency.stored());
    let scores = match arguments.device {
        DeviceKind::Cpu => network.forward()?,
        DeviceKind::Sim => {
            let sim = Sim::new();
            let scores = network.to(&sim)?.forward()?.to_host()?;
            println!("{}", sim.report());
            scores
        }
        DeviceKind::Cuda => {
            let gpu = Cuda::new(0)?;
            println!("on {}", gpu.name());
            network.to(&gpu)?.forward()?.to_host()?
        }
    };
    let expected = network.plainly();
    let worst = scores.vals().iter().zip(&expected).map(|(a, b)| (*a as f64 - b).abs()).fold(0.0, f64::max);
    let scale = expected.iter().fold(1e-30, |m: f64, x| m.max(x.abs()));
    if worst.is_nan() || worst > 1e-4 * scale {
        return Err(format!("an error of {worst:e}, where scores are up to {scale:e}").into());
    }
    println!("verified against plain loops: largest error {:.1e} of the largest score", worst / scale);
    let mut sizes = [0usize; CLASSES];
    for row in scores.vals().chunks_exact(CLASSES) {
        let best = (0..CLASSES).max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap_or(0);
        sizes[best] += 1;
    }
    println!("vertices by class: {sizes:?}");
    Ok(())
}

/// A graph, its vertices' features, and the weights of two layers.
struct Network<D: Device> {
    adjacency: Tensor<f32, (Dense, Compressed), D>,
    features: Tensor<f32, (Dense, Dense), D>,
    first: Tensor<f32, (Dense, Dense), D>,
    second: Tensor<f32, (Dense, Dense), D>,
}

impl<D: Device> Network<D>
where
    project::Kernel: RunsOn<D>,
    aggregate::Kernel: RunsOn<D>,
    relu::Kernel: RunsOn<D>,
{
    /// The scores of every vertex for every class.
    fn forward(&self) -> Result<Tensor<f32, (Dense, Dense), D>, Error> {
        let hidden = relu(&aggregate(&self.adjacency, &project(&self.features, &self.first)?)?)?;
        aggregate(&self.adjacency, &project(&hidden, &self.second)?)
    }
}

impl Network<Host> {
    /// The same on another device.
    fn to<D: Memory>(&self, device: &D) -> Result<Network<D>, Error> {
        Ok(Network {
            adjacency: self.adjacency.to(device)?,
            features: self.features.to(device)?,
            first: self.first.to(device)?,
            second: self.second.to(device)?,
        })
    }

    /// The scores by plain loops in double precision.
    fn plainly(&self) -> Vec<f64> {
        let matrix = |m: &DenseMat<f32>| m.vals().iter().map(|&x| x as f64).collect::<Vec<_>>();
        let hidden = self.layer(&matrix(&self.features), &matrix(&self.first), HIDDEN);
        let hidden: Vec<f64> = hidden.into_iter().map(|x| x.max(0.0)).collect();
        self.layer(&hidden, &matrix(&self.second), CLASSES)
    }

    fn layer(&self, x: &[f64], w: &[f64], out: usize) -> Vec<f64> {
        let vertices = self.adjacency.dim(0);
        let inner = w.len() / out;
        let mut h = vec![0.0; vertices * out];
        for v in 0..vertices {
            for f in 0..inner {
                for c in 0..out {
                    h[v * out + c] += x[v * inner + f] * w[f * out + c];
                }
            }
        }
        let mut sums = vec![0.0; vertices * out];
        for ([v, u], a) in self.adjacency.iter() {
            for c in 0..out {
                sums[v * out + c] += a as f64 * h[u * out + c];
            }
        }
        sums
    }
}

/// `D^(-1/2)·(A + I)·D^(-1/2)`, where all entries of `A` count as 1 and `D` has the row sums.
fn normalised(graph: &Csr<f32>) -> Outcome<Csr<f32>> {
    let vertices = graph.dim(0);
    let others = graph.iter().map(|(at, _)| at).filter(|[v, u]| v != u);
    let edges: Vec<[usize; 2]> = others.chain((0..vertices).map(|v| [v, v])).collect();
    let mut degree = vec![0.0f32; vertices];
    for &[v, _] in &edges {
        degree[v] += 1.0;
    }
    let weight = |[v, u]: [usize; 2]| 1.0 / (degree[v] * degree[u]).sqrt();
    Ok(Csr::from_triplets(graph.dims(), edges.into_iter().map(|at| (at, weight(at))))?)
}
