//! What variables, tensors and scalars are called: letters, or seldom what the compiler or the languages that it writes call something.

use super::theme::{Taste, Theme};
use crate::rng::Rng;

/// Names of a case.
pub(super) struct Names {
    pub(super) vars: Vec<String>,
    tensors: Vec<String>,
    pub(super) result: String,
    pub(super) scalars: Vec<String>,
}

impl Names {
    pub(super) fn new(rng: &mut Rng, taste: &Taste) -> Names {
        let all = |names: &[&str]| -> Vec<String> { names.iter().map(|n| n.to_string()).collect() };
        let mut names = Names {
            vars: all(&["i", "j", "k", "l", "m", "n", "o"]),
            tensors: all(&["A", "B", "C", "D", "E", "F", "G", "H"]),
            result: "R".into(),
            scalars: all(&["alpha", "beta", "gamma"]),
        };
        if !rng.percent(taste.percent(Theme::Names, 2, 90)) {
            return names;
        }
        let mut strange: Vec<&str> = STRANGE.iter().chain(OF_TENSORS).copied().collect();
        rng.shuffle(&mut strange);
        let of_tensors = names.tensors.iter_mut().chain([&mut names.result]);
        for name in of_tensors.chain(&mut names.vars).chain(&mut names.scalars) {
            if rng.percent(60)
                && let Some(other) = strange.pop()
            {
                *name = other.into();
            }
        }
        names
    }

    /// Of a tensor by its number.
    pub(super) fn tensor(&self, number: usize) -> String {
        self.tensors.get(number).cloned().unwrap_or_else(|| format!("A{number}"))
    }
}

/// None is one of the letters. Loops and temporary values of programs, functions, words of CUDA C++ and types of Rust.
const STRANGE: &[&str] = &[
    "part",
    "parts",
    "window",
    "window_begin",
    "t0",
    "t1",
    "t",
    "w",
    "acc",
    "i_t0",
    "l_t0",
    "i_2",
    "j_2",
    "i_start",
    "i_step",
    "block",
    "thread",
    "warp",
    "lane",
    "team",
    "fused",
    "position",
    "element",
    "entry",
    "row",
    "at",
    "next",
    "end",
    "p",
    "q",
    "step",
    "count",
    "chunk",
    "live",
    "begin",
    "block_x",
    "thread_x",
    "isa",
    "offset",
    "width",
    "partial",
    "each",
    "kept",
    "body",
    "memory",
    "min",
    "max",
    "abs",
    "exp",
    "sum",
    "select",
    "int",
    "double",
    "float",
    "unsigned",
    "char",
    "new",
    "this",
    "template",
    "operator",
    "threadIdx",
    "warpSize",
    "f32",
    "f64",
    "i32",
    "u8",
    "usize",
    "union",
    "len",
    "pos",
    "crd",
    "vals",
    "dim",
    "out",
    "std",
    "core",
];

/// Arrays and sizes of tensors that have the usual names, and positions in them.
const OF_TENSORS: &[&str] = &[
    "A1", "A2", "A_vals", "A1_pos", "A2_crd", "A1_dim", "B1_dim", "B2_pos", "R_vals", "R1_pos", "R2_crd",
    "R_len", "pA", "pA2", "pB_2", "iA", "jB", "pA_begin", "A_val", "A2_end", "R1_dim", "t0_vals", "t0_crd",
    "w_vals",
];
