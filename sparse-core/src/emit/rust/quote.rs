//! Rust code as text, from templates.
//!
//! [`quote!`] has the syntax of the crate of that name, and writes text, of which the Rust compiler makes tokens once. In a
//! macro each token, group and copy of a stream is a call across the bridge to the compiler: code that was put together of
//! tokens cost more than everything before it.

extern crate proc_macro;

use proc_macro2::TokenStream;
use std::borrow::Cow;
use std::fmt;

/// Text of Rust code, with a space after each token.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tokens(Cow<'static, str>);

impl Tokens {
    pub(crate) fn new() -> Tokens {
        Tokens::default()
    }

    /// A token, or several, as they are spelled.
    pub(crate) fn spelled(mut text: String) -> Tokens {
        text.push(' ');
        Tokens(text.into())
    }

    /// What a template comes to, by one call: the standard library's formatting is optimised whatever the build, but
    /// `String::push_str` is compiled with the crate that calls it.
    pub(crate) fn written(template: fmt::Arguments<'_>) -> Tokens {
        Tokens(match template.as_str() {
            Some(text) => text.into(),
            None => fmt::format(template).into(),
        })
    }

    /// One after another, with a separator between them.
    pub(crate) fn joined(all: impl IntoIterator<Item = Tokens>, separator: &str) -> Tokens {
        let all: Vec<Tokens> = all.into_iter().collect();
        Tokens::written(format_args!("{}", Joined(&all, separator)))
    }

    pub(crate) fn into_text(self) -> String {
        self.0.into_owned()
    }

    /// As tokens: in a macro, read by the Rust compiler. (`proc_macro2` would read it first to see whether it can be read,
    /// which takes a debug build longer than to make the text.)
    pub(crate) fn into_stream(self) -> TokenStream {
        let stream = match proc_macro::is_available() {
            true => self.0.parse().map(|stream: proc_macro::TokenStream| stream.into()).ok(),
            false => self.0.parse().ok(),
        };
        stream.unwrap_or_else(|| unreachable!("a template is tokens of Rust: {}", self.0))
    }
}

impl fmt::Display for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromIterator<Tokens> for Tokens {
    fn from_iter<I: IntoIterator<Item = Tokens>>(all: I) -> Tokens {
        Tokens::joined(all, "")
    }
}

struct Joined<'a>(&'a [Tokens], &'a str);

impl fmt::Display for Joined<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Joined(all, separator) = self;
        for (n, tokens) in all.iter().enumerate() {
            if n > 0 {
                f.write_str(separator)?;
            }
            f.write_str(&tokens.0)?;
        }
        Ok(())
    }
}

/// An identifier, with the space after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ident(String);

impl Ident {
    pub(crate) fn new(name: &str) -> Ident {
        Ident(format!("{name} "))
    }
}

impl fmt::Display for Ident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.trim_end())
    }
}

/// What a template can refer to.
pub(crate) trait Quote {
    /// As it stands in the template's text.
    fn text(&self) -> &str;
}

impl Quote for Tokens {
    fn text(&self) -> &str {
        &self.0
    }
}

impl Quote for Ident {
    fn text(&self) -> &str {
        &self.0
    }
}

impl Quote for bool {
    fn text(&self) -> &str {
        if *self { "true " } else { "false " }
    }
}

impl<T: Quote> Quote for Option<T> {
    fn text(&self) -> &str {
        self.as_ref().map_or("", T::text)
    }
}

impl<T: Quote + ?Sized> Quote for &T {
    fn text(&self) -> &str {
        (**self).text()
    }
}

/// What a template can repeat: iterators.
pub(crate) trait Repeat: Iterator + Sized {
    fn repeated(self) -> Self {
        self
    }
}

impl<I: Iterator> Repeat for I {}

/// What a template can repeat more than once: slices.
pub(crate) trait RepeatSlice<T> {
    fn repeated(&self) -> std::slice::Iter<'_, T>;
}

