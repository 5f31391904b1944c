//! Arrays in a GPU's memory.

use super::stream::Stream;
use super::{Cuda, check, failure};
use cudarc::driver::sys::{self, CUresult};
use sparse_core::error::{Error, Result};
use sparse_core::format::Buffer;

use sparse_core::scalar::{Element, VECTOR_BYTES, Value};
use std::marker::PhantomData;
use std::sync::Arc;

/// An array in a GPU's memory. It belongs to the stream it was made in, and is freed in that stream's order: after
/// all work that was given it before.
pub struct DeviceArray<T: Element> {
    /// 0 for an empty array, which has no memory.
    address: sys::CUdeviceptr,
    len: usize,
    stream: Arc<Stream>,
    elements: PhantomData<T>,
}

impl<T: Element> DeviceArray<T> {
    /// An array whose elements are not set.
    ///
    /// # Safety
    /// Every element is written before it is read, on the device or by a download.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`]
    pub unsafe fn uninitialised(device: &Cuda, len: usize) -> Result<Self> {
        let mut array =
            DeviceArray { address: 0, len, stream: device.stream().clone(), elements: PhantomData };
        if len == 0 {
            return Ok(array);
        }
        let context = array.stream.context;
        context.bind()?;
        let bytes = len as u128 * size_of::<T>() as u128;
        let out_of_memory = || Error::OutOfDeviceMemory {
            device: context.hardware.name.clone(),
            bytes,
            free: context.memory().ok().map(|m| m.0),
        };
        // Atomic updates of bytes swap the whole word that they are in.
        let size = usize::try_from(bytes).map_err(|_| out_of_memory())?.next_multiple_of(4);
        // SAFETY: both write one address.
        let code = unsafe {
            if context.pools {
                sys::cuMemAllocAsync(&raw mut array.address, size, array.stream.raw)
            } else {
                sys::cuMemAlloc_v2(&raw mut array.address, size)
            }
        };
        match code {
            // Kernels move vectors of elements: arrays begin where these are aligned, and are never made otherwise.
            CUresult::CUDA_SUCCESS if !array.address.is_multiple_of(VECTOR_BYTES) => {
                Err(failure("allocating aligned device memory", CUresult::CUDA_ERROR_MISALIGNED_ADDRESS))
            }
            CUresult::CUDA_SUCCESS => Ok(array),
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => Err(out_of_memory()),
            code => Err(failure("allocating device memory", code)),
        }
    }

    /// `len` copies of a value.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`]
    pub fn full(device: &Cuda, len: usize, value: T) -> Result<Self> {
        // SAFETY: filled at once, in the same stream.
        let mut array = unsafe { Self::uninitialised(device, len) }?;
        array.fill(value)?;
        Ok(array)
    }

    /// A copy of elements of the host.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`]
    pub fn upload(device: &Cuda, host: &[T]) -> Result<Self> {
        // SAFETY: written at once, in the same stream.
        let array = unsafe { Self::uninitialised(device, host.len()) }?;
        if !host.is_empty() {
            let size = size_of_val(host);
            // SAFETY: both memories are of this size; the host's is borrowed until the copy is done.
            let code = unsafe {
                sys::cuMemcpyHtoDAsync_v2(array.address, host.as_ptr().cast(), size, array.stream.raw)
            };
            check("copying to the device", code)?;
            array.stream.synchronize()?;
        }
        Ok(array)
    }

    /// A copy on the host, when the work that writes the array is done.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], and [`Error::Device`] if earlier work in the stream failed.
    pub fn download(&self) -> Result<Buffer<T>> {
        let mut host = Buffer::<T>::try_with_capacity(self.len)?;
        if self.len > 0 {
            self.stream.context.bind()?;
            // SAFETY: there is room for all elements, and they are set when the stream is done; until then the buffer
            // lives.
            unsafe {
                let size = self.len * size_of::<T>();
                let to = host.as_mut_ptr().cast();
                let code = sys::cuMemcpyDtoHAsync_v2(to, self.address, size, self.stream.raw);
                let copied = check("copying from the device", code);
                let done = self.stream.synchronize();
                copied.and(done)?;
                host.set_len(self.len);
            }
        }
        Ok(host)
    }

    /// One element, when the work that writes the array is done.
    ///
    /// # Panics
    /// If there is no such element.
    ///
    /// # Errors
    /// [`Error::Device`] if earlier work in the stream failed.
    pub fn get(&self, at: usize) -> Result<T> {
        assert!(at < self.len, "element {at} of {}", self.len);
        self.stream.context.bind()?;
        let mut element = T::default();
        let from = self.address + (at * size_of::<T>()) as u64;
        // SAFETY: the element is in the array and set when the stream is done, for which the host waits.
        unsafe {
            let to = (&raw mut element).cast();
            let code = sys::cuMemcpyDtoHAsync_v2(to, from, size_of::<T>(), self.stream.raw);
            let copied = check("copying from the device", code);
            copied.and(self.stream.synchronize())?;
        }
        Ok(element)
    }

