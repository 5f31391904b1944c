//! Texts as literals of the user's crate.

use super::quote::Tokens;

/// The text as a literal that reads as it is: in quotes, or raw. To escape each character takes a debug build of the
/// macro many times as long.
pub(crate) fn text(text: &str) -> Tokens {
    // One character after another: that is quick in a debug build, where to look for several at once is not.
    let has = |c: char| text.contains(c);
    Tokens::spelled(match () {
        () if has('\r') || has('\0') => format!("{text:?}"),
        () if !has('\n') && !has('"') && !has('\\') => format!("\"{text}\""),
        () => raw(text),
    })
}

fn raw(text: &str) -> String {
    // A quote that as many hashes follow would end it.
    let after_quotes = text.split('"').skip(1).map(|rest| rest.bytes().take_while(|b| *b == b'#').count());
    let hashes = after_quotes.max().map_or(0, |n| n + 1);
    if hashes > MOST_HASHES {
        return format!("{text:?}");
    }
    let hashes = "#".repeat(hashes);
    format!("r{hashes}\"{text}\"{hashes}")
}

/// Of a raw literal.
const MOST_HASHES: usize = 255;

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn texts_read_back() {
        for of in [
            "",
            "∀i",
            "\\ ∀i \"#\" and \"##\"",
            "# x\n##",
            "a\rb",
            "a\0b",
            "\"",
            "r#\"\"#",
            &format!("\"{}", "#".repeat(300)),
        ] {
            let literal: syn::LitStr = syn::parse_str(&text(of).to_string()).unwrap();
            assert_eq!(literal.value(), of);
        }
    }
}
