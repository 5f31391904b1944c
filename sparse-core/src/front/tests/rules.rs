//! One case a rule: its code, and the token that it points to.

use super::super::parse_str;

/// The codes and the text under each span, in the order reported.
fn mistakes(text: &str) -> Vec<(&'static str, String)> {
    let Err(failure) = parse_str(text) else { panic!("no mistake found in {text}") };
    failure
        .diagnostics
        .iter()
        .map(|d| {
            assert!(d.help.is_some(), "{} has no help", d.code);
            assert!(!d.message.is_empty());
            (d.code, d.span.source_text().unwrap_or_default())
        })
        .collect()
}

fn check(text: &str, expected: &[(&str, &str)]) {
    let found = mistakes(text);
    let found: Vec<_> = found.iter().map(|(c, t)| (*c, t.as_str())).collect();
    assert_eq!(found, expected, "{text}");
}

/// A mistake in the statement, of a kernel with f32 operands of every kind.
fn statement(statement: &str, expected: &[(&str, &str)]) {
    let mut params = vec!["C: &mut DenseMat<f32>".to_owned()];
    for (name, ty) in [("A", "Csr<f32>"), ("B", "DenseMat<f32>"), ("x", "DenseVec<f32>"), ("alpha", "f32")] {
        if statement.split(|c: char| !c.is_alphanumeric()).any(|w| w == name) {
            params.push(format!("{name}: {ty}"));
        }
    }
    check(&format!("fn f({}) {{ {statement} }}", params.join(", ")), expected);
}

/// A mistake in the header.
fn header(header: &str, expected: &[(&str, &str)]) {
    check(&format!("{header} {{ y[i] = A[i, j]; }}"), expected);
}

/// A mistake in the type of a parameter of rank 2.
fn parameter(ty: &str, expected: &[(&str, &str)]) {
    header(&format!("fn f(A: {ty}) -> DenseVec<f32>"), expected);
}

/// A mistake in a statement over another element type.
fn typed(dtype: &str, statement: &str, expected: &[(&str, &str)]) {
    check(&format!("fn f(A: Csr<{dtype}>, y: &mut DenseVec<{dtype}>) {{ {statement} }}"), expected);
}

#[test]
fn headers() {
    check("", &[("expected-header", "")]);
    header("struct A", &[("expected-header", "struct")]);
    header("fn (A: Csr<f32>)", &[("expected-header", "(A: Csr<f32>)")]);
    header("fn f", &[("expected-header", "{ y[i] = A[i, j]; }")]);
    header("fn type(A: Csr<f32>)", &[("reserved-name", "type")]);
    header("fn f<T>(A: Csr<f32>) -> DenseVec<f32>", &[("generics", "<")]);
    header("fn f(A: Csr<f32>) -> DenseVec<f32> where f32: Copy", &[("generics", "where")]);
    for word in ["async", "const", "unsafe", "extern"] {
        header(&format!("{word} fn f(A: Csr<f32>) -> DenseVec<f32>"), &[("qualifier", word)]);
    }
    header("pub extern \"C\" fn f(A: Csr<f32>) -> DenseVec<f32>", &[("qualifier", "extern")]);
    header("pub(1) fn f(A: Csr<f32>) -> DenseVec<f32>", &[("bad-visibility", "pub")]);
    header("#![inline] fn f(A: Csr<f32>) -> DenseVec<f32>", &[("bad-attribute", "#")]);
    header("#[=] fn f(A: Csr<f32>) -> DenseVec<f32>", &[("bad-attribute", "=")]);
    check("fn f(A: Csr<f32>) -> DenseVec<f32>;", &[("missing-body", ";")]);
    check("fn f(A: Csr<f32>) -> DenseVec<f32>", &[("missing-body", "")]);
}

