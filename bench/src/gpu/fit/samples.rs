//! What a rule is fitted on: the times of points, and the statistics by which a call would choose.

use super::learn::Sample;
use crate::error::{Error, Result};
use crate::gpu::inputs::{self, Sparse};
use crate::gpu::kernel::Kernel;
use sparse_core::driver::{self, concretize_kernel};
use sparse_core::front::{self, AtomicParallelism};
use sparse_core::scalar::DType;
use sparse_core::schedule::rule::Kind;
use sparse_core::schedule::{self, Shape};
use std::collections::BTreeMap;
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

/// Of a kernel on an input: did a GPU run it, and times by number of columns.
type Times = BTreeMap<(Kernel, String), (bool, BTreeMap<usize, Taken>)>;

/// The time of each point, and of cuSPARSE's best algorithm.
#[derive(Default)]
struct Taken {
    points: BTreeMap<String, f64>,
    rival: Option<f64>,
}

/// All groups of these files whose inputs are there.
pub(super) fn read(files: &[PathBuf], data: Option<&Path>) -> Result<Vec<Group>> {
    let mut times = Times::new();
    for file in files {
        add(file, &mut times)?;
    }
    let mut groups = vec![];
    for input in inputs::list(data)? {
        let here = || times.keys().filter(|(_, name)| *name == input.name);
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
            let (measured, by_columns) = &times[key];
            let samples = by_columns.iter().map(|(n, Taken { points, rival })| Sample {
                statistics: driver::statistics(&rows, *n),
                times: points.iter().filter_map(|(point, us)| Some((point.parse().ok()?, *us))).collect(),
                rival: *rival,
            });
            groups.push(Group {
                kernel: key.0,
                kind: shape.kind,
                input: input.name.clone(),
                generated: input.is_generated(),
                measured: *measured,
                samples: samples.filter(|s| s.times.len() > 1).collect(),
            });
        }
    }
    Ok(groups)
}

/// Reads verified times of points.
fn add(file: &Path, times: &mut Times) -> Result<()> {
    let wrong = |reason: String| Error::Table { path: file.to_path_buf(), reason };
    let mut reader = csv::Reader::from_path(file).map_err(|e| wrong(e.to_string()))?;
    let columns = reader.headers().map_err(|e| wrong(e.to_string()))?.clone();
    let mut at = [0; 8];
    let wanted = ["kernel", "input", "params", "dtype", "point", "implementation", "median_us", "verified"];
    for (at, name) in at.iter_mut().zip(wanted) {
        let column = columns.iter().position(|c| c == name);
        *at = column.ok_or_else(|| wrong(format!("it has no column `{name}`")))?;
    }
    for record in reader.records() {
        let record = record.map_err(|e| wrong(e.to_string()))?;
        let line = record.position().map_or(0, csv::Position::line);
        let [kernel, input, params, dtype, point, implementation, us, verified] =
            at.map(|column| record.get(column).unwrap_or(""));
        // Rules do not ask for the element type.
        if dtype != "f32" {
            continue;
        }
        let rival = implementation.starts_with("cusparse");
        let measured = match implementation {
            "ours" => true,
            "simulated" => false,
            _ if rival => true,
            _ => continue,
        };
        let kernel = Kernel::ALL.into_iter().find(|k| k.name() == kernel);
        let (Some(kernel), true, "true") =
            (kernel, rival || point.parse::<AtomicParallelism>().is_ok(), verified)
        else {
            continue;
        };
        let n = params.split_once('=').map_or(Some(1), |(_, n)| n.parse().ok());
        let (Some(n), Ok(us)) = (n, us.parse::<f64>()) else {
            return Err(wrong(format!("line {line}: `{params}` or `{us}` is no number")));
        };
        if rival {
            // It stands after ours.
            let ours = times.get_mut(&(kernel, input.to_owned())).filter(|(measured, _)| *measured);
            if let Some(taken) = ours.and_then(|(_, by_columns)| by_columns.get_mut(&n)) {
                taken.rival = Some(taken.rival.map_or(us, |best| best.min(us)));
            }
            continue;
        }
        let new = || (measured, BTreeMap::new());
        let (was, by_columns) = times.entry((kernel, input.to_owned())).or_insert_with(new);
        if *was != measured {
            let reason = "measured and predicted times are mixed: fit on one of them";
            return Err(wrong(format!("line {line}: {reason}")));
        }
        by_columns.entry(n).or_default().points.insert(point.to_owned(), us.max(f64::MIN_POSITIVE));
    }
    Ok(())
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

    #[test]
    fn times_of_points_by_input_and_columns() {
        let path = std::env::temp_dir().join(format!("bench-fit-{}.csv", std::process::id()));
        let rows = "kernel,input,params,dtype,point,implementation,median_us,bytes,verified\n\
            spmm,uniform-small,N=4,f32,\"<1 row, 4 col>, 1\",simulated,2.5,1,true\n\
            spmm,uniform-small,N=4,f32,\"<8 nnz, 4 col>, 8\",simulated,1.5,1,true\n\
            spmm,uniform-small,N=4,f32,\"<1 nnz, 4 col>, 8\",simulated,0.1,1,false\n\
            spmm,uniform-small,N=4,f64,\"<1 nnz, 4 col>, 8\",simulated,0.1,1,true\n\
            spmm,uniform-small,N=4,f32,default,simulated,1.0,1,true\n\
            spmm,uniform-small,N=4,f32,,cusparse,1.0,1,true\n";
        std::fs::write(&path, rows).unwrap();
        let groups = read(std::slice::from_ref(&path), None).unwrap();
        let mixed = rows.replace("8\",simulated,1.5", "8\",ours,1.5");
        std::fs::write(&path, mixed).unwrap();
        let refused = read(std::slice::from_ref(&path), None).err().map(|e| e.to_string());
        let _ = std::fs::remove_file(&path);
        let [group] = &groups[..] else { panic!("{} groups", groups.len()) };
        assert!(group.generated && !group.measured && group.kind == Kind::Columns);
        let [sample] = &group.samples[..] else { panic!("{} samples", group.samples.len()) };
        assert_eq!((sample.times.len(), sample.statistics.columns, sample.statistics.rows), (2, 4.0, 2048.0));
        assert!(refused.is_some_and(|e| e.contains("line 3: measured and predicted times are mixed")));
    }
}
