//! Products and sums of two sparse matrices, whose result is one too and of a size that nobody knows before.
//!
//! A call is what a user does who has two matrices and wants the third: the size is found, the host waits for it, the
//! result's arrays are allocated and filled. Made before and kept are the handle, the descriptions of the operands and the
//! library's buffers. Made in each call are the result's description and, of a product, `cusparseSpGEMMDescr_t`: they hold
//! what one product has got to, and nothing says that they can be used for a second one; both are objects of the host.
//! `cusparseSpGEMMreuse_*`, whose numeric phase alone is repeated once the pattern is known, does less, and is not called.

use super::{Csr, Cusparse, Element, Error, NO, Result, Scratch, Sparse, address, check};
use cudarc::cusparse::sys::{self, cusparseSpGEMMAlg_t as Algorithm, cusparseStatus_t as Status};
use sparse_gpu::Cuda;
use sparse_gpu::cuda::DeviceArray;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Operation {
    /// C = A·B, by an algorithm; the third one computes this part of the products at a time, the others do not read it.
    Product(Algorithm, f32),
    /// C = A + B
    Sum,
}

impl Operation {
    /// Every algorithm for a product, with the name that it has in tables.
    pub(crate) const PRODUCT: [(&'static str, Operation); 5] = [
        ("cusparse-default", Operation::Product(Algorithm::CUSPARSE_SPGEMM_DEFAULT, 1.0)),
        ("cusparse-alg1", Operation::Product(Algorithm::CUSPARSE_SPGEMM_ALG1, 1.0)),
        ("cusparse-alg2", Operation::Product(Algorithm::CUSPARSE_SPGEMM_ALG2, 1.0)),
        ("cusparse-alg3", Operation::Product(Algorithm::CUSPARSE_SPGEMM_ALG3, 1.0)),
        ("cusparse-alg3-fifths", Operation::Product(Algorithm::CUSPARSE_SPGEMM_ALG3, 0.2)),
    ];
    /// Likewise for a sum; there is one.
    pub(crate) const SUM: [(&'static str, Operation); 1] = [("cusparse-csrgeam2", Operation::Sum)];

    /// What is called for it.
    fn functions<T: Element>(self) -> Vec<&'static str> {
        const PRODUCT: [&str; 7] = [
            "cusparseSpGEMM_createDescr",
            "cusparseSpGEMM_destroyDescr",
            "cusparseSpGEMM_workEstimation",
            "cusparseSpGEMM_compute",
            "cusparseSpGEMM_copy",
            "cusparseSpMatGetSize",
            "cusparseCsrSetPointers",
        ];
        const SUM: [&str; 3] = ["cusparseCreateMatDescr", "cusparseDestroyMatDescr", "cusparseXcsrgeam2Nnz"];
        match self {
            Operation::Product(algorithm, _) if estimates(algorithm) => {
                [&PRODUCT[..], &["cusparseSpGEMM_estimateMemory"]].concat()
            }
            Operation::Product(..) => PRODUCT.to_vec(),
            Operation::Sum => [&SUM[..], &T::GEAM_FUNCTIONS].concat(),
        }
    }
}

/// Does an algorithm ask how much memory it needs?
fn estimates(algorithm: Algorithm) -> bool {
    matches!(algorithm, Algorithm::CUSPARSE_SPGEMM_ALG2 | Algorithm::CUSPARSE_SPGEMM_ALG3)
}

/// A matrix that was made, by rows, each column of a row once.
pub(crate) struct Made<T: Element> {
    pub(crate) pos: DeviceArray<i32>,
    /// Columns, those of a row in whatever order; a matrix without entries has one of no meaning, and one value.
    pub(crate) crd: DeviceArray<i32>,
    pub(crate) vals: DeviceArray<T>,
    pub(crate) entries: usize,
}

impl<T: Element> Made<T> {
    /// Room for so many entries below the rows.
    fn new(gpu: &Cuda, pos: DeviceArray<i32>, entries: i64) -> Result<Made<T>> {
        let entries = usize::try_from(entries).map_err(|_| Error::Shape)?;
        // The library may refuse an address that is null.
        let len = entries.max(1);
        // SAFETY: the library writes all entries, and nothing else is read.
        let (crd, vals) =
            unsafe { (DeviceArray::uninitialised(gpu, len)?, DeviceArray::uninitialised(gpu, len)?) };
        Ok(Made { pos, crd, vals, entries })
    }
}

/// An operation that is ready to run, again and again.
pub(crate) struct Assembler<'a, T: Element> {
    library: &'a Cusparse,
    operands: [Csr<'a, T>; 2],
    /// Of the result.
    dims: [usize; 2],
    prepared: Prepared,
    buffers: [Scratch; 3],
    made: Option<Made<T>>,
}

enum Prepared {
    Product { algorithm: Algorithm, chunk: f32, operands: [Sparse; 2] },
    Sum { kind: General, sizes: Sizes },
}

/// Rows and columns, and entries of both operands.
#[derive(Clone, Copy)]
struct Sizes {
    rows: c_int,
    cols: c_int,
    entries: [c_int; 2],
}

impl<'a, T: Element> Assembler<'a, T> {
    /// Describes the operands; of a sum, makes the buffer too.
    ///
    /// # Errors
    /// [`Error::Shape`] of operands that are not whole or do not fit together.
    pub(crate) fn new(
        library: &'a Cusparse,
        operation: Operation,
        operands: [Csr<'a, T>; 2],
    ) -> Result<Assembler<'a, T>> {
        library.loaded.needs(&operation.functions::<T>())?;
        let [a, b] = operands;
        let (fits, dims) = match operation {
            Operation::Product(..) => (a.dims[1] == b.dims[0], [a.dims[0], b.dims[1]]),
            Operation::Sum => (a.dims == b.dims, a.dims),
        };
        if !fits || !a.is_whole() || !b.is_whole() {
            return Err(Error::Shape);
        }
        let prepared = match operation {
            Operation::Product(algorithm, chunk) => {
                Prepared::Product { algorithm, chunk, operands: [Sparse::new(a)?, Sparse::new(b)?] }
            }
            Operation::Sum => {
                let int = |n: usize| c_int::try_from(n).map_err(|_| Error::Shape);
                let entries = [int(a.vals.len())?, int(b.vals.len())?];
                Prepared::Sum {
                    kind: General::new()?,
                    sizes: Sizes { rows: int(dims[0])?, cols: int(dims[1])?, entries },
                }
            }
        };
        let buffers = Default::default();
        let mut assembler = Assembler { library, operands, dims, prepared, buffers, made: None };
        if let Prepared::Sum { kind, sizes } = &assembler.prepared {
            let size = sum_buffer(library, kind, *sizes, operands, &assembler.rows()?)?;
            assembler.buffers[0].of(&library.gpu, size)?;
        }
        Ok(assembler)
    }

    /// Makes the result anew. The one before is there until then, as that of our kernels is.
    ///
    /// # Errors
    /// [`Error::Status`] and [`Error::Device`], where the algorithm has no room for example.
    pub(crate) fn run(&mut self) -> Result<()> {
        let pos = self.rows()?;
        self.made = Some(match &self.prepared {
            Prepared::Product { algorithm, chunk, operands: [a, b] } => {
                let step = Step::new::<T>(self.library, [a, b], *algorithm, self.dims, &pos)?;
                step.run(*chunk, &mut self.buffers, pos)?
            }
            Prepared::Sum { kind, sizes } => {
                let buffer = self.buffers[0].address();
                sum(self.library, kind, *sizes, self.operands, pos, buffer)?
            }
        });
        Ok(())
    }

    /// What the last call made.
    pub(crate) fn made(&self) -> Option<&Made<T>> {
        self.made.as_ref()
    }

    /// Room for where rows begin.
    fn rows(&self) -> Result<DeviceArray<i32>> {
        // SAFETY: the library writes it before it reads it.
        Ok(unsafe { DeviceArray::uninitialised(&self.library.gpu, self.dims[0] + 1) }?)
    }
}

/// One product on its way.
struct Step<'a> {
    library: &'a Cusparse,
    a: sys::cusparseConstSpMatDescr_t,
    b: sys::cusparseConstSpMatDescr_t,
    c: Sparse,
    /// 1 and 0 of the element type.
    scalars: [*const c_void; 2],
    element: sys::cudaDataType,
    algorithm: Algorithm,
    state: State,
}

impl<'a> Step<'a> {
    /// Describes a result whose rows begin where `pos` will say, and whose entries have no room yet.
    fn new<T: Element>(
        library: &'a Cusparse,
        [a, b]: [&'a Sparse; 2],
        algorithm: Algorithm,
        dims: [usize; 2],
        pos: &DeviceArray<i32>,
    ) -> Result<Step<'a>> {
        // SAFETY: arrays of nothing.
        let (crd, vals) = unsafe {
            (
                DeviceArray::<i32>::uninitialised(&library.gpu, 0)?,
                DeviceArray::<T>::uninitialised(&library.gpu, 0)?,
            )
        };
        let c = Sparse::new(Csr { dims, pos, crd: &crd, vals: &vals })?;
        let scalars = T::scalars().map(|s| s.cast());
        let (a, b, state) = (a.0.cast_const(), b.0.cast_const(), State::new()?);
        Ok(Step { library, a, b, c, scalars, element: T::TYPE, algorithm, state })
    }