impl<T> RepeatSlice<T> for [T] {
    fn repeated(&self) -> std::slice::Iter<'_, T> {
        self.iter()
    }
}

/// Code from a template: `#name` is the value of a variable, `#(…)*` and `#(…),*` are repeated for each value of the first
/// variable in them. Literals in it have no braces.
macro_rules! quote {
    ($($template:tt)*) => {
        $crate::emit::rust::quote::template!([] [] $($template)*)
    };
}

/// A template as one format: in brackets the pieces of its text and its arguments so far, and then what of it is left. A group
/// is replaced by what is in it and `(@ "its end")`.
macro_rules! template {
    ([$($pieces:tt)*] [$($arguments:tt)*]) => {
        $crate::emit::rust::quote::Tokens::written(format_args!(concat!($($pieces)*) $($arguments)*))
    };
    ($pieces:tt $arguments:tt #($($each:tt)*)* $($rest:tt)*) => {
        $crate::emit::rust::quote::repeat!($pieces $arguments "", [$($each)*] [$($each)*] $($rest)*)
    };
    ($pieces:tt $arguments:tt #($($each:tt)*) $separator:tt * $($rest:tt)*) => {
        $crate::emit::rust::quote::repeat!(
            $pieces $arguments concat!(stringify!($separator), " "), [$($each)*] [$($each)*] $($rest)*
        )
    };
    ([$($pieces:tt)*] [$($arguments:tt)*] # $variable:ident $($rest:tt)*) => {
        $crate::emit::rust::quote::template!(
            [$($pieces)* "{}",] [$($arguments)*, $crate::emit::rust::quote::Quote::text(&$variable)] $($rest)*
        )
    };
    ([$($pieces:tt)*] $arguments:tt (@ $end:literal) $($rest:tt)*) => {
        $crate::emit::rust::quote::template!([$($pieces)* $end,] $arguments $($rest)*)
    };
    ([$($pieces:tt)*] $arguments:tt ($($inner:tt)*) $($rest:tt)*) => {
        $crate::emit::rust::quote::template!([$($pieces)* "( ",] $arguments $($inner)* (@ ") ") $($rest)*)
    };
    ([$($pieces:tt)*] $arguments:tt [$($inner:tt)*] $($rest:tt)*) => {
        $crate::emit::rust::quote::template!([$($pieces)* "[ ",] $arguments $($inner)* (@ "] ") $($rest)*)
    };
    ([$($pieces:tt)*] $arguments:tt {$($inner:tt)*} $($rest:tt)*) => {
        $crate::emit::rust::quote::template!([$($pieces)* "{{ ",] $arguments $($inner)* (@ "}} ") $($rest)*)
    };
    ([$($pieces:tt)*] $arguments:tt $next:tt $($rest:tt)*) => {
        $crate::emit::rust::quote::template!([$($pieces)* stringify!($next), " ",] $arguments $($rest)*)
    };
}

/// A part of a template that is repeated, by the first variable in it.
macro_rules! repeat {
    (
        [$($pieces:tt)*] [$($arguments:tt)*] $separator:expr, [$($each:tt)*] [# $variable:ident $($unread:tt)*]
        $($rest:tt)*
    ) => {
        $crate::emit::rust::quote::template!(
            [$($pieces)* "{}",]
            [$($arguments)*, {
                #[allow(unused_imports)]
                use $crate::emit::rust::quote::{Repeat as _, RepeatSlice as _};
                let all = $variable.repeated().map(|$variable| $crate::emit::rust::quote::quote!($($each)*));
                $crate::emit::rust::quote::Tokens::joined(all, $separator)
            }]
            $($rest)*
        )
    };
    ($pieces:tt $arguments:tt $separator:expr, $each:tt [$next:tt $($unread:tt)*] $($rest:tt)*) => {
        $crate::emit::rust::quote::repeat!($pieces $arguments $separator, $each [$($unread)*] $($rest)*)
    };
}

pub(crate) use {quote, repeat, template};
