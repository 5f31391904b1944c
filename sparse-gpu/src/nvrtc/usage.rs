//! What compiled kernels use, from the assembler's part of the log:
//!
//! ```text
//! ptxas info    : Compiling entry function 'spmm' for 'sm_90'
//! ptxas info    : Function properties for spmm
//! ptxas         .     1160 bytes stack frame, 2372 bytes spill stores, 2788 bytes spill loads
//! ptxas info    : Used 32 registers, used 1 barriers, 1024 bytes smem
//! ```

/// What one kernel uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The entry point's name.
    pub kernel: String,
    /// Registers of a thread.
    pub registers: u32,
    /// Bytes that are written to memory for want of registers.
    pub spill_stores: u32,
    /// Bytes that are read back.
    pub spill_loads: u32,
    /// Bytes of a thread's stack: arrays that are not in registers, and what was spilled.
    pub stack: u32,
    /// Bytes of shared memory of a block, as declared.
    pub shared: u32,
}

/// What each kernel of a log uses.
pub(super) fn parse(log: &str) -> Vec<Usage> {
    let mut kernels: Vec<Usage> = Vec::new();
    for line in log.lines().filter(|l| is_usage(l)) {
        if let Some(name) = line.split("entry function '").nth(1).and_then(|l| l.split('\'').next()) {
            kernels.push(Usage { kernel: name.to_owned(), ..Usage::default() });
        }
        let Some(kernel) = kernels.last_mut() else { continue };
        let mut set = |to: fn(&mut Usage) -> &mut u32, unit: &str| {
            if let Some(n) = number_before(line, unit) {
                *to(kernel) = n;
            }
        };
        set(|k| &mut k.registers, " registers");
        set(|k| &mut k.spill_stores, " bytes spill stores");
        set(|k| &mut k.spill_loads, " bytes spill loads");
        set(|k| &mut k.stack, " bytes stack frame");
        set(|k| &mut k.shared, " bytes smem");
    }
    kernels
}

/// Lines that are neither empty nor about what kernels use.
pub(super) fn warnings(log: &str) -> Vec<&str> {
    log.lines().filter(|l| !l.trim().is_empty() && !is_usage(l)).collect()
}

fn is_usage(line: &str) -> bool {
    line.starts_with("ptxas info") || line.starts_with("ptxas         .")
}

/// The number that stands before a unit.
fn number_before(line: &str, unit: &str) -> Option<u32> {
    let before = &line[..line.find(unit)?];
    let start = before.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
    before[start..].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "k.cu(3): warning #177-D: variable \"unused\" was declared but never referenced

ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'plain' for 'sm_90'
ptxas info    : Function properties for plain
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 1 barriers, 1024 bytes smem
ptxas info    : Compile time = 2.274 ms
ptxas info    : Compiling entry function 'spill' for 'sm_90'
ptxas info    : Function properties for spill
ptxas         .     1160 bytes stack frame, 2372 bytes spill stores, 2788 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 1160 bytes cumulative stack size
ptxas warning : Registers are spilled to local memory in function 'spill'";

    #[test]
    fn the_log_says_what_each_kernel_uses() {
        let plain = Usage { kernel: "plain".into(), registers: 10, shared: 1024, ..Usage::default() };
        let spill = Usage {
            kernel: "spill".into(),
            registers: 32,
            spill_stores: 2372,
            spill_loads: 2788,
            stack: 1160,
            shared: 0,
        };
        assert_eq!(parse(LOG), [plain, spill]);
        let warned = warnings(LOG);
        assert_eq!(warned.len(), 2);
        assert!(warned[0].contains("unused") && warned[1].contains("spilled"));
    }
}