    /// The whole product; `pos` is what the result's description has.
    fn run<T: Element>(
        &self,
        chunk: f32,
        [first, second, third]: &mut [Scratch; 3],
        pos: DeviceArray<i32>,
    ) -> Result<Made<T>> {
        let gpu = &self.library.gpu;
        let mut size = 0;
        self.estimate_work(&mut size, null_mut())?;
        let buffer = first.of(gpu, size)?;
        self.estimate_work(&mut size, buffer)?;
        let mut size = 0;
        if estimates(self.algorithm) {
            let mut own = 0;
            self.estimate_memory(chunk, &mut own, null_mut(), null_mut())?;
            let buffer = third.of(gpu, own)?;
            self.estimate_memory(chunk, &mut own, buffer, &raw mut size)?;
        } else {
            self.compute(&mut size, null_mut())?;
        }
        let buffer = second.of(gpu, size)?;
        self.compute(&mut size, buffer)?;
        let (mut rows, mut cols, mut entries) = (0, 0, 0);
        // SAFETY: it writes three numbers.
        let status = unsafe {
            sys::cusparseSpMatGetSize(self.c.0.cast_const(), &raw mut rows, &raw mut cols, &raw mut entries)
        };
        check("asking for the size of a product", status)?;
        let made = Made::<T>::new(gpu, pos, entries)?;
        let [pos, crd, vals] = [address(&made.pos), address(&made.crd), address(&made.vals)];
        // SAFETY: the arrays have room for what the description says.
        check("giving room to a product", unsafe { sys::cusparseCsrSetPointers(self.c.0, pos, crd, vals) })?;
        self.copy()?;
        Ok(made)
    }