#[test]
fn parameters() {
    header("fn f(&self, A: Csr<f32>) -> DenseVec<f32>", &[("bad-parameter", "&")]);
    header("fn f(self: Box<Self>, A: Csr<f32>) -> DenseVec<f32>", &[("bad-parameter", "self")]);
    header("fn f(mut A: Csr<f32>) -> DenseVec<f32>", &[("bad-parameter", "mut")]);
    header("fn f(A: Csr<f32>, _: f32) -> DenseVec<f32>", &[("bad-parameter", "_")]);
    header("fn f(A: Csr<f32>, (a, b): f32) -> DenseVec<f32>", &[("bad-parameter", "(a, b)")]);
    header("fn f(A: Csr<f32>, ...) -> DenseVec<f32>", &[("bad-parameter", ".")]);
    header("fn f(A) -> DenseVec<f32>", &[("bad-parameter", ")")]);
    header("fn f(#[a] A: Csr<f32>) -> DenseVec<f32>", &[("parameter-attribute", "#")]);
    header("fn f(A: Csr<f32>, A: Csr<f32>) -> DenseVec<f32>", &[("duplicate-parameter", "A")]);
    header(
        "fn f(A: Csr<f32>, r#type: f32) -> DenseVec<f32>",
        &[("reserved-name", "r#type"), ("unused-parameter", "r#type")],
    );
    header(
        "fn f(A: Csr<f32>, Some: f32) -> DenseVec<f32>",
        &[("reserved-name", "Some"), ("unused-parameter", "Some")],
    );
    header("fn f(A: &Csr<f32>) -> DenseVec<f32>", &[("parameter-reference", "&")]);
    header(
        "fn f(A: Csr<f32>, alpha: &f32) -> DenseVec<f32>",
        &[("unused-parameter", "alpha"), ("scalar-reference", "&")],
    );
    check("fn f(A: Csr<f32>, s: &mut f32) { s = A[i, j]; }", &[("scalar-reference", "&")]);
    header(
        "fn f(A: Csr<f32>, B: Csr<f32>, alpha: f32) -> DenseVec<f32>",
        &[("unused-parameter", "B"), ("unused-parameter", "alpha")],
    );
}

#[test]
fn outputs() {
    header("fn f(A: Csr<f32>)", &[("no-output", "f")]);
    header("fn f(A: Csr<f32>, y: &mut DenseVec<f32>, z: &mut DenseVec<f32>)", &[("several-outputs", "z")]);
    header("fn f(A: Csr<f32>, z: &mut DenseVec<f32>) -> DenseVec<f32>", &[("several-outputs", "z")]);
    header("fn f(A: Csr<f32>, y: DenseVec<f32>) -> DenseVec<f32>", &[("output-is-parameter", "y")]);
    header("fn f(A: Csr<f32>, z: &mut DenseVec<f32>)", &[("left-side-not-output", "y")]);
    header("fn f(A: Csr<f32>) -> f32", &[("scalar-return", "f32")]);
    header("fn f(A: Csr<f32>) -> &DenseVec<f32>", &[("returned-reference", "&")]);
    header("fn f(A: Csr<f32>) ->", &[("bad-type", "{ y[i] = A[i, j]; }")]);
}

