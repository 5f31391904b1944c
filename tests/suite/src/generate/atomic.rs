//! Points of atomic parallelism as the compiler schedules them: `schedule cuda = atomic(<1/8 row, 4 col>, 8);`.

use crate::case::Case;
use crate::command::Command;
use crate::rng::Rng;
use proc_macro2::Span;
use sparse_core::driver::concretize_kernel;
use sparse_core::front::parse_str;
use sparse_core::front::point::{Amount, AtomicParallelism, Data};
use sparse_core::schedule::point_commands;

/// Gives a case the commands of a point; false if its statement has none, or not this one.
pub(super) fn draw(rng: &mut Rng, case: &mut Case) -> bool {
    let point = random(rng);
    let commands = || {
        let kernel = parse_str(&case.kernel_text()).ok()?;
        let cin = concretize_kernel(&kernel).ok()?;
        point_commands(&kernel, &cin, &point, Span::call_site()).ok()
    };
    let Some(commands) = commands() else { return false };
    case.schedule = commands.iter().filter_map(|c| Command::parse(&c.source)).collect();
    let shape = match point.data {
        Data::Nnz(Amount::Whole(1)) => "<1 nnz>",
        Data::Nnz(_) => "<g nnz>",
        Data::Row(Amount::Whole(_)) => "<x row>",
        Data::Row(Amount::Part(_)) => "<1/g row>",
    };
    let group = if point.group == 1 { "1" } else { "r" };
    case.about.push(format!("atomic({shape}, {group})"));
    if point.scatter {
        case.about.push("atomic(…, scatter)".into());
    }
    if point.rows > 1 {
        case.about.push("atomic(…, rows = n)".into());
    }
    if point.deterministic {
        case.about.push("atomic(…, deterministic)".into());
    }
    if point.vector {
        case.about.push("atomic vector".into());
    }
    if point.shared > 0 {
        case.about.push("atomic(…, shared = n)".into());
    }
    !case.schedule.is_empty()
}

/// A point, seldom one that no kernel has.
fn random(rng: &mut Rng) -> AtomicParallelism {
    let n = rng.pick(&[1, 2, 3, 4, 8, 8, 16, 32]);
    let data = match rng.below(10) {
        0..5 => Data::Nnz(Amount::Whole(n)),
        5..7 => Data::Row(Amount::Whole(n)),
        _ => Data::Row(Amount::Part(n)),
    };
    let columns = Amount::Whole(rng.pick(&[1, 1, 2, 3, 4, 4, 8]));
    let mut group = rng.pick(&[1, 2, 4, 8, 16, 32]);
    if let Data::Row(Amount::Part(g)) = data
        && rng.percent(70)
    {
        group = group.min(g);
    }
    let threads = rng.pick(&[32, 64, 128, 256, 256]);
    let scatter = matches!(data, Data::Row(Amount::Part(_))) && rng.percent(60);
    let rows = match data {
        Data::Row(Amount::Part(_)) => rng.pick(&[1, 1, 2, 3]),
        _ => 1,
    };
    let vector = rng.percent(if matches!(columns, Amount::Whole(2 | 4)) { 50 } else { 2 });
    let deterministic = matches!(data, Data::Nnz(_)) && group > 1 && rng.percent(40);
    let is_whole = matches!(data, Data::Row(Amount::Whole(_)));
    let shared = if is_whole && rng.percent(50) { rng.pick(&[1, 3, 4, 8, 16, 64]) } else { 0 };
    let group = if shared > 0 && rng.percent(90) { 1 } else { group };
    let plain = AtomicParallelism::new(data, columns, group);
    AtomicParallelism { threads, scatter, rows, vector, deterministic, shared, ..plain }
}
