//! SpMM by the points of atomic parallelism (PAPERS.md, section 1), for any number of columns.

/// A schedule of SpMM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// In the paper's notation: what a thread executes, and how many synchronise.
    pub name: String,
    /// The `schedule cuda`; none for the compiler's own.
    pub schedule: String,
}

impl Point {
    /// The kernel as text.
    pub fn kernel(&self) -> String {
        format!(
            "pub fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {{\n    C[i, k] = A[i, j] * B[j, k];\n}}\n{}",
            self.schedule
        )
    }
}

/// The four algorithms, some of them in several sizes, and the default schedule.
pub fn points() -> Vec<Point> {
    let default = Point { name: "default".into(), schedule: String::new() };
    let all = [
        rows(4),
        row_parts(32, 4, 32),
        row_parts(32, 4, 8),
        row_parts(8, 4, 8),
        entries_atomic(16),
        entry(4, 32),
        entry(4, 8),
        entries(8, 4, 8),
    ];
    [default].into_iter().chain(all).collect()
}

fn point(name: String, commands: &str) -> Point {
    let commands: Vec<String> = commands.lines().map(|c| format!("    {}\n", c.trim())).collect();
    Point { name, schedule: format!("schedule cuda {{\n{}}}\n", commands.concat()) }
}

/// A thread adds up a row for c columns.
fn rows(c: u32) -> Point {
    point(
        format!("<1 row, {c} col>, 1"),
        &format!(
            "split(k, kt, ki, {c});
            reorder(i, kt, j, ki);
            fuse(i, kt, rows);
            split(rows, block, thread, 256);
            parallelize(block, GPUBlock, NoRaces);
            parallelize(thread, GPUThread, NoRaces);"
        ),
    )
}

/// g threads share a row for c columns, and r of them synchronise.
fn row_parts(g: u32, c: u32, r: u32) -> Point {
    let warps = 256 / g;
    point(
        format!("<1/{g} row, {c} col>, {r}"),
        &format!(
            "split(k, kt, ki, {c});
            reorder(i, kt, j, ki);
            fuse(i, kt, rows);
            split(rows, block, warp, {warps});
            pos(j, jpos, A[i, j]);
            split(jpos, part, lane, {g});
            reorder(block, warp, lane, part, ki);
            parallelize(block, GPUBlock, NoRaces);
            parallelize(warp, GPUWarp, NoRaces);
            parallelize(lane, GPUGroup({r}), ParallelReduction);"
        ),
    )
}

/// A thread adds up g entries of a column, row by row.
fn entries_atomic(g: u32) -> Point {
    point(
        format!("<{g} nnz, 1 col>, 1"),
        &format!(
            "fuse(i, j, f);
            pos(f, fpos, A[i, j]);
            split(fpos, block, fpos1, {});
            split(fpos1, warp, nnz, {g});
            split(k, kt, thread, 4);
            reorder(block, kt, warp, thread, nnz);
            parallelize(block, GPUBlock, IgnoreRaces);
            parallelize(kt, GPUBlock, NoRaces);
            parallelize(warp, GPUWarp, IgnoreRaces);
            parallelize(thread, GPUThread, Atomics);",
            64 * g
        ),
    )
}

/// A thread takes an entry for c columns, and r neighbours add up the rows that they meet.
fn entry(c: u32, r: u32) -> Point {
    point(
        format!("<1 nnz, {c} col>, {r}"),
        &format!(
            "fuse(i, j, f);
            pos(f, fpos, A[i, j]);
            split(fpos, block, lane, 256);
            split(k, kt, ki, {c});
            reorder(block, kt, lane, ki);
            parallelize(block, GPUBlock, IgnoreRaces);
            parallelize(kt, GPUBlock, NoRaces);
            parallelize(lane, GPUGroup({r}), Segment);"
        ),
    )
}

/// The same, with g entries a thread.
fn entries(g: u32, c: u32, r: u32) -> Point {
    point(
        format!("<{g} nnz, {c} col>, {r}"),
        &format!(
            "fuse(i, j, f);
            pos(f, fpos, A[i, j]);
            split(fpos, block, fpos1, {});
            split(fpos1, lane, nnz, {g});
            split(k, kt, ki, {c});
            reorder(block, kt, lane, nnz, ki);
            parallelize(block, GPUBlock, IgnoreRaces);
            parallelize(kt, GPUBlock, NoRaces);
            parallelize(lane, GPUGroup({r}), Segment);",
            256 * g
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::named::{Data, agrees_on_gpu};

    #[test]
    fn points_compute_spmm() {
        let a: Vec<([usize; 2], f64)> =
            (0..150).map(|n| ([n % 13, n * n % 17], (n % 5) as f64 + 1.0)).collect();
        let b: Vec<([usize; 2], f64)> = (0..17 * 6).map(|n| ([n / 6, n % 6], (n % 7) as f64 - 3.0)).collect();
        let mut distinct: Vec<(&[usize], f64)> = a.iter().map(|(c, v)| (&c[..], *v)).collect();
        distinct.sort_by(|a, b| a.0.cmp(b.0));
        distinct.dedup_by(|a, b| a.0 == b.0);
        let columns: Vec<(&[usize], f64)> = b.iter().map(|(c, v)| (&c[..], *v)).collect();
        for point in points() {
            let data = [Data::Tensor("A", &[13, 17], &distinct), Data::Tensor("B", &[17, 6], &columns)];
            agrees_on_gpu(&point.kernel(), &data);
        }
    }
}
