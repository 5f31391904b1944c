//! Which loops of a random schedule run on a GPU's units.

use super::schedule::{Added, Draft};
use crate::command::Command;
use crate::rng::Rng;
use sparse_core::front::ast::IndexVar;

/// Units are drawn so often before the case is given up.
const TRIES: usize = 12;

impl Draft<'_> {
    /// Adds units that are legal together; false if none were found.
    pub(super) fn units(&mut self, rng: &mut Rng) -> bool {
        for _ in 0..TRIES {
            let (count, cin) = (self.commands.len(), self.cin.clone());
            if self.some_units(rng) {
                return true;
            }
            self.commands.truncate(count);
            self.cin = cin;
        }
        false
    }

    /// Units that may be legal: threads of constant number, what stands outside on warps and blocks.
    fn some_units(&mut self, rng: &mut Rng) -> bool {
        let chains = self.chains();
        let Some(chain) = chains.get(rng.below(chains.len().max(1))) else { return false };
        let mut lane = rng.pick(chain);
        let innermost = chain.last().copied().filter(|v| !self.cin.provenance.is_position(*v));
        let mut vector = None;
        if rng.percent(30)
            && let Some(v) = innermost
        {
            let Some([outer, inner]) = self.split_for_units(v, rng.pick(&[2, 2, 4])) else { return false };
            vector = Some(inner);
            lane = if lane == v { outer } else { lane };
        }
        let r = rng.pick(&[2, 4, 8, 16, 32]);
        if rng.percent(85) {
            let Some([_, inner]) = self.split_for_units(lane, r * rng.pick(&[1, 1, 2, 4])) else {
                return false;
            };
            lane = inner;
        }
        let mut outside: Vec<IndexVar> = match self.chains().into_iter().find(|c| c.contains(&lane)) {
            Some(chain) => chain.into_iter().take_while(|v| *v != lane).collect(),
            None => return false,
        };
        let mut warp = None;
        if rng.percent(35)
            && let Some(v) = outside.pop()
        {
            let Some([outer, inner]) = self.split_for_units(v, rng.pick(&[1, 2, 3, 4])) else { return false };
            warp = Some(inner);
            outside.push(outer);
        }
        let (unit, strategy) = match rng.below(100) {
            0..30 => ("GPUThread".to_owned(), "NoRaces"),
            30..50 => ("GPUThread".to_owned(), "Atomics"),
            50..70 => (format!("GPUGroup({r})"), "ParallelReduction"),
            70..81 => (format!("GPUGroup({r})"), "ReduceScatter"),
            81..91 => (format!("GPUGroup({r})"), "Segment"),
            91..97 => (format!("GPUGroup({r})"), "Deterministic"),
            _ => (format!("GPUGroup({r})"), "Atomics"),
        };
        let mut parallel = vec![[self.name(lane), unit, strategy.into()]];
        parallel.extend(vector.map(|v| [self.name(v), "GPUVector".into(), "NoRaces".into()]));
        if let Some(warp) = warp {
            parallel.push([self.name(warp), "GPUWarp".into(), "NoRaces".into()]);
        }
        let often = rng.pick(&[40, 70, 100]);
        for v in outside {
            if !rng.percent(often) {
                continue;
            }
            let strategy = rng.weighted(&[(92, "NoRaces"), (5, "Atomics"), (3, "IgnoreRaces")]);
            parallel.push([self.name(v), "GPUBlock".into(), strategy.into()]);
        }
        rng.shuffle(&mut parallel);
        self.commands.extend(parallel.into_iter().map(|args| Command::new("parallelize", args)));
        self.refresh() == Added::Legal
    }

    fn split_for_units(&mut self, v: IndexVar, factor: usize) -> Option<[IndexVar; 2]> {
        let made = [self.fresh("u"), self.fresh("t")];
        let command =
            Command::new("split", [self.name(v), made[0].clone(), made[1].clone(), factor.to_string()]);
        if self.add(command) != Added::Legal {
            return None;
        }
        let [outer, inner] = made.map(|name| self.cin.provenance.find(&name));
        Some([outer?, inner?])
    }
}
