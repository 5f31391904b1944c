//! What a kernel's module says of the devices that run GPU programs. Macros, because the crate that a kernel stands in
//! does not know which of them this crate was built with.

/// `RunsOn` for the devices that run GPU programs.
#[doc(hidden)]
#[macro_export]
macro_rules! __runs_on_gpus {
    ($kernel:ident, $launch:ident, $embedded:ident) => {
        $crate::__runs_on!($crate::__private::Sim, $kernel, $launch, $embedded);
        $crate::__runs_on_cuda!($kernel, $launch, $embedded);
    };
}

/// Nothing is: what stands before a kernel that says that it is to have no code for GPUs.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Kernel}` does not run on GPUs: it says `schedule cuda = none`",
    label = "it runs on the CPU alone",
    note = "bring the tensors there with `to_host()`, or write a `schedule cuda {{ ... }}`"
)]
pub trait OnGpu<Kernel> {}

/// `RunsOn` for the devices that run GPU programs, behind a trait that nobody implements.
#[doc(hidden)]
#[macro_export]
macro_rules! __does_not_run_on_gpus {
    ($kernel:ident, $reason:path) => {
        $crate::__does_not_run_on!($crate::__private::Sim, $kernel, $reason);
        $crate::__does_not_run_on_cuda!($kernel, $reason);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __runs_on {
    ($device:ty, $kernel:ident, $launch:ident, $embedded:ident) => {
        impl $crate::__private::RunsOn<$device> for $kernel {
            fn run(
                args: $crate::__private::rt::Args<'_, Self, $device>,
            ) -> ::core::result::Result<
                $crate::__private::rt::Output<Self, $device>,
                $crate::__private::Error,
            > {
                $launch::<$device>(args)
            }

            fn prepare(device: &$device) -> ::core::result::Result<(), $crate::__private::Error> {
                $embedded.prepare(device)
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __does_not_run_on {
    ($device:ty, $kernel:ident, $reason:path) => {
        // Of any lifetime, so that the bound is looked at where the kernel is called, not here.
        impl $crate::__private::RunsOn<$device> for $kernel
        where
            for<'a> &'a $kernel: $reason,
        {
            fn run(
                _: $crate::__private::rt::Args<'_, Self, $device>,
            ) -> ::core::result::Result<
                $crate::__private::rt::Output<Self, $device>,
                $crate::__private::Error,
            > {
                ::core::unreachable!("nothing meets the bound")
            }
        }
    };
}

#[cfg(feature = "cuda")]
#[doc(hidden)]
#[macro_export]
macro_rules! __runs_on_cuda {
    ($($arguments:tt)*) => { $crate::__runs_on!($crate::Cuda, $($arguments)*); };
}

#[cfg(not(feature = "cuda"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __runs_on_cuda {
    ($($arguments:tt)*) => {};
}

#[cfg(feature = "cuda")]
#[doc(hidden)]
#[macro_export]
macro_rules! __does_not_run_on_cuda {
    ($($arguments:tt)*) => { $crate::__does_not_run_on!($crate::Cuda, $($arguments)*); };
}

#[cfg(not(feature = "cuda"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __does_not_run_on_cuda {
    ($($arguments:tt)*) => {};
}
