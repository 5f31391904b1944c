//! Schedules for a GPU whose threads walk their rows tile by tile, where several operands may be sparse: what a thread holds
//! and where it goes on from tile to tile.

use super::nest::{Nest, roles};
use crate::case::Case;
use crate::command::Command;
use crate::rng::Rng;

/// Gives a case such a schedule; false if its statement has no rows that threads sum over.
pub(super) fn draw(rng: &mut Rng, case: &mut Case) -> bool {
    let Some(roles) = roles(case).filter(|r| r.kept == 1 && r.levels.len() > 1) else { return false };
    let taken = roles.taken.clone();
    let mut nest =
        Nest { rng, roles: &roles, commands: vec![], loops: vec![], taken, scatter: false, room: 256 };
    let threads = nest.rng.pick(&[1, 2, 8, 32]);
    let [block, thread] = nest.split(&roles.levels[0], ["block", "thread"], threads);
    let size = nest.rng.weighted(&[(15, 1), (20, 2), (20, 3), (20, 4), (15, 8), (10, 40)]);
    let [tile, entry] = nest.split(&roles.levels[1], ["tile", "entry"], size);
    let rest = [&roles.levels[2..], &roles.sums, &roles.columns].concat();
    let order = [&[block.clone(), tile, thread.clone(), entry.clone()], &rest[..]].concat();
    nest.push("reorder", &order.iter().map(String::as_str).collect::<Vec<_>>());
    if roles.levels.len() == 2 && nest.rng.percent(25) {
        let (w, list) = (nest.fresh("w"), format!("[{entry}]"));
        nest.push("precompute", &[&roles.access, &list, &list, &w]);
    }
    nest.commands.push(Command::new("parallelize", [block.as_str(), "GPUBlock", "NoRaces"]));
    nest.commands.push(Command::new("parallelize", [thread.as_str(), "GPUThread", "NoRaces"]));
    case.schedule = std::mem::take(&mut nest.commands);
    case.about.push("rows walked tile by tile".into());
    true
}
