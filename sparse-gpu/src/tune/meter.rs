//! Where candidates get their times: GPUs measure, the simulator predicts.

use super::figure::{Figure, Predicted};
use super::model::Model;
use crate::launch::Backend;
use crate::sim::{Report, Sim};
use sparse_core::error::Result;

/// What kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The architecture: 90 for `sm_90`.
    pub architecture: u32,
    /// The newest version of CUDA that the driver supports, if there is one that has to load the code.
    pub driver: Option<(u32, u32)>,
}

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

    /// What kernels are compiled for.
    fn target(&self) -> Target;

    /// Runs something, and keeps what can be seen of it.
    ///
    /// # Errors
    /// What the kernel's run reports.
    fn watch<R>(&self, run: impl FnOnce() -> Result<R>) -> Result<(R, Self::Seen)>;

    /// The time of a kernel that was watched and can be run again. Does the host wait for the device in a call?
    ///
    /// # Errors
    /// What the kernel's run reports.
    fn time(
        &self,
        model: &Model,
        seen: Self::Seen,
        waits: bool,
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

    fn target(&self) -> Target {
        Target { architecture: 90, driver: None }
    }

    fn watch<R>(&self, run: impl FnOnce() -> Result<R>) -> Result<(R, Report)> {
        let (result, report) = self.apart(run);
        Ok((result?, report))
    }

    fn time(
        &self,
        model: &Model,
        seen: Report,
        _waits: bool,
        _: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Predicted> {
        Ok(model.predict_all(&seen))
    }
}

#[cfg(feature = "cuda")]
mod cuda {
    use super::{Meter, Target};
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
            format!("{}, sm_{}, driver {major}.{minor}", self.name(), self.target().architecture)
        }

        fn target(&self) -> Target {
            Target { architecture: self.context().architecture(), driver: Some(self.driver_version()) }
        }

        fn watch<R>(&self, run: impl FnOnce() -> Result<R>) -> Result<(R, ())> {
            Ok((run()?, ()))
        }

        fn time(
            &self,
            _: &Model,
            (): (),
            waits: bool,
            again: &mut dyn FnMut() -> Result<()>,
        ) -> Result<Measured> {
            let times = if waits { self.times_with_host(RUNS, again) } else { self.times(RUNS, again) }?;
            Ok(Measured(times[times.len() / 2]))
        }
    }
}
