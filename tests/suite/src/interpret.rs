//! The executor that needs no compiler: kernel text → program → interpreter, or simulator of a GPU.

use crate::case::Case;
use crate::command::{Command, breaks_promise};
use crate::differential::{Run, Stop};
use crate::oracle;
use crate::pattern::Pattern;
use crate::reach;
use crate::spread::Spread;
use sparse_core::cin::copies::warnings;
use sparse_core::diag::Diagnostics;
use sparse_core::driver::{self, Options};
use sparse_core::error::Error;
use sparse_core::format::Fill;
use sparse_core::front::ast::Kernel;
use sparse_core::front::command::{Platform, Schedule};
use sparse_core::front::{self, ast};
use sparse_core::llir::kernel::WARP;
use sparse_core::llir::walk::{visit_exprs, visit_stmts};
use sparse_core::llir::{Collective, Elem, Expr, Program, Step, Stmt, Verified, Write};
use sparse_core::lower;
use sparse_core::scalar::{BinaryOp, Value};
use sparse_core::sim::{self, Arg, Fault, Limits, RunError};
use sparse_core::tensor::DynTensor;

/// More statements than any case needs: a loop that does not end is a failure, not a hang.
const STEPS: u64 = 100_000_000;

/// Where coordinates are far apart, so many are enough for what goes over entries alone.
const FAR_STEPS: u64 = 2_000_000;

/// Compiles and interprets a case, with the compiler's default choices and with others. No runs at all are of a kernel
/// that was compiled only: its schedule ignores a race, or promises a size that the tensors do not have, which the call
/// has to refuse.
///
/// # Errors
/// The compiler's refusal, or what is broken.
pub fn interpret(case: &Case) -> Result<Vec<Run>, Stop> {
    let narrow = [&[4, 2][..], &[2], &[16, 2]][sizes(case) % 3].to_vec();
    let part_work = [1, 7, 1 << 9][sizes(case) / 3 % 3];
    let default = Way { choices: "", lower: lower::Options::default(), serial: false };
    let mut ways = vec![default.clone()];
    if case.platform == Platform::Cuda {
        ways[0].lower = gpu_lowering(case);
    } else if case.schedule.is_empty() {
        let lower = lower::Options { gallop: true, lanes: vec![], part_work, ..default.lower.clone() };
        ways.push(Way { choices: "(galloping, without lanes, serial)", lower, serial: true });
        let lower = lower::Options { lanes: narrow, part_work: 1, ..default.lower };
        ways.push(Way { choices: "(narrow lanes)", lower, ..default });
    } else {
        let lower = lower::Options { gallop: true, lanes: narrow, part_work, ..default.lower.clone() };
        ways.push(Way { choices: "(galloping, narrow lanes)", lower, ..default });
    }
    let kernel = parsed(&case.kernel_text())?;
    let (mut runs, mut programs) = (Vec::new(), Vec::new());
    for way in &ways {
        let program = program(case, &kernel, way)?;
        runs.extend(interpret_with(case, way, &program)?);
        programs.push(program);
    }
    runs.extend(interpret_far_apart(case, &programs[0])?);
    Ok(runs)
}

/// What the compiler makes of a kernel.
fn program(case: &Case, kernel: &Kernel, way: &Way) -> Result<Verified, Stop> {
    let mut kernel = kernel.clone();
    if way.serial {
        kernel.cpu = Schedule::None;
    }
    compiled(case, kernel, &way.lower)?.ok_or_else(|| {
        let message = "a race is ignored: it is compiled, but its result is nobody's to say".into();
        Stop::Refused { code: "not-run".into(), message }
    })
}

