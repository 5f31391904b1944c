//! Texts put together when a kernel's crate is compiled: what all CUDA sources share stands once, in the library.

/// Texts one after another, `N` bytes in all.
pub struct Joined<const N: usize>([u8; N]);

impl<const N: usize> Joined<N> {
    /// Joins them.
    ///
    /// # Panics
    /// If they are not as long as that together.
    pub const fn of(texts: &[&str]) -> Self {
        let mut bytes = [0; N];
        let mut rest: &mut [u8] = &mut bytes;
        let mut at = 0;
        while at < texts.len() {
            let (text, after) = rest.split_at_mut(texts[at].len());
            text.copy_from_slice(texts[at].as_bytes());
            rest = after;
            at += 1;
        }
        assert!(rest.is_empty(), "the length is that of the texts");
        Joined(bytes)
    }

    /// The text.
    pub const fn as_str(&self) -> &str {
        // SAFETY: texts one after another are a text.
        unsafe { str::from_utf8_unchecked(&self.0) }
    }
}

/// How many bytes texts have together.
pub const fn length(texts: &[&str]) -> usize {
    let (mut length, mut at) = (0, 0);
    while at < texts.len() {
        length += texts[at].len();
        at += 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_joined_in_constants() {
        const TEXTS: &[&str] = &["∀i ", "", "∀j"];
        const JOINED: &Joined<{ length(TEXTS) }> = &Joined::of(TEXTS);
        const TEXT: &str = JOINED.as_str();
        assert_eq!(TEXT, "∀i ∀j");
        assert_eq!(Joined::<0>::of(&[]).as_str(), "");
    }
}
