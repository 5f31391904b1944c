//! One source, several instruction sets: a release build for plain x86-64 may use SSE2 alone, so each hot loop is
//! compiled again for AVX2 with FMA and for AVX-512, and the best that the processor has is chosen a call.

use std::sync::LazyLock;

/// The instruction sets that a loop is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Isa {
    /// What the target guarantees.
    Baseline,
    /// AVX2 and FMA.
    Avx2,
    /// AVX-512 F, BW, DQ, VL.
    Avx512,
}

/// The best instruction set of this processor.
pub(crate) static ISA: LazyLock<Isa> = LazyLock::new(|| {
    #[cfg(target_arch = "x86_64")]
    {
        let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        let avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        if avx2 && avx512 {
            return Isa::Avx512;
        }
        if avx2 {
            return Isa::Avx2;
        }
    }
    Isa::Baseline
});

/// `pub(crate) fn name<T>(args) = body;` compiles `body::<T, FMA>` for each instruction set. The body must be
/// `#[inline(always)]`, so that it takes the wrapper's features.
macro_rules! multiversion {
    ($(#[$meta:meta])* pub(crate) fn $name:ident<$t:ident>($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? = $body:ident;) => {
        $(#[$meta])*
        pub(crate) fn $name<$t: $crate::real::Real>($($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
            fn avx512<$t: $crate::real::Real>($($arg: $ty),*) $(-> $ret)? {
                $body::<$t, true>($($arg),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
            fn avx2<$t: $crate::real::Real>($($arg: $ty),*) $(-> $ret)? {
                $body::<$t, true>($($arg),*)
            }
            match *$crate::hand::isa::ISA {
                // SAFETY: the processor has these features, or `ISA` would say otherwise.
                #[cfg(target_arch = "x86_64")]
                $crate::hand::isa::Isa::Avx512 => unsafe { avx512($($arg),*) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                $crate::hand::isa::Isa::Avx2 => unsafe { avx2($($arg),*) },
                _ => $body::<$t, false>($($arg),*),
            }
        }
    };
}
pub(crate) use multiversion;