    /// A copy on the same GPU.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`]
    pub fn duplicate(&self, device: &Cuda) -> Result<Self> {
        if device.ordinal() != self.ordinal() {
            return Self::upload(device, &self.download()?);
        }
        // SAFETY: written at once, in the same stream.
        let copy = unsafe { Self::uninitialised(device, self.len) }?;
        if self.len > 0 {
            copy.stream.wait_for(&self.stream)?;
            // SAFETY: both memories are of this size, and no stream writes either meanwhile: each waits for the other.
            let code = unsafe {
                let size = self.len * size_of::<T>();
                sys::cuMemcpyDtoDAsync_v2(copy.address, self.address, size, copy.stream.raw)
            };
            check("copying on the device", code)?;
            self.stream.wait_for(&copy.stream)?;
        }
        Ok(copy)
    }

    /// Overwrites every element.
    ///
    /// # Errors
    /// [`Error::Device`]
    pub fn fill(&mut self, value: T) -> Result<()> {
        if self.len == 0 {
            return Ok(());
        }
        self.stream.context.bind()?;
        let (to, stream) = (self.address, self.stream.raw);
        // SAFETY: each writes `len` elements of the array's size and no more; two of half of each.
        let code = unsafe {
            match Pattern::of(value.to_value()) {
                Pattern::Byte(byte) => sys::cuMemsetD8Async(to, byte, self.len * size_of::<T>(), stream),
                Pattern::Word(word) => sys::cuMemsetD32Async(to, word, self.len * size_of::<T>() / 4, stream),
                Pattern::Pair(low, high) => {
                    // To the driver these are rows of a word, of which millions may take it long. A few are doubled.
                    let mut done = self.len.min(PAIRS);
                    let mut code = sys::cuMemsetD2D32Async(to, 8, low, 1, done, stream);
                    if code == CUresult::CUDA_SUCCESS {
                        code = sys::cuMemsetD2D32Async(to + 4, 8, high, 1, done, stream);
                    }
                    while code == CUresult::CUDA_SUCCESS && done < self.len {
                        let more = done.min(self.len - done);
                        code = sys::cuMemcpyDtoDAsync_v2(to + done as u64 * 8, to, more * 8, stream);
                        done += more;
                    }
                    code
                }
            }
        };
        check("filling an array", code)
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Has it no elements?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number of the GPU that it is on.
    pub fn ordinal(&self) -> usize {
        self.stream.context.ordinal
    }

    /// Where it is on the GPU, a `CUdeviceptr`, for other libraries; 0 if it is empty.
    pub fn address(&self) -> u64 {
        self.address
    }

    pub(super) fn stream(&self) -> &Arc<Stream> {
        &self.stream
    }
}

impl<T: Element> Drop for DeviceArray<T> {
    fn drop(&mut self) {
        let context = self.stream.context;
        if self.address == 0 || context.bind().is_err() {
            return;
        }
        // SAFETY: nobody else has the memory, and the stream frees it after the work that uses it; without pools the
        // host waits for that. A failure has nobody to tell: the device's next call reports it too.
        unsafe {
            if context.pools {
                let _ = sys::cuMemFreeAsync(self.address, self.stream.raw);
            } else {
                let _ = self.stream.synchronize();
                let _ = sys::cuMemFree_v2(self.address);
            }
        }
    }
}

impl<T: Element> std::fmt::Debug for DeviceArray<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DeviceArray<{}>({} elements on device {})", T::DTYPE, self.len, self.ordinal())
    }
}

/// So many 64-bit elements are filled by the driver, the others copied from them.
const PAIRS: usize = 1 << 12;

/// What is repeated to fill an array: the driver repeats bytes and 32-bit words.
#[derive(Debug, PartialEq)]
enum Pattern {
    Byte(u8),
    Word(u32),
    /// The low and the high half of 64 bits.
    Pair(u32, u32),
}

impl Pattern {
    fn of(value: Value) -> Pattern {
        let word = |bits: u32| {
            let bytes = bits.to_le_bytes();
            if bytes == [bytes[0]; 4] { Pattern::Byte(bytes[0]) } else { Pattern::Word(bits) }
        };
        let long = |bits: u64| {
            let (low, high) = (bits as u32, (bits >> 32) as u32);
            if low == high { word(low) } else { Pattern::Pair(low, high) }
        };
        match value {
            Value::F32(v) => word(v.to_bits()),
            Value::F64(v) => long(v.to_bits()),
            Value::I32(v) => word(v as u32),
            Value::I64(v) => long(v as u64),
            Value::U8(v) => Pattern::Byte(v),
            Value::Bool(v) => Pattern::Byte(v as u8),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_repeat_to_the_value() {
        assert_eq!(Pattern::of(Value::F64(0.0)), Pattern::Byte(0));
        assert_eq!(Pattern::of(Value::F32(-0.0)), Pattern::Word(0x8000_0000));
        assert_eq!(Pattern::of(Value::I64(-1)), Pattern::Byte(255));
        assert_eq!(Pattern::of(Value::F64(1.0)), Pattern::Pair(0, 0x3ff0_0000));
        assert_eq!(Pattern::of(Value::I64(i64::MAX)), Pattern::Pair(u32::MAX, 0x7fff_ffff));
        assert_eq!(Pattern::of(Value::I64(0x0000_0007_0000_0007)), Pattern::Word(7));
        assert_eq!(Pattern::of(Value::Bool(true)), Pattern::Byte(1));
    }
}