/// Runs the case with its coordinates far apart; `None` if it has none that can be.
fn interpret_far_apart(case: &Case, program: &Verified) -> Result<Option<Run>, Stop> {
    let Some((spread, far)) = far_apart(case, program) else { return Ok(None) };
    // A step of a launch is one of up to 32 threads.
    let steps = if case.platform == Platform::Cuda { FAR_STEPS / 32 } else { FAR_STEPS };
    let ran = match sim::run_with(program, &arguments(&far)?, Limits { steps }) {
        Ok(result) => Ok(spread.gather(case, &result)?),
        // Loops over all coordinates of a dimension, or launches: of infinite fills, of a copy's rows.
        Err(RunError::Program(e))
            if matches!(e.fault, Fault::StepLimit { .. } | Fault::GridTooLarge { .. }) =>
        {
            return Ok(None);
        }
        ran => ran,
    };
    let run = run_of(case, "(coordinates far apart)", ran)?;
    let on_gpu = (case.platform == Platform::Cuda).then(|| "coordinates far apart on a GPU".to_owned());
    Ok(run.map(|run| Run { did: on_gpu.into_iter().collect(), ..run }))
}

/// The case with its coordinates far apart; `None` if it has none that can be, or what is about all coordinates: promises of a
/// size, workspaces that hold fills.
pub fn far_apart(case: &Case, program: &Verified) -> Option<(Spread, Case)> {
    let about_all = |c: &Command| matches!(c.name.as_str(), "bound" | "precompute");
    if case.schedule.iter().any(about_all) || is_open_everywhere(case) {
        return None;
    }
    let size = if allocates(program.program()) { 1 << 17 } else { i32::MAX as usize };
    let spread = Spread::new(case, size)?;
    let far = spread.apply(case);
    Some((spread, far))
}

/// Is it open whether the fill is what is computed where nothing is stored? A quotient by zero is an infinity of either sign.
fn is_open_everywhere(case: &Case) -> bool {
    let divides = case.assignment.rhs.any(|e| matches!(e, ast::Expr::Binary(BinaryOp::Div, ..)));
    divides && matches!(case.output().spec.fill, Fill::PosInf | Fill::NegInf)
}

/// Are there arrays of a length that may be a dimension's?
fn allocates(program: &Program) -> bool {
    let mut found = program.steps.iter().any(|s| matches!(s, Step::Allocate { .. }));
    for block in program.steps.iter().filter_map(Step::code) {
        visit_stmts(block, &mut |s| found |= matches!(s, Stmt::Alloc { .. }));
    }
    found
}

/// Choices for a case of the GPU: one way of co-iteration each, as launches take the simulator longer than loops.
pub fn gpu_lowering(case: &Case) -> lower::Options {
    let (default, sizes) = (lower::Options::default(), sizes(case));
    let gallop = sizes % 4 == 3;
    let (row_classes, merged_classes) = (case.row_classes.clone(), case.row_classes.clone());
    // All rows at a time, or few, with room for the tables of some of them.
    let (table_threads, table_places) = match sizes % 3 {
        0 => (default.table_threads, default.table_places),
        _ => (32 << (sizes % 5), 1 << (sizes % 11)),
    };
    // Blocks are small, as the matrices are.
    let search_threads = if sizes % 2 == 0 { 32 } else { default.search_threads };
    // Tables in shared memory, or of few places there, or none.
    let table_bytes = [default.table_bytes, 0, 1 << 10, 4 << 10][sizes / 5 % 4];
    // Lists by bounds, or by what the host waits for.
    let list_elements = [default.list_elements, 0, 1 << (sizes % 9)][sizes / 3 % 3];
    lower::Options {
        gallop,
        row_classes,
        merged_classes,
        table_threads,
        table_places,
        table_bytes,
        long_rows: [2, 8, default.long_rows][sizes / 7 % 3],
        piece_work: [2, 16, default.piece_work][sizes / 2 % 3],
        search_threads,
        thread_terms: [1, default.thread_terms][sizes % 2],
        list_elements,
        ..default
    }
}

/// Something that varies between cases.
fn sizes(case: &Case) -> usize {
    case.vars.iter().map(|v| v.1).sum()
}

/// The compiler's choices.
#[derive(Clone)]
struct Way {
    choices: &'static str,
    lower: lower::Options,
    /// Without the default schedule.
    serial: bool,
}

