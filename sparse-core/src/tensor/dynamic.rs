//! Tensors whose format and element type are known at run time: for the interpreter and for random tests.

use super::build::{check_dense, check_range, push};
use super::sort::{Column, sort};
use super::{Buffer, LevelArrays, LevelView, Parts, Tensor, check_inside};
use crate::error::{Error, Result};
use crate::format::{Format, FormatSpec, Walk, assemble, check_dims, locate, validate, views};
use crate::scalar::{BinaryOp, DType, Element, Value};
use std::sync::Arc;

/// A level's arrays.
pub type DynLevel = LevelArrays<Vec<i32>>;

/// A tensor of any format. The fields are open to the interpreter: [`DynTensor::validate`] after writing to them.
#[derive(Clone, Debug, PartialEq)]
pub struct DynTensor {
    /// The format.
    pub spec: FormatSpec,
    /// The element type.
    pub dtype: DType,
    /// Sizes of the dimensions.
    pub dims: Vec<usize>,
    /// The levels' arrays, from the root down.
    pub levels: Vec<DynLevel>,
    /// One value of type `dtype` a position of the last level.
    pub vals: Vec<Value>,
}

impl DynTensor {
    /// A tensor of entries in any order. Duplicates are summed, unless `keep_duplicates` is given and the format's
    /// last level is not unique.
    ///
    /// # Errors
    /// As [`Tensor::from_triplets`]; [`Error::InvalidFormat`]; [`Error::TypeMismatch`] for a value of another type.
    pub fn from_entries(
        spec: FormatSpec,
        dtype: DType,
        dims: Vec<usize>,
        entries: &[(Vec<usize>, Value)],
        keep_duplicates: bool,
    ) -> Result<Self> {
        spec.check()?;
        check_dims(spec.rank(), &dims)?;
        let mut crd = vec![];
        for (entry, (at, value)) in entries.iter().enumerate() {
            if value.dtype() != dtype {
                return Err(Error::TypeMismatch { expected: dtype, found: value.dtype() });
            }
            if at.len() != dims.len() {
                return Err(Error::RankMismatch { expected: dims.len(), found: at.len() });
            }
            check_inside(at, &dims, entry)?;
            push(&mut crd, at);
        }
        check_range(&dims, &crd, entries.len())?;
        let levels = Column::of_list(&crd, spec.order());
        let sorted = sort(&spec.level_sizes(&dims), entries.len(), &levels, levels.len())?;
        let mut values = Vec::with_capacity(entries.len());
        let in_order = |e: usize| sorted.order.as_ref().map_or(e, |order| order[e] as usize);
        values.extend((0..entries.len()).map(|e| entries[in_order(e)].1));
        let built = assemble(&spec, &dims, sorted.shared(), values.len(), keep_duplicates)?;
        let mut vals = vec![spec.fill.value(dtype); built.positions];
        built.place(&values, &mut vals, sum);
        let vec = |array: Arc<Buffer<i32>>| Arc::unwrap_or_clone(array).into_vec();
        let levels = built.levels.into_iter().map(|l| l.map(vec)).collect();
        Ok(DynTensor { spec, dtype, dims, levels, vals })
    }

    /// Checks everything that holds of a tensor.
    ///
    /// # Errors
    /// What is wrong.
    pub fn validate(&self) -> Result<()> {
        validate(&self.spec, &self.dims, &self.levels, self.vals.len())?;
        match self.vals.iter().find(|v| v.dtype() != self.dtype) {
            Some(v) => Err(Error::TypeMismatch { expected: self.dtype, found: v.dtype() }),
            None => Ok(()),
        }
    }

    /// The value of what is not stored.
    pub fn fill(&self) -> Value {
        self.spec.fill.value(self.dtype)
    }

