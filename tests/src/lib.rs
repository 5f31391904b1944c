//! Integration, golden and differential tests.
