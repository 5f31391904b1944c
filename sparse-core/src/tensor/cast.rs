//! The same tensor with other elements.

use super::{Buffer, Tensor};
use crate::format::Format;
use crate::scalar::{Element, Value};
use std::marker::PhantomData;
use std::sync::Arc;

impl<T: Element, F: Format> Tensor<T, F> {
    /// The tensor with every stored value converted as Rust's `as` does it; not 0 is `true`. What is not stored is the
    /// fill of the new element type. The pattern is shared, not copied.
    pub fn cast<U: Element>(&self) -> Tensor<U, F> {
        let vals: Buffer<U> = self.vals.iter().map(|&v| element(v)).collect();
        let (dims, levels, lengths) = (self.dims, self.levels.clone(), self.lengths.clone());
        Tensor { dims, levels, vals: Arc::new(vals), device: self.device, lengths, format: PhantomData }
    }
}

/// One value in another type.
fn element<T: Element, U: Element>(v: T) -> U {
    let v = v.to_value();
    let integer = match v {
        Value::I32(v) => v as i64,
        Value::I64(v) => v,
        Value::U8(v) => v as i64,
        Value::Bool(v) => v as i64,
        Value::F32(_) | Value::F64(_) => return U::from_f64(v.to_f64()),
    };
    U::from_value(U::DTYPE.from_i64(integer)).unwrap_or_default()
}