    /// The levels, from the root down.
    pub fn views(&self) -> Vec<LevelView<'_>> {
        views(&self.spec.levels, &self.spec.level_sizes(&self.dims), &self.levels)
    }

    /// The stored entries in the order of storage, duplicates included. The tensor has to be valid.
    pub fn iter(&self) -> impl Iterator<Item = (Vec<usize>, Value)> + '_ {
        let mut walk = Walk::new(self.views());
        std::iter::from_fn(move || {
            let (by_level, position) = walk.next()?;
            let mut at = vec![0; by_level.len()];
            by_level.iter().zip(self.spec.order()).for_each(|(&c, &d)| at[d] = c);
            Some((at, self.vals[position]))
        })
    }

    /// The element at these coordinates; `None` if they are out of range. The tensor has to be valid.
    pub fn get(&self, at: &[usize]) -> Option<Value> {
        if at.len() != self.dims.len() || at.iter().zip(&self.dims).any(|(c, size)| c >= size) {
            return None;
        }
        let by_level: Vec<usize> = self.spec.order().iter().map(|&d| at[d]).collect();
        let found = &self.vals[locate(&self.views(), &by_level)];
        Some(found.iter().copied().reduce(sum).unwrap_or_else(|| self.fill()))
    }

    /// All elements in row-major order: the fill where nothing is stored, duplicates summed. The tensor has to be
    /// valid.
    ///
    /// # Errors
    /// [`Error::TooManyEntries`] if there are more than 2³¹ − 1.
    pub fn to_dense_values(&self) -> Result<Vec<Value>> {
        let mut dense = vec![self.fill(); check_dense(&self.dims)?];
        let mut last = None;
        for (at, v) in self.iter() {
            let linear = at.iter().zip(&self.dims).fold(0, |n, (&c, &size)| n * size + c);
            // Duplicates follow each other.
            dense[linear] = if last == Some(linear) { sum(dense[linear], v) } else { v };
            last = Some(linear);
        }
        Ok(dense)
    }

    /// The single value of a tensor without dimensions.
    ///
    /// # Errors
    /// [`Error::NotAScalar`]
    pub fn value(&self) -> Result<Value> {
        match (self.spec.rank(), self.vals.first()) {
            (0, Some(&v)) => Ok(v),
            (rank, _) => Err(Error::NotAScalar { rank }),
        }
    }
}

/// The sum of duplicates, as [`Element::sum`].
fn sum(a: Value, b: Value) -> Value {
    let op = if a.dtype() == DType::Bool { BinaryOp::Or } else { BinaryOp::Add };
    op.apply(a, b).unwrap_or(a)
}

impl<T: Element, F: Format> From<&Tensor<T, F>> for DynTensor {
    fn from(t: &Tensor<T, F>) -> Self {
        let levels = t.levels.iter().map(|l| l.as_ref().map(|a| a.to_vec())).collect();
        let vals = t.vals.iter().map(|v| v.to_value()).collect();
        DynTensor { spec: F::spec(), dtype: T::DTYPE, dims: t.dims.as_ref().to_vec(), levels, vals }
    }
}

impl<T: Element, F: Format> TryFrom<DynTensor> for Tensor<T, F> {
    type Error = Error;

    /// The same tensor, its format and element type known to the compiler.
    ///
    /// # Errors
    /// [`Error::FormatMismatch`] if it is in another format, be it by the mode order or the fill alone,
    /// [`Error::TypeMismatch`], and what is wrong with its arrays.
    fn try_from(t: DynTensor) -> Result<Self> {
        if t.spec != F::spec() {
            let (expected, found) = (F::spec().to_string().into(), t.spec.to_string().into());
            return Err(Error::FormatMismatch { expected, found });
        }
        let mismatch = |found| Error::TypeMismatch { expected: T::DTYPE, found };
        let element = |v: Value| T::from_value(v).ok_or_else(|| mismatch(v.dtype()));
        let vals = t.vals.into_iter().map(element).collect::<Result<Vec<T>>>()?;
        let levels = t.levels.into_iter().map(|l| l.map(Buffer::from)).collect();
        Ok(Tensor::try_from_parts(Parts { dims: t.dims, levels, vals: vals.into() })?)
    }
}
