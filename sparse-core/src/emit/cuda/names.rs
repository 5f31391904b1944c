//! Identifiers of the generated text: the program's own, but for those that CUDA C++ or the prelude need.
//!
//! A name that is not free gets underscores after it. Variables of disjoint scopes that share a name go on sharing it.

use super::prelude;
use crate::llir::walk::{visit_exprs, visit_stmts};
use crate::llir::{BufferId, Launch, Program, VarId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// What no identifier may be: keywords, alternative tokens and macros, and what generated code calls.
const RESERVED: &str = "\
    INFINITY NAN NULL alignas alignof and and_eq asm assert atomicAdd atomicAnd atomicCAS atomicExch \
    atomicMax atomicMin atomicOr atomicSub atomicXor auto bitand bitor blockDim blockIdx bool break case catch ceil ceilf char char16_t char32_t \
    char8_t class co_await co_return co_yield compl concept const const_cast consteval constexpr \
    constinit continue cos cosf decltype default delete do double dynamic_cast else enum exp expf \
    explicit export extern fabs fabsf false float floor floorf fmax fmaxf fmin fminf for friend goto \
    gridDim if inline int linux log logf long max min mutable namespace new noexcept not not_eq nullptr \
    operator or or_eq private protected public register reinterpret_cast requires restrict return short \
    signed sin sinf sizeof sqrt sqrtf static static_assert static_cast struct switch tanh tanhf template \
    this threadIdx thread_local throw true try typedef typeid typename typeof union unix unsigned using \
    va_arg va_copy va_end va_start virtual void volatile warpSize wchar_t while xor xor_eq";

/// What no entry point may be besides: functions of the library, with and without an `f` after them.
const FUNCTIONS: &str = "\
    MAJOR_VERSION MINOR_VERSION PATCH_LEVEL WARP_SZ abs acos acosh asin asinh atan atan2 atanh cbrt ceil \
    clock clock64 copysign cos cosh cospi cyl_bessel_i0 cyl_bessel_i1 dim3 erf erfc erfcinv erfcx erfinv \
    exp exp10 exp2 expm1 fabs fdim fdivide floor fma fmax fmin fmod free frexp hypot ilogb j0 j1 jn labs \
    ldexp lgamma libraryPropertyType llabs llmax llmin llrint llround log log10 log1p log2 logb lrint \
    lround main malloc memcpy memset modf nan nearbyint nextafter norm norm3d norm4d normcdf normcdfinv \
    pow printf ptrdiff_t rcbrt remainder remquo rhypot rint rnorm rnorm3d rnorm4d round rsqrt scalbln \
    scalbn sin sincos sincospi sinh sinpi size_t sqrt std tan tanh tgamma trunc ullmax ullmin umax umin \
    va_list vprintf y0 y1 yn";

/// How names of the runtime's own declarations begin.
const PREFIXES: &[&str] = &["cuda", "CUDA", "CU_", "NV_", "make_"];

/// The program's names as the text has them.
pub(super) struct Names<'a> {
    program: &'a Program,
    /// What each variable or buffer is called that cannot be called what it is.
    changed: BTreeMap<String, String>,
    /// Of each launch that cannot be called what it is.
    entries: BTreeMap<String, String>,
}

impl<'a> Names<'a> {
    pub(super) fn new(program: &'a Program) -> Self {
        Names {
            program,
            changed: rename(known(program), is_free),
            entries: rename(program.launches().map(|l| &l.name), |n| is_free(n) && !is_function(n)),
        }
    }

