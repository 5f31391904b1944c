//! Constants that a kernel's module puts together.

/// Texts one after another.
#[doc(hidden)]
#[macro_export]
macro_rules! __joined {
    ($($text:expr),*) => {{
        const TEXTS: &[&str] = &[$($text),*];
        const JOINED: &$crate::__private::rt::Joined<{ $crate::__private::rt::length(TEXTS) }> =
            &$crate::__private::rt::Joined::of(TEXTS);
        JOINED.as_str()
    }};
}