#[test]
fn types() {
    parameter("Csr<f32", &[("bad-type", "")]);
    parameter("", &[("bad-type", ")")]);
    parameter("Matrix<f32>", &[("unknown-type", "Matrix")]);
    parameter("[f32; 3]", &[("unknown-type", "[f32; 3]")]);
    parameter("<X as Y>::Csr<f32>", &[("unknown-type", "<X as Y>::Csr<f32>")]);
    parameter("usize", &[("unsupported-element", "usize")]);
    parameter("Csr<String>", &[("unsupported-element", "String")]);
    parameter("Csr<f32<u8>>", &[("unsupported-element", "f32")]);
    parameter("Csr<3>", &[("unsupported-element", "3")]);
    parameter("Csr", &[("type-arguments", "Csr")]);
    parameter("Csr(f32)", &[("bad-type", "(f32)")]);
    parameter("Csr<f32, Sim>", &[("type-arguments", "Sim")]);
    parameter("Tensor<f32>", &[("type-arguments", "Tensor")]);
    parameter("Tensor<f32, (Dense, Dense), Sim>", &[("type-arguments", "Sim")]);
    parameter("Tensor<f32, (Dense)>", &[("unknown-format", "Dense")]);
    parameter("Tensor<f32, Dense>", &[("unknown-format", "Dense")]);
    parameter("Tensor<f32, MyFormat>", &[("unknown-format", "MyFormat")]);
    parameter("Tensor<f32, 3>", &[("unknown-format", "3")]);
    parameter("Tensor<f32, (Dense, Hashed)>", &[("unknown-level", "Hashed")]);
    parameter("Tensor<f32, (Dense<Unique>, Dense)>", &[("unknown-level", "Dense")]);
    parameter("Tensor<f32, (Dense, Compressed<Often>)>", &[("unknown-level", "Often")]);
    parameter("Tensor<f32, Filled<(Dense, Compressed), Two>>", &[("unknown-fill", "Two")]);
    parameter("Tensor<f32, Filled<(Dense, Compressed)>>", &[("type-arguments", "Filled")]);
    parameter("Tensor<f32, Reordered>", &[("type-arguments", "Reordered")]);
    parameter("Tensor<f32, Reordered<(Dense, Compressed), 1, 1>>", &[("bad-mode-order", "1")]);
    parameter("Tensor<f32, Reordered<(Dense, Compressed), 2, 0>>", &[("bad-mode-order", "2")]);
    parameter("Tensor<f32, Reordered<(Dense, Compressed), 1>>", &[("bad-mode-order", "Reordered")]);
    parameter("Tensor<f32, Reordered<(Dense, Compressed), N, 0>>", &[("bad-mode-order", "N")]);
    parameter("Tensor<f32, Reordered<(Dense, Compressed), 1, 0, 2>>", &[("bad-mode-order", "2")]);
    parameter(
        "Tensor<f32, Reordered<Reordered<(Dense, Compressed), 1, 0>, 1, 0>>",
        &[("bad-mode-order", "Reordered")],
    );
    let seven = "(Dense, Dense, Dense, Dense, Dense, Dense, Dense)";
    parameter(&format!("Tensor<f32, {seven}>"), &[("rank-too-large", seven)]);
    parameter("Tensor<f32, (Singleton, Dense)>", &[("singleton-at-root", "(Singleton, Dense)")]);
    let below = "(Compressed<NonUnique>, Dense)";
    parameter(&format!("Tensor<f32, {below}>"), &[("dense-below-non-unique", below)]);
    header("fn f(A: Csr<f64>) -> DenseVec<f32>", &[("mixed-elements", "f32")]);
    let scalar = "fn f(alpha: f64, A: Csr<f32>) -> DenseVec<f32> { y[i] = alpha * A[i, j]; }";
    check(scalar, &[("mixed-elements", "f64")]);
}

#[test]
fn names() {
    statement("C[i, j] = X[i, j];", &[("unknown-tensor", "X")]);
    statement("C[i, j] = x[i] * beta;", &[("unknown-name", "beta")]);
    statement("C[i, j] = exp * x[i];", &[("unknown-name", "exp")]);
    statement("C[i, j] = i * x[i];", &[("index-as-value", "i")]);
    statement("C[i, j] = foo(x[i]);", &[("unknown-function", "foo")]);
    statement("C[i, j] = A(i, j);", &[("unknown-function", "A")]);
    statement("C[i, j] = sqrt(x[i], x[j]);", &[("wrong-arity", "sqrt")]);
    statement("C[i, j] = min(x[i]) + max();", &[("wrong-arity", "min"), ("wrong-arity", "max")]);
    statement("C[i, j] = A * x[i];", &[("missing-indices", "A")]);
    statement("C[i, j] = A[i] * x[i, j];", &[("wrong-rank", "A"), ("wrong-rank", "x")]);
    statement("C[i] = A[i, j];", &[("wrong-rank", "C")]);
    statement("C = A[i, j];", &[("missing-indices", "C")]);
    statement("C[i, j] = alpha[i] * x[j];", &[("scalar-with-indices", "alpha")]);
    statement("C[i, j] = C[i, j] + A[i, j];", &[("output-on-right", "C")]);
    statement("C[i, x] = x[i];", &[("index-shadows-parameter", "x")]);
    statement("C[i, j] = B[i, alpha] * alpha * x[j];", &[("index-shadows-parameter", "alpha")]);
    statement("C[i, in] = x[i];", &[("reserved-name", "in")]);
    statement("C[i, None] = x[i];", &[("reserved-name", "None")]);
    statement("C[i, CIN] = x[i];", &[("reserved-name", "CIN")]);
    statement("C[i, j] = A[i, r#type];", &[("reserved-name", "r#type")]);
    statement("C[i, i] = x[i];", &[("repeated-left-variable", "i")]);
    check("fn f(x: DenseVec<f32>) -> DenseMat<f32> { C[i, j] = x[i]; }", &[("unbound-variable", "j")]);
}

