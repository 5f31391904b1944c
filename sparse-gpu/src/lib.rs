//! Sparse tensor kernels: the crate users add.
