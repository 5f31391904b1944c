//! Rules that hold before any loop order is chosen.

use super::Cin;
use super::algebra::simplify;
use super::nested::Nested;
use super::val::{AccessId, Val};
use crate::diag::{Diagnostic, Diagnostics};
use crate::format::Level;
use crate::front::ast::Kernel;
use crate::scalar::{BinaryOp, DType, Monoid, UnaryOp, Value};

/// Formats that can be read: below a non-unique level, whose equal coordinates are told apart by what follows, only
/// a `Singleton` can stand.
pub fn check_formats(kernel: &Kernel) -> Result<(), Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    for t in &kernel.tensors {
        for pair in t.spec.levels.windows(2) {
            if !pair[0].is_unique() && !matches!(pair[1], Level::Singleton { .. }) {
                diagnostics.push(
                    Diagnostic::new(
                        "unsupported-format",
                        t.name.span(),
                        format!("`{}` has a `{}` level below a `{}` one", t.name, pair[1], pair[0]),
                    )
                    .help("below a non-unique level write `Singleton` or `Singleton<NonUnique>`, or make the level unique"),
                );
            }
        }
    }
    diagnostics.finish(())
}

/// A value where some of its operands store nothing, whichever those are. Those that are terms of the sum alone all do: what
/// the others add takes no infinity away. Of many others only those whose fills are infinite are all looked at, and two at
/// a time.
fn gaps<'a>(kernel: &'a Kernel, nested: &'a Nested, v: &'a Val) -> impl Iterator<Item = Val> + 'a {
    /// Subsets of more operands than this are not all tried.
    const SUBSETS_OF: usize = 8;
    let mut operands: Vec<Operand> = Vec::new();
    for_each_operand(v, true, &mut |access, is_term| {
        let spec = &kernel.tensors[nested.accesses[access.index()].tensor.index()].spec;
        match operands.iter_mut().find(|o| o.access == access) {
            Some(operand) => operand.is_term &= is_term,
            None if spec.is_dense() => {}
            None => operands.push(Operand { access, fill: spec.fill.value(kernel.dtype), is_term }),
        }
    });
    let gone = |v: Val, o: &Operand| v.replace(o.access, o.fill);
    let (terms, mut operands): (Vec<_>, Vec<_>) = operands.into_iter().partition(|o| o.is_term);
    let v = terms.iter().fold(v.clone(), gone);
    let infinite = |o: &Operand| Val::structural(o.fill).is_infinite();
    operands.sort_by_key(|o| !infinite(o));
    let all = operands.len().min(SUBSETS_OF);
    let several = operands.iter().take_while(|o| infinite(o)).count();
    let more = if several > all { several } else { 0 };
    let pairs =
        (0..more).flat_map(move |b| (0..b).map(move |a| vec![a, b])).filter(move |pair| pair[1] >= all);
    let subsets = (0..1usize << all).map(move |gone| (0..all).filter(|k| gone >> k & 1 == 1).collect());
    subsets
        .chain(pairs)
        .map(move |subset: Vec<usize>| subset.into_iter().fold(v.clone(), |v, k| gone(v, &operands[k])))
}

/// An operand that may store nothing.
struct Operand {
    access: AccessId,
    fill: Value,
    /// Is it nothing but a term of the sum that the value is?
    is_term: bool,
}

/// All operands of a value, and whether they are its terms; `is_term`: is the value a term itself?
fn for_each_operand(v: &Val, is_term: bool, f: &mut impl FnMut(AccessId, bool)) {
    match v {
        Val::Access(a) => f(*a, is_term),
        Val::Op(BinaryOp::Add | BinaryOp::Sub, args) => {
            args.iter().for_each(|a| for_each_operand(a, is_term, f));
        }
        Val::Un(UnaryOp::Neg, a) => for_each_operand(a, is_term, f),
        Val::Work(p) if p.nest.op.is_none() => for_each_operand(&p.nest.rhs, is_term, f),
        v => v.for_each_access(&mut |a| f(a, false)),
    }
}