#[test]
fn indices() {
    statement("C[i, j] = A[i, 0];", &[("constant-index", "0")]);
    statement("C[i, j] = A[i + 1, j];", &[("index-arithmetic", "+")]);
    statement("C[i, j] = A[x[i], j];", &[("nested-index", "x")]);
    statement("C[i, j] = x[i] > 0 ? x[i] : A[i, j];", &[("conditional", "?")]);
    statement("C[i, j] = A[2 * i, -j];", &[("index-arithmetic", "2"), ("index-arithmetic", "-")]);
    statement("C[i, j] = A[i, ..];", &[("index-slice", ".")]);
    statement("C[i, j] = A[i, :];", &[("index-slice", ":")]);
    statement("C[i, j] = A[i, _];", &[("bad-index", "_")]);
    statement("C[i, j] = A[i,, j];", &[("bad-index", ",")]);
    statement("C[i, j] = A[i][j];", &[("double-brackets", "[j]")]);
    statement("C[i][j] = A[i, j];", &[("double-brackets", "[j]")]);
}

#[test]
fn statements() {
    statement("", &[("empty-body", "}")]);
    statement("C[i, j] = A[i, j]; C[i, j] += B[i, j];", &[("several-statements", "C")]);
    statement("A[i, j] * B[i, j];", &[("missing-assignment", "A")]);
    statement("C[i, j] == A[i, j];", &[("missing-assignment", "=")]);
    statement("let a = 3;", &[("not-index-notation", "let")]);
    statement("2 * C[i, j] = A[i, j];", &[("bad-left-side", "2")]);
    statement("C[i, j] + 1 = A[i, j];", &[("bad-left-side", "+")]);
    statement("= A[i, j];", &[("bad-left-side", "=")]);
    statement("C[i, j] -= A[i, j];", &[("unknown-reduction", "-")]);
    statement("C[i, j] /= A[i, j];", &[("unknown-reduction", "/")]);
    statement("C[i, j] ^= A[i, j];", &[("unknown-reduction", "^")]);
    statement("C[i, j] xor= A[i, j];", &[("unknown-reduction", "xor")]);
    statement("C[i, j] = ;", &[("expected-operand", ";")]);
    statement("C[i, j] = A[i, j] *;", &[("expected-operand", ";")]);
    statement("C[i, j] = A[i, j] * ();", &[("expected-operand", ")")]);
    statement("C[i, j] = {A[i, j]};", &[("expected-operand", "{A[i, j]}")]);
    statement("C[i, j] = +A[i, j];", &[("expected-operand", "+")]);
    statement("C[i, j] = &A[i, j] * *x[i];", &[("expected-operand", "&"), ("expected-operand", "*")]);
    statement("C[i, j] = self * x[i];", &[("expected-operand", "self")]);
    statement("C[i, j] = A[i, j] B[i, j];", &[("expected-operator", "B")]);
    statement("C[i, j] = A[i, j], B[i, j];", &[("expected-operator", ",")]);
    statement("C[i, j] = A[i, j] = B[i, j];", &[("several-assignments", "=")]);
    statement("C[i, j] = A[i, j] % B[i, j];", &[("unknown-operator", "%")]);
    statement("C[i, j] = A[i, j].sqrt();", &[("method-call", ".")]);
    statement("C[i, j] = A[i, j] as f64;", &[("cast", "as")]);
    statement("C[i, j] = f32::MAX;", &[("path", "f32")]);
    statement("C[i, j] = vec![1];", &[("macro-call", "vec")]);
    statement("C[i, j] = x[i] < x[j] < 3;", &[("comparison-chain", "<")]);
    statement(
        "C[i, j] = (x[i] < 0) && (x[j] < 0);",
        &[("unknown-operator", "&"), ("undefined-operator", "&")],
    );
}

#[test]
fn literals() {
    statement("C[i, j] = \"a\" * x[i];", &[("bad-literal", "\"a\"")]);
    statement("C[i, j] = 1e40 * x[i];", &[("literal-out-of-range", "1e40")]);
    statement("C[i, j] = 2.0f64 * x[i];", &[("literal-type", "2.0f64")]);
    statement("C[i, j] = true * x[i];", &[("literal-type", "true")]);
    typed("u8", "y[i] = A[i, j] * 300;", &[("literal-out-of-range", "300")]);
    typed("i32", "y[i] = A[i, j] * 2.5;", &[("literal-type", "2.5")]);
    typed(
        "i64",
        "y[i] = A[i, j] * 99999999999999999999;",
        &[("literal-out-of-range", "99999999999999999999")],
    );
    typed("i32", "y[i] = min(A[i, j], inf);", &[("literal-type", "inf")]);
    typed("bool", "y[i] |= A[i, j] & 1;", &[("literal-type", "1")]);
}

