//! The runtime and the launcher with libraries that are none: C programs that export what CUDA's driver and NVRTC do,
//! each test in a process of its own that finds them instead.
#![cfg(all(target_os = "linux", feature = "cuda"))]

mod fake;
mod kernels;
mod launch;
mod runtime;
mod tune;
