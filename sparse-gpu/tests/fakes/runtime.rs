//! The runtime where libraries are missing, old, broken or out of memory.

use crate::fake::{self, Fake, with};
use sparse_gpu::cuda::{Arguments, DeviceArray, Module};
use sparse_gpu::nvrtc::Compiler;
use sparse_gpu::prelude::*;
use sparse_gpu::scalar::Value;
use std::sync::Arc;

/// The message of the error that opening a GPU ends in.
fn refused(ordinal: usize) -> (Error, String) {
    let e = Cuda::new(ordinal).expect_err("there is no such GPU");
    let text = e.to_string();
    (e, text)
}

#[test]
fn without_a_driver() {
    with(Fake::new("runtime::without_a_driver").without_driver(), || {
        for _ in 0..2 {
            let (e, text) = refused(0);
            assert!(matches!(e, Error::NoDriver { .. }), "{e:?}");
            assert!(text.contains("install NVIDIA's driver") && text.contains("libcuda"), "{text}");
        }
        assert!(matches!(Cuda::count(), Err(Error::NoDriver { .. })));
    });
}

#[test]
fn an_old_driver() {
    with(Fake::new("runtime::an_old_driver").cuda("version=11040"), || {
        let (e, text) = refused(0);
        assert!(matches!(e, Error::DriverTooOld { found: (11, 4), .. }), "{e:?}");
        assert!(text.contains("supports CUDA 11.4, but 12.0 is needed"), "{text}");
    });
}

#[test]
fn a_driver_without_a_function() {
    with(Fake::new("runtime::a_driver_without_a_function").define("WITHOUT_POOLS"), || {
        let (e, text) = refused(0);
        assert!(matches!(e, Error::DriverTooOld { .. }), "{e:?}");
        assert!(text.contains("cuMemPoolSetAttribute"), "{text}");
    });
}

#[test]
fn the_toolkits_stub_is_no_driver() {
    with(Fake::new("runtime::the_toolkits_stub_is_no_driver").cuda("init=34"), || {
        let (e, text) = refused(0);
        assert!(matches!(e, Error::NoDriver { .. }) && text.contains("stub"), "{text}");
    });
}

#[test]
fn a_driver_that_does_not_start() {
    with(Fake::new("runtime::a_driver_that_does_not_start").cuda("init=803"), || {
        let (e, text) = refused(0);
        assert!(matches!(e, Error::Device { code: 803, .. }), "{e:?}");
        assert!(text.contains("restart the machine"), "{text}");
    });
}

#[test]
fn a_machine_without_a_gpu() {
    with(Fake::new("runtime::a_machine_without_a_gpu").cuda("init=100"), || {
        let (e, text) = refused(0);
        assert!(matches!(e, Error::NoSuchDevice { ordinal: 0, count: 0 }), "{e:?}");
        assert!(text.contains("nvidia-smi"), "{text}");
        assert_eq!(Cuda::count().unwrap(), 0);
    });
}

#[test]
fn a_number_that_no_gpu_has() {
    with(Fake::new("runtime::a_number_that_no_gpu_has").cuda("devices=2"), || {
        let (e, text) = refused(2);
        assert!(matches!(e, Error::NoSuchDevice { ordinal: 2, count: 2 }), "{e:?}");
        assert!(text.contains("there are 2, numbered from 0"), "{text}");
        assert_eq!(Cuda::count().unwrap(), 2);
        assert_eq!(Cuda::new(1).unwrap().name(), "Fake 1");
    });
}

#[test]
fn what_a_gpu_tells_of_itself() {
    with(Fake::new("runtime::what_a_gpu_tells_of_itself").cuda("major=8,minor=6"), || {
        let gpu = Cuda::new(0).unwrap();
        assert_eq!((gpu.name(), gpu.ordinal(), gpu.compute_capability()), ("Fake 0", 0, (8, 6)));
        assert_eq!((gpu.driver_version(), gpu.memory().unwrap()), ((12, 8), (1096, 1 << 20)));
        assert_eq!(format!("{gpu:?}"), "Cuda(0: Fake 0)");
        assert_eq!(gpu.raw_stream(), Cuda::new(0).unwrap().raw_stream());
        assert_ne!(gpu.raw_stream(), gpu.new_stream().unwrap().raw_stream());
    });
}