    fn estimate_work(&self, size: &mut usize, buffer: *mut c_void) -> Result<()> {
        let (handle, [one, zero]) = (self.library.handle, self.scalars);
        let (a, b, c, element, algorithm) = (self.a, self.b, self.c.0, self.element, self.algorithm);
        // SAFETY: handle, descriptions and scalars are valid; without a buffer it writes the size of one, with one of
        // that size it works there.
        check("estimating the work of a product", unsafe {
            sys::cusparseSpGEMM_workEstimation(
                handle,
                NO,
                NO,
                one,
                a,
                b,
                zero,
                c,
                element,
                algorithm,
                self.state.0,
                size,
                buffer,
            )
        })
    }

    fn estimate_memory(
        &self,
        chunk: f32,
        own: &mut usize,
        buffer: *mut c_void,
        size: *mut usize,
    ) -> Result<()> {
        let (handle, [one, zero]) = (self.library.handle, self.scalars);
        let (a, b, c, element, algorithm) = (self.a, self.b, self.c.0, self.element, self.algorithm);
        // SAFETY: as above; with a buffer it writes the size of the one for the computation.
        check("estimating the memory for a product", unsafe {
            sys::cusparseSpGEMM_estimateMemory(
                handle,
                NO,
                NO,
                one,
                a,
                b,
                zero,
                c,
                element,
                algorithm,
                self.state.0,
                chunk,
                own,
                buffer,
                size,
            )
        })
    }

    fn compute(&self, size: &mut usize, buffer: *mut c_void) -> Result<()> {
        let (handle, [one, zero]) = (self.library.handle, self.scalars);
        let (a, b, c, element, algorithm) = (self.a, self.b, self.c.0, self.element, self.algorithm);
        // SAFETY: as above; the buffer of the first step is there still.
        check("computing a product", unsafe {
            sys::cusparseSpGEMM_compute(
                handle,
                NO,
                NO,
                one,
                a,
                b,
                zero,
                c,
                element,
                algorithm,
                self.state.0,
                size,
                buffer,
            )
        })
    }

