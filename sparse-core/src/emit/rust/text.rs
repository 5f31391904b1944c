//! Texts as literals of the user's crate.

use proc_macro2::Literal;

/// The text as a literal that reads as it is: in quotes, or raw. To escape each character takes a debug build of the
/// macro many times as long.
pub(crate) fn text(text: &str) -> Literal {
    let plain = !text.contains('\n') && !text.contains('"') && !text.contains('\\');
    let literal = if plain { format!("\"{text}\"") } else { raw(text) };
    // Neither can have every character that escaped ones have.
    literal.parse().unwrap_or_else(|_| Literal::string(text))
}

fn raw(text: &str) -> String {
    // A quote that as many hashes follow would end it.
    let after_quotes = text.split('"').skip(1).map(|rest| rest.bytes().take_while(|b| *b == b'#').count());
    let hashes = "#".repeat(after_quotes.max().map_or(0, |n| n + 1));
    format!("r{hashes}\"{text}\"{hashes}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    #[test]
    fn texts_read_back() {
        for of in ["", "∀i", "\\ ∀i \"#\" and \"##\"", "# x\n##", "a\rb", "a\0b", "\"", "r#\"\"#"] {
            let literal: syn::LitStr = syn::parse2(text(of).into_token_stream()).unwrap();
            assert_eq!(literal.value(), of);
        }
    }
}
