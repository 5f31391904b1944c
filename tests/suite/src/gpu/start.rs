//! How workers are started: this program once more, perhaps under NVIDIA's compute-sanitizer.

use super::options::{Options, Part, Share, Tool};
use super::supervise::Start;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

/// The code of a process in which the sanitizer found something.
const FOUND: i32 = 86;

/// Starts this program.
pub(super) struct Program {
    program: PathBuf,
    /// What every worker is told.
    arguments: Vec<OsString>,
    sanitizer: Option<Sanitizer>,
    /// When no item of the random part is begun, and none of the other.
    until: Option<[Instant; 2]>,
}

/// Of all the time, what random kernels may take.
const RANDOM: f64 = 0.6;
/// What an item has that is under way when the time is over.
const GRACE: Duration = Duration::from_secs(20);

struct Sanitizer {
    program: PathBuf,
    tool: Tool,
    /// Of its logs.
    folder: PathBuf,
}

impl Program {
    /// Makes the folder of logs, if there will be some.
    ///
    /// # Errors
    /// No sanitizer, though one is asked for; a folder that can't be written.
    pub(super) fn new(options: &Options) -> Result<Program, String> {
        let program = std::env::current_exe().map_err(|e| format!("this program can't be found: {e}"))?;
        let mut arguments: Vec<OsString> = vec!["--device".into(), options.device.name().into()];
        for (name, value) in [
            ("--ordinal", options.ordinal.to_string()),
            ("--seed", options.seed.to_string()),
            ("--entries", options.most().entries.to_string()),
            ("--elements", options.most().elements.to_string()),
            ("--steps", options.most().steps.to_string()),
            ("--repeats", options.repeats().to_string()),
        ] {
            arguments.extend([name.into(), value.into()]);
        }
        for (name, folder) in [("--kernels", &options.kernels), ("--data", &options.data)] {
            arguments.extend(folder.iter().flat_map(|f| [name.into(), f.clone().into_os_string()]));
        }
        if let Some(architecture) = options.compile {
            arguments.extend(["--compile".into(), architecture.to_string().into()]);
        }
        if !options.inputs.is_empty() {
            arguments.extend(["--inputs".into(), options.inputs.join(",").into()]);
        }
        let sanitizer = options.sanitizer.map(|tool| Sanitizer::new(options, tool)).transpose()?;
        let until = options.time_limit.map(|limit| {
            let after = |part: f64| {
                let time = Duration::try_from_secs_f64(part * limit).ok();
                time.and_then(|time| Instant::now().checked_add(time))
            };
            let until = after(RANDOM).zip(after(1.0)).map(|(random, kernels)| [random, kernels]);
            until.ok_or(format!("{limit} is no number of seconds"))
        });
        Ok(Program { program, arguments, sanitizer, until: until.transpose()? })
    }

    /// How much time is left for a part.
    fn left(&self, part: Part) -> Option<Duration> {
        let [random, kernels] = self.until?;
        let until = if part == Part::Random { random } else { kernels };
        Some(until.saturating_duration_since(Instant::now()))
    }
}

impl Start for Program {
    fn command(&self, share: Share, number: u64, more: &[OsString]) -> Command {
        let mut command = match &self.sanitizer {
            None => Command::new(&self.program),
            Some(sanitizer) => sanitizer.command(&self.program, number),
        };
        command.args(&self.arguments).arg("--worker").arg(share.to_string()).args(more);
        if let Some(left) = self.left(share.part) {
            command.arg("--time-limit").arg(left.as_secs_f64().to_string());
        }
        // Random kernels come once: the next run would find none of them, if it is not the one they were compiled for. A folder
        // that is named has that one's, and keeps no others (`leftover`).
        if std::env::var_os("SPARSE_CACHE").is_none() {
            command.env("SPARSE_CACHE", "");
        }
        command
    }

    fn ended(&self, number: u64, status: ExitStatus) -> Option<String> {
        let sanitizer = self.sanitizer.as_ref()?;
        (status.code() == Some(FOUND)).then(|| sanitizer.report(number))
    }

    fn patience(&self, part: Part) -> (Duration, bool) {
        let patience = Duration::from_secs(if self.sanitizer.is_some() { 500 } else { 150 });
        let left = self.left(part).map(|left| left + GRACE).filter(|left| *left < patience);
        (left.unwrap_or(patience), left.is_some())
    }

    fn is_late(&self, part: Part) -> bool {
        self.left(part).is_some_and(|left| left.is_zero())
    }
}

impl Sanitizer {
    fn new(options: &Options, tool: Tool) -> Result<Sanitizer, String> {
        let program = find().ok_or(
            "compute-sanitizer is not here: it comes with the CUDA toolkit; set CUDA_PATH to the toolkit's folder, or \
             put its folder `bin` on the PATH",
        )?;
        let own = || std::env::temp_dir().join(format!("run-gpu-tests-{}", std::process::id()));
        let folder = options.out.clone().unwrap_or_else(own);
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        Ok(Sanitizer { program, tool, folder })
    }

    fn log(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{}-{number}.log", self.tool.name()))
    }

    fn command(&self, program: &Path, number: u64) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["--tool", self.tool.name(), "--error-exitcode", &FOUND.to_string(), "--log-file"]);
        command.arg(self.log(number)).arg(program);
        command
    }

    /// The first lines of what it found; kernels are named after their cases.
    fn report(&self, number: u64) -> String {
        const LINES: usize = 40;
        let path = self.log(number);
        let (tool, path) = (self.tool.name(), path.display());
        match std::fs::read_to_string(self.log(number)) {
            Ok(log) => {
                let lines: Vec<String> = log.lines().take(LINES).map(|line| format!("// {line}\n")).collect();
                format!("// {tool} found something; the whole log is {path}\n{}", lines.concat())
            }
            Err(e) => format!("// {tool} found something; its log can't be read: {path}: {e}\n"),
        }
    }
}

/// The sanitizer of the PATH, or of the CUDA toolkit.
fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let toolkits = ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    let toolkits = toolkits.chain([PathBuf::from("/usr/local/cuda")]).map(|root| root.join("bin"));
    let folders: Vec<PathBuf> = std::env::split_paths(&path).chain(toolkits).collect();
    folders.into_iter().map(|folder| folder.join("compute-sanitizer")).find(|file| file.is_file())
}