/// Is an infinite fill of integers a number in a workspace that is an array, and a term of a sum there? It would wrap.
pub fn workspace_wraps(kernel: &Kernel, cin: &Cin) -> bool {
    kernel.dtype.is_integer()
        && Nested::from_cin(cin)
            .is_some_and(|n| reads_infinity(kernel, cin, &n, &n.nest.rhs, n.nest.op.is_none()))
}

/// `alone`: is nothing made of the value but what is written?
fn reads_infinity(kernel: &Kernel, cin: &Cin, nested: &Nested, v: &Val, alone: bool) -> bool {
    let inner = |v: &Val, alone| reads_infinity(kernel, cin, nested, v, alone);
    match v {
        Val::Lit(_) | Val::Infinite(_) | Val::Access(_) | Val::Param(_) | Val::Temp(_) => false,
        Val::Un(_, a) | Val::Reduce(_, _, a) => inner(a, false),
        Val::Op(_, args) => args.iter().any(|a| inner(a, false)),
        Val::Work(p) => {
            let array = !cin.workspaces[p.workspace.index()].format.is_sparse();
            let infinite = |v: Val| matches!(simplify(&v, kernel.dtype), Val::Infinite(_));
            (array && !alone && gaps(kernel, nested, &p.nest.rhs).any(infinite))
                || inner(&p.nest.rhs, alone && p.nest.op.is_none())
        }
    }
}

/// Fills of opposite infinities in one sum: it would have no value where neither is stored. And an infinite fill in a
/// sum of integers, which cannot stay infinite.
pub fn check_infinities(kernel: &Kernel, cin: &Cin) -> Option<Diagnostic> {
    let nested = Nested::from_cin(cin)?;
    // Nearly every statement has small constants alone: then the subsets of operands, which are many, need no look.
    if magnitude(kernel, &nested, &nested.nest.rhs).is_some_and(|log2| log2 < FINITE_LOG2) {
        return None;
    }
    for rhs in gaps(kernel, &nested, &nested.nest.rhs) {
        if infinities_meet(&rhs, kernel.dtype) {
            return Some(
                Diagnostic::new(
                    "infinite-fills",
                    kernel.assignment.lhs.span,
                    "fills of +∞ and −∞ meet in a sum here: it has no value where neither operand is stored",
                )
                .help(
                    "give the operands fills that agree in sign, or store one of them densely (`DenseMat`)",
                ),
            );
        }
        if loses_infinity(&rhs, kernel.dtype) {
            return Some(
                Diagnostic::new(
                    "infinite-fills",
                    kernel.assignment.lhs.span,
                    "a fill of +∞ is subtracted in the middle of a sum here, which `u8` has no −∞ to stay at: it would go on from 0",
                )
                .help("subtract it last, from all other terms, use fill `Zero`, or a signed type"),
            );
        }
        if sums_integer_infinity(nested.nest.op, &rhs, kernel.dtype) {
            let dtype = kernel.dtype;
            return Some(
                Diagnostic::new(
                    "infinite-fills",
                    kernel.assignment.lhs.span,
                    format!(
                        "an infinite fill is summed here: the sum would be infinite, and `{dtype}` wraps instead"
                    ),
                )
                .help("reduce with `min=` or `max=`, or use fill `Zero`, or a floating-point type"),
            );
        }
    }
    None
}

/// Two to this is finite in every type of floating-point numbers.
const FINITE_LOG2: f64 = 100.0;