#[test]
fn operators() {
    typed("bool", "y[i] |= A[i, j] + A[j, i];", &[("undefined-operator", "+")]);
    typed("bool", "y[i] |= -A[i, j];", &[("undefined-operator", "-")]);
    typed("f32", "y[i] = A[i, j] ^ A[j, i];", &[("undefined-operator", "^")]);
    typed("f32", "y[i] = !A[i, j];", &[("undefined-operator", "!")]);
    typed("i32", "y[i] = sqrt(A[i, j]);", &[("undefined-operator", "sqrt")]);
    typed("u8", "y[i] = -A[i, j];", &[("undefined-operator", "-")]);
    typed("bool", "y[i] += A[i, j];", &[("undefined-reduction", "+")]);
    typed("bool", "y[i] = A[i, j];", &[("undefined-reduction", "=")]);
    typed("bool", "y[i] *= A[i, j];", &[("undefined-reduction", "*")]);
    typed("f64", "y[i] |= A[i, j];", &[("undefined-reduction", "|")]);
}

#[test]
fn fills() {
    let result = |ty: &str, statement: &str, expected: &[(&str, &str)]| {
        check(&format!("fn f(A: Csr<f32>, B: Csr<f32>) -> {ty} {{ {statement} }}"), expected);
    };
    result("Csr<f32>", "C[i, k] min= A[i, j] + B[j, k];", &[("fill-not-identity", "C")]);
    result("Csr<f32>", "C[i, k] *= A[i, j] + B[j, k];", &[("fill-not-identity", "C")]);
    result(
        "Tensor<f32, Filled<(Dense, Compressed), One>>",
        "C[i, k] = A[i, j] * B[j, k];",
        &[("fill-not-identity", "C")],
    );
    let d = parse_str("fn f(A: Csc<f32>) -> SparseVec<f32> { y[i] min= A[i, j]; }").unwrap_err().diagnostics;
    let help = d.iter().next().unwrap().help.clone().unwrap();
    assert_eq!(help, "return `Tensor<f32, Filled<(Compressed,), PosInf>>`");
    let d = parse_str("fn f(A: Csr<i32>) -> SparseVec<i32> { y[i] &= A[i, j]; }").unwrap_err().diagnostics;
    assert!(d.to_string().contains("levels are all dense"));
}

#[test]
fn schedules() {
    let schedule = |text: &str, expected: &[(&str, &str)]| {
        check(&format!("fn f(A: Csr<f32>) -> DenseVec<f32> {{ y[i] = A[i, j]; }} {text}"), expected);
    };
    schedule("schedule cuda = atomic(<1/8 row, 4 col>);", &[("no-point", ")")]);
    schedule("schedule cuda = atomic(<1/8 line, 4 col>, 8);", &[("no-point", "line")]);
    schedule("schedule cpu = atomic(<1/8 row, 4 col>, 8);", &[("expected-commands", "=")]);
    schedule("schedule cuda;", &[("expected-commands", ";")]);
    schedule("schedule cpu;", &[("expected-commands", ";")]);
    schedule("schedule cpu = some;", &[("expected-commands", "=")]);
    schedule("schedule sim = none;", &[("unknown-target", "sim")]);
    schedule("schedule = none;", &[("unknown-target", "=")]);
    schedule("schedule cuda = none; schedule cuda = none;", &[("duplicate-schedule", "cuda")]);
    schedule("schedule cuda = none 3;", &[("unexpected-tokens", "3")]);
    schedule("where", &[("unexpected-tokens", "where")]);
    schedule("fn g() {}", &[("several-kernels", "fn")]);
}

