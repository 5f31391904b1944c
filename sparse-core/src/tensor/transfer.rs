//! Tensors from device to device.

use super::{Buffer, Host, LevelArrays, Memory, Tensor, lengths};
use crate::error::Result;
use crate::format::{Format, validate};
use crate::scalar::Element;
use std::any::{Any, TypeId};
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
        let levels = upload(device, &host.levels)?;
        let vals = device.upload(&host.vals)?;
        let (device, lengths) = (device.clone(), host.lengths);
        Ok(Tensor { dims: host.dims, levels, vals, device, lengths, format: host.format })
    }

    /// The tensor in main memory, when the work that writes it is done.
    ///
    /// What comes from another device is [validated](crate::format::validate), in time that grows with the number of
    /// entries: kernels on the host rely on it, and a device's memory holds what anybody wrote, as a kernel with a
    /// race that its schedule ignores.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::error::Error::OutOfMemory), what the device's driver reports, and what is wrong with
    /// the arrays.
    pub fn to_host(&self) -> Result<Tensor<T, F>> {
        let levels = download(&self.device, &self.levels)?;
        let vals = self.device.download(&self.vals)?;
        if TypeId::of::<D>() != TypeId::of::<Host>() {
            validate(&F::spec(), self.dims.as_ref(), &levels, vals.len())?;
        }
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

/// The levels' arrays in another memory.
type Levels<A> = Vec<LevelArrays<Arc<A>>>;

/// Levels in a device's memory.
fn upload<D: Memory>(device: &D, host: &Levels<Buffer<i32>>) -> Result<Levels<D::Array<i32>>> {
    host.iter().map(|l| l.as_ref().try_map(|a| device.upload(a))).collect()
}

/// Levels from a device's memory.
fn download<D: Memory>(device: &D, levels: &Levels<D::Array<i32>>) -> Result<Levels<Buffer<i32>>> {
    levels.iter().map(|l| l.as_ref().try_map(|a| device.download(a))).collect()
}

#[cfg(test)]
mod tests {
    use crate::error::{Error, Result};
    use crate::scalar::Element;
    use crate::tensor::{Buffer, Csr, DenseVec, Device, Host, Memory, Tensor};
    use std::sync::Arc;

    /// A device whose memory does not hold what was written there.
    #[derive(Clone)]
    struct Forgetful;
    impl Device for Forgetful {
        type Array<T: Element> = Buffer<T>;
    }
    impl Memory for Forgetful {
        fn upload<T: Element>(&self, host: &Arc<Buffer<T>>) -> Result<Arc<Buffer<T>>> {
            Ok(host.clone())
        }

        fn download<T: Element>(&self, array: &Arc<Buffer<T>>) -> Result<Arc<Buffer<T>>> {
            Ok(Arc::new(Buffer::full(array.len(), T::from_f64(1e9))))
        }

        fn duplicate<T: Element>(&self, array: &Buffer<T>) -> Result<Buffer<T>> {
            Ok(array.clone())
        }

        fn len<T: Element>(array: &Buffer<T>) -> usize {
            array.len()
        }

        fn shares_memory(&self, _: &Self) -> bool {
            true
        }
    }

    #[test]
    fn what_comes_from_a_device_is_validated() {
        let a = Csr::from_triplets([2, 2], [([0, 1], 1.0f64)]).unwrap().to(&Forgetful).unwrap();
        let wrong = a.to_host().unwrap_err();
        assert!(matches!(wrong, Error::InvalidPosition { level: 1, index: 0, .. }), "{wrong}");
        assert!(a.to(&Host).is_err());
        let unknown = Tensor { lengths: Default::default(), ..a };
        assert!(unknown.lengths(1).is_err());
        // Any values are a dense tensor's.
        let x = DenseVec::full([2], 1.0).to(&Forgetful).unwrap();
        assert_eq!(x.to_host().unwrap().vals(), [1e9; 2]);
    }

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
