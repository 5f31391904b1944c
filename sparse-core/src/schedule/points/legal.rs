//! Which points are legal for a kernel: those that break no rule of points, nor their commands one of schedules.

use super::{Hybrid, Numbers, Product, checked, commands_in, commands_of};
use crate::cin::Cin;
use crate::diag::{Diagnostic, Diagnostics};
use crate::front::ast::Kernel;
use crate::front::command::{Command, Platform};
use crate::front::point::{Amount, AtomicParallelism, Data};
use crate::schedule::{Checked, Scheduled, apply_own};
use proc_macro2::Span;

/// Rows of a tile that is tried.
const TILE: u32 = 32;

/// The commands of a point for a kernel.
///
/// # Errors
/// The rule that the point breaks, or its commands, or why the kernel is not of this kind.
pub fn point_commands(
    kernel: &Kernel,
    cin: &Cin,
    point: &AtomicParallelism,
    span: Span,
) -> Checked<Vec<Command>> {
    let commands = commands_of(kernel, cin, point, span)?;
    match apply_own(kernel, cin.clone(), &commands, Platform::Cuda) {
        Ok(_) => Ok(commands),
        Err(found) => match of_point(&found, point, span).iter().next() {
            Some(d) => Err(Box::new(d.clone())),
            None => Ok(commands),
        },
    }
}

/// Applies the commands of a point; what they break is the point's fault.
///
/// # Errors
/// As [`point_commands`].
pub fn schedule_point(
    kernel: &Kernel,
    cin: &Cin,
    point: &AtomicParallelism,
    span: Span,
    apply: fn(&Kernel, Cin, &[Command], Platform) -> Result<Scheduled, Diagnostics>,
) -> Result<Scheduled, Diagnostics> {
    let commands = commands_of(kernel, cin, point, span).map_err(|d| Diagnostics::from(*d))?;
    apply(kernel, cin.clone(), &commands, Platform::Cuda).map_err(|found| of_point(&found, point, span))
}

/// The same by the compiler's own choice, of a kernel of which is known what it has points for.
///
/// # Errors
/// As [`point_commands`].
pub fn schedule_hybrid(
    hybrid: &Hybrid,
    kernel: &Kernel,
    cin: &Cin,
    point: &AtomicParallelism,
    span: Span,
) -> Result<Scheduled, Diagnostics> {
    let commands = checked(point, span).and_then(|()| commands_in(hybrid, kernel, point, span));
    let commands = commands.map_err(|d| Diagnostics::from(*d))?;
    apply_own(kernel, cin.clone(), &commands, Platform::Cuda).map_err(|found| of_point(&found, point, span))
}

/// What the commands of a point break, which nobody wrote.
fn of_point(found: &Diagnostics, point: &AtomicParallelism, span: Span) -> Diagnostics {
    let mut all = Diagnostics::new();
    for d in found.iter() {
        let message = match d.code {
            "internal" => d.message.clone(),
            _ => format!("`{point}` is not legal for this statement: {}", d.message),
        };
        let help =
            (d.code != "internal").then(|| "write the commands of a schedule, `schedule cuda { … }`".into());
        all.push(Diagnostic { span, message, help: help.or_else(|| d.help.clone()), ..d.clone() });
    }
    all
}

/// The points that are legal for a kernel, of the groups, columns and entries that are usually tried.
pub fn points(kernel: &Kernel, cin: &Cin) -> Vec<AtomicParallelism> {
    let has_columns = match (Numbers::of(kernel, cin), Product::of(kernel, cin, Span::call_site())) {
        (Some(_), _) => false,
        (None, Ok(product)) => product.has_columns(),
        (None, Err(_)) => return vec![],
    };
    let sizes = [1, 2, 4, 8, 16, 32];
    let mut all = Vec::new();
    for c in if has_columns { vec![1, 2, 4] } else { vec![1] } {
        for g in sizes {
            for r in sizes {
                let data =
                    [Data::Nnz(Amount::Whole(g)), Data::Row(Amount::Part(g)), Data::Row(Amount::Whole(g))];
                for data in data {
                    let data =
                        if data == Data::Row(Amount::Part(1)) { Data::Row(Amount::Whole(1)) } else { data };
                    let plain = AtomicParallelism::new(data, Amount::Whole(c), r);
                    let options = [(false, false), (true, false), (false, true), (true, true)];
                    let mut options = options
                        .map(|(scatter, vector)| AtomicParallelism { scatter, vector, ..plain })
                        .to_vec();
                    if data == Data::Row(Amount::Whole(g)) {
                        let shared = |point: &AtomicParallelism| AtomicParallelism { shared: TILE, ..*point };
                        options.extend(options.clone().iter().map(shared));
                    }
                    // Several rows are tried where a group has a row for itself.
                    let most = if data == Data::Row(Amount::Part(r)) { 2 } else { 1 };
                    let several = (1..=most)
                        .flat_map(|rows| options.iter().map(move |p| AtomicParallelism { rows, ..*p }));
                    for point in several {
                        let legal = || point_commands(kernel, cin, &point, Span::call_site()).is_ok();
                        if !all.contains(&point) && legal() {
                            all.push(point);
                        }
                    }
                }
            }
        }
    }
    all
}
