//! How long SpMM takes by each of the points, on every matrix: checked, warm, medians, as a table and as a file.

use super::device::{Gpu, Kind};
use super::inputs::{self, Entries, Input};
use super::options::Options;
use super::points::{Point, points};
use crate::rng::Rng;
use sparse_core::driver::{Options as Choices, compile_cuda};
use sparse_core::error::Result;
use sparse_core::front;
use sparse_core::tensor::{Csr, DenseMat};
use sparse_gpu::launch::{Argument, Call, Kernel};
use sparse_gpu::prelude::Dense;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Calls that count, after [`WARM`] that do not.
const CALLS: usize = 25;
const WARM: usize = 3;
/// Calls that are given to the device at once, behind so many fills that keep it busy meanwhile.
const BATCH: usize = 5;
const FILLS: usize = 10;

/// What the file's columns are.
const HEADER: &str = "kernel,input,params,dtype,point,implementation,median_us,bytes,verified\n";

/// Checks and measures, prints the table, writes `spmm.csv` into the folder for tables.
pub(super) fn run<D: Gpu>(options: &Options) -> Result<(), String> {
    let device = D::open(options.ordinal).map_err(|e| e.to_string())?;
    println!("device: {}", device.describe());
    let file = options.out.as_deref().map(create).transpose()?;
    let compiled =
        points().into_iter().map(|point| compile(&device, point)).collect::<Result<Vec<_>, _>>()?;
    let inputs = inputs::list(options)?;
    let (mut table, mut csv, mut wrong) = (Table::default(), HEADER.to_owned(), vec![]);
    let implementation = if options.device == Kind::Sim { "simulated" } else { "ours" };
    for input in inputs.iter().filter(|i| i.rank == 2) {
        let most = options.most_entries();
        let entries = if input.is_larger_than(most) { None } else { Some(input.load()?) };
        let Some(entries) = entries.filter(|e| e.coords.len() <= most) else {
            println!("{}: left out, it has more than {most} entries", input.name);
            continue;
        };
        for &columns in &options.columns {
            let problem = Problem::new(&entries, columns).map_err(|e| format!("{}: {e}", input.name))?;
            for (point, kernel) in &compiled {
                let (fault, median) = match problem.measure(&device, kernel) {
                    Ok((fault, median)) => (fault, median),
                    Err(e) => (Some(e.to_string()), Duration::ZERO),
                };
                let us = median.as_secs_f64() * 1e6;
                let _ = writeln!(
                    csv,
                    "spmm,{},N={columns},f32,\"{}\",{implementation},{us:.2},{},{}",
                    input.name,
                    point.name,
                    problem.bytes(),
                    fault.is_none()
                );
                match fault {
                    None => table.add(input, columns, &point.name, us),
                    Some(fault) => {
                        wrong.push(format!("{}, N = {columns}, {}: {fault}", input.name, point.name))
                    }
                }
            }
        }
        // What has been measured is there even if the rest takes too long.
        if let Some(path) = &file {
            std::fs::write(path, &csv).map_err(|e| format!("{}: {e}", path.display()))?;
        }
    }
    print!("{}", table.text());
    wrong.iter().for_each(|w| println!("wrong: {w}"));
    println!("{} passed, {} failed", table.len(), wrong.len());
    if wrong.is_empty() { Ok(()) } else { Err(format!("{} results are wrong", wrong.len())) }
}

fn create(folder: &Path) -> Result<PathBuf, String> {
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(folder.join("spmm.csv"))
}

fn compile<D: Gpu>(device: &D, point: Point) -> Result<(Point, Kernel), String> {
    let wrong = |e: String| format!("{}: {e}", point.name);
    let kernel = front::parse_str(&point.kernel()).map_err(|f| wrong(f.diagnostics.to_string()))?;
    let program = compile_cuda(kernel, &Choices::default()).map_err(|d| wrong(d.to_string()))?.program;
    let kernel = Kernel::new(program);
    device.prepare(&kernel).map_err(|e| wrong(e.to_string()))?;
    Ok((point, kernel))
}

/// A product to compute, and what comes out: small integers, so that the order of sums does not matter.
struct Problem {
    a: Csr<f32>,
    b: DenseMat<f32>,
    product: Vec<f32>,
}

