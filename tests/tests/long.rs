//! Statements with many operands: compiled in no time, into code as long as they are.

use sparse_core::expand::module;

/// A statement's right side, of operands.
type Statement = fn(&[String]) -> String;

/// Of operands in parentheses as deep as there are operands.
fn nested(operands: &[String], before: &str, between: &str, after: &str) -> String {
    let others = operands[1..].iter().map(|a| format!("{between}{a}{after}"));
    before.repeat(operands.len() - 1) + &operands[0] + &others.collect::<String>()
}

/// The operators of all types: from the left and from the right.
const PLAIN: [Statement; 6] = [
    |a| a.join(" + "),
    |a| a.join(" * "),
    |a| a.join(" - "),
    |a| a.join(" + (") + &")".repeat(a.len() - 1),
    |a| a.join(" - (") + &")".repeat(a.len() - 1),
    |a| nested(a, "max(", ", ", ")"),
];

/// Sums of products, which are one instruction.
const FUSED: [Statement; 3] = [
    |a| nested(a, "(", " / 2.0 + ", " * 3.0)"),
    |a| nested(a, "(", " * ", " * 2.0)"),
    |a| nested(a, "(", " * 2.0 + ", ")"),
];

/// How many bytes there are of a statement's code, for the CPU and for GPUs.
fn code(ty: &str, operands: usize, statement: Statement) -> usize {
    let params: Vec<_> = (0..operands).map(|a| format!("A{a}: {ty}")).collect();
    let operands: Vec<_> = (0..operands).map(|a| format!("A{a}[i]")).collect();
    let text = format!("fn f({}) -> {ty} {{ R[i] = {}; }}", params.join(", "), statement(&operands));
    module(text.parse().unwrap()).unwrap_or_else(|refused| panic!("{refused}\n{text}")).len()
}

/// When each operand of a sum was written twice, a sum of 24 vectors took 15 seconds, and each further one doubled that.
#[test]
fn code_grows_with_its_statement() {
    let floats = [&PLAIN[..], &FUSED[..]].concat();
    // A tree of sums and products of sparse operands is refused: there is a case for each set of them.
    // Whether infinities meet was asked for each subset of the operands, 32 operands took 10 seconds of that.
    let least = "Tensor<f32, Filled<(Compressed,), PosInf>>";
    let cases = [
        ("SparseVec<f32>", &PLAIN[..]),
        ("DenseVec<f64>", &floats[..]),
        ("DenseVec<i64>", &PLAIN[..]),
        (least, &PLAIN[..1]),
        (least, &PLAIN[5..]),
    ];
    for (ty, statements) in cases {
        for (number, statement) in statements.iter().enumerate() {
            let [some, more] = [8, 64].map(|operands| code(ty, operands, *statement));
            assert!(more < 16 * some, "{ty}, {number}: {some} bytes for 8 operands, {more} for 64");
        }
    }
}
