//! The `tensor_kernel!` entry point.
