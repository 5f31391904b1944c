//! What a rule is fitted on: the times of points, and the statistics by which a call would choose.

use super::learn::Sample;
use crate::error::{Error, Result};
use crate::gpu::inputs::{self, Sparse};
use crate::gpu::kernel::Kernel;
use crate::gpu::measure::TUNED;
use crate::gpu::points::{self, DEFAULT, TACO};
use sparse_core::driver::{self, concretize_kernel};
use sparse_core::front;
use sparse_core::scalar::DType;
use sparse_core::schedule::rule::Kind;
use sparse_core::schedule::{self, Shape};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A kernel on one input, each number of columns a sample.
pub(super) struct Group {
    pub(super) kernel: Kernel,
    pub(super) kind: Kind,
    pub(super) input: String,
    /// Is the input generated?
    pub(super) generated: bool,
    /// Did a GPU run it?
    pub(super) measured: bool,
    pub(super) samples: Vec<Sample>,
}

/// What files hold of points.
#[derive(Default)]
struct Times {
    /// Did a GPU run them? `None` as long as there are none.
    measured: Option<bool>,
    /// Of a kernel on an input, by number of columns.
    taken: BTreeMap<(Kernel, String), BTreeMap<usize, Taken>>,
}

/// The time of each point, and of cuSPARSE's best algorithm.
#[derive(Default)]
struct Taken {
    points: BTreeMap<String, f64>,
    rival: Option<f64>,
}

/// What files say of inputs.
pub(super) struct Found {
    pub(super) groups: Vec<Group>,
    /// Inputs that have times, and are neither generated nor in the folder.
    pub(super) missing: BTreeSet<String>,
}

/// All groups of these files whose inputs are there.
pub(super) fn read(files: &[PathBuf], data: Option<&Path>) -> Result<Found> {
    let mut times = Times::default();
    for file in files {
        add(file, &mut times)?;
    }
    let measured = times.measured == Some(true);
    let mut groups = vec![];
    let mut missing: BTreeSet<String> = times.taken.keys().map(|(_, input)| input.clone()).collect();
    for input in inputs::list(data)? {
        missing.remove(&input.name);
        let here = || times.taken.keys().filter(|(_, name)| *name == input.name);
        if here().next().is_none() {
            continue;
        }
        let Some(sparse) = input.load()? else { continue };
        for key in here() {
            let shape = shape(key.0)?;
            let rows = match &sparse {
                Sparse::Matrix(a) => a.lengths(shape.rows)?,
                Sparse::Tensor(a) => a.lengths(shape.rows)?,
            };
            let samples = times.taken[key].iter().map(|(n, Taken { points, rival })| Sample {
                statistics: driver::statistics(&rows, *n),
                times: points.iter().filter_map(|(point, us)| Some((point.parse().ok()?, *us))).collect(),
                rival: *rival,
            });
            groups.push(Group {
                kernel: key.0,
                kind: shape.kind,
                input: input.name.clone(),
                generated: input.is_generated(),
                measured,
                samples: samples.filter(|s| s.times.len() > 1).collect(),
            });
        }
    }
    Ok(Found { groups, missing })
}

