//! Which loops of a random schedule run on a GPU's units.

use super::parts::parts as parts_of_value;
use super::schedule::{Added, Draft, chains};
use crate::command::Command;
use crate::rng::Rng;
use sparse_core::cin::Stmt;
use sparse_core::front::ast::{Expr, IndexVar, print};

/// Units are drawn so often before the case is given up.
const TRIES: usize = 12;

impl Draft<'_> {
    /// Adds units that are legal together; false if none were found.
    pub(super) fn units(&mut self, rng: &mut Rng) -> bool {
        let tries = if parts(&self.cin.root).len() > 1 { TRIES * 4 } else { TRIES };
        for _ in 0..tries {
            let (count, cin) = (self.commands.len(), self.cin.clone());
            if self.some_units(rng) {
                return true;
            }
            self.commands.truncate(count);
            self.cin = cin;
        }
        false
    }

    /// A workspace over all of the result's variables that a part of the statement has: outside of all loops, if it has the
    /// outermost.
    pub(super) fn precompute_first(&mut self, rng: &mut Rng) {
        let mut all = parts_of_value(&self.kernel.assignment.rhs);
        if all.is_empty() {
            return;
        }
        let part = all.swap_remove(rng.below(all.len()));
        let lhs = &self.kernel.assignment.lhs.indices;
        let has = |v: &&IndexVar| part.any(|e| matches!(e, Expr::Access(a) if a.indices.contains(v)));
        let vars: Vec<String> = lhs.iter().filter(has).map(|v| self.name(*v)).collect();
        if vars.is_empty() {
            return;
        }
        let renamed: Vec<String> = vars.iter().map(|v| self.fresh(v)).collect();
        let list = |names: &[String]| format!("[{}]", names.join(", "));
        let (text, workspace) = (print(&self.kernel, &part), self.fresh("w"));
        self.add(Command::new("precompute", [text, list(&vars), list(&renamed), workspace]));
    }

    /// Units that may be legal. What fills workspaces outside of all loops mostly has some of its own.
    fn some_units(&mut self, rng: &mut Rng) -> bool {
        let parts = parts(&self.cin.root).len();
        let each = parts > 1 && rng.percent(80);
        let mut parallel = vec![];
        for part in 0..if each { parts } else { 1 } {
            match self.units_of(rng, each.then_some(part)) {
                Some(of_part) => parallel.extend(of_part),
                None => return false,
            }
        }
        rng.shuffle(&mut parallel);
        self.commands.extend(parallel.into_iter().map(|args| Command::new("parallelize", args)));
        self.refresh() == Added::Legal
    }

    /// The chains of one of the statement's parts, or of all.
    fn chains_of(&self, part: Option<usize>) -> Vec<Vec<IndexVar>> {
        let Some(part) = part else { return self.chains() };
        let mut found = vec![];
        if let Some(part) = parts(&self.cin.root).get(part) {
            chains(part, vec![], &mut found);
        }
        found
    }

    /// Units of one chain: threads of constant number, what stands outside on warps and blocks.
    fn units_of(&mut self, rng: &mut Rng, part: Option<usize>) -> Option<Vec<[String; 3]>> {
        let all = self.chains_of(part);
        if all.is_empty() && part.is_some() {
            return Some(vec![]);
        }
        let chain = all.get(rng.below(all.len().max(1)))?;
        let mut lane = rng.pick(chain);
        let innermost = chain.last().copied().filter(|v| !self.cin.provenance.is_position(*v));
        let mut vector = None;
        if rng.percent(30)
            && let Some(v) = innermost
        {
            let [outer, inner] = self.split_for_units(v, rng.pick(&[2, 2, 4]))?;
            vector = Some(inner);
            lane = if lane == v { outer } else { lane };
        }
        let r = rng.pick(&[2, 4, 8, 16, 32]);
        if rng.percent(85) {
            [_, lane] = self.split_for_units(lane, r * rng.pick(&[1, 1, 2, 4]))?;
        }
        let chain = self.chains_of(part).into_iter().find(|c| c.contains(&lane))?;
        let mut outside: Vec<IndexVar> = chain.into_iter().take_while(|v| *v != lane).collect();
        let mut warp = None;
        if rng.percent(35)
            && let Some(v) = outside.pop()
        {
            let [outer, inner] = self.split_for_units(v, rng.pick(&[1, 2, 3, 4]))?;
            warp = Some(inner);
            outside.push(outer);
        }
        // What is filled before is mostly scattered.
        let scatters = part.is_some_and(|part| part + 1 < parts(&self.cin.root).len()) && rng.percent(60);
        let (unit, strategy) = match rng.below(100) {
            _ if scatters => ("GPUThread".to_owned(), "Atomics"),
            0..30 => ("GPUThread".to_owned(), "NoRaces"),
            30..50 => ("GPUThread".to_owned(), "Atomics"),
            50..70 => (format!("GPUGroup({r})"), "ParallelReduction"),
            70..81 => (format!("GPUGroup({r})"), "ReduceScatter"),
            81..89 => (format!("GPUGroup({r})"), "Segment"),
            89..98 => (format!("GPUGroup({r})"), "Deterministic"),
            _ => (format!("GPUGroup({r})"), "Atomics"),
        };
        let mut parallel = vec![[self.name(lane), unit, strategy.into()]];
        parallel.extend(vector.map(|v| [self.name(v), "GPUVector".into(), "NoRaces".into()]));
        if let Some(warp) = warp {
            parallel.push([self.name(warp), "GPUWarp".into(), "NoRaces".into()]);
        }
        let often = if part.is_some() { 100 } else { rng.pick(&[40, 70, 100]) };
        for v in outside {
            if !rng.percent(often) {
                continue;
            }
            let strategy = rng.weighted(&[(92, "NoRaces"), (5, "Atomics"), (3, "IgnoreRaces")]);
            parallel.push([self.name(v), "GPUBlock".into(), strategy.into()]);
        }
        Some(parallel)
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

/// What fills workspaces outside of all loops, and what reads them.
fn parts(s: &Stmt) -> Vec<&Stmt> {
    match s {
        Stmt::Where { consumer, producer } => [parts(producer), parts(consumer)].concat(),
        _ => vec![s],
    }
}