#[test]
fn tensors_go_there_and_back() {
    with(Fake::new("runtime::tensors_go_there_and_back"), || {
        let gpu = Cuda::new(0).unwrap();
        let a = Csr::<f64>::random_sparse([20, 30], 0.2, 1);
        let there = a.to(&gpu).unwrap();
        assert_eq!((there.dims(), there.stored(), there.device().ordinal()), ([20, 30], a.stored(), 0));
        assert!(there.to_host().unwrap().approx_eq(&a, 0.0));
        // On the same GPU nothing moves; on another one it does.
        let again = there.to(&gpu.new_stream().unwrap()).unwrap();
        assert!(Arc::ptr_eq(there.vals_array(), again.vals_array()));
        let other = there.to(&Cuda::new(1).unwrap()).unwrap();
        assert_eq!(other.vals_array().ordinal(), 1);
        assert!(other.to_host().unwrap().approx_eq(&a, 0.0));
        let empty = Coo::<f32>::from_triplets([0, 3], []).unwrap().to(&gpu).unwrap();
        assert_eq!((empty.stored(), empty.vals_array().address()), (0, 0));
        assert_eq!(empty.to_host().unwrap().stored(), 0);
        let scalar = Scalar::<i64>::scalar(-7).to(&gpu).unwrap();
        assert_eq!(scalar.value().unwrap(), -7);
    });
}

#[test]
fn arrays_are_filled_with_any_value() {
    with(Fake::new("runtime::arrays_are_filled_with_any_value"), || {
        let gpu = Cuda::new(0).unwrap();
        fn check<T: Element>(gpu: &Cuda, values: &[T]) {
            // Long ones are filled from their own beginnings.
            for (value, len) in values.iter().flat_map(|v| [(*v, 5), (*v, 10_001)]) {
                let mut array = DeviceArray::full(gpu, len, value).unwrap();
                assert_eq!(*array.download().unwrap(), *vec![value; len]);
                array.fill(T::default()).unwrap();
                assert_eq!(*array.duplicate(gpu).unwrap().download().unwrap(), *vec![T::default(); len]);
            }
            assert!(DeviceArray::full(gpu, 0, values[0]).unwrap().is_empty());
        }
        check(&gpu, &[0.0, 1.0, -2.5, f64::INFINITY]);
        check(&gpu, &[1.5f32, f32::NEG_INFINITY]);
        check(&gpu, &[1, -1, i64::MAX, i64::MIN]);
        check(&gpu, &[7, i32::MAX]);
        check(&gpu, &[0u8, 200]);
        check(&gpu, &[true, false]);
    });
}

#[test]
fn memory_runs_out() {
    with(Fake::new("runtime::memory_runs_out").cuda("memory=100"), || {
        let gpu = Cuda::new(0).unwrap();
        let large = DenseVec::<f64>::zeros([1000]);
        let e = large.to(&gpu).map(drop).unwrap_err();
        assert!(matches!(e, Error::OutOfDeviceMemory { bytes: 8000, free: Some(1096), .. }), "{e:?}");
        assert!(e.to_string().contains("out of memory on Fake 0: an array of 8000 bytes"), "{e}");
        assert!(DenseVec::<f64>::zeros([10]).to(&gpu).is_ok());
    });
}

#[test]
fn a_gpu_without_memory_pools() {
    with(Fake::new("runtime::a_gpu_without_memory_pools").cuda("pools=0"), || {
        let gpu = Cuda::new(0).unwrap();
        let x = DenseVec::<f64>::random([10], 1);
        assert!(x.to(&gpu).unwrap().to_host().unwrap().approx_eq(&x, 0.0));
        assert_eq!(fake::trace().iter().filter(|l| *l == "free").count(), 1);
    });
}

#[test]
fn a_fault_comes_to_light_in_a_download() {
    with(Fake::new("runtime::a_fault_comes_to_light_in_a_download"), || {
        let gpu = Cuda::new(0).unwrap();
        let x = DenseVec::<f32>::zeros([10]).to(&gpu).unwrap();
        fake::set_cuda("fault=700");
        let e = x.to_host().map(drop).unwrap_err();
        assert!(matches!(e, Error::Device { code: 700, .. }), "{e:?}");
        assert!(
            e.to_string().contains("CUDA_ERROR_ILLEGAL_ADDRESS (700); a kernel ran into an error"),
            "{e}"
        );
        assert!(gpu.synchronize().is_err());
        // Whatever is dropped now must not panic.
        fake::set_cuda("dead=709,fault=709");
        drop(x);
    });
}