/// Interprets a case.
fn interpret_with(case: &Case, way: &Way, program: &Verified) -> Result<Option<Run>, Stop> {
    let args = arguments(case)?;
    let ran = sim::run_with(program, &args, Limits { steps: STEPS });
    // Updates of floats that come in any order round as they come.
    let open = case.dtype.is_float() && updates(program.program());
    if let (Ok(result), true) = (&ran, takes_places(program.program()) && !open) {
        repeats(case, way, program, &args, result)?;
    }
    let run = run_of(case, way.choices, ran)?;
    Ok(run.map(|run| Run { did: reach::launched(case, program.program()), ..run }))
}

/// Do all threads of a GPU fill one workspace?
pub fn scatters_whole(program: &Program) -> bool {
    program.launches().any(|launch| launch.name.contains("_scatter_"))
}

/// Do threads of a GPU take places in an order that is not known?
fn takes_places(program: &Program) -> bool {
    let mut found = false;
    for block in program.steps.iter().filter_map(Step::code) {
        visit_stmts(block, &mut |s| found |= matches!(s, Stmt::Fetch { .. }));
    }
    found
}

/// Are values combined with what others combine with?
fn updates(program: &Program) -> bool {
    let mut found = false;
    for launch in program.launches() {
        visit_stmts(&launch.body, &mut |s| {
            found |= match s {
                Stmt::Atomic { buffer, .. } => matches!(program.buffer(*buffer).elem, Elem::Scalar(_)),
                Stmt::StoreVector { update, .. } => update.is_some(),
                Stmt::Collective(Collective::Reduce { write, .. }) => !matches!(write, Write::Sole(_)),
                _ => false,
            };
        });
    }
    found
}

/// Are factors taken out of sums, which launches do not do? Then they are rounded otherwise.
fn factors(program: &Verified) -> bool {
    let (mut found, mut sums) = (false, vec![]);
    let blocks = || program.program().steps.iter().filter_map(Step::code);
    for block in blocks() {
        visit_stmts(block, &mut |s| match s {
            Stmt::Assign { var, value: Expr::Binary(_, a, b) } => found |= a.is_var(*var) || b.is_var(*var),
            Stmt::Update { var, .. } => sums.push(*var),
            _ => {}
        });
    }
    // Or is a sum a factor of what is added to another one?
    for block in blocks() {
        visit_exprs(block, &mut |e| {
            if let Expr::Binary(BinaryOp::Mul, a, b) = e {
                found |= sums.iter().any(|sum| a.is_var(*sum) || b.is_var(*sum));
            }
        });
    }
    found
}

/// The result has the same bytes whatever the order of blocks and warps, and those that one thread of the CPU makes.
fn repeats(case: &Case, way: &Way, program: &Verified, args: &[Arg], result: &DynTensor) -> Result<(), Stop> {
    // Signs of zeros and all.
    let bytes = |t: &DynTensor| format!("{t:?}");
    let limits = Limits { steps: STEPS };
    let seed = sizes(case) as u64;
    let again = sim::run_shuffled(program, args, limits, seed).map_err(|e| broken("shuffled run", e))?;
    if bytes(&again) != bytes(result) {
        return Err(broken("order", format!("another result with seed {seed}")));
    }
    // Without a schedule its loops may be others than the statement's own, and these again others than the CPU's.
    let kernel = driver::packed(parsed(&case.kernel_text())?);
    let own = driver::concretize_kernel(&kernel).ok();
    let default = |target| match case.schedule.is_empty() {
        true => driver::default_loops(&kernel, target).ok(),
        false => own.clone(),
    };
    let loops = default(Platform::Cuda);
    let other_loops = loops != own;
    let schedules = [Some(Schedule::None), other_loops.then_some(Schedule::Default)];
    let mut found = Ok(());
    for schedule in schedules.into_iter().flatten() {
        let fewer = other_loops || scatters_whole(program.program());
        found = same_as_on_cpu(case, way, args, result, schedule, fewer);
        if found.is_ok() {
            break;
        }
    }
    // Where no CPU has these loops, nobody else sums in their order.
    let alone = other_loops && loops != default(Platform::Cpu);
    if alone { Ok(()) } else { found }
}

