//! Results that have the same bytes in every run, run after run: those of `Deterministic`, and assembled ones.

use super::device::Gpu;
use sparse_core::error::Result;
use sparse_core::front::ast;
use sparse_core::front::command::{CommandKind, Schedule, Strategy};
use sparse_core::llir::{Array, Program};
use sparse_core::scalar::Value;
use sparse_core::sim::Arg;
use sparse_core::tensor::DynTensor;
use sparse_gpu::launch::{Kernel, run_dynamic};

/// Elements of which a result and its arguments have fewer are made as often as one asks for; larger ones less often.
const SMALL: u64 = 1 << 20;

/// Does the compiler promise that a kernel's result is the same bytes in every run?
pub(super) fn are_promised(kernel: &ast::Kernel, program: &Program) -> bool {
    let deterministic = match &kernel.cuda {
        Schedule::Commands(commands) => commands
            .iter()
            .any(|c| matches!(c.kind, CommandKind::Parallelize { strategy: Strategy::Deterministic, .. })),
        Schedule::Point(point, _) => point.deterministic,
        Schedule::Default | Schedule::None => false,
    };
    let (result, _) = program.output();
    let assembled = program.buffers.iter().any(|b| matches!(b.array, Array::Crd(t, _) if t == result));
    deterministic || assembled
}

/// How often a kernel runs whose tensors have so many elements: twice at least, so that there is something to compare.
pub(super) fn times(wanted: u32, elements: u64) -> u32 {
    let fewer = u64::from(wanted).saturating_mul(SMALL) / elements.max(SMALL);
    (fewer as u32).max(2.min(wanted))
}

/// Runs a kernel so many times: in which run the result has other bytes than in the first, if it has.
///
/// # Errors
/// As [`run_dynamic`].
pub(super) fn differ<D: Gpu>(
    device: &D,
    kernel: &Kernel,
    args: &[Arg],
    times: u32,
) -> Result<Option<String>> {
    // On the simulator runs differ only where blocks and warps come in another order.
    let device = device.unordered();
    let mut first: Option<DynTensor> = None;
    for run in 1..=times {
        let made = run_dynamic(&device, kernel, args)?;
        match &first {
            None => first = Some(made),
            Some(first) => {
                if let Some(what) = difference(first, &made) {
                    return Ok(Some(format!("run {run} of {times} has other bytes than the first: {what}")));
                }
            }
        }
    }
    Ok(None)
}

fn difference(first: &DynTensor, other: &DynTensor) -> Option<String> {
    if first.dims != other.dims || first.levels != other.levels || first.vals.len() != other.vals.len() {
        return Some("the pattern".into());
    }
    let mut pairs = first.vals.iter().zip(&other.vals).enumerate();
    let (at, (a, b)) = pairs.find(|(_, (a, b))| bits(**a) != bits(**b))?;
    Some(format!("value {at} is {b}, and was {a}"))
}

fn bits(v: Value) -> u64 {
    match v {
        Value::F32(v) => v.to_bits().into(),
        Value::F64(v) => v.to_bits(),
        Value::I64(v) => v as u64,
        // Equal numbers of other types have equal bytes.
        v => v.to_f64().to_bits(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparse_core::driver::{Options, compile_cuda};
    use sparse_core::front::parse_str;
    use sparse_core::tensor::{Csr, DenseMat, generate};
    use sparse_gpu::Sim;

    /// Is the result of a schedule promised, and what do runs differ in?
    fn of(schedule: &str) -> (bool, Option<String>) {
        let spmm = "fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> { C[i, k] = A[i, j] * B[j, k]; }";
        let ast = parse_str(&format!("{spmm} {schedule}")).unwrap();
        let kernel = Kernel::new(compile_cuda(ast.clone(), &Options::default()).unwrap().program);
        let a = Csr::<f32>::from_coordinates(generate::uniform(3, 900, 600.0, 1).unwrap()).unwrap();
        let b = DenseMat::<f32>::random([900, 4], 1);
        let args = [Arg::Tensor(DynTensor::from(&a)), Arg::Tensor(DynTensor::from(&b))];
        (are_promised(&ast, kernel.program()), differ(&Sim::new(), &kernel, &args, 10).unwrap())
    }

    #[test]
    fn atomic_sums_differ_and_deterministic_ones_do_not() {
        let (promised, differ) = of("schedule cuda = atomic(<1 nnz, 4 col>, 32);");
        assert!(!promised && differ.is_some_and(|why| why.contains("other bytes than the first")));
        assert_eq!(of("schedule cuda = atomic(<1 nnz, 4 col>, 32, deterministic);"), (true, None));
    }

    #[test]
    fn assembled_results_are_promised() {
        let of = |text: &str| {
            let ast = parse_str(text).unwrap();
            let program = compile_cuda(ast.clone(), &Options::default()).unwrap().program;
            are_promised(&ast, program.program())
        };
        assert!(of("fn f(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> { C[i, k] = A[i, j] * B[j, k]; }"));
        // It has the operand's pattern.
        assert!(!of("fn f(A: Csr<f64>) -> Csr<f64> { C[i, j] = 2.0 * A[i, j]; }"));
    }

    #[test]
    fn large_results_are_made_less_often() {
        assert_eq!((times(100, 10), times(100, 1 << 21), times(100, 1 << 40), times(1, 10)), (100, 50, 2, 1));
    }
}
