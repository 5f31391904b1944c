//! The command line.

use super::device::Kind;
use super::effort::Most;
use clap::ValueEnum;
use std::path::PathBuf;
use std::str::FromStr;

/// Runs kernels on a GPU, or on the simulator in its place, and compares what they compute.
#[derive(Clone, Debug, clap::Parser)]
#[command(name = "run-gpu-tests", version)]
pub struct Options {
    /// Where kernels run.
    #[arg(long, value_enum, default_value = "cuda")]
    pub device: Kind,
    /// The number of the GPU.
    #[arg(long, default_value_t = 0)]
    pub ordinal: usize,
    /// How many random kernels are run; those that the compiler refuses are not counted. What is compiled for them is removed
    /// from the folder `SPARSE_CACHE`, if that is set, once all have run: only what was there before stays.
    #[arg(long, default_value_t = 2000)]
    pub cases: u64,
    /// Seed of the random kernels.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Runs this one random kernel of the run alone.
    #[arg(long)]
    pub only: Option<u64>,
    /// Compiles every kernel of the run for a GPU of this architecture too, 90 for `sm_90`, and keeps it in the folder
    /// `SPARSE_CACHE`: where that is taken to, the same run has nothing left to compile. On the simulator alone.
    #[arg(long, value_name = "SM")]
    pub compile: Option<u32>,
    /// Runs under this tool of NVIDIA's compute-sanitizer.
    #[arg(long, value_enum)]
    pub sanitizer: Option<Tool>,
    /// Only inputs whose name contains one of these.
    #[arg(long, value_delimiter = ',')]
    pub inputs: Vec<String>,
    /// Folder of kernels to run on inputs; `kernels` beside this program if it is there.
    #[arg(long, value_name = "DIR")]
    pub kernels: Option<PathBuf>,
    /// Folder of `.mtx`, `.mtx.gz`, `.tns` and `.tns.gz` files; `data` beside this program if it is there.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Inputs with more entries are left out: 1,000,000 on a GPU, 3,000 on the simulator.
    #[arg(long, value_name = "N")]
    pub entries: Option<usize>,
    /// Kernels on inputs whose tensors have more elements, a dense result's among them, are left out: 16,777,216 on a GPU,
    /// 2,097,152 on the simulator.
    #[arg(long, value_name = "N")]
    pub elements: Option<u64>,
    /// Kernels on inputs are left out that take more products of elements, or more steps of the reference's interpreter:
    /// 100,000,000, and 20,000,000 on the simulator.
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// How often kernels are run on an input whose results have to be the same bytes in every run: 100 times on a GPU, 3
    /// times on the simulator. With tensors of more than a million elements it is less often.
    #[arg(long, value_name = "N")]
    pub repeats: Option<u32>,
    /// Begins nothing new after so many seconds, of which random kernels have three fifths; what is left out is said.
    #[arg(long, value_name = "SECONDS")]
    pub time_limit: Option<f64>,
    /// Folder for logs.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// How many processes work at a time.
    #[arg(long)]
    pub workers: Option<usize>,
    /// Does a part of the work, for the process that asks.
    #[arg(long, hide = true)]
    pub worker: Option<Share>,
    /// Of the attempts to make the case smaller, which failed; the next one is run.
    #[arg(long, hide = true, requires = "worker")]
    pub replay: Option<String>,
}

impl Options {
    /// The most that a kernel on an input makes.
    pub(super) fn most(&self) -> Most {
        let (entries, elements, steps) = match self.device {
            Kind::Cuda => (1_000_000, 1 << 24, 100_000_000),
            Kind::Sim => (3_000, 1 << 21, 20_000_000),
        };
        Most {
            entries: self.entries.unwrap_or(entries),
            elements: self.elements.unwrap_or(elements),
            steps: self.steps.unwrap_or(steps),
        }
    }

    /// How often kernels run whose results are the same bytes every time.
    pub(super) fn repeats(&self) -> u32 {
        self.repeats.unwrap_or(match self.device {
            Kind::Cuda => 100,
            Kind::Sim => 3,
        })
    }

    /// What a folder is called that was not named: the one beside this program.
    pub(super) fn folder(named: Option<&PathBuf>, name: &str) -> Option<PathBuf> {
        let beside = || Some(std::env::current_exe().ok()?.parent()?.join(name)).filter(|path| path.is_dir());
        named.cloned().or_else(beside)
    }
}

/// A tool of compute-sanitizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Tool {
    /// Accesses out of bounds.
    Memcheck,
    /// Races in shared memory.
    Racecheck,
    /// Reads of what nobody wrote.
    Initcheck,
    /// Barriers and shuffles that not all come to.
    Synccheck,
}

impl Tool {
    /// As compute-sanitizer calls it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Tool::Memcheck => "memcheck",
            Tool::Racecheck => "racecheck",
            Tool::Initcheck => "initcheck",
            Tool::Synccheck => "synccheck",
        }
    }
}

/// What there is to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Random kernels, as many as one wants.
    Random,
    /// The kernels of a folder on every input.
    Kernels,
}

/// Some of the items of a part: `first`, `first + step`, …, until `count` have passed or failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Of this part.
    pub part: Part,
    /// Number of the first item.
    pub first: u64,
    /// From one to the next; 0 for the first alone.
    pub step: u64,
    /// How many.
    pub count: u64,
}

impl std::fmt::Display for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let part = match self.part {
            Part::Random => "random",
            Part::Kernels => "kernels",
        };
        write!(f, "{part}:{}:{}:{}", self.first, self.step, self.count)
    }
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Share, String> {
        let wrong = || format!("`{text}` is not PART:FIRST:STEP:COUNT");
        let parts: Vec<&str> = text.split(':').collect();
        let [part, first, step, count] = parts[..] else { return Err(wrong()) };
        let part = match part {
            "random" => Part::Random,
            "kernels" => Part::Kernels,
            _ => return Err(wrong()),
        };
        let number = |text: &str| text.parse().map_err(|_| wrong());
        Ok(Share { part, first: number(first)?, step: number(step)?, count: number(count)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_as_they_are_written() {
        let share = Share { part: Part::Kernels, first: 3, step: 8, count: 100 };
        assert_eq!(share.to_string().parse(), Ok(share));
        assert!("random:1".parse::<Share>().is_err());
        assert!("sorted:1:1:1".parse::<Share>().is_err());
    }
}
