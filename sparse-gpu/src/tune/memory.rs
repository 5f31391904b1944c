//! What was found, on disk: a file for each kernel, kind of input, space and device, in JSON.
//!
//! A file holds its whole key, and counts only if all of it is the same. What is damaged, or is something else, is reported
//! and written anew. Measurements and predictions have different keys: neither is ever taken for the other.

use super::figure::Figure;
use super::meter::{Meter, Target};
use super::model::Model;
use super::profile::Profile;
use super::space::Space;
use super::tunable::{Choice, Parsed};
use crate::folder;
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::Duration;

/// Where results are remembered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Memory {
    /// In the folder `SPARSE_CACHE`, or `sparse-gpu` in the platform's folder of caches.
    #[default]
    Users,
    /// In this folder.
    Folder(PathBuf),
    /// Nowhere.
    None,
}

/// Another layout gets another number.
const LAYOUT: u32 = 1;

/// Everything that a result depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Key {
    layout: u32,
    kernel: String,
    compiler: String,
    device: String,
    inputs: String,
    /// A hash: it is long.
    space: String,
    /// `measured` or `predicted`.
    origin: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Record {
    key: Key,
    /// Did the search come to its end?
    complete: bool,
    schedule: Schedule,
    nanoseconds: u64,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Schedule {
    Point(String),
    Commands(String),
}

/// A result's place.
pub(super) struct Place {
    pub(super) file: PathBuf,
    key: Key,
}

/// A result from before.
pub(super) struct Remembered<F> {
    pub(super) complete: bool,
    pub(super) choice: Choice,
    pub(super) figure: F,
}

/// What a file holds.
pub(super) enum Lookup<F> {
    /// There is no file.
    Nothing,
    Found(Remembered<F>),
    /// Why it does not count.
    Ignored(String),
}

impl Place {
    /// Where the result of a search is; `None` if nothing is remembered.
    pub(super) fn of<D: Meter>(
        space: &Space,
        kernel: &Parsed,
        profile: Option<&Profile>,
        device: &D,
        model: &Model,
    ) -> Option<Place> {
        let root = match &space.memory {
            Memory::Users => folder::folder()?,
            Memory::Folder(path) => path.clone(),
            Memory::None => return None,
        };
        let key = Key {
            layout: LAYOUT,
            kernel: kernel.text().to_owned(),
            compiler: compiler(device.target()),
            device: device.identity(model),
            // Without a profile nothing is known of the inputs: a result is not taken for others.
            inputs: profile?.bucket(),
            space: format!("{:032x}", folder::hash(space.describe(kernel).as_bytes())),
            origin: D::Figure::ORIGIN.into(),
        };
        let name = format!("{:032x}.json", folder::hash(serde_json::to_string(&key).ok()?.as_bytes()));
        Some(Place { file: root.join("tuned").join(name), key })
    }

    /// What was found before.
    pub(super) fn load<F: Figure>(&self) -> Lookup<F> {
        let text = match std::fs::read(&self.file) {
            Ok(text) => text,
            // Nor can there be one where what should be its folder is none.
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Lookup::Nothing;
            }
            Err(e) => return Lookup::Ignored(e.to_string()),
        };
        let record: Record = match serde_json::from_slice(&text) {
            Ok(record) => record,
            Err(e) => return Lookup::Ignored(format!("it is no result of tuning: {e}")),
        };
        if record.key != self.key {
            return Lookup::Ignored("it is the result of something else".into());
        }
        let choice = match record.schedule {
            Schedule::Point(text) => match text.parse() {
                Ok(point) => Choice::Point(point),
                Err(e) => return Lookup::Ignored(format!("its schedule is no point: {e}")),
            },
            Schedule::Commands(text) => Choice::Commands(text),
        };
        let figure = F::remembered(Duration::from_nanos(record.nanoseconds));
        Lookup::Found(Remembered { complete: record.complete, choice, figure })
    }

    /// Keeps a result.
    ///
    /// # Errors
    /// What the disk reports.
    pub(super) fn store<F: Figure>(&self, found: &Remembered<F>) -> std::io::Result<()> {
        let schedule = match &found.choice {
            Choice::Point(point) => Schedule::Point(point.to_string()),
            Choice::Commands(text) => Schedule::Commands(text.clone()),
        };
        let nanoseconds = u64::try_from(found.figure.time().as_nanos()).unwrap_or(u64::MAX);
        let record = Record { key: self.key.clone(), complete: found.complete, schedule, nanoseconds };
        let text = serde_json::to_string_pretty(&record)?;
        folder::write(&self.file, text.as_bytes())
    }
}

/// This crate, which makes programs of kernels.
const OWN: &str = concat!("sparse-gpu ", env!("CARGO_PKG_VERSION"));

/// What makes programs of kernels, and code of those.
#[cfg(feature = "cuda")]
fn compiler(target: Target) -> String {
    match crate::nvrtc::Compiler::load(target.driver) {
        Ok(nvrtc) => {
            let (major, minor) = nvrtc.version();
            format!("{OWN}, NVRTC {major}.{minor}")
        }
        Err(_) => OWN.into(),
    }
}

#[cfg(not(feature = "cuda"))]
fn compiler(_: Target) -> String {
    OWN.into()
}
