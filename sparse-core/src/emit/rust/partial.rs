//! Reductions, over partial sums.
//!
//! In strict order each step waits for the one before it, and floating-point sums can't be reordered by the Rust
//! compiler. A [`LoopKind::Reduce`] or [`LoopKind::ReduceArray`] loop allows it: the loop accumulates into several sums,
//! these are combined, and a plain loop does the rest. Three shapes, each measured:
//!
//! - Adjacent loads (dot products) become vectors, said in so many words: left to the Rust compiler, f64 came out
//!   four times slower than f32. So do the largest and the smallest of adjacent elements, whose rule for NaN it computes by
//!   three instructions for one.
//! - Elements picked by the coordinates of a row's stored entries: vectors of four (`entries`).
//! - Other scalars: four sums are 3 times as fast as strict order on long rows, and no slower on short ones, where
//!   eight are.
//! - Register arrays: as many as keep four sums of one register, or 256 bytes of them, in flight.
//!
//! Fibers, the position loops inside another position loop, are short as a rule: there the last two shapes cost more
//! than they gain (a fifth, at 4 entries a fiber), and the order stays strict.

use super::entries::Entries;
use super::expr::{Code, bare, binary, rust_type, value};
use super::quote::{Ident, Tokens, quote};
use super::sizes::Lets;
use super::stmt::Stmts;
use crate::llir::walk::visit_exprs;
use crate::llir::{Array, BufferId, Elem, Expr, IndexOp, LoopKind, Program, Space, Stmt, Ty, VarId};
use crate::scalar::{BinaryOp, DType, Monoid, UnaryOp};

/// Scalar sums side by side.
const SUMS: u32 = 4;
/// Vectors an iteration of a dot product, into [`SUMS`]. While a short one waits for its additions and its data the processor
/// begins the next ones, as many as it has room for: instructions that only count cost room. Eight vectors take 0.7 to 0.8
/// of the time of two an iteration on rows of 128 f64 on Zen 3, in whatever cache these are.
const VECTORS: u64 = 8;
/// Vectors an iteration, and sums, of what is left.
const PAIR: u64 = 2;
/// Bytes of register arrays side by side: half of AVX2's registers.
const ARRAY_BYTES: u32 = 256;

/// What a reduction accumulates into.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Accumulator {
    Var(VarId),
    Array(BufferId),
}

/// A loop over partial sums.
pub(super) struct Partial<'a> {
    pub(super) accumulator: Accumulator,
    pub(super) op: Monoid,
    dtype: DType,
    shape: Shape,
    pub(super) var: VarId,
    lo: &'a Expr,
    hi: &'a Expr,
    pub(super) body: &'a [Stmt],
}

#[derive(PartialEq)]
enum Shape {
    /// Vectors of adjacent elements.
    Vector,
    /// Vectors of four stored entries.
    Entries(Entries),
    /// So many scalars or register arrays.
    Several(u32),
}