/// Reads verified times of points.
fn add(file: &Path, times: &mut Times) -> Result<()> {
    let text = std::fs::read(file).map_err(Error::at(file))?;
    let wrong = |line, reason: String| Error::Row { path: file.to_path_buf(), line, reason };
    let unreadable = |e: csv::Error| wrong(e.position().map_or(1, |at| line(&text, at)), said(&e));
    let mut reader = csv::Reader::from_reader(&text[..]);
    let columns = reader.headers().map_err(unreadable)?.clone();
    let mut at = [0; 8];
    let wanted = ["kernel", "input", "params", "dtype", "point", "implementation", "median_us", "verified"];
    for (at, name) in at.iter_mut().zip(wanted) {
        let column = columns.iter().position(|c| c == name);
        *at = column.ok_or_else(|| wrong(1, format!("there is no column `{name}`")))?;
    }
    for record in reader.records() {
        let record = record.map_err(unreadable)?;
        let wrong = |reason: String| wrong(record.position().map_or(1, |at| line(&text, at)), reason);
        let [kernel, input, params, dtype, point, implementation, us, verified] =
            at.map(|column| record.get(column).unwrap_or(""));
        let found = Kernel::ALL.into_iter().find(|k| k.name() == kernel);
        let kernel = found.ok_or_else(|| wrong(format!("there is no kernel `{kernel}`")))?;
        let is_right = verified.parse::<bool>().map_err(|_| {
            wrong(format!("`{verified}` does not say whether a result was right: verified is true or false"))
        })?;
        let rival = implementation.starts_with("cusparse");
        let measured = match implementation {
            "ours" => true,
            "simulated" => false,
            _ if rival => true,
            _ => continue,
        };
        let other = [DEFAULT, TUNED].contains(&point) || point.starts_with(TACO);
        if !rival && !other {
            points::named(point).map_err(|e| wrong(format!("`{point}` is no point: {e}")))?;
        }
        // Rules do not ask for the element type.
        if other || dtype != "f32" || !is_right {
            continue;
        }
        let n = params.split_once('=').map_or(Some(1), |(_, n)| n.parse().ok());
        let n = n.ok_or_else(|| wrong(format!("`{params}` says no number of columns")))?;
        let time = us.parse::<f64>().ok().filter(|us| us.is_finite() && *us > 0.0);
        let us = time.ok_or_else(|| wrong(format!("`{us}` is no time: median_us is a positive number")))?;
        let key = (kernel, input.to_owned());
        if rival {
            // It stands after ours.
            let ours = times.taken.get_mut(&key).filter(|_| times.measured == Some(true));
            if let Some(taken) = ours.and_then(|by_columns| by_columns.get_mut(&n)) {
                taken.rival = Some(taken.rival.map_or(us, |best| best.min(us)));
            }
            continue;
        }
        // One rule for all kernels, of which it is said what it was fitted on.
        if *times.measured.get_or_insert(measured) != measured {
            return Err(wrong("measured and predicted times are mixed: fit on one of them".into()));
        }
        times.taken.entry(key).or_default().entry(n).or_default().points.insert(point.to_owned(), us);
    }
    Ok(())
}

/// The line of a record, from 1. It begins behind what is left of the end of the line before.
fn line(text: &[u8], at: &csv::Position) -> u64 {
    let is_end = |b: &&u8| matches!(b, b'\r' | b'\n');
    let ends = text.iter().skip(at.byte() as usize).take_while(is_end).count();
    let before = text.iter().take(at.byte() as usize + ends);
    1 + before.filter(|b| **b == b'\n').count() as u64
}

/// What is wrong with a record that cannot be read, but for its place.
fn said(e: &csv::Error) -> String {
    match e.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("it has {len} fields, and the table {expected_len} columns: is it cut short?")
        }
        csv::ErrorKind::Utf8 { err, .. } => err.to_string(),
        _ => e.to_string(),
    }
}