    fn copy(&self) -> Result<()> {
        let (handle, [one, zero]) = (self.library.handle, self.scalars);
        let (a, b, c, element, algorithm) = (self.a, self.b, self.c.0, self.element, self.algorithm);
        // SAFETY: as above; the result has room, and the buffers are there still.
        check("storing a product", unsafe {
            sys::cusparseSpGEMM_copy(handle, NO, NO, one, a, b, zero, c, element, algorithm, self.state.0)
        })
    }
}

/// What the library knows of a product that has begun.
struct State(sys::cusparseSpGEMMDescr_t);

impl State {
    fn new() -> Result<State> {
        let mut made = null_mut();
        // SAFETY: it writes one object.
        check("beginning a product", unsafe { sys::cusparseSpGEMM_createDescr(&raw mut made) })?;
        Ok(State(made))
    }
}

impl Drop for State {
    fn drop(&mut self) {
        // SAFETY: nobody else has it.
        unsafe { sys::cusparseSpGEMM_destroyDescr(self.0) };
    }
}

/// What the older functions want to know of a matrix: that it is any one, and indices begin at 0, as they do of a new
/// description.
struct General(sys::cusparseMatDescr_t);

impl General {
    fn new() -> Result<General> {
        let mut made = null_mut();
        // SAFETY: it writes one description.
        check("describing the kind of a matrix", unsafe { sys::cusparseCreateMatDescr(&raw mut made) })?;
        Ok(General(made))
    }
}

impl Drop for General {
    fn drop(&mut self) {
        // SAFETY: nobody else has it.
        unsafe { sys::cusparseDestroyMatDescr(self.0) };
    }
}

/// An operand's values, rows and columns, where the older functions want them.
fn arrays<T: Element>(a: Csr<'_, T>) -> (*const T, *const c_int, *const c_int) {
    (address(a.vals).cast(), address(a.pos).cast(), address(a.crd).cast())
}

/// Bytes that a sum needs beside its result.
fn sum_buffer<T: Element>(
    library: &Cusparse,
    General(kind): &General,
    Sizes { rows, cols, entries: [left, right] }: Sizes,
    [a, b]: [Csr<'_, T>; 2],
    pos: &DeviceArray<i32>,
) -> Result<usize> {
    let ((vals1, pos1, crd1), (vals2, pos2, crd2)) = (arrays(a), arrays(b));
    let ([one, _], mut size, ask) = (T::scalars(), 0, T::GEAM_BUFFER);
    let (none, no_crd) = (null_mut::<T>().cast_const(), null_mut::<c_int>().cast_const());
    // SAFETY: handle, description and scalars are valid; it reads no entries and writes one number. The result has none
    // yet.
    let status: Status = unsafe {
        ask(
            library.handle,
            rows,
            cols,
            one,
            *kind,
            left,
            vals1,
            pos1,
            crd1,
            one,
            *kind,
            right,
            vals2,
            pos2,
            crd2,
            *kind,
            none,
            address(pos).cast::<c_int>().cast_const(),
            no_crd,
            &raw mut size,
        )
    };
    check("asking for the size of a sum's buffer", status)?;
    Ok(size)
}

/// Counts the sum's entries into `pos`, makes room and stores them.
fn sum<T: Element>(
    library: &Cusparse,
    General(kind): &General,
    Sizes { rows, cols, entries: [left, right] }: Sizes,
    [a, b]: [Csr<'_, T>; 2],
    pos: DeviceArray<i32>,
    buffer: *mut c_void,
) -> Result<Made<T>> {
    let ((vals1, pos1, crd1), (vals2, pos2, crd2)) = (arrays(a), arrays(b));
    let (handle, mut entries): (_, c_int) = (library.handle, 0);
    // SAFETY: handle, description and arrays are valid, `pos` has an element more than there are rows, and the buffer has
    // the size that was asked for. It writes one number on the host, where scalars of a new handle are.
    let status = unsafe {
        sys::cusparseXcsrgeam2Nnz(
            handle,
            rows,
            cols,
            *kind,
            left,
            pos1,
            crd1,
            *kind,
            right,
            pos2,
            crd2,
            *kind,
            address(&pos).cast(),
            &raw mut entries,
            buffer,
        )
    };
    check("counting the entries of a sum", status)?;
    let made = Made::new(&library.gpu, pos, i64::from(entries))?;
    let ([one, _], fill) = (T::scalars(), T::GEAM);
    // SAFETY: as above, and the result has room for its entries.
    let status = unsafe {
        fill(
            handle,
            rows,
            cols,
            one,
            *kind,
            left,
            vals1,
            pos1,
            crd1,
            one,
            *kind,
            right,
            vals2,
            pos2,
            crd2,
            *kind,
            address(&made.vals).cast(),
            address(&made.pos).cast(),
            address(&made.crd).cast(),
            buffer,
        )
    };
    check("a sum", status)?;
    Ok(made)
}
