//! Commands with arguments of any kind.

use super::parts::parts;
use super::schedule::Draft;
use crate::command::Command;
use crate::rng::Rng;
use sparse_core::front::ast::{Expr, IndexVar};
use sparse_core::front::command::Platform;

/// Arguments of `parallelize` for a GPU, and others.
const GPU_WORDS: &[&str] = &[
    "GPUBlock",
    "GPUWarp",
    "GPUThread",
    "GPUGroup(2)",
    "GPUGroup(8)",
    "GPUGroup(32)",
    "GPUGroup(0)",
    "GPUGroup(6)",
    "GPUGroup(64)",
    "CPUThread",
    "NoRaces",
    "IgnoreRaces",
    "Atomics",
    "Temporary",
    "ParallelReduction",
    "ReduceScatter",
    "Segment",
    "Deterministic",
    "MaxExact",
    "Gallop",
];

impl Draft<'_> {
    /// A command that is wrong more often than not.
    pub(super) fn nonsense(&mut self, rng: &mut Rng) -> Command {
        const COMMANDS: &[(&str, usize)] = &[
            ("split", 4),
            ("divide", 4),
            ("fuse", 3),
            ("reorder", 2),
            ("reorder", 3),
            ("pos", 3),
            ("coord", 2),
            ("precompute", 4),
            ("bound", 4),
            ("unroll", 2),
            ("mergeby", 2),
            ("parallelize", 3),
            ("collapse", 2),
        ];
        let (name, mut count) = rng.pick(COMMANDS);
        if rng.percent(8) {
            count = rng.below(6);
        }
        let args: Vec<String> = (0..count).map(|at| self.argument(rng, name, at)).collect();
        Command::new(name, args)
    }

    /// An argument of the right kind, mostly.
    fn argument(&mut self, rng: &mut Rng, command: &str, at: usize) -> String {
        const NUMBERS: &[&str] = &["0", "1", "2", "3", "4294967296", "18446744073709551615", "-1", "1.5"];
        let kind = match (command, at) {
            _ if rng.percent(6) => rng.below(7),
            ("split" | "divide", 3) | ("unroll", 1) | ("bound", 2) => 1,
            ("pos", 2) | ("precompute", 0) => 2,
            ("precompute", 1 | 2) => 3,
            ("bound", 3) | ("mergeby", 1) | ("parallelize", 1 | 2) => 4,
            ("split" | "divide", 1 | 2)
            | ("fuse", 2)
            | ("coord" | "bound" | "pos", 1)
            | ("precompute", 3) => 5,
            _ => 0,
        };
        match kind {
            1 => rng.pick(NUMBERS).into(),
            2 => {
                let parts = parts(&self.kernel.assignment.rhs);
                let lhs = Expr::Access(self.kernel.assignment.lhs.clone());
                let part = parts.get(rng.below(parts.len() + 1)).unwrap_or(&lhs);
                self.text(part)
            }
            3 => {
                let names: Vec<String> = (0..rng.below(3)).map(|_| self.some_name(rng)).collect();
                format!("[{}]", names.join(", "))
            }
            4 if self.case.platform == Platform::Cuda => rng.pick(GPU_WORDS).into(),
            4 => rng
                .pick(&[
                    "MaxExact",
                    "Divisible",
                    "TwoFinger",
                    "Gallop",
                    "CPUThread",
                    "CPUVector",
                    "GPUThread",
                    "GPUGroup(8)",
                    "NoRaces",
                    "Atomics",
                    "Temporary",
                    "ParallelReduction",
                    "Segment",
                ])
                .into(),
            5 if rng.percent(80) => self.fresh("n"),
            _ => self.some_name(rng),
        }
    }

    /// A name that stands for something, or did.
    fn some_name(&mut self, rng: &mut Rng) -> String {
        match rng.below(10) {
            0..5 => self.any_loop(rng).map_or("i".into(), |v| self.name(v)),
            5..8 if !self.cin.provenance.is_empty() => {
                let v = IndexVar(rng.below(self.cin.provenance.len()) as u32);
                self.cin.provenance.name(v).to_owned()
            }
            8 => self.case.tensors[rng.below(self.case.tensors.len())].name.clone(),
            _ => rng.pick(&["zz", "alpha", "w", "fn", "pos"]).into(),
        }
    }
}
