//! The schedule of a kernel that nobody scheduled for the CPU.
//!
//! The outermost loop runs on several threads if its iterations are rows of a result that is written in place
//! (dense, or in an operand's pattern), each its own, and no operand has to be merged to find them. Then nothing is
//! written twice and nothing is combined, so that the result is the same bytes on any number of threads. Whether
//! there is enough work to wake a thread is decided at the call.

use crate::cin::result::{ResultKind, result_kind};
use crate::cin::{Cin, Stmt};
use crate::front::ast::{IndexVar, Kernel};
use crate::front::command::{Strategy, Unit};

/// The scheduled program, and by what rule.
pub fn default_cpu(kernel: &Kernel, mut cin: Cin) -> (Cin, String) {
    let Stmt::Forall { var, .. } = cin.root else {
        return (cin, "serial: no loop stands around the whole statement".into());
    };
    let name = cin.provenance.name(var).to_owned();
    match refusal(kernel, &cin, var) {
        Some(reason) => (cin, format!("serial: {reason}").replace("{}", &name)),
        None => {
            cin.provenance.tag_mut(var).parallel = Some((Unit::CpuThread, Strategy::NoRaces));
            let rule = "its iterations write rows of their own, and nothing is merged to find them; little work stays on one thread";
            (cin, format!("parallelize({name}, CPUThread, NoRaces): {rule}"))
        }
    }
}

/// Why the outermost loop stays serial.
fn refusal(kernel: &Kernel, cin: &Cin, var: IndexVar) -> Option<&'static str> {
    if result_kind(kernel, cin) == ResultKind::Append {
        return Some("the result is assembled in order");
    }
    if !kernel.assignment.lhs.indices.contains(&var) {
        return Some("iterations of `{}` write the same elements");
    }
    let mut merged = false;
    kernel.assignment.rhs.for_each_access(&mut |a| {
        let spec = &kernel.tensors[a.tensor.index()].spec;
        let dims = a.indices.iter().enumerate().filter(|(_, v)| **v == var);
        for (dim, _) in dims {
            merged |= !spec.levels[spec.map.level_of_dim(dim)].can_locate();
        }
    });
    merged.then_some("coordinates of `{}` are merged from sparse operands")
}
