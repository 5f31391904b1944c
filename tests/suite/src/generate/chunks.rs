//! Schedules for a GPU whose threads have chunks of stored entries, with the coordinates of a dense variable side by side: one
//! that the result has, whose elements are then apart, or one that is summed, whose threads meet in the same elements.

use super::nest::{Nest, roles};
use crate::case::Case;
use crate::command::Command;
use crate::rng::Rng;

/// Gives a case such a schedule; false if its statement has no sparse operand beside a dense variable.
pub(super) fn draw(rng: &mut Rng, case: &mut Case) -> bool {
    let Some(roles) = roles(case).filter(|r| r.compressed.contains(&true)) else { return false };
    let dense = [&roles.columns[..], &roles.sums].concat();
    if dense.is_empty() {
        return false;
    }
    let taken = roles.taken.clone();
    let mut nest =
        Nest { rng, roles: &roles, commands: vec![], loops: vec![], taken, scatter: false, room: 256 };
    nest.reorder(roles.levels.len(), None);
    let positions = nest.fused(0..roles.levels.len(), true);
    let size = nest.rng.weighted(&[(20, 1), (20, 2), (25, 3), (20, 8), (15, 40)]);
    let (chunk, own) = match size {
        1 => (positions, vec![]),
        n => {
            let [chunk, entry] = nest.split(&positions, ["chunk", "entry"], n);
            (chunk, vec![entry])
        }
    };
    let beside = dense[nest.rng.below(dense.len())].clone();
    let (tile, inside) = match nest.rng.percent(70) {
        true => {
            let columns = nest.rng.pick(&[1, 2, 3, 4]);
            let [tile, column] = nest.split(&beside, ["tile", "column"], columns);
            (tile, vec![column])
        }
        false => (beside.clone(), vec![]),
    };
    let rest: Vec<String> = dense.iter().filter(|v| **v != beside).cloned().collect();
    let order = |first: &[String]| [first, &own, &rest, &inside].concat();
    nest.commands.push(Command::new("reorder", order(&[chunk.clone(), tile.clone()])));
    let both = nest.fresh("both");
    nest.push("fuse", &[&chunk, &tile, &both]);
    let threads = nest.rng.pick(&[2, 8, 32, 64]);
    let [block, thread] = nest.split(&both, ["block", "thread"], threads);
    nest.commands.push(Command::new("reorder", order(&[block.clone(), thread.clone()])));
    let (unit, strategy) = match nest.rng.below(100) {
        0..80 => ("GPUThread".to_owned(), "Atomics"),
        80..88 => ("GPUThread".to_owned(), "NoRaces"),
        // Lanes of a group have several rows, and columns: refused, unless they are few.
        88..94 => ("GPUGroup(2)".to_owned(), "Segment"),
        _ => ("GPUGroup(2)".to_owned(), "ParallelReduction"),
    };
    nest.push(
        "parallelize",
        &[&block, "GPUBlock", if strategy == "NoRaces" { "NoRaces" } else { "IgnoreRaces" }],
    );
    nest.push("parallelize", &[&thread, &unit, strategy]);
    if let [column] = &inside[..]
        && nest.rng.percent(50)
    {
        nest.push("parallelize", &[column, "GPUVector", "NoRaces"]);
    }
    case.schedule = std::mem::take(&mut nest.commands);
    let what = if roles.sums.contains(&beside) { "summed ones" } else { "the result's" };
    case.about.push(format!("chunks of entries beside columns, {what}"));
    true
}
