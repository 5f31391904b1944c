//! Pictures of speedups: against the input's density, and against how its row lengths vary.

use super::kernel::Kernel;
use super::points::DEFAULT;
use super::results::Case;
use super::tables::{best, speedup, tacos};
use crate::error::{Error, Result};
use plotters::prelude::*;
use sparse_core::scalar::DType;
use std::collections::BTreeMap;
use std::path::Path;

/// What the default schedule is held against: the first of these that was measured.
type Rival = (&'static str, fn(&Case) -> Option<f64>);
const RIVALS: [Rival; 3] =
    [("cuSPARSE's best", |c| c.of("cusparse")), ("TACO's better one", tacos), ("our best schedule", best)];

/// What is along x.
#[derive(Clone, Copy)]
struct Axis {
    file: &'static str,
    label: &'static str,
    of: fn(&Case) -> f64,
}

const AXES: [Axis; 2] = [
    Axis { file: "density", label: "density", of: |c| c.stats.density },
    // On a logarithmic axis rows of equal length have a place too.
    Axis {
        file: "variation",
        label: "0.01 + standard deviation of row lengths / mean",
        of: |c| c.stats.cv + 0.01,
    },
];

/// Makes the folder, and finds out whether it takes files.
///
/// # Errors
/// What the operating system refuses.
pub(crate) fn folder(folder: &Path) -> Result<()> {
    let file = folder.join(format!(".bench-{}", std::process::id()));
    let made = std::fs::create_dir_all(folder).and_then(|()| std::fs::File::create(&file));
    made.and_then(|_| std::fs::remove_file(&file)).map_err(Error::at(folder))
}

/// Draws `KERNEL-density.svg` and `KERNEL-variation.svg` for each kernel, `KERNEL-f64-…` where elements are that; `numbers` are measured or predicted.
///
/// # Errors
/// What the operating system refuses.
pub(crate) fn draw(folder: &Path, cases: &[Case], numbers: &str) -> Result<()> {
    self::folder(folder)?;
    for (kernel, dtype) in Kernel::ALL.into_iter().flat_map(|k| [(k, DType::F32), (k, DType::F64)]) {
        let wanted = |c: &&Case| (c.kernel, c.dtype) == (kernel, dtype) && c.ours(DEFAULT).is_some();
        let cases: Vec<&Case> = cases.iter().filter(wanted).collect();
        let Some((rival, time)) = RIVALS.iter().find(|r| cases.iter().any(|c| r.1(c).is_some())) else {
            continue;
        };
        for axis in AXES {
            let mut series: BTreeMap<usize, Vec<(f64, f64)>> = BTreeMap::new();
            for case in &cases {
                let (x, y) = ((axis.of)(case), speedup(time(case), case.ours(DEFAULT)));
                if let Some(y) = y.filter(|_| x > 0.0) {
                    series.entry(case.n).or_default().push((x, y));
                }
            }
            if series.is_empty() {
                continue;
            }
            let (name, of) = match dtype {
                DType::F32 => (kernel.name().to_owned(), String::new()),
                _ => (format!("{}-{dtype}", kernel.name()), format!(" of {dtype}")),
            };
            let path = folder.join(format!("{name}-{}.svg", axis.file));
            let title = format!("{}{of}: default schedule over {rival}, {numbers}", kernel.name());
            let failed = |reason: String| Error::Plot { path: path.clone(), reason };
            picture(&path, &title, axis.label, kernel, &series).map_err(|e| failed(e.to_string()))?;
        }
    }
    Ok(())
}

fn picture(
    path: &Path,
    title: &str,
    label: &str,
    kernel: Kernel,
    series: &BTreeMap<usize, Vec<(f64, f64)>>,
) -> std::result::Result<(), Box<dyn std::error::Error>> {
    let range = |values: Vec<f64>| {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(0.0, f64::max);
        (least / 1.5..most * 1.5).log_scale()
    };
    let x = range(series.values().flatten().map(|p| p.0).collect());
    // The line at 1 is in the picture.
    let y = range(series.values().flatten().map(|p| p.1).chain([1.0]).collect());
    let (left, right) = (series.values().flatten(), series.values().flatten());
    let line = [
        (left.map(|p| p.0).fold(f64::INFINITY, f64::min) / 1.5, 1.0),
        (right.map(|p| p.0).fold(0.0, f64::max) * 1.5, 1.0),
    ];
    let area = SVGBackend::new(path, (800, 500)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(x, y)?;
    chart
        .configure_mesh()
        .x_desc(label)
        .y_desc("speedup")
        .x_label_formatter(&|x| format!("{x:.0e}"))
        .draw()?;
    chart.draw_series(LineSeries::new(line, &BLACK))?;
    for (at, (n, points)) in series.iter().enumerate() {
        let color = Palette99::pick(at);
        let drawn =
            chart.draw_series(points.iter().map(|&point| Circle::new(point, 4, color.mix(0.7).filled())))?;
        if kernel.has_columns() {
            drawn.label(kernel.params(*n)).legend(move |(x, y)| Circle::new((x + 8, y), 4, color.filled()));
        }
    }
    if kernel.has_columns() {
        chart.configure_series_labels().background_style(WHITE.mix(0.8)).border_style(BLACK).draw()?;
    }
    area.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::case;
    use super::*;

    #[test]
    fn pictures_have_a_point_a_case() {
        let folder = std::env::temp_dir().join(format!("bench-plots-{}", std::process::id()));
        let times = [("ours", "default", 2.0), ("cusparse", "", 4.0)];
        let cases = [
            case(Kernel::Spmm, "a", 4, &times),
            case(Kernel::Spmm, "b", 32, &times),
            case(Kernel::Spmv, "c", 1, &[("simulated", "default", 1.0)]),
            case(Kernel::Sddmm, "d", 1, &[("cusparse", "", 1.0)]),
        ];
        draw(&folder, &cases, "measured").unwrap();
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        let (spmm, spmv) = (read("spmm-density.svg"), read("spmv-variation.svg"));
        let drawn = std::fs::read_dir(&folder).unwrap().count();
        let _ = std::fs::remove_dir_all(&folder);
        assert_eq!(drawn, 4);
        // Each with one more in the legend.
        assert_eq!(spmm.matches("<circle").count(), 4);
        assert!(spmm.contains("over cuSPARSE&apos;s best, measured"), "{spmm}");
        assert!(spmv.contains("over our best schedule") && spmv.matches("<circle").count() == 1, "{spmv}");
    }

    #[test]
    fn a_folder_that_can_not_be_made_is_named() {
        let error = draw(Path::new("/proc/none"), &[], "measured").err().unwrap();
        assert!(error.to_string().starts_with("/proc/none: "), "{error}");
    }
}
