//! Programs that lack a wait: is each of them needed?

use sparse_core::llir::verify::verify;
use sparse_core::llir::{Launch, Program, Step, Stmt, Verified};

/// The program without its n-th barrier in the launches whose names end so; `None` if there are not so many.
pub fn without_barrier(program: &Program, launches: &str, n: usize) -> Option<Verified> {
    let mut program = program.clone();
    let mut left = n;
    for step in &mut program.steps {
        if let Step::Launch(Launch { name, body, .. }) = step
            && name.ends_with(launches)
            && remove(body, &mut left)
        {
            return Some(verify(program).expect("a program without a barrier is one"));
        }
    }
    None
}

/// Removes the n-th barrier of a block. Is there one?
fn remove(block: &mut Vec<Stmt>, left: &mut usize) -> bool {
    for at in 0..block.len() {
        if matches!(block[at], Stmt::Barrier(_)) {
            if *left == 0 {
                block.remove(at);
                return true;
            }
            *left -= 1;
        }
        let mut removed = false;
        block[at].for_each_block_mut(&mut |nested| removed = removed || remove(nested, left));
        if removed {
            return true;
        }
    }
    false
}