#[test]
fn events_measure_time() {
    with(Fake::new("runtime::events_measure_time"), || {
        let gpu = Cuda::new(0).unwrap();
        let start = gpu.record().unwrap();
        let end = gpu.record().unwrap();
        assert_eq!(end.since(&start).unwrap().as_millis(), 5);
        assert!(end.is_done().unwrap());
        fake::set_cuda("query=600");
        assert!(!end.is_done().unwrap());
    });
}

#[test]
fn a_launch_takes_nothing_but_the_launch() {
    with(Fake::new("runtime::a_launch_takes_nothing_but_the_launch"), || {
        let gpu = Cuda::new(0).unwrap();
        let module = Arc::new(Module::compile(&gpu, "axpy", "axpy.cu", &[]).unwrap());
        let axpy = module.function("axpy").unwrap();
        let x = DeviceArray::upload(&gpu, &[1.0, 2.0, 3.0]).unwrap();
        let y = DeviceArray::upload(&gpu, &[10.0, 20.0, 30.0]).unwrap();
        let mut arguments = Arguments::new();
        arguments.index(3);
        arguments.scalar(Value::F64(2.0));
        arguments.array(&x);
        arguments.array(&y);
        let before = fake::trace().len();
        // SAFETY: the arguments are those of the fake's kernel.
        unsafe { axpy.launch(&gpu, [1, 1, 1], [2, 1, 1], &arguments) }.unwrap();
        assert_eq!(fake::trace()[before..], ["launch"]);
        assert_eq!(*y.download().unwrap(), [12.0, 24.0, 30.0]);

        // A stream of its own waits for the arrays' stream, and that one for it.
        let before = fake::trace().len();
        let other = gpu.new_stream().unwrap();
        // SAFETY: likewise.
        unsafe { axpy.launch(&other, [3, 1, 1], [1, 1, 1], &arguments) }.unwrap();
        assert_eq!(fake::trace()[before..], ["wait", "launch", "wait"]);
        assert_eq!(*y.download().unwrap(), [14.0, 28.0, 36.0]);
    });
}

#[test]
fn scalars_of_every_type_arrive() {
    with(Fake::new("runtime::scalars_of_every_type_arrive"), || {
        let gpu = Cuda::new(0).unwrap();
        let module = Arc::new(Module::compile(&gpu, "types", "types.cu", &[]).unwrap());
        let sum = DeviceArray::full(&gpu, 1, 0.0f64).unwrap();
        let mut arguments = Arguments::new();
        let values = [
            Value::F32(0.5),
            Value::F64(0.25),
            Value::I32(-3),
            Value::I64(1 << 40),
            Value::U8(200),
            Value::Bool(true),
        ];
        values.into_iter().for_each(|v| arguments.scalar(v));
        arguments.array(&sum);
        let types = module.function("types").unwrap();
        // SAFETY: the arguments are those of the fake's kernel.
        unsafe { types.launch(&gpu, [1; 3], [1; 3], &arguments) }.unwrap();
        assert_eq!(sum.download().unwrap()[0], 0.75 - 3.0 + (1i64 << 40) as f64 + 201.0);
    });
}

#[test]
fn a_launch_that_is_refused() {
    with(Fake::new("runtime::a_launch_that_is_refused").cuda("launch=701"), || {
        let gpu = Cuda::new(0).unwrap();
        let module = Arc::new(Module::compile(&gpu, "axpy", "axpy.cu", &[]).unwrap());
        // SAFETY: the fake starts nothing.
        let launched = unsafe {
            module.function("axpy").unwrap().launch(&gpu, [7, 1, 1], [64, 1, 1], &Arguments::new())
        };
        let e = launched.unwrap_err();
        assert!(matches!(e, Error::Launch { code: 701, grid: [7, 1, 1], .. }), "{e:?}");
        assert!(e.to_string().contains("CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"), "{e}");
        let e = module.function("another").map(drop).unwrap_err();
        assert!(matches!(e, Error::Device { code: 500, .. }), "{e:?}");
        assert!(module.function("a\0b").is_err());
    });
}

