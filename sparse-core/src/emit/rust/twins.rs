//! Arrays that grow together: the coordinates of a level and of the ones that share its positions, and the values below them. One
//! length serves all.

use crate::llir::{BufferId, Expr, Program, Step, Stmt};
use std::collections::BTreeMap;

/// Arrays that grow together.
#[derive(Clone, Default)]
pub(super) struct Twins {
    /// For each array the one that is appended to right before it, every time.
    before: BTreeMap<BufferId, BufferId>,
}

impl Twins {
    /// Those among some arrays.
    pub(super) fn of(program: &Program, among: impl Fn(BufferId) -> bool) -> Twins {
        let mut pairs = Pairs::default();
        for step in &program.steps {
            if let Step::Run(block) = step {
                pairs.visit(block);
            }
        }
        let Pairs { followed, appended } = pairs;
        let together = |&(&(leader, follower), times): &(&(BufferId, BufferId), &usize)| {
            let always = |b| appended.get(&b) == Some(times) && among(b);
            always(leader) && always(follower)
        };
        let before = followed.iter().filter(together).map(|(&(leader, follower), _)| (follower, leader));
        Twins { before: before.collect() }
    }

    /// The first of those that grow with an array.
    pub(super) fn first(&self, mut array: BufferId) -> BufferId {
        while let Some(before) = self.before.get(&array) {
            array = *before;
        }
        array
    }

    /// Is another one appended to right after it, every time?
    pub(super) fn leads(&self, array: BufferId) -> bool {
        self.before.values().any(|before| *before == array)
    }

    /// Is another one appended to right before it, every time?
    pub(super) fn follows(&self, array: BufferId) -> bool {
        self.before.contains_key(&array)
    }
}

/// How often one append follows another directly, and how often each array is appended to in all.
#[derive(Default)]
struct Pairs {
    followed: BTreeMap<(BufferId, BufferId), usize>,
    appended: BTreeMap<BufferId, usize>,
}

impl Pairs {
    fn visit(&mut self, block: &[Stmt]) {
        // The arrays of the appends right before, whose lengths the last of them counts.
        let mut run: Vec<BufferId> = vec![];
        for stmt in block {
            match stmt {
                Stmt::Append { buffer, value } => {
                    *self.appended.entry(*buffer).or_default() += 1;
                    // Not if it asks for a length that is counted late.
                    let mut asks = false;
                    value.visit(&mut |e| asks |= matches!(e, Expr::Len(_)));
                    if asks || run.contains(buffer) {
                        run.clear();
                    }
                    if let Some(leader) = run.last() {
                        *self.followed.entry((*leader, *buffer)).or_default() += 1;
                    }
                    run.push(*buffer);
                }
                // Never one of them: the count would have to agree as well.
                Stmt::AppendN { buffer, .. } | Stmt::Scan { buffer, .. } => {
                    *self.appended.entry(*buffer).or_default() += 1;
                    run.clear();
                }
                _ => run.clear(),
            }
            for nested in stmt.blocks() {
                self.visit(nested);
            }
        }
    }
}