    /// Names in a launch: its own arrays are told apart by numbers from each other, not from those of other launches.
    pub(super) fn of_launch(&self, launch: &Launch) -> Names<'a> {
        let program = self.program;
        if launch.shared.is_empty() {
            return Names { program, changed: self.changed.clone(), entries: self.entries.clone() };
        }
        let mut used: BTreeSet<BufferId> = launch.shared.iter().copied().collect();
        visit_stmts(&launch.body, &mut |s| used.extend(s.buffers()));
        visit_exprs(&launch.body, &mut |e| used.extend(e.buffer()));
        let mut changed = self.changed.clone();
        for id in &launch.shared {
            let name = &program.buffer(*id).name;
            let Some((like, number)) = name.rsplit_once('_') else { continue };
            let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
            let taken = used.iter().any(|b| self.buffer(*b) == like)
                || program.vars.iter().any(|v| self.now(&v.name) == like)
                || changed.values().any(|new| new == like);
            if is_number && !taken && is_free(like) {
                changed.insert(name.clone(), like.to_owned());
            }
        }
        Names { program, changed, entries: self.entries.clone() }
    }

    pub(super) fn var(&self, id: VarId) -> &str {
        self.now(&self.program.var(id).name)
    }

    pub(super) fn buffer(&self, id: BufferId) -> &str {
        self.now(&self.program.buffer(id).name)
    }

    fn now<'n>(&'n self, name: &'n String) -> &'n str {
        self.changed.get(name).unwrap_or(name)
    }

    /// The entry point of a launch.
    pub(super) fn entry<'n>(&'n self, launch: &'n Launch) -> &'n str {
        self.entries.get(&launch.name).unwrap_or(&launch.name)
    }

    /// A name like this one that no variable has.
    pub(super) fn fresh(&self, like: &str) -> String {
        let taken = |n: &str| known(self.program).any(|known| self.now(known) == n);
        unique(like, taken, is_free)
    }
}

/// The names of variables and buffers.
fn known(program: &Program) -> impl Iterator<Item = &String> + Clone {
    program.vars.iter().map(|v| &v.name).chain(program.buffers.iter().map(|b| &b.name))
}

/// What each name becomes that cannot stay.
fn rename<'a>(
    names: impl Iterator<Item = &'a String> + Clone,
    free: fn(&str) -> bool,
) -> BTreeMap<String, String> {
    let change: BTreeSet<&String> = names.clone().filter(|n| !free(n)).collect();
    let mut changed: BTreeMap<String, String> = BTreeMap::new();
    for name in change {
        // None of those that stay makes room for another.
        let taken = |n: &str| names.clone().any(|known| known == n) || changed.values().any(|new| new == n);
        let new = unique(name, taken, free);
        changed.insert(name.clone(), new);
    }
    changed
}

/// A free identifier like this one.
fn unique(name: &str, taken: impl Fn(&str) -> bool, free: fn(&str) -> bool) -> String {
    // The compiler reads ASCII alone; a letter beyond it goes by its number.
    let spell = |c: char| if c.is_ascii() { c.to_string() } else { format!("u{:x}", u32::from(c)) };
    let mut name: String = name.chars().map(spell).collect();
    if has_reserved_prefix(&name) {
        name.insert_str(0, "x_");
    }
    while !free(&name) || taken(&name) {
        name.push('_');
    }
    name
}

/// Is it an identifier that nothing else needs?
fn is_free(name: &str) -> bool {
    static KNOWN: LazyLock<Words> = LazyLock::new(|| Words::of(&[RESERVED, prelude::NAMES]));
    name.is_ascii() && !KNOWN.contains(name) && !has_reserved_prefix(name)
}

fn has_reserved_prefix(name: &str) -> bool {
    let reserved = |rest: &str| rest.starts_with(|c: char| c == '_' || c.is_ascii_uppercase());
    name.strip_prefix('_').is_some_and(reserved) || PREFIXES.iter().any(|p| name.starts_with(p))
}

/// Is it a function of the library?
fn is_function(name: &str) -> bool {
    static KNOWN: LazyLock<Words> = LazyLock::new(|| Words::of(&[FUNCTIONS]));
    let known = |name: &str| KNOWN.contains(name);
    known(name) || name.strip_suffix('f').is_some_and(known)
}

/// Words by their first letters: every name of a program is looked up, and expanding a kernel has to be quick in a debug
/// build, which hashes and sorts slowly.
struct Words([Vec<&'static str>; 128]);

impl Words {
    fn of(lists: &[&'static str]) -> Words {
        let mut words = Words([const { Vec::new() }; 128]);
        for word in lists.iter().flat_map(|list| list.split(' ')) {
            if let Some(first) = word.bytes().next() {
                words.0[usize::from(first)].push(word);
            }
        }
        words
    }

    fn contains(&self, name: &str) -> bool {
        let first = name.bytes().next().and_then(|b| self.0.get(usize::from(b)));
        first.is_some_and(|words| words.contains(&name))
    }
}