#[test]
fn commands() {
    let commands = |text: &str, expected: &[(&str, &str)]| {
        check(
            &format!("fn f(A: Csr<f32>) -> DenseVec<f32> {{ y[i] = A[i, j]; }} schedule cpu {{ {text} }}"),
            expected,
        );
    };
    commands("collapse(i, j, f);", &[("unknown-command", "collapse")]);
    commands("(i, j);", &[("expected-command", "(i, j)")]);
    commands("split i;", &[("expected-command", "i")]);
    commands("split(i, i0, i1, 64) split(j, j0, j1, 64);", &[("expected-command", "split")]);
    commands("split(i, i0, 64);", &[("command-arguments", "split")]);
    commands("reorder(i);", &[("command-arguments", "reorder")]);
    commands("parallelize(i, CPUThread);", &[("command-arguments", "parallelize")]);
    commands("split(i + 1, i0, i1, 64);", &[("expected-name", "i")]);
    commands("split(fn, i0, CIN, 64);", &[("reserved-name", "fn"), ("reserved-name", "CIN")]);
    commands("split(i, i0, i1, N);", &[("bad-factor", "N")]);
    commands("split(i, i0, i1, -4);", &[("bad-factor", "-")]);
    commands("split(i, i0, i1, 4u32);", &[("bad-factor", "4u32")]);
    commands("split(i, i0, i1, 99999999999);", &[("bad-factor", "99999999999")]);
    commands("parallelize(i, Thread, NoRaces);", &[("unknown-word", "Thread")]);
    commands(
        "parallelize(i, GPUGroup, Sometimes);",
        &[("unknown-word", "GPUGroup"), ("unknown-word", "Sometimes")],
    );
    commands("mergeby(j, Linear);", &[("unknown-word", "Linear")]);
    commands("bound(i, ib, 4, MinExact);", &[("unknown-word", "MinExact")]);
    commands("pos(j, p, A);", &[("missing-indices", "A")]);
    commands("pos(j, p, 3);", &[("expected-access", "3")]);
    commands("pos(j, p, B[i, j]);", &[("unknown-tensor", "B")]);
    commands("pos(j, p, A[i, q]);", &[("unknown-variable", "q")]);
    commands("precompute(A[i, j] +, [j], [j], w);", &[("expected-operand", ",")]);
    commands("precompute(y[i], [i], [i], w);", &[("output-on-right", "y")]);
    commands(&"unroll(i, 4);".repeat(257), &[("schedule-too-long", "unroll")]);
}

#[test]
fn sizes() {
    let sum = |n: usize, term: &str| format!("C[i, j] = {};", vec![term; n].join(" + "));
    statement(&sum(65, "x[i]"), &[("too-many-accesses", "x")]);
    statement(&sum(257, "1"), &[("expression-too-large", "1")]);
    let nested = format!("fn f(C: &mut DenseVec<f32>) {{ C[i] = {}1{}; }}", "(".repeat(500), ")".repeat(500));
    assert_eq!(mistakes(&nested)[0].0, "expression-too-large");
    let minus = format!("fn f(C: &mut DenseVec<f32>) {{ C[i] = {}1; }}", "-".repeat(500));
    assert_eq!(mistakes(&minus)[0].0, "expression-too-large");
    let long = format!(
        "fn f(A: {}Csr<f32>{}) -> DenseVec<f32> {{ y[i] = A[i, j]; }}",
        "X<".repeat(300),
        ">".repeat(300)
    );
    assert_eq!(mistakes(&long)[0].0, "bad-type");
}

#[test]
fn independent_mistakes_are_reported_together() {
    check(
        "fn f<T>(A: &Csr<f32>, B: Matrix<f32>, x: DenseVec<f64>) -> DenseMat<f32> { C[i, i] = A[i] * X[j, 0] + foo(x[i]); }",
        &[
            ("generics", "<"),
            ("parameter-reference", "&"),
            ("unknown-type", "Matrix"),
            ("mixed-elements", "f64"),
            ("repeated-left-variable", "i"),
            ("wrong-rank", "A"),
            ("unknown-tensor", "X"),
            ("constant-index", "0"),
            ("unknown-function", "foo"),
        ],
    );
}

#[test]
fn a_signature_survives() {
    let text = "/// Doc.\npub fn f(A: &Csr<f32>, alpha: f32, A: Matrix<f32>) -> DenseVec<f32> { }";
    let signature = parse_str(text).unwrap_err().signature.unwrap();
    let types: Vec<_> =
        signature.params.iter().map(|p| (p.name.to_string(), p.kind, p.ty.is_some())).collect();
    use super::super::ParamKind::{Scalar, Tensor};
    assert_eq!(
        types,
        [("A".into(), Tensor, true), ("alpha".into(), Scalar, true), ("_".into(), Tensor, false)]
    );
    assert_eq!((signature.attrs.len(), signature.output.is_some_and(|t| t.is_some())), (1, true));
    assert!(parse_str("fn f(A: Csr<f32>").is_err());
}
