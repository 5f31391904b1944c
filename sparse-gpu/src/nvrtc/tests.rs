//! Compiling with a real NVRTC, where one is found.

use super::*;

const SOURCE: &str = r#"
extern "C" __global__ void reverse(const float* x, float* y, int n) {
  __shared__ float tile[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  tile[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  if (i < n) y[i] = tile[255 - threadIdx.x];
}
"#;

/// `None` without an NVRTC; with `SPARSE_NVRTC` set, as by `cargo xtask test`, there has to be one.
fn compiler() -> Option<Compiler> {
    match Compiler::load(None) {
        Ok(compiler) => Some(compiler),
        Err(e) if std::env::var_os("SPARSE_NVRTC").is_some() => panic!("{e}"),
        Err(e) => {
            eprintln!("not tested: {e}");
            None
        }
    }
}

#[test]
fn a_kernel_compiles_for_each_architecture() {
    let Some(nvrtc) = compiler() else { return };
    for architecture in [75, 80, 90, 100] {
        nvrtc.check_architecture(architecture).unwrap();
        let compiled = nvrtc.compile(SOURCE, "reverse.cu", architecture, &[]).unwrap();
        assert!(compiled.cubin.starts_with(b"\x7fELF"));
        assert_eq!(compiled.warnings(), [""; 0]);
        let [usage] = &compiled.usage()[..] else { panic!("one kernel: {}", compiled.log) };
        assert_eq!((usage.kernel.as_str(), usage.spill_stores), ("reverse", 0));
        assert!(usage.registers > 0 && usage.shared >= 1024, "{usage:?}");
    }
}

#[test]
fn the_log_comes_with_success_and_with_failure() {
    let Some(nvrtc) = compiler() else { return };
    let unused = SOURCE.replace("int i =", "int unused; int i =");
    let compiled = nvrtc.compile(&unused, "reverse.cu", 90, &[]).unwrap();
    assert!(compiled.warnings()[0].starts_with("reverse.cu(4): warning"), "{}", compiled.log);
    let wrong = nvrtc.compile("__global__ void f() { x = 1; }", "wrong.cu", 90, &[]).unwrap_err();
    assert!(wrong.log.contains("wrong.cu(1): error: identifier \"x\" is undefined"), "{wrong}");
    let option = nvrtc.compile(SOURCE, "reverse.cu", 90, &["--no-such-option"]).unwrap_err();
    assert!(option.log.contains("--no-such-option"), "{option}");
    assert!(nvrtc.compile("\0", "zero.cu", 90, &[]).is_err());
}

#[test]
fn spills_are_reported() {
    let Some(nvrtc) = compiler() else { return };
    let many = r#"extern "C" __global__ void many(const float* a, float* out, int n) {
      float r[100];
      #pragma unroll
      for (int i = 0; i < 100; i++) r[i] = a[i * n];
      for (int k = 0; k < n; k++)
        #pragma unroll
        for (int i = 0; i < 100; i++) r[i] = r[i] * r[(i * 7 + 3) % 100] + a[k];
      #pragma unroll
      for (int i = 0; i < 100; i++) out[i] = r[i];
    }"#;
    let compiled = nvrtc.compile(many, "many.cu", 90, &["--maxrregcount=32"]).unwrap();
    assert!(compiled.usage()[0].spill_stores > 0, "{}", compiled.log);
}

#[test]
fn an_unknown_gpu_is_an_error_that_says_so() {
    let Some(nvrtc) = compiler() else { return };
    let e = nvrtc.check_architecture(999).unwrap_err();
    assert!(matches!(e, Error::UnsupportedArchitecture { newer: true, .. }), "{e}");
    assert!(e.to_string().contains("sm_999: install a newer NVRTC"), "{e}");
    assert!(nvrtc.check_architecture(20).unwrap_err().to_string().contains("older"));
}

#[test]
fn a_folder_without_nvrtc_is_an_error_that_names_it() {
    let e = Compiler::open(&std::env::temp_dir().join("no-such-nvrtc.so")).unwrap_err();
    assert!(e.to_string().contains("no-such-nvrtc.so"), "{e}");
    assert!(e.to_string().contains("pip install nvidia-cuda-nvrtc-cu12"), "{e}");
    assert!(Compiler::open(Path::new(env!("CARGO_MANIFEST_DIR"))).is_err());
}
