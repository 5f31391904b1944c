//! Kernels on a GPU, or predicted from the simulator: `bench gpu`, every kernel by every schedule beside NVIDIA's
//! cuSPARSE, `bench sgap` and `bench oopsla`, the tables of two papers.

mod assembled;
mod ceilings;
pub(crate) mod compile;
mod device;
mod dgsparse;
pub(crate) mod fit;
mod generate;
mod goals;
mod inputs;
mod kernel;
mod measure;
pub(crate) mod oopsla;
mod plots;
mod points;
mod problem;
mod profile;
mod results;
mod rivals;
pub(crate) mod sgap;
mod stats;
mod tables;

use crate::error::{Error, Result};
use crate::peers::cusparse::{Cusparse, Element};
use clap::{Args, ValueEnum};
use device::{Gpu, Kind};
use indicatif::{ProgressBar, ProgressStyle};
use inputs::{Input, Sparse};
use kernel::Kernel;
use measure::{Limits, Session};
use points::Point;
use results::Results;
use sparse_core::scalar::DType;
use sparse_gpu::{Cuda, Sim};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What to measure on, and for how long.
#[derive(Args, Clone)]
pub(crate) struct Options {
    /// Where kernels run.
    #[arg(long, value_enum, default_value = "cuda")]
    device: Kind,
    /// The number of the GPU.
    #[arg(long, default_value_t = 0)]
    ordinal: usize,
    /// A folder of `.mtx`, `.mtx.gz`, `.tns` and `.tns.gz` files; without it, generated inputs alone.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Where the results go.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Only inputs whose name contains one of these, as `-large`.
    #[arg(long, value_delimiter = ',', allow_hyphen_values = true)]
    inputs: Vec<String>,
    /// Larger inputs are left out: 2²⁸ on a GPU, 20,000 on the simulator.
    #[arg(long, value_name = "N")]
    max_entries: Option<usize>,
    /// Products of two sparse matrices that have to multiply more pairs of entries are left out: 2²⁸ on a GPU, a million on the
    /// simulator.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=i32::MAX as u64))]
    max_products: Option<u64>,
    /// Samples of which the median counts: 25, or 5 in a quick run. The simulator needs one.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    samples: Option<u16>,
    /// Begins nothing new after so many seconds; what is left out is said.
    #[arg(long, value_name = "SECONDS")]
    time_limit: Option<f64>,
    /// Fewer samples, and of generated inputs the small ones alone.
    #[arg(long)]
    quick: bool,
}

/// What is measured.
#[derive(Args)]
pub(crate) struct Matrix {
    #[command(flatten)]
    options: Options,
    /// A folder for pictures of speedups.
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
    /// Whether the roofline is the device's, measured before anything else, or an H200's by its datasheet.
    #[arg(long, value_enum, default_value = "measure")]
    ceilings: ceilings::Source,
    /// Only these kernels.
    #[arg(long, value_delimiter = ',')]
    kernels: Vec<Kernel>,
    /// Numbers of columns of dense operands; 4 and 32 in a quick run.
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..))]
    columns: Vec<u16>,
    /// Types of elements.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "f32")]
    dtypes: Vec<Dtype>,
    /// Which schedules of ours.
    #[arg(long, value_enum, default_value = "chosen")]
    points: Space,
    /// These schedules instead, in Sgap's notation, or `default`.
    #[arg(long = "point", value_name = "POINT", value_parser = points::named)]
    named: Vec<Point>,
    /// Asks the tuner for a schedule for each case too.
    #[arg(long)]
    tune: bool,
}

/// Types of elements that are measured.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Dtype {
    F32,
    F64,
}

/// Schedules that are measured.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Space {
    /// The compiler's own choice alone.
    Default,
    /// Those that are known to be good somewhere.
    Chosen,
    /// Every legal point of atomic parallelism as well.
    All,
}

impl Dtype {
    fn of(self) -> DType {
        match self {
            Dtype::F32 => DType::F32,
            Dtype::F64 => DType::F64,
        }
    }
}