/// The binary logarithm of a bound of all constants that a value can be where operands store nothing: of them all multiplied,
/// each taken as 2 at least, for then their sums are not larger either. `None` if there is an infinite one, or an operator of
/// which no bound is known.
fn magnitude(kernel: &Kernel, nested: &Nested, v: &Val) -> Option<f64> {
    let of = |v: &Val| magnitude(kernel, nested, v);
    let constant = |v: Value| {
        let size = v.to_f64().abs();
        (size.is_finite() && !Val::structural(v).is_infinite()).then(|| size.max(2.0).log2())
    };
    match v {
        Val::Infinite(_) => None,
        Val::Lit(v) => constant(*v),
        Val::Param(_) | Val::Temp(_) => Some(1.0),
        Val::Access(a) => {
            let spec = &kernel.tensors[nested.accesses[a.index()].tensor.index()].spec;
            if spec.is_dense() { Some(1.0) } else { constant(spec.fill.value(kernel.dtype)) }
        }
        Val::Un(UnaryOp::Neg | UnaryOp::Not | UnaryOp::Abs, a) => of(a),
        Val::Un(..) | Val::Op(BinaryOp::Div, _) => None,
        Val::Op(_, args) => args.iter().map(of).sum(),
        Val::Reduce(..) | Val::Work(_) if v.of_nothing(kernel.dtype).is_infinite() => None,
        Val::Reduce(_, _, a) => of(a),
        Val::Work(p) => of(&p.nest.rhs),
    }
}

/// Do constants +∞ and −∞ meet in a sum, or equal ones in a difference? It would have no value, and either would
/// annihilate the other. What is reduced first is such a constant where there is nothing to reduce.
pub fn infinities_meet(v: &Val, t: DType) -> bool {
    match v {
        Val::Lit(_) | Val::Infinite(_) | Val::Access(_) | Val::Param(_) | Val::Temp(_) => false,
        Val::Un(_, a) | Val::Reduce(_, _, a) => infinities_meet(a, t),
        Val::Work(p) => infinities_meet(&p.nest.rhs, t),
        Val::Op(op, args) => {
            let mut found = Vec::new();
            if matches!(op, BinaryOp::Add | BinaryOp::Sub) {
                let args = args.iter().map(|a| simplify(a, t)).collect();
                infinite_terms(&Val::Op(*op, args), t, false, &mut found);
            }
            found.iter().any(|v| *v != found[0]) || args.iter().any(|a| infinities_meet(a, t))
        }
    }
}

/// The infinities among the terms of a sum, with their signs in it.
fn infinite_terms(v: &Val, t: DType, negated: bool, out: &mut Vec<Value>) {
    match v {
        Val::Op(BinaryOp::Add, args) => args.iter().for_each(|a| infinite_terms(a, t, negated, out)),
        Val::Op(BinaryOp::Sub, args) => {
            for (k, a) in args.iter().enumerate() {
                infinite_terms(a, t, negated != (k > 0), out);
            }
        }
        Val::Un(UnaryOp::Neg, a) => infinite_terms(a, t, !negated, out),
        v => out.extend(v.of_nothing(t).infinity().map(|v| if negated { t.opposite_infinity(v) } else { v })),
    }
}

/// Is what a constant ∞ of an unsigned type was subtracted from a term of a sum? It is the number 0, not −∞, which the sum would be
/// whatever else is in it, and in whatever order.
fn loses_infinity(v: &Val, t: DType) -> bool {
    t == DType::U8
        && match v {
            Val::Lit(_) | Val::Infinite(_) | Val::Access(_) | Val::Param(_) | Val::Temp(_) => false,
            Val::Op(op @ (BinaryOp::Add | BinaryOp::Sub), args) => {
                // What follows an infinite term that is subtracted is one more.
                let last = args.len() - 1;
                let followed =
                    *op == BinaryOp::Sub && args.iter().skip(1).take(last - 1).any(|a| is_infinite(a, t));
                followed || args.iter().any(|a| lost(a, t) || loses_infinity(a, t))
            }
            Val::Un(_, a) | Val::Reduce(_, _, a) => loses_infinity(a, t),
            Val::Work(p) => loses_infinity(&p.nest.rhs, t),
            Val::Op(_, args) => args.iter().any(|a| loses_infinity(a, t)),
        }
}

/// Is it a difference that would be −∞?
fn lost(v: &Val, t: DType) -> bool {
    match v {
        Val::Op(BinaryOp::Sub, args) => args.iter().skip(1).any(|a| is_infinite(a, t)),
        Val::Work(p) if p.nest.op.is_none() => lost(&p.nest.rhs, t),
        _ => false,
    }
}