#[test]
fn without_nvrtc() {
    with(Fake::new("runtime::without_nvrtc").without_nvrtc(), || {
        let gpu = Cuda::new(0).unwrap();
        let e = Module::compile(&gpu, "axpy", "axpy.cu", &[]).map(drop).unwrap_err();
        assert!(matches!(e, Error::NoNvrtc { .. }), "{e:?}");
        let text = e.to_string();
        assert!(text.contains("pip install nvidia-cuda-nvrtc-cu12") && text.contains("libnvrtc"), "{text}");
    });
}

#[test]
fn an_nvrtc_newer_than_the_driver() {
    with(Fake::new("runtime::an_nvrtc_newer_than_the_driver").nvrtc("version=13"), || {
        let gpu = Cuda::new(0).unwrap();
        let e = Module::compile(&gpu, "axpy", "axpy.cu", &[]).map(drop).unwrap_err();
        assert!(matches!(e, Error::NvrtcTooNew { nvrtc: (13, 9), driver: (12, 8), .. }), "{e:?}");
        assert!(e.to_string().contains("nvidia-cuda-nvrtc-cu12"), "{e}");
        assert_eq!(Compiler::load(None).unwrap().version(), (13, 9));
    });
}

#[test]
fn an_nvrtc_that_does_not_know_the_gpu() {
    with(Fake::new("runtime::an_nvrtc_that_does_not_know_the_gpu").cuda("major=12,minor=1"), || {
        let gpu = Cuda::new(0).unwrap();
        let e = Module::compile(&gpu, "axpy", "axpy.cu", &[]).map(drop).unwrap_err();
        assert!(matches!(e, Error::UnsupportedArchitecture { architecture: 121, newer: true, .. }), "{e:?}");
    });
}

#[test]
fn a_kernel_that_does_not_compile() {
    with(Fake::new("runtime::a_kernel_that_does_not_compile").nvrtc("fail=1"), || {
        let gpu = Cuda::new(0).unwrap();
        for _ in 0..2 {
            let e = Module::compile(&gpu, "axpy", "axpy.cu", &[]).map(drop).unwrap_err();
            let Error::Jit { kernel, architecture, log } = &e else { panic!("{e:?}") };
            assert_eq!((kernel.as_str(), architecture.as_str(), log.as_str()), ("axpy.cu", "sm_90", "a log"));
        }
        assert_eq!(fake::compiled().len(), 2, "a failure is not kept");
        fake::set_nvrtc("");
        assert!(Module::compile(&gpu, "axpy", "axpy.cu", &[]).is_ok());
        fake::set_nvrtc("fail=1,silent=1");
        let e = Module::compile(&gpu, "other", "axpy.cu", &[]).map(drop).unwrap_err();
        assert!(matches!(e, Error::Jit { log, .. } if log == "NVRTC_ERROR_COMPILATION"));
    });
}

#[test]
fn a_module_that_the_driver_does_not_take() {
    with(Fake::new("runtime::a_module_that_the_driver_does_not_take").cuda("module=209"), || {
        let gpu = Cuda::new(0).unwrap();
        let e = Module::compile(&gpu, "axpy", "axpy.cu", &[]).map(drop).unwrap_err();
        assert!(matches!(e, Error::Device { code: 209, .. }), "{e:?}");
    });
}

#[test]
fn a_second_run_compiles_nothing() {
    with(Fake::new("runtime::a_second_run_compiles_nothing"), || {
        let gpu = Cuda::new(0).unwrap();
        for _ in 0..3 {
            Module::compile(&gpu, "axpy", "axpy.cu", &["-lineinfo"]).unwrap();
        }
        let calls = fake::compiled();
        assert_eq!(calls, ["--gpu-architecture=sm_90 --ptxas-options=-v -lineinfo "]);
        Module::compile(&gpu, "axpy", "axpy.cu", &[]).unwrap();
        fake::set_cache(None);
        Module::compile(&gpu, "axpy", "axpy.cu", &[]).unwrap();
        assert_eq!(fake::compiled().len(), 3, "other options, and no cache");
    });
}
