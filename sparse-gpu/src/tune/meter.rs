//! Where candidates get their times: GPUs measure, the simulator predicts.

use super::figure::{Figure, Predicted};
use super::model::Model;
use crate::launch::Backend;
use crate::sim::{Report, Sim};
use sparse_core::error::Result;

/// A device that kernels are tuned on.
pub trait Meter: Backend {
    /// What a time is there.
    type Figure: Figure;
    /// What running a kernel once tells.
    type Seen;

    /// The model that candidates are ranked by.
    fn model(&self) -> Model;

    /// What a remembered result depends on: the device's name, architecture and driver.
    fn identity(&self, model: &Model) -> String;

    /// The architecture that registers are counted for: 90 for `sm_90`.
    fn architecture(&self) -> u32;

    /// Runs something, and keeps what can be seen of it.
    ///
    /// # Errors
    /// What the kernel's run reports.
    fn watch<R>(&self, run: impl FnOnce() -> Result<R>) -> Result<(R, Self::Seen)>;

    /// The time of a kernel that was watched and can be run again.
    ///
    /// # Errors
    /// What the kernel's run reports.
    fn time(
        &self,
        model: &Model,
        seen: Self::Seen,
        again: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Self::Figure>;
}

impl Meter for Sim {
    type Figure = Predicted;
    type Seen = Report;

    fn model(&self) -> Model {
        Model::h200()
    }

    fn identity(&self, model: &Model) -> String {
        format!("simulated {model:?}")
    }

    fn architecture(&self) -> u32 {
        90
    }

    fn watch<R>(&self, run: impl FnOnce() -> Result<R>) -> Result<(R, Report)> {
        let (result, report) = self.apart(run);
        Ok((result?, report))
    }

    fn time(&self, model: &Model, seen: Report, _: &mut dyn FnMut() -> Result<()>) -> Result<Predicted> {
        Ok(model.predict_all(&seen))
    }
}

#[cfg(feature = "cuda")]
mod cuda {
    use super::Meter;
    use crate::cuda::Cuda;
    use crate::tune::figure::Measured;
    use crate::tune::model::Model;
    use sparse_core::error::Result;

    /// Times of which the median counts.
    const RUNS: usize = 15;

    impl Meter for Cuda {
        type Figure = Measured;
        type Seen = ();

        fn model(&self) -> Model {
            Model::of(self.hardware())
        }

        fn identity(&self, _: &Model) -> String {
            let (major, minor) = self.driver_version();
            format!("{}, sm_{}, driver {major}.{minor}", self.name(), self.architecture())
        }

        fn architecture(&self) -> u32 {
            self.context().architecture()
        }

        fn watch<R>(&self, run: impl FnOnce() -> Result<R>) -> Result<(R, ())> {
            Ok((run()?, ()))
        }

        fn time(&self, _: &Model, (): (), again: &mut dyn FnMut() -> Result<()>) -> Result<Measured> {
            let times = self.times(RUNS, again)?;
            Ok(Measured(times[times.len() / 2]))
        }
    }
}