fn is_infinite(v: &Val, t: DType) -> bool {
    simplify(v, t).of_nothing(t).is_infinite()
}

/// Does it sum integers of which one is a constant ∞? Such a sum would have to stay infinite, and integers wrap.
fn sums_integer_infinity(op: Option<Monoid>, v: &Val, t: DType) -> bool {
    let here = op == Some(Monoid::Add) && matches!(simplify(v, t), Val::Infinite(_));
    here || match v {
        Val::Lit(_) | Val::Infinite(_) | Val::Access(_) | Val::Param(_) | Val::Temp(_) => false,
        Val::Un(_, a) => sums_integer_infinity(None, a, t),
        Val::Reduce(m, _, a) => sums_integer_infinity(Some(*m), a, t),
        Val::Work(p) => sums_integer_infinity(p.nest.op, &p.nest.rhs, t),
        Val::Op(_, args) => args.iter().any(|a| sums_integer_infinity(None, a, t)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::concretize_kernel;
    use crate::front::parse_str;

    #[test]
    fn infinite_fills_meet_behind_many_operands() {
        let terms = ["a", "b", "c", "d", "e", "f", "g", "h"].map(|v| format!("A[i, {v}]")).join(" + ");
        let code = |text: &str| {
            let refused = concretize_kernel(&parse_str(text).unwrap()).map(|_| ());
            refused.err().and_then(|d| d.iter().next().map(|d| d.code))
        };
        let vector = |name: &str, fill: &str| format!("{name}: Tensor<f64, Filled<(Compressed,), {fill}>>");
        for fill in ["NegInf", "PosInf"] {
            let (u, v) = (vector("u", "PosInf"), vector("v", fill));
            let text =
                format!("fn f(A: Csr<f64>, {u}, {v}) -> DenseVec<f64> {{ y[i] = {terms} + u[i] + v[i]; }}");
            assert_eq!(code(&text), (fill == "NegInf").then_some("infinite-fills"));
        }
        let wraps = format!(
            "fn f(A: Csr<i32>, B: Tensor<i32, Filled<(Dense, Compressed), PosInf>>) -> DenseVec<i32> {{ y[i] = {terms} + B[i, z]; }}"
        );
        assert_eq!(code(&wraps), Some("infinite-fills"));
        // More of them than all subsets are looked at of.
        let many: Vec<String> = (0..12).map(|n| vector(&format!("u{n}"), "PosInf")).collect();
        let sum = (0..12).map(|n| format!("u{n}[i]")).collect::<Vec<_>>().join(" + ");
        let text = format!(
            "fn f({}, v: {}) -> DenseVec<f64> {{ y[i] = {sum} + v[i]; }}",
            many.join(", "),
            &vector("", "NegInf")[2..]
        );
        assert_eq!(code(&text), Some("infinite-fills"));
    }

    #[test]
    fn an_infinity_that_a_byte_cannot_be_is_not_subtracted_in_a_sum() {
        let refused = |rhs: &str, fill: &str, t: &str| {
            let sparse = ["A", "B"].into_iter().filter(|name| rhs.contains(*name));
            let parameters: String = sparse.map(|name| format!("{name}: Csr<{t}>, ")).collect();
            let text = format!(
                "fn f({parameters}D: Tensor<{t}, Filled<(Dense, Compressed), {fill}>>) -> DenseMat<{t}> {{ R[i, j] = {rhs}; }}"
            );
            concretize_kernel(&parse_str(&text).unwrap()).is_err()
        };
        for rhs in ["A[i, j] - D[i, j] - B[i, j]", "(A[i, j] - D[i, j]) + 1", "1 + (A[i, j] - D[i, j])"] {
            assert!(refused(rhs, "PosInf", "u8"), "{rhs}");
            assert!(!refused(rhs, "One", "u8") && !refused(rhs, "PosInf", "i32"), "{rhs}");
        }
        for rhs in [
            "255 - D[i, j]",
            "A[i, j] + B[i, j] - D[i, j]",
            "A[i, j] - (D[i, j] - 1)",
            "A[i, j] + D[i, j] + B[i, j]",
        ] {
            assert!(!refused(rhs, "PosInf", "u8"), "{rhs}");
        }
    }

    /// Nothing that could be infinite is left out: not what operators make of finite constants.
    #[test]
    fn constants_that_stay_finite_are_known() {
        let of = |text: &str| {
            let kernel = parse_str(text).unwrap();
            let nested = Nested::from_cin(&crate::cin::concretize::concretize(&kernel).unwrap()).unwrap();
            magnitude(&kernel, &nested, &nested.nest.rhs)
        };
        let ones = "Tensor<f32, Filled<(Dense, Compressed), One>>";
        let log2 = |rhs: &str| {
            let of_it =
                |(name, of): (&str, &str)| rhs.contains(name).then(|| format!("{}: {of}", &name[..1]));
            let parameters = [("A[", "Csr<f32>"), ("B[", ones), ("a)", "f32")].into_iter().filter_map(of_it);
            let parameters: Vec<_> = parameters.collect();
            of(&format!("fn f({}) -> DenseMat<f32> {{ C[i, j] = {rhs}; }}", parameters.join(", ")))
        };
        assert_eq!(log2("A[i, j] - B[i, j]"), Some(2.0));
        assert_eq!(log2("max(-A[i, j] * 1024, a) + B[i, j]"), Some(13.0));
        assert!(log2("A[i, j] * 1e30 * 1e30 - B[i, j]").unwrap() > FINITE_LOG2);
        for rhs in
            ["A[i, j] / B[i, j] - 1", "exp(A[i, j]) * B[i, j]", "ln(A[i, j]) + B[i, j]", "A[i, j] - inf"]
        {
            assert_eq!(log2(rhs), None, "{rhs}");
        }
        for (fill, dtype, known) in
            [("NegInf", "f64", None), ("PosInf", "i32", None), ("Zero", "i32", Some(1.0))]
        {
            let format = format!("Tensor<{dtype}, Filled<(Dense, Compressed), {fill}>>");
            assert_eq!(
                of(&format!("fn f(A: {format}) -> DenseMat<{dtype}> {{ C[i, j] = A[i, j]; }}")),
                known
            );
        }
    }

    /// What is reduced is its identity where there are no terms, and an infinity of its type may be the identity.
    #[test]
    fn reductions_may_be_infinite() {
        for (dtype, op, known) in [
            ("u8", Monoid::And, None),
            ("i32", Monoid::And, Some(1.0)),
            ("f64", Monoid::Min, None),
            ("f64", Monoid::Add, Some(1.0)),
            ("u8", Monoid::Max, Some(1.0)),
        ] {
            let text = format!("fn f(A: Csr<{dtype}>) -> DenseMat<{dtype}> {{ C[i, j] = A[i, j]; }}");
            let kernel = parse_str(&text).unwrap();
            let nested = Nested::from_cin(&crate::cin::concretize::concretize(&kernel).unwrap()).unwrap();
            let reduced = Val::Reduce(op, vec![], Box::new(nested.nest.rhs.clone()));
            assert_eq!(magnitude(&kernel, &nested, &reduced), known, "{op:?} of {dtype}");
        }
    }

    #[test]
    fn opposite_infinities_meet() {
        for t in [DType::F32, DType::I64] {
            let (pos, neg) = (Val::structural(t.pos_inf()), Val::structural(t.neg_inf()));
            let op = |op, a: &Val, b: &Val| Val::Op(op, vec![a.clone(), b.clone()]);
            assert!(infinities_meet(&op(BinaryOp::Add, &pos, &neg), t));
            assert!(infinities_meet(&op(BinaryOp::Sub, &pos, &pos), t));
            assert!(!infinities_meet(&op(BinaryOp::Add, &pos, &pos), t));
            assert!(!infinities_meet(&op(BinaryOp::Sub, &neg, &pos), t));
            let nested = op(BinaryOp::Add, &op(BinaryOp::Add, &pos, &Val::Access(AccessId(0))), &neg);
            assert!(infinities_meet(&nested, t));
        }
    }
}