impl Options {
    /// Opens the device and the file.
    fn session<D: Gpu>(&self) -> Result<Session<D>> {
        if self.ordinal > 0 && self.device == Kind::Sim {
            return Err(Error::OneSimulator);
        }
        let device = D::open(self.ordinal)?;
        println!("device: {}", device.describe());
        let deadline = match self.time_limit {
            None => None,
            Some(s) => Some(Duration::try_from_secs_f64(s).map_err(|_| Error::Budget(s))?),
        };
        let limits = Limits {
            entries: self.max_entries.unwrap_or(D::MOST_ENTRIES),
            products: self.max_products.unwrap_or(D::MOST_PRODUCTS),
            samples: self.samples.map_or(if self.quick { 5 } else { 25 }, usize::from),
            tune: false,
            deadline: deadline.map(|d| Instant::now() + d),
        };
        let bar = ProgressBar::new(0);
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed}<{eta} {msg}");
        bar.set_style(style.unwrap_or(ProgressStyle::default_bar()));
        Ok(Session::new(device, limits, Results::new(self.csv.as_deref())?, bar))
    }

    /// The inputs that are wanted.
    fn inputs(&self) -> Result<Vec<Input>> {
        let mut inputs = inputs::list(self.data.as_deref())?;
        let has = |input: &Input, part: &String| input.name.contains(part.as_str());
        if let Some(unknown) = self.inputs.iter().find(|part| !inputs.iter().any(|i| has(i, part))) {
            return Err(Error::NoInput(unknown.clone()));
        }
        inputs.retain(|i| self.inputs.is_empty() || self.inputs.iter().any(|part| has(i, part)));
        if self.quick {
            inputs.retain(|i| !i.is_generated() || i.name.ends_with("-small"));
        }
        Ok(inputs)
    }
}

impl Matrix {
    /// The points of these kernels that are worth measuring, and nothing else.
    fn of_points(options: Options, kernels: Vec<Kernel>, columns: Vec<u16>) -> Matrix {
        Matrix {
            options,
            plots: None,
            ceilings: ceilings::Source::Datasheet,
            kernels,
            columns,
            dtypes: vec![Dtype::F32],
            points: Space::Chosen,
            named: vec![],
            tune: false,
        }
    }

    fn wants(&self, kernel: Kernel) -> bool {
        self.kernels.is_empty() || self.kernels.contains(&kernel)
    }
}

/// Measures, prints the tables.
pub(crate) fn run(matrix: &Matrix) -> Result<()> {
    match matrix.options.device {
        Kind::Cuda => run_on::<Cuda>(matrix),
        Kind::Sim => run_on::<Sim>(matrix),
    }
}

fn run_on<D: Gpu>(matrix: &Matrix) -> Result<()> {
    let inputs = matrix.options.inputs()?;
    // Before anything is measured.
    matrix.plots.as_deref().map_or(Ok(()), plots::folder)?;
    let mut session = matrix.options.session::<D>()?;
    session.limits.tune = matrix.tune;
    let ceilings = ceilings::ceilings(&session.device, matrix.ceilings)?;
    println!("{}", ceilings.describe());
    let library = library(&session.device);
    if library.is_some() && Kernel::ALL.into_iter().any(|k| k.assembles() && matrix.wants(k)) {
        print!("{}", rivals::ASSEMBLED);
    }
    let measured = everything(matrix, &inputs, &mut session, library.as_ref());
    left_out(&session);
    let cases = &session.results.cases;
    print!("{}", tables::speedups(cases, &ceilings, D::NUMBERS));
    print!("{}", tables::orders(&session.results.orders));
    print!("{}", tables::points(cases, D::NUMBERS));
    let goals = goals::of_kernels(cases, &ceilings);
    print!("{}", goals::table(&goals, D::NUMBERS));
    let data = matrix.options.data.as_deref();
    let (model, deadline) = (session.device.model(), session.limits.deadline);
    print!("{}", profile::missed(&goals, &inputs, data, &model, deadline)?);
    if let Some(folder) = &matrix.plots {
        plots::draw(folder, cases, D::NUMBERS)?;
    }
    finish(&session.results, measured)
}

