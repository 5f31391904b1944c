//! Back ends. Each is total over verified programs: it decides nothing and can't fail.

pub mod cuda;
pub mod rust;
pub mod signature;
