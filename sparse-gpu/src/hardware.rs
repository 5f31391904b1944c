//! What a driver says of a GPU, and what NVIDIA's data sheets say where it does not.

use std::fmt;

/// A GPU by what its driver says; `None` where that says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hardware {
    /// As `NVIDIA H100 PCIe`.
    pub name: String,
    /// Multiprocessors.
    pub multiprocessors: Option<u32>,
    /// Threads that a multiprocessor holds.
    pub threads: Option<u32>,
    /// Registers of a multiprocessor, of 32 bits.
    pub registers: Option<u32>,
    /// Bytes of shared memory of a multiprocessor.
    pub shared: Option<u32>,
    /// Bytes of the second-level cache.
    pub second_level: Option<u32>,
    /// The memory's clock, in kHz: it moves a bit a wire at both edges.
    pub memory_clock: Option<u32>,
    /// Wires to memory.
    pub memory_bus: Option<u32>,
}

/// Whom a bandwidth is known from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// The driver: twice the memory's clock, times the width of its bus.
    Driver,
    /// The data sheet of the GPU that has these words in its name.
    DataSheet(&'static str),
    /// Nobody: each multiprocessor is taken to have as much as an H200's.
    Nobody,
}

/// Bytes a second of GPUs' memories by their data sheets; the first whose words are all in a name is meant.
const DATA_SHEETS: [(&str, f64); 22] = [
    ("B200", 8.0e12),
    ("GB200", 8.0e12),
    ("GH200 144G", 4.9e12),
    ("GH200", 4.0e12),
    ("H200", 4.8e12),
    ("H100 NVL", 3.9e12),
    ("H100 PCIe", 2.0e12),
    ("H100", 3.35e12),
    ("H20", 4.0e12),
    ("A100 80GB PCIe", 1.935e12),
    ("A100 80GB", 2.039e12),
    ("A100", 1.555e12),
    ("A40", 0.696e12),
    ("A30", 0.933e12),
    ("A10", 0.6e12),
    ("L40S", 0.864e12),
    ("L40", 0.864e12),
    ("L4", 0.3e12),
    ("V100S", 1.134e12),
    ("V100", 0.9e12),
    ("P100", 0.732e12),
    ("T4", 0.32e12),
];

impl Hardware {
    /// Bytes from memory a second, and whom they are known from; `None` if neither the driver nor a data sheet tells.
    pub fn bandwidth(&self) -> Option<(f64, Told)> {
        let positive = |n: Option<u32>| n.filter(|n| *n > 0).map(f64::from);
        if let (Some(clock), Some(bus)) = (positive(self.memory_clock), positive(self.memory_bus)) {
            return Some((2.0 * 1e3 * clock * bus / 8.0, Told::Driver));
        }
        let words: Vec<&str> = self.name.split(|c: char| !c.is_ascii_alphanumeric()).collect();
        let is_meant = |sheet: &&(&'static str, f64)| sheet.0.split(' ').all(|word| words.contains(&word));
        DATA_SHEETS.iter().find(is_meant).map(|(name, rate)| (*rate, Told::DataSheet(name)))
    }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Told::Driver => f.write_str("by its clock and bus"),
            Told::DataSheet(name) => write!(f, "by the data sheet of {name}"),
            Told::Nobody => f.write_str("unknown: as much a multiprocessor as an H200's"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clocks and buses as drivers report them, against the data sheets.
    #[test]
    fn clock_and_bus_make_the_data_sheets_bandwidth() {
        for (name, clock, bus) in [
            ("NVIDIA H200", 3_201_000, 6144),
            ("NVIDIA H100 80GB HBM3", 2_619_000, 5120),
            ("NVIDIA A100-SXM4-80GB", 1_593_000, 5120),
            ("Tesla V100-SXM2-16GB", 877_000, 4096),
            ("Tesla T4", 5_001_000, 256),
        ] {
            let told = Hardware { name: name.into(), ..Hardware::default() };
            let known = Hardware { memory_clock: Some(clock), memory_bus: Some(bus), ..told.clone() };
            let ((by_driver, driver), (by_sheet, sheet)) =
                (known.bandwidth().unwrap(), told.bandwidth().unwrap());
            assert!((by_driver / by_sheet - 1.0).abs() < 0.03, "{name}: {by_driver:e}, {by_sheet:e}");
            assert_eq!(driver, Told::Driver);
            assert!(matches!(sheet, Told::DataSheet(_)));
        }
    }

    #[test]
    fn a_name_has_all_words_of_its_data_sheet() {
        let told = |name: &str| {
            let hardware = Hardware { name: name.into(), memory_clock: Some(0), ..Hardware::default() };
            hardware.bandwidth().map(|(rate, told)| (rate, told.to_string()))
        };
        let sheet = |rate, name: &str| Some((rate, format!("by the data sheet of {name}")));
        assert_eq!(told("NVIDIA H100 PCIe"), sheet(2.0e12, "H100 PCIe"));
        assert_eq!(told("NVIDIA A100 80GB PCIe"), sheet(1.935e12, "A100 80GB PCIe"));
        assert_eq!(told("NVIDIA A100-SXM4-40GB"), sheet(1.555e12, "A100"));
        assert_eq!(told("NVIDIA A10"), sheet(0.6e12, "A10"));
        assert_eq!(told("NVIDIA L40S"), sheet(0.864e12, "L40S"));
        assert_eq!(told("NVIDIA GeForce RTX 4090"), None);
        assert_eq!(told(""), None);
    }
}