impl Problem {
    fn new(entries: &Entries, columns: usize) -> Result<Problem> {
        let rng = &mut Rng::new(1, columns as u64);
        let mut value = || [1.0f32, 2.0, 3.0, -1.0, -2.0][rng.below(5)];
        let [rows, inner] = [entries.dims[0], entries.dims[1]];
        let stored: Vec<([usize; 2], f32)> = entries.coords.iter().map(|c| ([c[0], c[1]], value())).collect();
        let dense: Vec<f32> = (0..inner * columns).map(|_| value()).collect();
        let mut product = vec![0.0; rows * columns];
        for ([i, j], v) in &stored {
            let row = &mut product[i * columns..(i + 1) * columns];
            row.iter_mut().zip(&dense[j * columns..]).for_each(|(c, b)| *c += v * b);
        }
        let a = Csr::from_triplets([rows, inner], stored)?;
        Ok(Problem { a, b: DenseMat::from_dense([inner, columns], dense)?, product })
    }

    /// The fewest bytes that an SpMM moves: every array once.
    fn bytes(&self) -> usize {
        4 * (self.a.dim(0) + 1 + 2 * self.a.stored() + self.b.vals().len() + self.product.len())
    }

    /// What is wrong with the first result, and the median time of the calls after it, the result's array made in each.
    fn measure<D: Gpu>(&self, device: &D, kernel: &Kernel) -> Result<(Option<String>, Duration)> {
        let (a, b) = (self.a.to(device)?, self.b.to(device)?);
        let call = || {
            let call = Call::new(kernel, vec![Argument::read(&a), Argument::read(&b)], vec![])?;
            call.result::<f32, (Dense, Dense)>()
        };
        let c = call()?.to_host()?;
        let differs = |(at, (got, expected)): (usize, (&f32, &f32))| {
            (got != expected).then(|| format!("value {at}: expected {expected}, got {got}"))
        };
        let fault = c.vals().iter().zip(&self.product).enumerate().find_map(differs);
        let fault = fault.or_else(|| (c.vals().len() != self.product.len()).then(|| "another size".into()));
        for _ in 0..WARM {
            call()?;
        }
        // SAFETY: it is filled.
        let mut lead = unsafe { device.allocate::<i32>(D::LEAD, Some(0)) }?;
        let mut times = vec![];
        while times.len() < CALLS {
            // Else the time that the host takes to make a call would count too.
            (0..FILLS).try_for_each(|_| device.fill(&mut lead, 1))?;
            let mut marks = vec![];
            for _ in 0..BATCH {
                let before = device.mark()?;
                call()?;
                marks.push((before, device.mark()?));
            }
            for (before, after) in &marks {
                times.push(D::between(before, after)?);
            }
        }
        times.sort();
        Ok((fault, times[times.len() / 2]))
    }
}

/// Microseconds by input and columns, and by point.
#[derive(Default)]
struct Table {
    points: Vec<String>,
    rows: Vec<(String, BTreeMap<usize, f64>)>,
}

impl Table {
    fn add(&mut self, input: &Input, columns: usize, point: &str, us: f64) {
        let at = self.points.iter().position(|p| p == point).unwrap_or_else(|| {
            self.points.push(point.into());
            self.points.len() - 1
        });
        let name = format!("{} N={columns}", input.name);
        if self.rows.last().is_none_or(|(last, _)| *last != name) {
            self.rows.push((name, BTreeMap::new()));
        }
        if let Some((_, row)) = self.rows.last_mut() {
            row.insert(at, us);
        }
    }

    fn len(&self) -> usize {
        self.rows.iter().map(|(_, row)| row.len()).sum()
    }

    fn text(&self) -> String {
        let width = self.rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let mut text = format!("SpMM, f32, median of {CALLS} warm calls in microseconds\n{:width$}", "");
        for point in &self.points {
            let _ = write!(text, "  {point:>10}");
        }
        text.push('\n');
        for (name, row) in &self.rows {
            let _ = write!(text, "{name:width$}");
            for (at, point) in self.points.iter().enumerate() {
                let us = row.get(&at).map_or("-".into(), |us| format!("{us:.1}"));
                let _ = write!(text, "  {us:>0$}", point.len().max(10));
            }
            text.push('\n');
        }
        text
    }
}
