//! Every scalar type.

use sparse_gpu::prelude::*;

macro_rules! dot {
    ($($name:ident $t:ident),*) => { $(
        tensor_kernel! {
            fn $name(a: SparseVec<$t>, b: DenseVec<$t>) -> Scalar<$t> {
                s = a[i] * b[i];
            }
        }
    )* };
}
dot!(dot_f32 f32, dot_f64 f64, dot_i32 i32, dot_i64 i64, dot_u8 u8);
tensor_kernel! {
    fn any_both(a: SparseVec<bool>, b: DenseVec<bool>) -> Scalar<bool> {
        s |= a[i] & b[i];
    }
}
tensor_kernel! {
    fn all(b: DenseVec<bool>) -> Tensor<bool, Filled<(), One>> {
        s &= b[i];
    }
}
tensor_kernel! {
    fn bits(b: DenseVec<u8>) -> Tensor<u8, Filled<(), PosInf>> {
        s &= b[i];
    }
}
tensor_kernel! {
    fn bits_into(A: DenseMat<i32>, b: &mut DenseVec<i32>) {
        b[i] &= A[i, j];
    }
}
tensor_kernel! {
    fn xor_bool(a: SparseVec<bool>, b: SparseVec<bool>) -> SparseVec<bool> {
        c[i] = a[i] ^ b[i];
    }
}
tensor_kernel! {
    fn xor_u8(a: SparseVec<u8>, b: SparseVec<u8>) -> SparseVec<u8> {
        c[i] = a[i] ^ b[i];
    }
}
tensor_kernel! {
    fn and_or(a: SparseVec<i32>, b: SparseVec<i32>, c: SparseVec<i32>) -> SparseVec<i32> {
        d[i] = a[i] & b[i] | c[i];
    }
}
tensor_kernel! {
    fn sub_u8(a: SparseVec<u8>, b: SparseVec<u8>) -> DenseVec<u8> {
        c[i] = a[i] - b[i] - b[i];
    }
}
tensor_kernel! {
    fn div_int(a: SparseVec<i32>, b: SparseVec<i32>) -> DenseVec<i32> {
        c[i] = a[i] / b[i];
    }
}
tensor_kernel! {
    fn abs_int(a: SparseVec<i32>) -> SparseVec<i32> {
        c[i] = abs(a[i]);
    }
}

#[test]
fn dot_products_of_every_type() -> Result<(), Error> {
    macro_rules! check {
        ($($name:ident $t:ident),*) => { $(
            let a = SparseVec::from_triplets([300], (0..300).step_by(3).map(|i| ([i], (i % 7) as $t)))?;
            let b = DenseVec::from_dense([300], (0..300).map(|i| (i % 5) as $t).collect())?;
            let expected = (0..300).step_by(3).map(|i| (i % 7) * (i % 5)).sum::<i64>() as $t;
            let expected = if stringify!($t) == "u8" { expected as u32 as $t } else { expected };
            let total = (0..300i64).step_by(3).map(|i| (i % 7) * (i % 5)).sum::<i64>();
            let wrapped = if stringify!($t) == "u8" { (total % 256) as $t } else { expected };
            assert_eq!($name(&a, &b)?.value()?, wrapped, stringify!($t));
        )* };
    }
    check!(dot_f32 f32, dot_f64 f64, dot_i32 i32, dot_i64 i64, dot_u8 u8);
    Ok(())
}

#[test]
fn logic_and_bits() -> Result<(), Error> {
    let a = SparseVec::from_triplets([4], [([0], true), ([1], false), ([2], true)])?;
    let b = SparseVec::from_triplets([4], [([1], true), ([2], true)])?;
    let dense = |v: [bool; 4]| DenseVec::from_dense([4], v.to_vec());
    assert!(any_both(&a, &dense([true, false, false, false])?)?.value()?);
    assert!(!any_both(&a, &dense([false, true, false, true])?)?.value()?);
    assert!(all(&dense([true; 4])?)?.value()?);
    assert!(!all(&dense([true, true, false, true])?)?.value()?);
    assert!(all(&DenseVec::from_dense([0], vec![])?)?.value()?);
    assert_eq!(bits(&DenseVec::from_dense([3], vec![0b111, 0b110, 0b1010])?)?.value()?, 0b10);
    assert_eq!(bits(&DenseVec::from_dense([0], vec![])?)?.value()?, 255);
    let mut into = DenseVec::from_dense([2], vec![0b1110, -1])?;
    bits_into(&DenseMat::from_dense([2, 2], vec![0b0111, 0b1111, 0b1100, 0b0101])?, &mut into)?;
    assert_eq!(into.vals(), [0b0110, 0b0100]);
    assert_eq!(xor_bool(&a, &b)?.to_dense()?.vals(), [true, true, false, false]);
    let p = SparseVec::from_triplets([4], [([0], 12u8), ([1], 0), ([2], 7)])?;
    let q = SparseVec::from_triplets([4], [([1], 3u8), ([2], 7), ([3], 255)])?;
    assert_eq!(xor_u8(&p, &q)?.to_dense()?.vals(), [12, 3, 0, 255]);
    assert_eq!(sub_u8(&p, &q)?.vals(), [12, 250, 249, 2]);
    let v = |e: &[(usize, i32)]| SparseVec::from_triplets([4], e.iter().map(|&(i, v)| ([i], v)));
    let d = and_or(&v(&[(0, 6), (1, 5)])?, &v(&[(0, 3), (2, 9)])?, &v(&[(0, 8), (3, 1)])?)?;
    assert_eq!(d.to_dense()?.vals(), [10, 0, 0, 1]);
    assert_eq!(
        div_int(&v(&[(0, 7), (1, 5), (3, i32::MIN)])?, &v(&[(0, 2), (2, 9), (3, -1)])?)?.vals(),
        [3, 0, 0, i32::MIN]
    );
    assert_eq!(abs_int(&v(&[(0, -7), (3, i32::MIN)])?)?.to_dense()?.vals(), [7, 0, 0, i32::MIN]);
    Ok(())
}

tensor_kernel! {
    fn inverted(x: DenseVec<u8>) -> DenseVec<u8> {
        y[i] = 255 - x[i];
    }
}
tensor_kernel! {
    fn around(x: DenseVec<u8>) -> DenseVec<u8> {
        y[i] = x[i] + 255;
    }
}
tensor_kernel! {
    fn lowered(x: SparseVec<i32>) -> DenseVec<i32> {
        y[i] = abs(x[i]) + -2147483648;
    }
}

#[test]
fn the_largest_and_smallest_integers_are_numbers_where_they_are_written() -> Result<(), Error> {
    let picture = DenseVec::from_dense([3], vec![0, 10, 255])?;
    assert_eq!(inverted(&picture)?.vals(), [255, 245, 0]);
    assert_eq!(around(&picture)?.vals(), [255, 9, 254]);
    let x = SparseVec::from_triplets([2], [([1], -7)])?;
    assert_eq!(lowered(&x)?.vals(), [i32::MIN, i32::MIN + 7]);
    Ok(())
}