impl<'a> Partial<'a> {
    /// Whether and how a loop takes partial sums: floating point, steps of 1, straight code.
    pub(super) fn of(
        program: &Program,
        lets: &Lets<'_>,
        stmt: &'a Stmt,
        in_positions: bool,
    ) -> Option<Partial<'a>> {
        let Stmt::For { var, lo, hi, step: 1, kind, body } = stmt else { return None };
        let (accumulator, op, dtype, shape) = match *kind {
            LoopKind::Serial | LoopKind::Unroll(_) | LoopKind::Lanes => return None,
            LoopKind::Reduce { var: total, op } => {
                let Ty::Scalar(dtype) = program.var(total).ty else { return None };
                let straight =
                    |s: &Stmt| matches!(s, Stmt::Let { .. } | Stmt::Update { .. } | Stmt::Comment(_));
                if !body.iter().all(straight) {
                    return None;
                }
                let entries = || {
                    Entries::of(program, (*var, declared(lets, lo), declared(lets, hi)), body)
                        .map(Shape::Entries)
                };
                let vector = || is_vector(program, *var, body).then_some(Shape::Vector);
                let shape = match op {
                    Monoid::Add | Monoid::Min | Monoid::Max => vector().or_else(entries),
                    _ => None,
                };
                let shape = shape.unwrap_or(Shape::Several(SUMS));
                (Accumulator::Var(total), op, dtype, shape)
            }
            LoopKind::ReduceArray { buffer, op } => {
                let array = program.buffer(buffer);
                let (Elem::Scalar(dtype), Space::Register { len }) = (array.elem, array.space) else {
                    return None;
                };
                let sums = (ARRAY_BYTES / (len * size(dtype)).max(1)).min(SUMS);
                if sums < 2 {
                    return None;
                }
                (Accumulator::Array(buffer), op, dtype, Shape::Several(sums))
            }
        };
        let fiber = in_positions && is_position_loop(program, *var, body);
        if !dtype.is_float() || fiber && matches!(shape, Shape::Several(_)) {
            return None;
        }
        Some(Partial { accumulator, op, dtype, shape, var: *var, lo, hi, body })
    }

    /// The loop over partial sums, and the rest of it.
    pub(super) fn emit(&self, stmts: Stmts<'_>) -> Tokens {
        let names = stmts.names;
        let (next, end, var) = (&names.next, &names.end, names.var(self.var));
        let (lo, hi) = (stmts.exprs.initial(self.lo), stmts.exprs.initial(self.hi));
        let rest = || {
            let body = stmts.block(self.body);
            quote!(for #var in #next..#end { #body })
        };
        let (several, rest, combine) = match &self.shape {
            Shape::Vector => (self.vector(stmts), rest(), Tokens::new()),
            Shape::Entries(entries) => (self.entries(entries, stmts), Tokens::new(), Tokens::new()),
            Shape::Several(sums) => {
                let rounds = self.rounds(stmts, u64::from(*sums), (&names.partial, u64::from(*sums)), None);
                let (start, combine) = match stmts.kept {
                    Some(_) => (Tokens::new(), Tokens::new()),
                    None => self.several(stmts, (*sums).into()),
                };
                (quote!(#start #rounds), rest(), combine)
            }
        };
        quote! {
            let mut #next = #lo;
            let #end = #hi;
            #several
            #rest
            #combine
        }
    }

    /// Can a loop around keep what is summed side by side? Of scalars and tiles one over stored entries, inside of which are the rows
    /// of blocks. Rows of a matrix are better off with scalars of their own: kept, those took 1.3 to 1.8 times as
    /// long to find the largest of rows of 30 to 100 entries.
    pub(super) fn can_be_kept(&self, in_positions: bool) -> bool {
        match self.shape {
            Shape::Vector => self.adds(),
            Shape::Entries(_) => false,
            Shape::Several(_) => in_positions,
        }
    }

    /// Do both go into one total, from sums of one kind?
    pub(super) fn is_beside(&self, other: &Partial<'_>) -> bool {
        (self.accumulator, self.op) == (other.accumulator, other.op) && self.shape == other.shape
    }

    /// What a loop around has before it and after it that keeps what is summed side by side.
    pub(super) fn kept(&self, stmts: Stmts<'_>) -> (Tokens, Tokens) {
        let names = stmts.names;
        let (partial, fours, isa, zero) = (&names.partial, &names.fours, &names.isa, self.zero());
        if let Shape::Several(sums) = self.shape {
            return self.several(stmts, sums.into());
        }
        let start = quote! {
            let mut #partial = #isa.splat(-#zero);
            let mut #fours = #isa.four(-#zero);
        };
        (start, self.sum_up(stmts, quote!(#partial.sum() + #fours.sum())))
    }

    pub(super) fn zero(&self) -> Tokens {
        value(self.dtype.zero())
    }

    /// Is it a sum?
    pub(super) fn adds(&self) -> bool {
        self.op == Monoid::Add
    }

    /// What vectors begin with, the method by which one becomes a number, and the function by which several become one.
    pub(super) fn of_vectors(&self) -> (Tokens, Tokens, Tokens) {
        let (zero, identity) = (self.zero(), self.op.identity(self.dtype).map(value));
        match self.op {
            Monoid::Max => (quote!(#identity), quote!(largest), quote!(rt::largest)),
            Monoid::Min => (quote!(#identity), quote!(smallest), quote!(rt::smallest)),
            _ => (quote!(-#zero), quote!(sum), quote!(rt::sum)),
        }
    }

    /// While many whole vectors are left, then two by two, then the one that may be left.
    fn vector(&self, stmts: Stmts<'_>) -> Tokens {
        let names = stmts.names;
        let (next, end, partial) = (&names.next, &names.end, &names.partial);
        let (var, width, isa) = (names.var(self.var), &names.width, &names.isa);
        let (t, (first, whole, _)) = (rust_type(self.dtype), self.of_vectors());
        let varying = varying(self.var, self.body);
        let vectors = stmts.in_vectors(&varying);
        let one = vectors.accumulating(self.accumulator, &quote!(#partial)).block(self.body);
        let several = self.abreast(vectors, VECTORS, SUMS.into());
        let pairs = self.abreast(vectors, PAIR, PAIR);
        let kept = stmts.kept.is_some();
        let start = (!kept).then(|| quote!(let mut #partial = #isa.splat(#first);));
        let combine = (!kept).then(|| self.sum_up(stmts, quote!(#partial.#whole())));
        let vectors_of_row = quote! {
            if #next + #width <= #end {
                #start
                #several
                #pairs
                if #next + #width <= #end {
                    let #var = #next;
                    #one
                    #next += #width;
                }
                #combine
            }
        };
        // Vectors have four elements or more: of shorter rows nothing else is asked.
        let vectors = match kept {
            true => {
                let fours = self.fours(vectors);
                quote!(if #next + 4 <= #end { #vectors_of_row #fours })
            }
            false => vectors_of_row,
        };
        quote! {
            let #width = #isa.width::<#t>();
            #vectors
        }
    }

    /// While four are left that are no whole vector.
    fn fours(&self, vectors: Stmts<'_>) -> Tokens {
        let names = vectors.names;
        let (next, end, var, fours) = (&names.next, &names.end, names.var(self.var), &names.fours);
        let body = vectors.in_fours().accumulating(self.accumulator, &quote!(#fours)).block(self.body);
        quote! {
            while #next + 4 <= #end {
                let #var = #next;
                #body
                #next += 4;
            }
        }
    }

    /// While so many whole vectors are left, into so many sums, of which the partial one is the first. Where there are not
    /// as many nothing is added up, a tenth of a short row's time.
    fn abreast(&self, vectors: Stmts<'_>, count: u64, sums: u64) -> Tokens {
        let names = vectors.names;
        let (next, end, partial, each) = (&names.next, &names.end, &names.partial, &names.each);
        let (width, isa, (first, _, as_one)) = (&names.width, &names.isa, self.of_vectors());
        let rounds = self.rounds(vectors, count, (each, sums), Some(width));
        let (count, sums) = (bare(count), bare(sums));
        // Of a constant size the first sums are additions to −0, which are none: x + −0 is x.
        quote! {
            if #next + #count * #width <= #end {
                let mut #each = [#isa.splat(#first); #sums];
                #each[0] = #partial;
                #rounds
                #partial = #as_one(#each);
            }
        }
    }

    /// In rounds of so many iterations, or vectors of them, while there are as many: into so many sums.
    fn rounds(
        &self,
        stmts: Stmts<'_>,
        count: u64,
        (each, sums): (&Ident, u64),
        width: Option<&Ident>,
    ) -> Tokens {
        let names = stmts.names;
        let (next, end, offset) = (&names.next, &names.end, &names.offset);
        let (var, at, count) = (names.var(self.var), offset_among(offset, count, sums), bare(count));
        let (round, ahead) = match width {
            Some(width) => (quote!(#count * #width), quote!(#offset * #width)),
            None => (quote!(#count), quote!(#offset)),
        };
        let body = stmts.accumulating(self.accumulator, &quote!(#each[#at])).block(self.body);
        quote! {
            while #next + #round <= #end {
                for #offset in 0..#count {
                    let #var = #next + #ahead;
                    #body
                }
                #next += #round;
            }
        }
    }

    /// So many sums side by side; and what is to be done with them after the rest, which does not wait for them.
    fn several(&self, stmts: Stmts<'_>, count: u64) -> (Tokens, Tokens) {
        let names = stmts.names;
        let (partial, sums) = (&names.partial, bare(count));
        // Every monoid has an identity in floats, of which alone there are partial sums.
        let identity = self.op.identity(self.dtype).map(value);
        let (start, combine) = match self.accumulator {
            Accumulator::Var(_) => {
                let each = self.pairwise((0..count).map(bare).map(|n| quote!(#partial[#n])).collect());
                (quote!(#identity), self.combine(stmts, each))
            }
            Accumulator::Array(buffer) => {
                let (at, len) = (&names.at, stmts.register_len(buffer));
                let each = self.pairwise((0..count).map(bare).map(|n| quote!(#partial[#n][#at])).collect());
                let each = self.combine(stmts, each);
                (quote!([#identity; #len]), quote!(for #at in 0..#len { #each }))
            }
        };
        (quote!(let mut #partial = [#start; #sums];), combine)
    }

    /// The values combined in pairs, halves first.
    fn pairwise(&self, mut values: Vec<Tokens>) -> Code {
        let upper = values.split_off(values.len().div_ceil(2));
        if upper.is_empty() {
            return Code::atom(values.into_iter().collect());
        }
        binary(self.op.op(), self.dtype, self.pairwise(values), self.pairwise(upper))
    }

    /// The end of a loop that takes vectors: a size that is worth knowing beforehand.
    pub(super) fn vector_end(&self) -> Option<&'a Expr> {
        matches!(self.shape, Shape::Vector).then_some(self.hi)
    }

    /// The entries of a row, if these are what it sums.
    pub(super) fn of_entries(&self) -> Option<&Entries> {
        if let Shape::Entries(entries) = &self.shape { Some(entries) } else { None }
    }

    /// Combines what the vectors come to with the accumulator.
    pub(super) fn sum_up(&self, stmts: Stmts<'_>, sum: Tokens) -> Tokens {
        self.combine(stmts, Code::atom(sum))
    }

    /// `accumulator op= value`
    fn combine(&self, stmts: Stmts<'_>, value: Code) -> Tokens {
        let names = stmts.names;
        let place = match self.accumulator {
            Accumulator::Var(var) => {
                let total = names.var(var);
                quote!(#total)
            }
            Accumulator::Array(buffer) => {
                let (array, at) = (names.buffer(buffer), &names.at);
                quote!(#array[#at])
            }
        };
        if self.op == Monoid::Add {
            let value = value.tokens();
            return quote!(#place += #value;);
        }
        let combined = binary(self.op.op(), self.dtype, Code::atom(place.clone()), value).tokens();
        quote!(#place = #combined;)
    }
}

/// What a constant variable is declared as, or the expression itself.
fn declared<'a>(lets: &Lets<'a>, e: &'a Expr) -> &'a Expr {
    match e {
        Expr::Var(v) => lets.get(v).copied().unwrap_or(e),
        e => e,
    }
}

/// Is it a loop over stored entries: is its variable a position, of which the coordinate is read?
pub(super) fn is_position_loop(program: &Program, var: VarId, body: &[Stmt]) -> bool {
    let mut reads = false;
    let mut read = |e: &Expr| {
        if let Expr::Load { buffer, index } = e {
            let array = program.buffer(*buffer).array;
            reads |= matches!(array, Array::Crd(..)) && index.is_var(var);
        }
    };
    for stmt in body {
        stmt.for_each_expr(&mut |e| e.visit(&mut read));
    }
    reads
}

/// Which of the sums an offset adds to.
fn offset_among(offset: &Ident, count: u64, sums: u64) -> Tokens {
    if count == sums {
        return quote!(#offset);
    }
    let sums = bare(sums);
    quote!(#offset % #sums)
}

fn size(t: DType) -> u32 {
    if t == DType::F32 { 4 } else { 8 }
}

/// The loop's variable and what is declared from it.
pub(super) fn varying(loop_var: VarId, body: &[Stmt]) -> Vec<VarId> {
    let mut varying = vec![loop_var];
    for stmt in body {
        if let Stmt::Let { var, value } = stmt
            && varying.iter().any(|v| value.mentions(*v))
        {
            varying.push(*var);
        }
    }
    varying
}

/// Can the body be computed for adjacent iterations at once: adjacent loads, and operators that vectors have?
fn is_vector(program: &Program, loop_var: VarId, body: &[Stmt]) -> bool {
    let varying = varying(loop_var, body);
    let varies = |e: &Expr| varying.iter().any(|v| e.mentions(*v));
    let mut fits = true;
    visit_exprs(body, &mut |e| {
        fits &= !varies(e)
            || match e {
                Expr::Load { index, .. } => step(index, loop_var, &varying) == Some(1),
                Expr::Var(_) | Expr::IndexOp(..) => true,
                Expr::Unary(op, _) => is_of_vectors(*op),
                Expr::Binary(op, ..) => {
                    matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div)
                }
                _ => false,
            }
    });
    // What the iterations compute has to be scalars, or the loads' indices.
    let scalars = body.iter().all(|s| match s {
        Stmt::Let { var, .. } => !varying.contains(var) || program.var(*var).ty != Ty::Index,
        Stmt::Update { value, .. } => varies(value),
        _ => true,
    });
    fits && scalars
}

/// Do vectors have this function? It is one instruction, or two.
pub(super) fn is_of_vectors(op: UnaryOp) -> bool {
    match op {
        UnaryOp::Neg | UnaryOp::Abs | UnaryOp::Sqrt | UnaryOp::Floor | UnaryOp::Ceil => true,
        UnaryOp::Not | UnaryOp::Exp | UnaryOp::Ln | UnaryOp::Sin | UnaryOp::Cos | UnaryOp::Tanh => false,
    }
}

/// By how much an index grows an iteration, if that is plain to see.
fn step(index: &Expr, loop_var: VarId, varying: &[VarId]) -> Option<u64> {
    match index {
        Expr::Var(v) if *v == loop_var => Some(1),
        Expr::IndexOp(IndexOp::Add, a, b) => Some(step(a, loop_var, varying)? + step(b, loop_var, varying)?),
        e if varying.iter().any(|v| e.mentions(*v)) => None,
        _ => Some(0),
    }
}
