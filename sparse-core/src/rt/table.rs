//! Where the coordinates of a fiber are, by coordinate.

use super::memory::zeros;

/// Memory of a table, which is declared again and again, and keeps what it holds.
#[derive(Debug, Default)]
pub struct Table(Vec<i32>);

impl Table {
    /// No memory yet.
    pub const fn new() -> Self {
        Table(vec![])
    }

    /// The elements, zeros at first, whose pages are not touched. Ends the call if there is no memory for so many.
    #[inline]
    pub fn array(&mut self, len: usize) -> &mut [i32] {
        if self.0.len() != len {
            self.0 = vec![];
            self.0 = zeros(len);
        }
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_keeps_what_it_holds() {
        let mut memory = Table::new();
        memory.array(3)[1] = 7;
        assert_eq!(memory.array(3), [0, 7, 0]);
        assert_eq!(memory.array(2), [0, 0]);
    }
}
