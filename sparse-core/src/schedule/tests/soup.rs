//! Random commands: each program is legal for the verifier, or there is a mistake to report.

use super::*;
use crate::cin::Provenance;
use crate::front::ast::IndexVar;

const KERNELS: [&str; 9] = [SPMV, SPMM, RESIDUAL, SDDMM, SUM, PRODUCT, COO, MTTKRP, MIN_PLUS];

/// xorshift64*.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n.max(1)
    }

    fn pick<'a>(&mut self, from: &'a [String]) -> &'a str {
        from.get(self.below(from.len())).map_or("q", |s| s)
    }
}

/// A command about the variables that there are, which makes variables numbered from `fresh`.
fn command(r: &mut Random, p: &Provenance, parts: &[&str], fresh: usize) -> String {
    let all: Vec<_> = (0..p.len() as u32).map(IndexVar).collect();
    let names = |vars: &[IndexVar]| vars.iter().map(|&v| p.name(v).to_owned()).collect::<Vec<_>>();
    let leaves: Vec<_> = all.iter().copied().filter(|&v| p.consumed_by(v).is_none()).collect();
    let vars = if r.below(8) == 0 { names(&all) } else { names(&leaves) };
    let (a, b, c) = (r.pick(&vars), r.pick(&vars), r.pick(&vars));
    let (x, y) = (format!("v{fresh}"), format!("w{fresh}"));
    let n = [2, 3, 1, 8, 2, 3, 4, 5, 0][r.below(9)];
    let part = parts[r.below(parts.len())];
    match r.below(16) {
        0 | 1 => format!("split({a}, {x}, {y}, {n})"),
        2 => format!("divide({a}, {x}, {y}, {n})"),
        3 | 4 => format!("fuse({a}, {b}, {x})"),
        5 | 6 => format!("reorder({a}, {b})"),
        7 => format!("reorder({a}, {b}, {c})"),
        8 | 9 => format!("pos({a}, {x}, {part})"),
        10 => format!("coord({a}, {x})"),
        11 | 12 => {
            let (renamed, other) = if r.below(2) == 0 { (a, b) } else { (x.as_str(), y.as_str()) };
            let (old, new) = match r.below(3) {
                0 => (String::new(), String::new()),
                1 => (a.to_owned(), renamed.to_owned()),
                _ => (format!("{a}, {b}"), format!("{renamed}, {other}")),
            };
            let whole = if r.below(2) == 0 { part.to_owned() } else { parts.join(" * ") };
            format!("precompute({whole}, [{old}], [{new}], t{fresh}w)")
        }
        13 => format!("bound({a}, {x}, {n}, {})", ["MaxExact", "Divisible"][r.below(2)]),
        14 => format!("unroll({a}, {n})"),
        _ => {
            let strategy =
                ["NoRaces", "IgnoreRaces", "Atomics", "Temporary", "ParallelReduction"][r.below(5)];
            format!("parallelize({a}, {}, {strategy})", ["CPUThread", "CPUVector"][r.below(2)])
        }
    }
}

#[test]
fn random_commands_are_legal_or_mistakes() {
    let (mut legal, mut refused) = (0, 0);
    for seed in 0..1000u64 {
        let mut r = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let text = KERNELS[r.below(KERNELS.len())];
        let kernel = parse_str(text).unwrap_or_else(|f| panic!("{}", f.diagnostics));
        let rhs = text.split_once('=').and_then(|(_, rhs)| rhs.split_once(';')).map_or("", |(rhs, _)| rhs);
        let parts: Vec<_> =
            rhs.split(['*', '+', '-', '=']).map(str::trim).filter(|p| !p.is_empty()).collect();
        let mut scheduled = apply(&kernel, concretize(&kernel).unwrap(), &[], Platform::Cpu).unwrap();
        let mut commands: Vec<String> = Vec::new();
        for fresh in 0..12 {
            let next = command(&mut r, &scheduled.cin.provenance, &parts, fresh);
            let attempt = [&commands[..], std::slice::from_ref(&next)].concat().join(";\n");
            let Ok(parsed) = parse_schedule(&kernel, &attempt) else {
                refused += 1;
                continue;
            };
            match apply(&kernel, concretize(&kernel).unwrap(), &parsed, Platform::Cpu) {
                Ok(after) => {
                    legal += 1;
                    commands.push(next);
                    scheduled = after;
                }
                Err(diagnostics) => {
                    refused += 1;
                    let internal = diagnostics.iter().any(|d| d.code == "internal");
                    assert!(!internal, "{text}\n{attempt}\n{diagnostics}");
                }
            }
        }
    }
    assert!(legal > 2000 && refused > 2000, "{legal} legal, {refused} refused");
}
