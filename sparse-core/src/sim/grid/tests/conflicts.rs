//! Which accesses are in conflict: every order of two and three accesses, against what barriers order.

use crate::scalar::Monoid;
use crate::sim::Access;
use crate::sim::grid::shadow::{Now, Shadow};
use proptest::prelude::*;

const ADD: Access = Access::Atomic(Monoid::Add);
const MAX: Access = Access::Atomic(Monoid::Max);

/// Something that happens in a grid. Threads are 0 to 3, of which two are a group's.
#[derive(Clone, Copy, Debug)]
enum Event {
    Access(u32, Access),
    GroupBarrier(u32),
    BlockBarrier,
    NextBlock,
}

/// An access that happened, and what its thread had seen before.
struct Past {
    thread: u32,
    access: Access,
    block: u32,
    epoch: u32,
    sync: u32,
}

fn event() -> impl Strategy<Value = Event> {
    let access = prop::sample::select(vec![Access::Read, Access::Write, ADD, MAX, Access::Claim]);
    prop_oneof![
        6 => (0..4_u32, access).prop_map(|(thread, access)| Event::Access(thread, access)),
        1 => (0..2_u32).prop_map(Event::GroupBarrier),
        1 => Just(Event::BlockBarrier),
        1 => Just(Event::NextBlock),
    ]
}

/// By the definition: a list of everything, compared with each.
#[derive(Default)]
struct List {
    past: Vec<Past>,
}

impl List {
    fn conflicts(&self, new: &Past, in_block: bool) -> bool {
        self.past.iter().any(|p| {
            let compatible = match (p.access, new.access) {
                (Access::Read, Access::Read) => true,
                (Access::Atomic(a), Access::Atomic(b)) => a == b,
                (Access::Claim, Access::Claim) => true,
                _ => false,
            };
            let ordered = if p.block != new.block {
                in_block
            } else if p.epoch != new.epoch || p.thread == new.thread {
                true
            } else {
                p.thread / 2 == new.thread / 2 && p.sync != new.sync
            };
            !compatible && !ordered
        })
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]
    #[test]
    fn summaries_say_what_the_list_says(
        events in prop::collection::vec(event(), 1..14),
        in_block in any::<bool>(),
        together in prop::sample::select(vec![2, 8, 32]),
    ) {
        let mut shadow = Shadow::new(1, in_block);
        let mut list = List::default();
        let (mut epoch, mut block, mut syncs) = (1, 1, [0; 2]);
        for event in events {
            match event {
                Event::GroupBarrier(group) => syncs[group as usize] += 1,
                Event::BlockBarrier => {
                    epoch += 1;
                    syncs = [0; 2];
                }
                Event::NextBlock => {
                    epoch += 1;
                    block = epoch;
                    syncs = [0; 2];
                }
                Event::Access(thread, access) => {
                    let sync = syncs[(thread / 2) as usize];
                    // Two threads of each of two groups, of one warp or of two.
                    let number = thread / 2 * together + thread % 2;
                    let now = Now { epoch, block, sync, thread: number, together };
                    let found = shadow.touch(0, now, access);
                    let new = Past { thread, access, block, epoch, sync };
                    prop_assert_eq!(found.is_err(), list.conflicts(&new, in_block));
                    if found.is_err() {
                        return Ok(());
                    }
                    list.past.push(new);
                }
            }
        }
    }
}

#[test]
fn contended_elements() {
    let mut shadow = Shadow::new(3, false);
    let now = |thread| Now { epoch: 1, block: 1, sync: 0, thread, together: 32 };
    for (at, thread) in [(0, 0), (1, 0), (1, 1), (1, 2), (2, 5), (2, 5)] {
        assert!(shadow.touch(at, now(thread), ADD).is_ok());
    }
    assert_eq!(shadow.contended, 2);
}
