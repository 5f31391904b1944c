//! What `explain` says of a program: the bounds and guards that remain, what is kept in registers, and which tags of the
//! schedule came to nothing ([`tags`](super::tags)).

use super::Lowerer;

/// What `explain` says of a program.
#[derive(Clone, Debug, Default)]
pub struct Remarks {
    /// Bounds and guards that remain, and why.
    pub bounds: Vec<String>,
    /// What is kept in registers.
    pub registers: Vec<String>,
    /// What the schedule asks for and does not get.
    pub warnings: Vec<String>,
}

impl Lowerer<'_> {
    /// Adds a remark on bounds once.
    pub(super) fn note(&mut self, text: String) {
        if !self.remarks.bounds.contains(&text) {
            self.remarks.bounds.push(text);
        }
    }

    /// Adds a remark on registers once.
    pub(super) fn note_registers(&mut self, text: String) {
        if !self.remarks.registers.contains(&text) {
            self.remarks.registers.push(text);
        }
    }

    /// All remarks, with a warning for each tag that came to nothing.
    pub(super) fn take_remarks(&mut self) -> Remarks {
        Remarks { warnings: self.idle_tags(), ..std::mem::take(&mut self.remarks) }
    }
}
