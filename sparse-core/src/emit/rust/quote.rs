//! Rust code as text, from templates.
//!
//! [`quote!`] has the syntax of the crate of that name, and writes text, of which the Rust compiler makes tokens once. In a
//! macro each token, group and copy of a stream is a call across the bridge to the compiler: code that was put together of
//! tokens cost more than everything before it.

extern crate proc_macro;

use proc_macro2::TokenStream;
use std::fmt;

/// Text of Rust code: a space after each token.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tokens(String);

impl Tokens {
    pub(crate) fn new() -> Tokens {
        Tokens::default()
    }

    /// A token, or several, as they are spelled.
    pub(crate) fn spelled(mut text: String) -> Tokens {
        text.push(' ');
        Tokens(text)
    }

    /// More text, with its last space.
    pub(crate) fn push(&mut self, text: &str) {
        self.0.push_str(text);
    }

    /// More tokens.
    pub(crate) fn add(&mut self, tokens: Tokens) {
        match self.0.is_empty() {
            true => *self = tokens,
            false => self.0.push_str(&tokens.0),
        }
    }

    pub(crate) fn into_text(self) -> String {
        self.0
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
        let mut tokens = Tokens::new();
        tokens.extend(all);
        tokens
    }
}

impl<T: Quote> Extend<T> for Tokens {
    fn extend<I: IntoIterator<Item = T>>(&mut self, all: I) {
        for tokens in all {
            tokens.quote(self);
        }
    }
}

/// An identifier, with the space after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ident(String);

impl Ident {
    pub(crate) fn new(name: &str) -> Ident {
        Ident([name, " "].concat())
    }
}

impl fmt::Display for Ident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.trim_end())
    }
}

/// What a template can refer to.
pub(crate) trait Quote {
    /// Writes it.
    fn quote(&self, to: &mut Tokens);
}

impl Quote for Tokens {
    fn quote(&self, to: &mut Tokens) {
        to.push(&self.0);
    }
}

impl Quote for Ident {
    fn quote(&self, to: &mut Tokens) {
        to.push(&self.0);
    }
}

impl Quote for bool {
    fn quote(&self, to: &mut Tokens) {
        to.push(if *self { "true " } else { "false " });
    }
}

impl<T: Quote> Quote for Option<T> {
    fn quote(&self, to: &mut Tokens) {
        if let Some(tokens) = self {
            tokens.quote(to);
        }
    }
}

impl<T: Quote + ?Sized> Quote for &T {
    fn quote(&self, to: &mut Tokens) {
        (**self).quote(to);
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
/// variable in them.
macro_rules! quote {
    ($($template:tt)*) => {{
        #[allow(unused_imports)]
        use $crate::emit::rust::quote::{Quote as _, Repeat as _, RepeatSlice as _};
        #[allow(unused_mut)]
        let mut tokens = $crate::emit::rust::quote::Tokens::new();
        $crate::emit::rust::quote::write_template!(tokens [] $($template)*);
        tokens
    }};
}

/// Writes a template: where to, in brackets the tokens that go there as they are, and what of the template is left.
macro_rules! write_template {
    ($to:ident [$($plain:tt)*]) => {
        $crate::emit::rust::quote::write_plain!($to [$($plain)*] "");
    };
    ($to:ident [$($plain:tt)*] #($($each:tt)*)* $($rest:tt)*) => {
        $crate::emit::rust::quote::write_plain!($to [$($plain)*] "");
        $crate::emit::rust::quote::write_each!($to "", [$($each)*] $($each)*);
        $crate::emit::rust::quote::write_template!($to [] $($rest)*);
    };
    ($to:ident [$($plain:tt)*] #($($each:tt)*) $separator:tt * $($rest:tt)*) => {
        $crate::emit::rust::quote::write_plain!($to [$($plain)*] "");
        $crate::emit::rust::quote::write_each!($to concat!(stringify!($separator), " "), [$($each)*] $($each)*);
        $crate::emit::rust::quote::write_template!($to [] $($rest)*);
    };
    ($to:ident [$($plain:tt)*] # $variable:ident $($rest:tt)*) => {
        $crate::emit::rust::quote::write_plain!($to [$($plain)*] "");
        $variable.quote(&mut $to);
        $crate::emit::rust::quote::write_template!($to [] $($rest)*);
    };
    ($to:ident [$($plain:tt)*] ($($inner:tt)+) $($rest:tt)*) => {
        $crate::emit::rust::quote::write_plain!($to [$($plain)*] "( ");
        $crate::emit::rust::quote::write_template!($to [] $($inner)*);
        $to.push(") ");
        $crate::emit::rust::quote::write_template!($to [] $($rest)*);
    };
    ($to:ident [$($plain:tt)*] [$($inner:tt)+] $($rest:tt)*) => {
        $crate::emit::rust::quote::write_plain!($to [$($plain)*] "[ ");
        $crate::emit::rust::quote::write_template!($to [] $($inner)*);
        $to.push("] ");
        $crate::emit::rust::quote::write_template!($to [] $($rest)*);
    };
    ($to:ident [$($plain:tt)*] {$($inner:tt)+} $($rest:tt)*) => {
        $crate::emit::rust::quote::write_plain!($to [$($plain)*] "{ ");
        $crate::emit::rust::quote::write_template!($to [] $($inner)*);
        $to.push("} ");
        $crate::emit::rust::quote::write_template!($to [] $($rest)*);
    };
    ($to:ident [$($plain:tt)*] $next:tt $($rest:tt)*) => {
        $crate::emit::rust::quote::write_template!($to [$($plain)* $next] $($rest)*);
    };
}

/// Writes tokens as they are, and what opens after them.
macro_rules! write_plain {
    ($to:ident [] "") => {};
    ($to:ident [$($plain:tt)*] $opens:literal) => {
        $to.push(concat!($(stringify!($plain), " ",)* $opens));
    };
}

/// Writes a template for each value of its first variable.
macro_rules! write_each {
    ($to:ident $separator:expr, [$($each:tt)*] # $variable:ident $($rest:tt)*) => {
        for (number, $variable) in $variable.repeated().enumerate() {
            if number > 0 {
                $to.push($separator);
            }
            $crate::emit::rust::quote::write_template!($to [] $($each)*);
        }
    };
    ($to:ident $separator:expr, [$($each:tt)*] $next:tt $($rest:tt)*) => {
        $crate::emit::rust::quote::write_each!($to $separator, [$($each)*] $($rest)*);
    };
}

pub(crate) use {quote, write_each, write_plain, write_template};
