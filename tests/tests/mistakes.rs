//! Kernels with random mistakes: the compiler never panics, and always says something.

use sparse_core::driver::{Options, compile_cuda, compile_kernel};
use sparse_core::front::parse_str;
use tests::case::Case;
use tests::generate::{generate, generate_for_gpu, generate_scheduled};
use tests::rng::Rng;

const TOKENS: &[&str] = &[
    "+",
    "-",
    "*",
    "/",
    "&",
    "|",
    "^",
    "!",
    "=",
    "+=",
    "min=",
    "==",
    "<",
    ";",
    ",",
    ":",
    "->",
    "&mut",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    "i",
    "j",
    "A",
    "B",
    "R",
    "alpha",
    "min",
    "max",
    "exp",
    "0",
    "1.5",
    "1e999",
    "true",
    "inf",
    "fn",
    "pub",
    "Csr<f32>",
    "Tensor<f64, (Dense, Singleton)>",
    "schedule",
    "split",
    "fuse",
    "pos",
    "precompute",
    "CPUThread",
    "NoRaces",
    "GPUBlock",
    "GPUGroup(8)",
    "Segment",
    "MaxExact",
    "18446744073709551615",
    "let",
    "'a",
    "\"s\"",
    "?",
    "..",
];

/// Splits text into words and single marks.
fn split(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        if c.is_alphanumeric() || c == '_' || c == '.' {
            word.push(c);
            continue;
        }
        if !word.is_empty() {
            out.push(std::mem::take(&mut word));
        }
        if !c.is_whitespace() {
            out.push(c.to_string());
        }
    }
    out.extend((!word.is_empty()).then_some(word));
    out
}

fn mutate(rng: &mut Rng, text: &str) -> String {
    let mut tokens = split(text);
    for _ in 0..1 + rng.below(3) {
        let at = rng.below(tokens.len());
        match rng.below(4) {
            0 => drop(tokens.remove(at)),
            1 => tokens[at] = rng.pick(TOKENS).to_string(),
            2 => tokens.insert(at, rng.pick(TOKENS).to_string()),
            _ => {
                let other = rng.below(tokens.len());
                tokens.swap(at, other);
            }
        }
        if tokens.is_empty() {
            break;
        }
    }
    // Marks that were one token in the original stay apart where that changes nothing.
    tokens.join(" ").replace("- >", "->").replace("& mut", "&mut").replace("+ =", "+=").replace("* =", "*=")
}

/// Compiles kernels with mistakes in them: how many are fine all the same, how many refused.
fn compile(count: u64, text_of: impl Fn(&mut Rng, u64) -> String) -> (u32, u32) {
    let (mut compiled, mut refused) = (0, 0);
    for number in 0..count {
        let text = text_of(&mut Rng::new(99, number), number);
        let tried = std::panic::catch_unwind(|| match parse_str(&text) {
            Ok(kernel) if text.contains("schedule cuda") => {
                compile_cuda(kernel, &Options::default()).map(drop)
            }
            Ok(kernel) => compile_kernel(kernel, &Options::default()).map(drop),
            Err(failure) => Err(failure.diagnostics),
        });
        match tried {
            Err(_) => panic!("the compiler panics on\n{text}"),
            Ok(Ok(())) => compiled += 1,
            Ok(Err(diagnostics)) => {
                refused += 1;
                assert!(!diagnostics.is_empty(), "refused without a reason:\n{text}");
                for d in diagnostics.iter() {
                    assert_ne!(d.code, "internal", "{diagnostics}\n{text}");
                    assert!(d.help.is_some(), "no help: {d}\n{text}");
                }
            }
        }
    }
    (compiled, refused)
}

#[test]
fn mistakes_are_diagnostics() {
    let (compiled, refused) = compile(3000, |rng, number| mutate(rng, &generate(5, number).kernel_text()));
    assert!(compiled > 10 && refused > 1000, "{compiled} compiled, {refused} refused");
}

#[test]
fn mistakes_in_schedules_are_diagnostics() {
    let (compiled, refused) = compile(1500, |rng, number| {
        let case = generate_scheduled(5, number);
        let schedule = mutate(rng, &case.schedule_text());
        format!("{} schedule cpu {{ {schedule} }}", Case { schedule: vec![], ..case }.kernel_text())
    });
    assert!(compiled > 10 && refused > 1000, "{compiled} compiled, {refused} refused");
}

#[test]
fn mistakes_in_schedules_for_gpus_are_diagnostics() {
    let (compiled, refused) = compile(3000, |rng, number| {
        let case = generate_for_gpu(5, number);
        let schedule = match case.schedule_text() {
            text if text.is_empty() => mutate(rng, "parallelize(i, GPUBlock, NoRaces);"),
            text => mutate(rng, &text),
        };
        format!("{} schedule cuda {{ {schedule} }}", Case { schedule: vec![], ..case }.kernel_text())
    });
    assert!(compiled > 10 && refused > 1000, "{compiled} compiled, {refused} refused");
}

#[test]
fn a_kernel_with_mistakes_still_expands_to_its_item() {
    for number in 0..300 {
        let rng = &mut Rng::new(98, number);
        let text = generate(5, number).kernel_text();
        // The header stays as it is: a body with a mistake must not take the function away.
        let (header, body) = text.split_once('{').expect("a kernel has a body");
        let text = format!("::sparse_gpu; {header}{{ {}", mutate(rng, body));
        let Ok(tokens) = text.parse() else { continue };
        let out = sparse_core::expand::expand(tokens).to_string();
        if text.trim_end().ends_with('}') && text.matches('{').count() == 1 {
            assert!(out.contains("fn kernel"), "no item:\n{text}\n{out}");
        }
    }
}
