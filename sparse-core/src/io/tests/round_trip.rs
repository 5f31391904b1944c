//! What is written, and that reading gives it back.

use super::*;

fn written(write: impl FnOnce(&mut dyn Write) -> Result<(), FileErrorKind>) -> Vec<u8> {
    let mut text = Vec::new();
    write(&mut text).expect("writing to memory");
    text
}

fn entries<T: Element>(c: &Coordinates<T>) -> impl Iterator<Item = (Vec<usize>, T)> {
    let crd = c.crd.chunks(c.dims.len()).map(|crd| crd.iter().map(|c| *c as usize).collect());
    crd.zip(c.vals.iter().copied())
}

#[test]
fn writing_and_reading_gives_the_same() {
    fn check<T: Element>(value: impl Fn(&mut Rng) -> T) {
        let mut rng = Rng(5);
        for dims in [&[7][..], &[4, 9], &[0, 3], &[3, 4, 5], &[2, 3, 2, 3, 2, 9]] {
            let mut c = Coordinates { dims: dims.to_vec(), crd: vec![], vals: vec![] };
            for _ in 0..if dims.contains(&0) { 0 } else { 50 } {
                c.crd.extend(dims.iter().map(|n| rng.below(*n) as i32));
                c.vals.push(value(&mut rng));
            }
            let bits = |c: &Coordinates<T>| c.vals.iter().map(|v| format!("{v:?}")).collect::<Vec<_>>();
            let text = written(|out| write::tns(out, &c.dims, entries(&c)));
            let back = tns::<T>(text).expect("our own file");
            assert_eq!((&back.dims, &back.crd, bits(&back)), (&c.dims, &c.crd, bits(&c)));
            if dims.len() != 2 {
                continue;
            }
            let text = written(|out| write::coordinate_matrix(out, &c.dims, || entries(&c)));
            let back = mtx::<T>(text).expect("our own file");
            assert_eq!((&back.dims, &back.crd, bits(&back)), (&c.dims, &c.crd, bits(&c)));
        }
    }
    check(|rng| f64::from_bits(rng.next()));
    check(|rng| f32::from_bits(rng.next() as u32));
    check(|rng| [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE / 8.0, 0.1][rng.below(6)]);
    check(|rng| rng.next() as i64);
    check(|rng| rng.next() as i32);
    check(|rng| rng.next() as u8);
    check(|rng| rng.next() & 1 == 0);
    check(|_| true);
}

#[test]
fn what_is_written() {
    let c = coordinates(&[2, 2], &[(&[0, 1], true), (&[1, 1], true)]);
    let text = written(|out| write::coordinate_matrix(out, &c.dims, || entries(&c)));
    assert_eq!(text, b"%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 2\n");
    let dense = coordinates(&[1, 2], &[(&[0, 0], 1.5), (&[0, 1], -0.0)]);
    let text = written(|out| write::array_matrix(out, &dense.dims, entries(&dense)));
    assert_eq!(text, b"%%MatrixMarket matrix array real general\n1 2\n1.5\n-0.0\n");
    let text = written(|out| write::tns(out, &dense.dims, entries(&dense)));
    assert_eq!(text, b"# dims: 1 2\n1 1 1.5\n1 2 -0.0\n");
    let vector = coordinates(&[3], &[(&[2], 7i32)]);
    let text = written(|out| write::coordinate_matrix(out, &vector.dims, || entries(&vector)));
    assert_eq!(text, b"%%MatrixMarket matrix coordinate integer general\n3 1 1\n3 1 7\n");
    let refused = write::coordinate_matrix(&mut Vec::new(), &[1, 1, 1], || [([0; 3], 1.0)].into_iter());
    assert!(matches!(refused, Err(K::CannotWrite { rank: 3, .. })));
}

/// A folder of its own under the system's, removed at the end.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("sparse-core-io-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn files_round_trip() -> crate::error::Result<()> {
    fn check<T: Element, F: Format>(folder: &Folder, tensor: &Tensor<T, F>) -> crate::error::Result<()> {
        let same = |back: Tensor<T, F>| {
            assert_eq!(back.dims(), tensor.dims());
            assert!(back.iter().eq(tensor.iter()), "{tensor:?} came back as {back:?}");
        };
        for gz in ["", ".gz"] {
            let path = folder.0.join(format!("t.tns{gz}"));
            write_tns(&path, tensor)?;
            same(read_tns(&path)?);
            let starts_as_gzip = std::fs::read(&path).is_ok_and(|b| b.starts_with(&[0x1f, 0x8b]));
            assert_eq!(starts_as_gzip, !gz.is_empty());
            let path = folder.0.join(format!("t.mtx{gz}"));
            if F::RANK <= 2 {
                write_matrix_market(&path, tensor)?;
                same(read_matrix_market(&path)?);
                let dims = tensor.dims();
                let header = read_matrix_market_header(&path)?;
                assert_eq!((header.rows, header.symmetry), (dims.as_ref()[0], Symmetry::General));
            } else {
                assert!(matches!(write_matrix_market(&path, tensor), Err(Error::File(_))));
            }
        }
        Ok(())
    }
    let folder = Folder::new("round-trip");
    check(&folder, &Csr::<f64>::random_sparse([30, 20], 0.1, 1))?;
    check(&folder, &Csc::<f32>::random_sparse([30, 20], 0.1, 1))?;
    check(&folder, &Dcsr::<bool>::random_sparse([30, 20], 0.1, 1))?;
    check(&folder, &Coo::<i64>::from_triplets([5, 4], [([1, 2], i64::MAX), ([4, 0], i64::MIN)])?)?;
    check(&folder, &Csr::<u8>::from_triplets([0, 9], [])?)?;
    check(&folder, &DenseMat::<f32>::random([4, 7], 3))?;
    check(&folder, &DenseMatColumnMajor::<f64>::random([4, 7], 3))?;
    check(&folder, &DenseMat::<bool>::random([4, 7], 3))?;
    check(&folder, &DenseVec::<i32>::random([9], 3))?;
    check(&folder, &SparseVec::<f64>::random_sparse([90], 0.1, 3))?;
    check(&folder, &Csf3::<f64>::random_sparse([9, 8, 7], 0.1, 3))?;
    let e =
        write_tns(folder.0.join("no/such/folder.tns"), &DenseVec::<f32>::zeros([1])).expect_err("no folder");
    assert!(e.to_string().contains("folder.tns: "), "{e}");
    Ok(())
}