/// May one loop merge the operands of a sum in one place, and a lattice in the other? A lattice simplifies what each set of them
/// leaves.
fn adds_many(case: &Case) -> bool {
    let mut sparse = 0;
    case.assignment.rhs.for_each_access(&mut |a| {
        sparse += usize::from(!case.tensors[a.tensor.index()].spec.is_dense());
    });
    sparse >= 3
        && case.assignment.rhs.any(|e| matches!(e, ast::Expr::Binary(BinaryOp::Add | BinaryOp::Sub, ..)))
}

/// Are the bytes those that the CPU makes with a schedule? Fewer may be stored where what is scattered is the result: sums
/// without terms are not scattered, which loops store that come to them. So they may be by other loops than the statement's own,
/// which the CPU may run and a GPU not, as a GPU sums more terms by rows.
fn same_as_on_cpu(
    case: &Case,
    way: &Way,
    args: &[Arg],
    result: &DynTensor,
    schedule: Schedule,
    may_be_fewer: bool,
) -> Result<(), Stop> {
    let mut kernel = parsed(&case.kernel_text())?;
    kernel.cpu = schedule;
    let on_cpu = Case { platform: Platform::Cpu, ..case.clone() };
    let serial = compiled(&on_cpu, kernel, &way.lower)?;
    let Some(serial) = serial.filter(|p| !factors(p)) else { return Ok(()) };
    let limits = Limits { steps: STEPS };
    let expected = sim::run_with(&serial, args, limits).map_err(|e| broken("run on the CPU", e))?;
    // But for signs of zeros, which are equal: a table holds what is scattered first as it is. So does a NaN stay where nothing
    // is reduced, and the infinity that `min` or `max` begins with is in its place elsewhere, or an infinite fill, which
    // has no number beside it where a workspace does not hold it. The sign of a zero is that of what is divided by it, too.
    let same = |(a, b): (&Value, &Value)| {
        let of = [a.to_f64(), b.to_f64()];
        a == b || of.iter().all(|v| v.is_nan() || v.is_infinite())
    };
    // Teams add long sums up in an order of their own, and one loop over many operands their terms: then they are rounded otherwise.
    let teams = case.row_classes.iter().any(|c| c.threads >= WARP);
    let rounded = (teams || adds_many(case)) && oracle::evaluate(case).iter().any(|n| n.error > 0.0);
    let all = expected.vals.len() == result.vals.len()
        && (rounded || expected.vals.iter().zip(&result.vals).all(same));
    // A block is there where loops come to it. Where an operand is copied for each row, a GPU copies it for all: its loops come to
    // the rows alone that have something.
    let blocks = case.output().spec.levels.last().is_some_and(|l| l.is_full());
    let copies = || {
        let kernel = driver::packed(parsed(&case.kernel_text()).ok()?);
        driver::concretize_kernel(&kernel).ok().map(|cin| !warnings(&kernel, &cin).is_empty())
    };
    // What is read from an array is there wherever it is read: entries are stored that the statement alone has no terms for.
    let array = |c: &Command| c.name == "precompute" && c.args.get(4).is_none_or(|format| format == "Dense");
    let more = expected.levels != result.levels && case.schedule.iter().any(array);
    let open = blocks && copies() == Some(true) || more;
    let fill = case.output().spec.fill.value(case.dtype);
    let elements = |t: &DynTensor| -> Vec<(Vec<usize>, Value)> {
        t.iter().map(|(at, v)| (at.to_vec(), v)).filter(|(_, v)| *v != fill).collect()
    };
    let fewer = || {
        let (a, b) = (elements(&expected), elements(result));
        let mut pairs = a.iter().zip(&b);
        may_be_fewer
            && a.len() == b.len()
            && pairs.all(|(a, b)| a.0 == b.0 && (rounded || same((&a.1, &b.1))))
    };
    match open || all && expected.levels == result.levels || fewer() {
        true => Ok(()),
        false => Err(broken("order of sums", "not what one thread makes")),
    }
}

