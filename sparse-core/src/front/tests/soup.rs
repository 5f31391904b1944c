//! Valid kernels with tokens deleted, doubled, swapped and replaced: a kernel or a mistake, never a panic.

use super::super::{parse, parse_str};
use proc_macro2::{Group, TokenStream, TokenTree};

const KERNELS: [&str; 7] = [
    "/// C = A·B\npub fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> { C[i, k] = A[i, j] * B[j, k]; } schedule cuda = none;",
    "fn spmv(alpha: f64, A: Csc<f64>, x: DenseVec<f64>, y: &mut DenseVec<f64>) { y[i] += alpha * A[i, j] * -2.5e1 * x[j] }",
    "fn path(A: Tensor<i32, Filled<Reordered<(Dense, Compressed<NonUnique>), 1, 0>, PosInf>>, d: DenseVec<i32>) -> DenseVec<i32> { e[i] min= min(A[j, i] + d[j], 3, -4) }",
    "pub(crate) fn any(A: Csr<bool>, B: Coo<bool>) -> Scalar<bool> { s |= A[i, j] & !B[i, j] ^ true | (A[i, i] != false) }",
    "fn act(A: sparse_gpu::Dcsr<f32>, t: Scalar<f32>) -> Tensor<f32, (Dense,)> { y[i] = exp(ln(A[i, j]) / t) - max(inf, 0x10, t[]) }",
    "fn f(A: &Csr<f32>, mut b: u32, C: &mut Csf3<f32>) where T: X { C[i, i, 2 * k] ^= A[i] == b < 3 % 2 && x.y() } schedule cpu { split(i, j); }",
    "fn s(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] = A[i, j] * x[j] } schedule cpu { split(i, i0, i1, 64); reorder(i0, i1, j); pos(j, p, A[i, j]); precompute(A[i, j] * x[j], [], [], t); bound(i, b, 4, MaxExact); parallelize(i0, CPUThread, NoRaces); } schedule cuda = none;",
];

/// xorshift64*.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n.max(1)
    }
}

/// One random change somewhere in the tree.
fn mutate(tokens: TokenStream, pool: &[TokenTree], r: &mut Random) -> TokenStream {
    let mut tokens: Vec<TokenTree> = tokens.into_iter().collect();
    if tokens.is_empty() {
        return pool[r.below(pool.len())].clone().into();
    }
    let at = r.below(tokens.len());
    if let TokenTree::Group(g) = &tokens[at]
        && r.below(4) > 0
    {
        let mut group = Group::new(g.delimiter(), mutate(g.stream(), pool, r));
        group.set_span(g.span());
        tokens[at] = group.into();
    } else {
        match r.below(5) {
            0 => drop(tokens.remove(at)),
            1 => tokens.insert(at, tokens[at].clone()),
            2 => {
                let next = (at + 1) % tokens.len();
                tokens.swap(at, next);
            }
            3 => tokens[at] = pool[r.below(pool.len())].clone(),
            _ => tokens.insert(at, pool[r.below(pool.len())].clone()),
        }
    }
    tokens.into_iter().collect()
}

fn flatten(tokens: TokenStream, pool: &mut Vec<TokenTree>) {
    for token in tokens {
        if let TokenTree::Group(g) = &token {
            flatten(g.stream(), pool);
        }
        pool.push(token);
    }
}

#[test]
fn token_soup_is_a_kernel_or_a_mistake() {
    let kernels: Vec<TokenStream> = KERNELS.iter().map(|k| k.parse().expect("tokens")).collect();
    let mut pool = Vec::new();
    kernels.iter().for_each(|k| flatten(k.clone(), &mut pool));
    let mut r = Random(0x5EED);
    let (mut valid, mut reported) = (0, 0);
    for case in 0..6000 {
        let mut tokens = kernels[case % kernels.len()].clone();
        for _ in 0..=r.below(4) {
            tokens = mutate(tokens, &pool, &mut r);
        }
        match parse(tokens.clone()) {
            Ok(kernel) => {
                valid += 1;
                assert!(kernel.source.ends_with(';'), "{tokens}");
            }
            Err(failure) => {
                reported += 1;
                assert!(!failure.diagnostics.is_empty(), "{tokens}");
                assert!(failure.diagnostics.iter().all(|d| d.help.is_some() && !d.message.is_empty()));
            }
        }
    }
    assert!(valid > 50 && reported > 2000, "{valid} valid, {reported} with mistakes");
}

#[test]
fn fragments_of_other_macros_are_read() {
    let hide = |text: &str| -> TokenTree {
        Group::new(proc_macro2::Delimiter::None, text.parse().expect("tokens")).into()
    };
    let text = "V fn f(A: T, x: self::DenseVec<f32>) -> self::DenseVec<f32> { y[i] = A[i, J] * E; }
        schedule cpu { split(i, i0, i1, N); bound(J, jb, N, MaxExact); }
        schedule cuda = atomic(<1/N row, 1 col>, N, threads = N);";
    let parts = [("V", "pub"), ("T", "Csr<f32>"), ("J", "j"), ("E", "x[j] + 1"), ("N", "32")];
    fn replace(tokens: TokenStream, parts: &[(&str, TokenTree)]) -> TokenStream {
        let swap = |t: TokenTree| match &t {
            TokenTree::Group(g) => Group::new(g.delimiter(), replace(g.stream(), parts)).into(),
            TokenTree::Ident(i) => {
                parts.iter().find(|(name, _)| i == name).map_or(t.clone(), |(_, with)| with.clone())
            }
            _ => t,
        };
        tokens.into_iter().map(swap).collect()
    }
    let parts = parts.map(|(name, with)| (name, hide(with)));
    let kernel = parse(replace(text.parse().expect("tokens"), &parts)).expect("a kernel");
    assert_eq!(kernel.source, "y[i] = A[i, j] * (x[j] + 1);");
}

#[test]
fn what_is_printed_reads_back() {
    for text in &KERNELS[..5] {
        let kernel = parse_str(text).unwrap_or_else(|f| panic!("{}", f.diagnostics));
        let open = text.find('{').expect("a body");
        let again = parse_str(&format!("{} {{ {} }}", &text[..open], kernel.source)).expect("a kernel");
        assert_eq!(again.source, kernel.source);
    }
}
