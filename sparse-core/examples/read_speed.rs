//! Reads the Matrix Market and `.tns` files named on the command line, or in the folders named there, and prints
//! size, stored entries and the rate in MB of text a second (best of three).
//!
//! `cargo run --release -p sparse-core --example read_speed -- FILE_OR_FOLDER…`

use sparse_core::error::Result;
use sparse_core::io::{read_matrix_market_coordinates, read_tns_coordinates};
use sparse_core::tensor::Coordinates;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;

fn main() {
    let mut failed = false;
    for path in std::env::args().skip(1).flat_map(|arg| files(Path::new(&arg))) {
        match report(&path) {
            Ok(line) => println!("{line}"),
            Err(e) => {
                eprintln!("error: {e}");
                failed = true;
            }
        }
    }
    std::process::exit(failed as i32);
}

fn files(path: &Path) -> Vec<PathBuf> {
    let Ok(folder) = std::fs::read_dir(path) else { return vec![path.to_path_buf()] };
    let mut files: Vec<_> =
        folder.flatten().map(|f| f.path()).filter(|p| is_tns(p) || is_matrix(p)).collect();
    files.sort();
    files
}

fn has_suffix(path: &Path, suffix: &str) -> bool {
    let name = path.to_string_lossy();
    name.strip_suffix(".gz").unwrap_or(&name).ends_with(suffix)
}

fn is_tns(path: &Path) -> bool {
    has_suffix(path, ".tns")
}

fn is_matrix(path: &Path) -> bool {
    has_suffix(path, ".mtx")
}

fn report(path: &Path) -> Result<String> {
    let read = || -> Result<Coordinates<f64>> {
        if is_tns(path) {
            read_tns_coordinates(path, |_, _| {})
        } else {
            read_matrix_market_coordinates(path, |_, _| {})
        }
    };
    let mut best = f64::INFINITY;
    let mut entries = None;
    for _ in 0..3 {
        let start = Instant::now();
        entries = Some(read()?);
        best = best.min(start.elapsed().as_secs_f64());
    }
    let entries = entries.unwrap_or_default();
    let rate = text_bytes(path) as f64 / best / 1e6;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(format!("{name}\t{:?}\t{} entries\t{rate:.0} MB/s", entries.dims, entries.vals.len()))
}

/// Size of the file's text, after decompression.
fn text_bytes(path: &Path) -> u64 {
    let Ok(file) = std::fs::File::open(path) else { return 0 };
    let gzip = path.extension().is_some_and(|e| e == "gz");
    let mut text: Box<dyn Read> =
        if gzip { Box::new(flate2::read::MultiGzDecoder::new(file)) } else { Box::new(file) };
    std::io::copy(&mut text, &mut std::io::sink()).unwrap_or(0)
}
