//! Tensors from device to device.

use super::{Host, LevelArrays, Memory, Tensor, lengths};
use crate::error::Result;
use crate::format::Format;
use crate::scalar::Element;
use std::any::Any;
use std::sync::Arc;

impl<T: Element, F: Format, D: Memory> Tensor<T, F, D> {
    /// The tensor on another device. Where that is the memory it is in already, the two share their arrays.
    ///
    /// ```
    /// use sparse_core::tensor::{Csr, Host};
    /// let a = Csr::from_triplets([2, 2], [([0, 1], 1.0f32)])?;
    /// assert_eq!(a.to(&Host)?.get([0, 1]), 1.0);
    /// # Ok::<(), sparse_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`](crate::error::Error::OutOfDeviceMemory) or
    /// [`Error::OutOfMemory`](crate::error::Error::OutOfMemory), and what the devices' drivers report.
    pub fn to<E: Memory>(&self, device: &E) -> Result<Tensor<T, F, E>> {
        if let Some(same) = (self as &dyn Any).downcast_ref::<Tensor<T, F, E>>()
            && same.device.shares_memory(device)
        {
            return Ok(Tensor { device: device.clone(), ..same.clone() });
        }
        let host = self.to_host()?;
        // Known while the positions are at hand: a kernel that asks for them does not wait for the device.
        lengths::known(&host.lengths, &host.level_sizes(), &host.levels, &Host)?;
        let levels = try_map(&host.levels, |a| device.upload(a))?;
        let vals = device.upload(&host.vals)?;
        let (device, lengths) = (device.clone(), host.lengths);
        Ok(Tensor { dims: host.dims, levels, vals, device, lengths, format: host.format })
    }

    /// The tensor in main memory, when the work that writes it is done.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::error::Error::OutOfMemory), and what the device's driver reports.
    pub fn to_host(&self) -> Result<Tensor<T, F>> {
        let levels = try_map(&self.levels, |a| self.device.download(a))?;
        let vals = self.device.download(&self.vals)?;
        let lengths = self.lengths.clone();
        Ok(Tensor { dims: self.dims, levels, vals, device: Host, lengths, format: self.format })
    }

    /// The number of stored entries, zeros included; a dense level stores all its coordinates.
    pub fn stored(&self) -> usize {
        D::len(&self.vals)
    }

    /// The values' array, to be written. Copies it first if another tensor shares it.
    ///
    /// # Safety
    /// The array keeps its length.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`](crate::error::Error::OutOfDeviceMemory)
    pub unsafe fn vals_array_mut(&mut self) -> Result<&mut D::Array<T>> {
        if Arc::get_mut(&mut self.vals).is_none() {
            self.vals = Arc::new(self.device.duplicate(&*self.vals)?);
        }
        Ok(Arc::get_mut(&mut self.vals).expect("nobody else has an array that was just made"))
    }
}

impl<T: Element, F: Format<Coord = [usize; 0]>, D: Memory> Tensor<T, F, D> {
    /// The scalar's value; one on another device is fetched.
    ///
    /// # Errors
    /// None on the host; on other devices what the driver reports.
    pub fn value(&self) -> Result<T> {
        let vals = self.device.download(&self.vals)?;
        vals.first().copied().ok_or(crate::error::Error::NotAScalar { rank: 0 })
    }
}

/// Every array of the levels by way of a function.
fn try_map<A, B>(levels: &[LevelArrays<A>], f: impl Fn(&A) -> Result<B>) -> Result<Vec<LevelArrays<B>>> {
    levels.iter().map(|l| l.as_ref().try_map(&f)).collect()
}

#[cfg(test)]
mod tests {
    use crate::tensor::{Csr, Host};
    use std::sync::Arc;

    #[test]
    fn the_host_shares_with_itself_until_someone_writes() {
        let a = Csr::from_triplets([2, 2], [([0, 1], 1.0f32)]).unwrap();
        let mut b = a.to(&Host).unwrap();
        assert!(Arc::ptr_eq(a.vals_array(), b.vals_array()));
        assert!(Arc::ptr_eq(a.vals_array(), a.to_host().unwrap().vals_array()));
        // SAFETY: the length stays.
        unsafe { b.vals_array_mut() }.unwrap()[0] = 2.0;
        assert_eq!((a.get([0, 1]), b.get([0, 1]), b.stored()), (1.0, 2.0, 1));
    }
}