/// Takes the times of our schedules, for the file alone.
fn times(matrix: &Matrix) -> Result<()> {
    match matrix.options.device {
        Kind::Cuda => times_on::<Cuda>(matrix),
        Kind::Sim => times_on::<Sim>(matrix),
    }
}

fn times_on<D: Gpu>(matrix: &Matrix) -> Result<()> {
    let inputs = matrix.options.inputs()?;
    let mut session = matrix.options.session::<D>()?;
    let measured = everything(matrix, &inputs, &mut session, None);
    left_out(&session);
    finish(&session.results, measured)
}

/// Says what was left out, before the tables: of a long output the end is read.
fn left_out<D: Gpu>(session: &Session<D>) {
    session.bar.finish_and_clear();
    session.results.left_out.iter().for_each(|line| println!("left out: {line}"));
}

/// Fails if anything did, or was stopped.
fn finish(results: &Results, measured: Result<()>) -> Result<()> {
    measured?;
    match () {
        () if !results.wrong.is_empty() => Err(Error::Wrong(results.wrong.clone())),
        () if interrupt::requested() => Err(Error::Stopped),
        () => Ok(()),
    }
}

/// Finds cuSPARSE on a GPU, and says what was found: without it, its columns are missing.
fn library<D: Gpu>(device: &D) -> Option<Cusparse> {
    match Cusparse::new(device.cuda()?) {
        Ok(library) => {
            println!("{}", library.description);
            Some(library)
        }
        Err(e) => {
            println!("cuSPARSE does not take part: {e}");
            None
        }
    }
}

fn everything<D: Gpu>(
    matrix: &Matrix,
    inputs: &[Input],
    session: &mut Session<D>,
    library: Option<&Cusparse>,
) -> Result<()> {
    let kernels: Vec<Kernel> = Kernel::ALL.into_iter().filter(|k| matrix.wants(*k)).collect();
    session.bar.set_length(inputs.len() as u64);
    for input in inputs {
        session.bar.inc(1);
        let here: Vec<Kernel> = kernels.iter().copied().filter(|k| k.order() == input.order).collect();
        if here.is_empty() {
            continue;
        }
        let Some(sparse) = session.load(input)? else { continue };
        if matrix.dtypes.contains(&Dtype::F32) {
            cases(matrix, &here, (input, &sparse), session, library)?;
        }
        if matrix.dtypes.contains(&Dtype::F64) {
            cases(matrix, &here, (input, &sparse.cast::<f64>()), session, library)?;
        }
    }
    Ok(())
}

/// Each once, in the order in which they were asked for.
fn once<T: PartialEq>(asked: &[T]) -> impl Iterator<Item = &T> {
    asked.iter().enumerate().filter(|(at, one)| !asked[..*at].contains(one)).map(|(_, one)| one)
}

/// Every kernel on an input.
fn cases<D: Gpu, T: Element>(
    matrix: &Matrix,
    kernels: &[Kernel],
    (input, sparse): (&Input, &Sparse<T>),
    session: &mut Session<D>,
    library: Option<&Cusparse>,
) -> Result<()> {
    let columns: Vec<usize> = match &matrix.columns[..] {
        [] if matrix.options.quick => vec![4, 32],
        [] => vec![4, 16, 32, 64, 128],
        given => once(given).map(|n| usize::from(*n)).collect(),
    };
    for kernel in kernels.iter().copied() {
        for n in if kernel.has_columns() { columns.clone() } else { vec![1] } {
            let points = match matrix.points {
                _ if !matrix.named.is_empty() => once(&matrix.named).cloned().collect(),
                Space::Default => vec![Point::default_schedule()],
                Space::Chosen => points::chosen(kernel, T::DTYPE, n),
                Space::All => points::all(kernel, T::DTYPE, n)?,
            };
            session.case(kernel, (input, sparse), n, &points, |session, problem, case| match library {
                Some(library) => rivals::cusparse(session, library, problem, case),
                None => Ok(()),
            })?;
        }
    }
    Ok(())
}