/// What a rule asks of the kernel's operand.
fn shape(kernel: Kernel) -> Result<Shape> {
    let refused = |reason: String| Error::Refused { kernel: kernel.name(), point: "the rule".into(), reason };
    let parsed =
        front::parse_str(&kernel.statement(DType::F32)).map_err(|f| refused(f.diagnostics.to_string()))?;
    let cin = concretize_kernel(&parsed).map_err(|d| refused(d.to_string()))?;
    schedule::shape(&parsed, &cin).ok_or_else(|| refused("it is no product of a sparse operand".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In files whose lines end in `\r\n` too, and in those that are cut short.
    #[test]
    fn what_cannot_be_read_is_said_with_its_line() {
        let path = std::env::temp_dir().join(format!("bench-fit-unreadable-{}.csv", std::process::id()));
        let header = "kernel,input,params,dtype,point,implementation,median_us,bytes,verified\n";
        let good = "spmm,uniform-small,N=4,f32,\"<1 row, 4 col>, 1\",ours,2.5,1,true\n";
        let table = format!("{header}{good}\n{good}");
        let last = |from: &str, to: &str| format!("{table}{}", good.replace(from, to));
        for (text, line, reason) in [
            (String::new(), 1, "there is no column `kernel`"),
            (header.replace("point", "schedule") + good, 1, "there is no column `point`"),
            (last("<1 row, 4 col>", "<1/3"), 5, "`<1/3, 1` is no point: "),
            (last("<1 row, 4 col>, 1", "<1/2 nnz, 4 col>, 8"), 5, "`<1/2 nnz, 4 col>, 8` is no point: "),
            (last("\"<1 row, 4 col>, 1\"", ""), 5, "`` is no point: "),
            (last("spmm", "spmmm"), 5, "there is no kernel `spmmm`"),
            (last("true", "maybe"), 5, "`maybe` does not say whether "),
            (last("true\n", "tru"), 5, "`tru` does not say whether "),
            (last(",1,true\n", ""), 5, "it has 7 fields, and the table 9 columns"),
            (last(" row, 4 col>, 1\",ours,2.5,1,true\n", ""), 5, "it has 5 fields, and the table 9 columns"),
            (last("2.5", "2.5us"), 5, "`2.5us` is no time"),
        ] {
            for ends in ["\n", "\r\n"] {
                std::fs::write(&path, text.replace('\n', ends)).unwrap();
                let said = read(std::slice::from_ref(&path), None).err().unwrap().to_string();
                let expected = format!("{}:{line}: {reason}", path.display());
                assert!(said.starts_with(&expected), "{said}, expected {expected}");
            }
        }
        std::fs::write(&path, [header.as_bytes(), b"spmm,\xff,N=4,f32,,ours,1,1,true\n"].concat()).unwrap();
        let said = read(std::slice::from_ref(&path), None).err().unwrap().to_string();
        let _ = std::fs::remove_file(&path);
        assert!(said.starts_with(&format!("{}:2: ", path.display())), "{said}");
    }

    #[test]
    fn times_of_points_by_input_and_columns() {
        let path = std::env::temp_dir().join(format!("bench-fit-{}.csv", std::process::id()));
        let rows = "kernel,input,params,dtype,point,implementation,median_us,bytes,verified\n\
            spmm,uniform-small,N=4,f32,\"<1 row, 4 col>, 1\",simulated,2.5,1,true\n\
            spmm,uniform-small,N=4,f32,\"<8 nnz, 4 col>, 8\",simulated,1.5,1,true\n\
            spmm,uniform-small,N=4,f32,\"<1 nnz, 4 col>, 8\",simulated,0.1,1,false\n\
            spmm,uniform-small,N=4,f64,\"<1 nnz, 4 col>, 8\",simulated,0.1,1,true\n\
            spmm,uniform-small,N=4,f32,default,simulated,1.0,1,true\n\
            spmm,uniform-small,N=4,f32,,cusparse,1.0,1,true\n\
            spmm,of-a-file,N=4,f32,\"<1 row, 4 col>, 1\",simulated,2.5,1,true\n";
        std::fs::write(&path, rows).unwrap();
        let Found { groups, missing } = read(std::slice::from_ref(&path), None).unwrap();
        let mixed = rows.replace("8\",simulated,1.5", "8\",ours,1.5");
        let other_kernel = format!("{rows}spmv,uniform-small,,f32,\"<1 row, 1 col>, 1\",ours,2.5,1,true\n");
        let mut refused = vec![];
        let times = ["nan", "inf", "-1.5", "0.000", "", "2.5us"].map(|us| (rows.replace("2.5", us), 2));
        for (text, line) in [(mixed, 3), (other_kernel, 9)].into_iter().chain(times) {
            std::fs::write(&path, text).unwrap();
            let said = read(std::slice::from_ref(&path), None).err().unwrap().to_string();
            let place = format!("{}:{line}: ", path.display());
            refused.push(said.strip_prefix(&place).unwrap_or_else(|| panic!("{said}")).to_owned());
        }
        let _ = std::fs::remove_file(&path);
        let [group] = &groups[..] else { panic!("{} groups", groups.len()) };
        assert!(group.generated && !group.measured && group.kind == Kind::Columns);
        assert!(missing.iter().eq(["of-a-file"]), "{missing:?}");
        let [sample] = &group.samples[..] else { panic!("{} samples", group.samples.len()) };
        assert_eq!((sample.times.len(), sample.statistics.columns, sample.statistics.rows), (2, 4.0, 2048.0));
        assert!(refused[..2].iter().all(|e| e.starts_with("measured and predicted times are mixed")));
        assert!(refused[2..].iter().all(|e| e.ends_with("is no time: median_us is a positive number")));
    }
}
