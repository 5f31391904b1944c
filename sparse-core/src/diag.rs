//! What a user did wrong, said so that they can mend it.
//!
//! A [`Diagnostic`] has a stable code, the offending token's span, a message that says what is wrong, and a help
//! text that says what to write instead. Phases collect them in [`Diagnostics`] and stop at the end of the phase
//! ([`Diagnostics::finish`]), so that all of a phase's mistakes are reported at once.

use proc_macro2::Span;

/// Which rule was broken. One compile-fail test each.
pub type Code = &'static str;

/// One mistake of the user's.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// Stable name of the rule, in kebab-case: `unknown-tensor`.
    pub code: Code,
    /// The offending token.
    pub span: Span,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A mistake at a token.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Diagnostic { code, span, message: message.into(), help: None }
    }

    /// Line and column of the offending token.
    fn place(&self) -> (usize, usize) {
        let start = self.span.start();
        (start.line, start.column)
    }

    /// Says what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl std::fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.message)?;
        match &self.help {
            Some(help) => write!(f, "\n  = help: {help}"),
            None => Ok(()),
        }
    }
}

/// The mistakes of one phase.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// None so far.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one.
    pub fn push(&mut self, d: Diagnostic) {
        self.0.push(d);
    }

    /// Adds those of another collection.
    pub fn extend(&mut self, other: Diagnostics) {
        self.0.extend(other.0);
    }

    /// Adds those of another collection, but for those that are here already: two targets can make one mistake.
    pub fn extend_new(&mut self, other: Diagnostics) {
        self.extend_unless(other, |_, _| true);
    }

    /// As [`extend_new`](Self::extend_new), of mistakes that each token makes for itself.
    pub fn extend_elsewhere(&mut self, other: Diagnostics) {
        self.extend_unless(other, |here, d| here.place() == d.place());
    }

    /// Adds those of another collection that are not here, at a place that counts as the same.
    fn extend_unless(&mut self, other: Diagnostics, same: impl Fn(&Diagnostic, &Diagnostic) -> bool) {
        for d in other.0 {
            if !self.0.iter().any(|here| here.code == d.code && here.message == d.message && same(here, &d)) {
                self.0.push(d);
            }
        }
    }

    /// No mistakes?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// In the order found.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.0.iter()
    }

    /// In the order of their tokens.
    #[must_use]
    pub fn in_source_order(mut self) -> Self {
        self.0.sort_by_key(Diagnostic::place);
        self
    }

    /// `Ok(value)` if there was no mistake.
    pub fn finish<T>(self, value: T) -> Result<T, Diagnostics> {
        if self.0.is_empty() { Ok(value) } else { Err(self) }
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(d: Diagnostic) -> Self {
        Diagnostics(vec![d])
    }
}

impl std::fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (n, d) in self.0.iter().enumerate() {
            if n > 0 {
                writeln!(f)?;
            }
            write!(f, "error[{}]: {d}", d.code)?;
        }
        Ok(())
    }
}
impl std::error::Error for Diagnostics {}
