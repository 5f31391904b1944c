//! Arrays that grow together: a level's coordinates and the values below them. One length serves both.

use crate::llir::{BufferId, Expr, Program, Step, Stmt};
use std::collections::BTreeMap;

/// For each follower the leader with whose every append one of its own follows at once, and which has no other.
pub(super) fn twins(program: &Program) -> BTreeMap<BufferId, BufferId> {
    let mut pairs = Pairs::default();
    for step in &program.steps {
        if let Step::Run(block) = step {
            pairs.visit(block);
        }
    }
    let Pairs { followed, appended } = pairs;
    let together = |&(leader, follower): &(BufferId, BufferId)| {
        let pairs = followed[&(leader, follower)];
        appended.get(&leader) == Some(&pairs) && appended.get(&follower) == Some(&pairs)
    };
    // A leader that is itself a follower would be paired more often than it is appended to: there are no chains.
    followed.keys().filter(|p| together(p)).map(|&(leader, follower)| (follower, leader)).collect()
}

/// How often one append follows another directly, and how often each array is appended to in all.
#[derive(Default)]
struct Pairs {
    followed: BTreeMap<(BufferId, BufferId), usize>,
    appended: BTreeMap<BufferId, usize>,
}

impl Pairs {
    fn visit(&mut self, block: &[Stmt]) {
        let mut before = None;
        for stmt in block {
            let mut now = None;
            match stmt {
                Stmt::Append { buffer, value } => {
                    *self.appended.entry(*buffer).or_default() += 1;
                    now = Some(*buffer);
                    // An append pairs with one other at most, and not if it asks for a length that is counted late.
                    let mut asks = false;
                    value.visit(&mut |e| asks |= matches!(e, Expr::Len(_)));
                    if let Some(leader) = before.filter(|l| l != buffer && !asks) {
                        *self.followed.entry((leader, *buffer)).or_default() += 1;
                        now = None;
                    }
                }
                // Never part of a pair: the count would have to agree as well.
                Stmt::AppendN { buffer, .. } | Stmt::Scan { buffer, .. } => {
                    *self.appended.entry(*buffer).or_default() += 1
                }
                _ => {}
            }
            before = now;
            for nested in stmt.blocks() {
                self.visit(nested);
            }
        }
    }
}
