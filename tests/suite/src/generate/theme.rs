//! What is seldom and can be seldom twice: a case that has themes is drawn to have all of them, so that what is rare meets
//! what is rare.

use super::Values;
use super::data::Pattern;
use crate::rng::Rng;
use sparse_core::format::Fill;
use sparse_core::scalar::DType;

/// Something that few cases have otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Theme {
    /// Sparse operands of one fill that is not 0.
    Fills,
    /// Sparse operands of a fill each.
    Several,
    /// Sparse operands of integers whose fill is an infinity, in several mode orders.
    Infinities,
    /// Coordinates that repeat.
    Duplicates,
    /// Singletons below unique levels, and chains of them.
    Singletons,
    /// Results of four dimensions and more.
    Ranks,
    /// Results that cannot be appended to in their own format.
    Packed,
    /// Scalar parameters.
    Scalars,
    /// Comparisons.
    Comparisons,
    /// Reductions other than sums.
    Reductions,
    /// NaN and infinities, under reductions other than sums.
    NotNumbers,
    /// A variable twice in an access.
    Repeats,
    /// A sum of terms, each reduced over variables of its own.
    Terms,
    /// Integers that wrap.
    Wraps,
    /// What is not stored makes something else than the result's fill.
    Background,
    /// Dimensions of 0 and 1.
    Tiny,
    /// One dimension of hundreds or thousands.
    Long,
    /// Operands in mode orders that no common order of the loops suits.
    Orders,
    /// Fibers that are stored though nothing is in them.
    Bare,
    /// Names that something else has, or might have.
    Names,
    /// One tensor in several accesses.
    Same,
    /// Functions of parts of the statement.
    Functions,
    /// Quotients.
    Quotients,
    /// Operands that each share a variable with the next one.
    Chains,
    /// Dimensions of tensors in another order than that of the variables.
    Turned,
}

const ALL: &[Theme] = &[
    Theme::Fills,
    Theme::Infinities,
    Theme::Duplicates,
    Theme::Singletons,
    Theme::Ranks,
    Theme::Packed,
    Theme::Scalars,
    Theme::Comparisons,
    Theme::Reductions,
    Theme::NotNumbers,
    Theme::Repeats,
    Theme::Terms,
    Theme::Wraps,
    Theme::Background,
    Theme::Tiny,
    Theme::Long,
    Theme::Orders,
    Theme::Bare,
    Theme::Names,
    Theme::Several,
    Theme::Same,
    Theme::Functions,
    Theme::Quotients,
    Theme::Chains,
    Theme::Turned,
];

/// What hardly meets by chance, and suits each other.
const TOGETHER: &[[Theme; 2]] = &[
    [Theme::Terms, Theme::Packed],
    [Theme::Infinities, Theme::Reductions],
    [Theme::Infinities, Theme::Terms],
];

/// What a case is drawn by.
#[derive(Clone)]
pub(super) struct Taste {
    /// Element type.
    pub(super) dtype: DType,
    /// How values are drawn.
    pub(super) values: Values,
    /// How entries lie.
    pub(super) pattern: Pattern,
    /// The fill of operands, if it is a theme.
    pub(super) fill: Option<Fill>,
    pub(super) themes: Vec<Theme>,
}

impl Taste {
    /// Without themes.
    pub(super) fn plain(dtype: DType, values: Values, pattern: Pattern) -> Taste {
        Taste { dtype, values, pattern, fill: None, themes: vec![] }
    }

    /// With up to three themes, in so many of a hundred cases.
    pub(super) fn with_themes(mut self, rng: &mut Rng, percent: u32) -> Taste {
        if !rng.percent(percent) {
            return self;
        }
        self.themes = match rng.percent(16) {
            true => rng.pick(TOGETHER).to_vec(),
            false => (0..1 + rng.below(3)).map(|_| rng.pick(ALL)).collect(),
        };

        let integers = self.has(Theme::Wraps) || self.has(Theme::Infinities);
        if integers && (self.dtype.is_float() || self.dtype == DType::Bool) {
            self.dtype = rng.pick(&[DType::I32, DType::I32, DType::I64, DType::U8]);
        }
        if self.has(Theme::Wraps) {
            self.values = Values::General;
        }
        if self.has(Theme::NotNumbers) && self.dtype != DType::Bool && !integers {
            self.dtype = rng.pick(&[DType::F32, DType::F64]);
            self.values = Values::NotNumbers;
            self.themes.push(Theme::Reductions);
        }
        if self.has(Theme::Comparisons) && self.dtype.is_float() && self.values == Values::General {
            // Comparisons of rounded values are decided by the rounding.
            self.values = Values::Small;
        }
        if self.has(Theme::Fills) {
            self.fill = Some(rng.pick(&[Fill::One, Fill::PosInf, Fill::PosInf, Fill::NegInf]));
        }
        if self.has(Theme::Infinities) {
            self.fill = Some(rng.pick(&[Fill::PosInf, Fill::NegInf]));
            self.themes.push(Theme::Orders);
        }
        self
    }

    pub(super) fn has(&self, theme: Theme) -> bool {
        self.themes.contains(&theme)
    }

    /// Is a dimension to have a size of 0 or 1?
    pub(super) fn tiny(&self, rng: &mut Rng) -> bool {
        self.has(Theme::Tiny) && rng.percent(45)
    }

    /// This probability in percent, or where something is a theme another.
    pub(super) fn percent(&self, theme: Theme, usual: u32, as_theme: u32) -> u32 {
        if self.has(theme) { as_theme } else { usual }
    }
}