/// The kernel of a text.
pub(crate) fn parsed(text: &str) -> Result<Kernel, Stop> {
    front::parse_str(text).map_err(|f| refused(&f.diagnostics))
}

/// A kernel's program for the case's platform; `None` if its schedule ignores a race on a GPU: threads of a CPU update what
/// they share atomically.
pub(crate) fn compiled(
    case: &Case,
    kernel: Kernel,
    lower: &lower::Options,
) -> Result<Option<Verified>, Stop> {
    let options = Options { lower: lower.clone(), ..Options::default() };
    let compiled = match case.platform {
        Platform::Cpu => driver::compile_kernel(kernel, &options),
        // Any of the programs that a rule chooses among is right for all tensors.
        Platform::Cuda => driver::compile_gpu(kernel, &options).map(|mut variants| {
            let chosen = sizes(case) / 4 % variants.all.len();
            variants.all.swap_remove(chosen)
        }),
    };
    let compiled = compiled.map_err(|d| refused(&d))?;
    let races = case.platform == Platform::Cuda && !compiled.program.program().ignored_races.is_empty();
    Ok((!races).then_some(compiled.program))
}

/// What a case is called with.
pub(crate) fn arguments(case: &Case) -> Result<Vec<Arg>, Stop> {
    let tensors = case.tensors.iter().filter(|t| t.mode != ast::Mode::Result).map(|t| {
        t.tensor(case.dtype).map(Arg::Tensor).map_err(|e| broken("tensor", format!("{}: {e}", t.name)))
    });
    tensors.chain(case.scalars.iter().map(|s| Ok(Arg::Scalar(s.1)))).collect()
}

/// What came out of a run; `None` if it had to end with an error, and did: a broken promise, a result that its format
/// cannot hold.
pub(crate) fn run_of(
    case: &Case,
    choices: &'static str,
    ran: Result<DynTensor, RunError>,
) -> Result<Option<Run>, Stop> {
    if breaks_promise(&case.schedule, &case.vars) {
        return match ran {
            Err(RunError::Tensor(Error::BrokenBound { .. })) => Ok(None),
            Err(e) => Err(broken("promise", e)),
            Ok(_) => Err(broken("promise", "a broken promise was not noticed")),
        };
    }
    if let Err(RunError::Tensor(Error::NotOneEntry { .. })) = ran {
        // A level that has one entry below each parent cannot hold every result.
        let pattern = Pattern::new(case, &oracle::evaluate(case));
        if pattern.is_none_or(|p| p.fits(case.dtype) != Some(true)) {
            return Ok(None);
        }
    }
    if let Err(RunError::Tensor(Error::FusedTooLong { sizes, .. })) = &ran {
        let coordinates = sizes.iter().fold(1_u128, |n, size| n.saturating_mul(*size as u128));
        if coordinates > 1 << 62 {
            return Ok(None);
        }
    }
    let result = ran.map_err(|e| match e {
        RunError::InvalidResult(e) => broken("result storage", e),
        e => broken("run", e),
    })?;
    if result.dims != case.output().dims {
        return Err(broken("dimensions", format!("{:?} for {:?}", result.dims, case.output().dims)));
    }
    result.validate().map_err(|e| broken("result storage", e))?;
    let values = result.to_dense_values().map_err(|e| broken("result storage", e))?;
    let stored = (!result.spec.is_dense()).then(|| result.iter().map(|entry| entry.0).collect());
    Ok(Some(Run { choices, values, stored, did: vec![] }))
}

fn refused(d: &Diagnostics) -> Stop {
    let code = d.iter().next().map_or("", |d| d.code);
    if code.is_empty() {
        broken("compiler", "refused without a reason")
    } else if code == "internal" {
        broken("compiler", d)
    } else {
        Stop::Refused { code: code.into(), message: d.to_string() }
    }
}

pub(crate) fn broken(part: &'static str, message: impl std::fmt::Display) -> Stop {
    Stop::Broken { part, message: message.to_string() }
}
