//! What a kernel's expansion asserts of the user's types.

/// Constant assertions that types have the structure that the compiler read from their names.
#[doc(hidden)]
#[macro_export]
macro_rules! __have_structure {
    ($($name:literal: $ty:ty = $dtype:ident [$($level:ident $({ unique: $unique:literal })?),*] [$($dim:literal),*]
        $fill:ident;)*) => {
        const _: () = { $(
            ::core::assert!(
                $crate::__private::has_structure::<$ty>(
                    <::core::primitive::$dtype as $crate::__private::Element>::DTYPE,
                    &[$($crate::__private::Level::$level $({ unique: $unique })?),*],
                    &[$($dim),*],
                    $crate::__private::Fill::$fill,
                ),
                ::core::concat!(
                    "the type of `",
                    $name,
                    "` is not the one of this name in `sparse_gpu::prelude`: write it as `Tensor<T, (...)>`"
                )
            );
        )* };
    };
}
