//! What of a statement is computed first: the einsum rule's sums, and terms and operands that need loops of their own.

use super::{Access, Expr, Workspace};
use crate::front::ast::{self, AssignOp, IndexVar, Kernel};
use crate::scalar::{BinaryOp, Monoid, UnaryOp};

/// What is computed first, into a workspace: `workspace += body` over `vars`, or without such variables `workspace = body`.
pub struct Term {
    /// The variables that are summed.
    pub vars: Vec<IndexVar>,
    /// Its value, in which workspaces have no indices yet.
    pub body: Expr,
    /// Is it a part of a term: of a sum in it, or an operand?
    pub inside: bool,
    /// The term, by number, that it is a part of; `None`: the statement.
    pub within: Option<usize>,
    /// Of a copy the order of the loops that read it, if not any.
    pub order: Vec<IndexVar>,
    /// Is it a part of a product? Where it has no terms the product has none, whatever the other factors are.
    pub part: bool,
}

impl Term {
    /// How its elements are combined.
    pub fn op(&self) -> Option<Monoid> {
        (!self.vars.is_empty()).then_some(Monoid::Add)
    }
}

/// Some of many, by their numbers from left to right.
#[derive(Clone, Debug)]
pub enum Which {
    /// These.
    These(Vec<usize>),
    /// This one, and all after it.
    From(usize),
}

impl Which {
    /// None of them.
    pub const NONE: Self = Which::These(vec![]);

    fn has(&self, n: usize) -> bool {
        match self {
            Which::These(these) => these.contains(&n),
            Which::From(first) => n >= *first,
        }
    }
}

/// An operand that is copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// Which one, from left to right.
    pub operand: usize,
    /// The variables of the copy's levels, from the first one on: loops have to read it in this order. None: whatever order the
    /// loops have is the copy's.
    pub order: Vec<IndexVar>,
}

/// Some factors of a product that is summed, which are summed over the variables that nothing else has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The term of the right-hand side, by number.
    pub term: usize,
    /// Which factors, from left to right.
    pub factors: Vec<usize>,
}

impl Part {
    /// Is one inside of the other, or has nothing of it?
    fn nests_with(&self, other: &Part) -> bool {
        let shared = self.factors.iter().filter(|f| other.factors.contains(f)).count();
        let inside = shared == self.factors.len().min(other.factors.len());
        self.term != other.term || shared == 0 || inside && self.factors.len() != other.factors.len()
    }
}

/// Which terms are computed first though they are not summed.
#[derive(Clone, Debug)]
pub struct Apart {
    /// Of the sum that the right-hand side is.
    pub terms: Which,
    /// Of sums inside of a term.
    pub summands: Which,
    /// Parts of products that are summed, each after those that it is inside of.
    pub parts: Vec<Part>,
    /// Of the operands that are left: those that are copied.
    pub operands: Vec<Copied>,
    /// Which parts whose rows are those of a sparse operand are arrays outside of all loops.
    pub arrays: Arrays,
}

/// Parts of products outside of all loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrays {
    /// None.
    None,
    /// Parts that are made of operands.
    OfOperands,
    /// Parts that are made of such arrays, too.
    OfArrays,
}

impl Apart {
    /// None is.
    pub const NONE: Self = Apart {
        terms: Which::NONE,
        summands: Which::NONE,
        parts: Vec::new(),
        operands: Vec::new(),
        arrays: Arrays::None,
    };

    /// Is nothing computed first?
    pub fn is_none(&self) -> bool {
        let none = |which: &Which| matches!(which, Which::These(these) if these.is_empty());
        none(&self.terms) && none(&self.summands) && self.parts.is_empty() && self.operands.is_empty()
    }

    /// Is nothing but sums computed first, as it is without choosing?
    pub fn is_of_sums(&self) -> bool {
        Apart { parts: vec![], ..self.clone() }.is_none()
    }

    /// Terms of the right-hand side.
    pub fn of_the_whole(terms: Which) -> Self {
        Apart { terms, ..Apart::NONE }
    }

    /// Terms of sums inside of a term.
    pub fn inside(summands: Which) -> Self {
        Apart { summands, ..Apart::NONE }
    }

    /// The same, and a part of a product more; `None` if it shares some factors with another one, and not all.
    pub fn with_part(&self, part: &Part) -> Option<Self> {
        let fits = self.parts.iter().all(|p| p.nests_with(part));
        let mut parts = [&self.parts[..], std::slice::from_ref(part)].concat();
        parts.sort_by_key(|p| std::cmp::Reverse(p.factors.len()));
        fits.then(|| Apart { parts, ..self.clone() })
    }

    /// The parts of a term.
    fn parts_of(&self, term: usize) -> Vec<&[usize]> {
        self.parts.iter().filter(|p| p.term == term).map(|p| &p.factors[..]).collect()
    }

    /// Operands, in the order in which the loops read them.
    pub fn operands(operands: Vec<usize>) -> Self {
        let any = |operand| Copied { operand, order: vec![] };
        Apart::copies(operands.into_iter().map(any).collect())
    }

    /// The same, and one operand more; `None` if it is among them.
    pub fn with(&self, copied: &Copied) -> Option<Self> {
        let new = self.operands.iter().all(|c| c.operand != copied.operand);
        let operands = [&self.operands[..], std::slice::from_ref(copied)].concat();
        new.then(|| Apart { operands, ..self.clone() })
    }

    /// Operands, each in an order that may be given.
    pub fn copies(operands: Vec<Copied>) -> Self {
        Apart { operands, ..Apart::NONE }
    }
}

/// How many there are to choose from.
#[derive(Clone, Copy, Default)]
pub struct Counts {
    /// Terms of the right-hand side.
    pub terms: usize,
    /// Terms of sums inside of them.
    pub summands: usize,
    /// Operands.
    pub operands: usize,
}

/// A statement's right-hand side, without what is computed first.
pub struct Split {
    /// How the root's loops reduce.
    pub op: Option<Monoid>,
    /// The variables that the root's loops reduce over.
    pub vars: Vec<IndexVar>,
    /// The value, in which workspaces have no indices yet.
    pub rhs: Expr,
    /// What is computed first, by number of its workspace: each after what it is a part of.
    pub first: Vec<Term>,
    /// How many there were to choose from.
    pub counts: Counts,
}

/// Takes out of a statement what is computed first. For `=` and `+=` a right-hand-side variable that is not on the left is summed
/// over the smallest additive term that contains it, descending only through `+`, `-` and negation; any other reduction reduces the
/// whole right side (*The language* in `ARCHITECTURE.md`).
pub fn split(kernel: &Kernel, apart: &Apart) -> Split {
    let a = &kernel.assignment;
    let lhs = access(&a.lhs);
    let mut terms = Terms { lhs: &lhs, apart, counts: Counts::default(), within: None, found: Vec::new() };
    let reduces = |m| matches!(a.op, AssignOp::Reduce(_)).then_some(m);
    let (op, vars, rhs) = match a.op {
        AssignOp::Reduce(m) if m != Monoid::Add => {
            (Some(m), free_vars(&plain(&a.rhs), &lhs), terms.term(&a.rhs))
        }
        _ if sums_terms(a) => (reduces(Monoid::Add), vec![], terms.scope(&a.rhs)),
        AssignOp::Assign | AssignOp::Reduce(_) => {
            let product = Product::new(&a.rhs, apart.parts_of(0), &lhs);
            let op = if product.vars.is_empty() { reduces(Monoid::Add) } else { Some(Monoid::Add) };
            (op, product.vars.clone(), terms.product(&product))
        }
    };
    let (counts, first) = (terms.counts, terms.found);
    Split { op, vars, rhs, first, counts }
}

/// Is the right-hand side a sum whose terms are reduced on their own?
pub fn sums_terms(a: &ast::Assignment) -> bool {
    !matches!(a.op, AssignOp::Reduce(m) if m != Monoid::Add) && a.rhs.is_additive()
}

/// The factors of a product, from left to right.
fn factors(e: &ast::Expr) -> Vec<&ast::Expr> {
    match e {
        ast::Expr::Binary(BinaryOp::Mul, a, b) => [factors(a), factors(b)].concat(),
        factor => vec![factor],
    }
}

/// Is a factor an operand that a sum does not change?
fn is_fixed(factor: &ast::Expr, lhs: &Access) -> bool {
    has_operand(factor) && free_vars(&plain(factor), lhs).is_empty()
}

/// The terms of the right-hand side that are sums of products, and their numbers.
pub fn summed_products(kernel: &Kernel) -> Vec<(usize, Vec<&ast::Expr>)> {
    fn terms<'a>(e: &'a ast::Expr, found: &mut Vec<&'a ast::Expr>) {
        match e {
            ast::Expr::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => {
                terms(a, found);
                terms(b, found);
            }
            ast::Expr::Unary(UnaryOp::Neg, a) if a.is_additive() => terms(a, found),
            term if !has_operand(term) => {}
            term => found.push(term),
        }
    }
    let a = &kernel.assignment;
    let lhs = access(&a.lhs);
    let mut found = Vec::new();
    match a.op {
        AssignOp::Reduce(m) if m != Monoid::Add => {}
        _ if sums_terms(a) => terms(&a.rhs, &mut found),
        _ => found.push(&a.rhs),
    }
    let products = found.into_iter().enumerate().map(|(n, term)| (n, term, factors(term)));
    let summed = products.filter(|(_, term, _)| !free_vars(&plain(term), &lhs).is_empty());
    summed.map(|(n, _, factors)| (n, factors)).collect()
}

/// Of each sum of products with factors that it does not change the other ones, which these multiply once they are summed.
pub fn factors_of_sums(kernel: &Kernel) -> Vec<Part> {
    let lhs = access(&kernel.assignment.lhs);
    let part = |(term, factors): (usize, Vec<&ast::Expr>)| {
        let summed = (0..factors.len()).filter(|f| !is_fixed(factors[*f], &lhs)).collect();
        Part { term, factors: summed }
    };
    let all = summed_products(kernel).into_iter();
    all.filter(|(_, factors)| factors.iter().any(|f| is_fixed(f, &lhs))).map(part).collect()
}

/// An access without its places in the text.
pub fn access(a: &ast::Access) -> Access {
    Access { tensor: a.tensor, indices: a.indices.clone() }
}

/// The same expression, without its sums.
pub fn plain(e: &ast::Expr) -> Expr {
    match e {
        ast::Expr::Access(a) => Expr::Access(access(a)),
        ast::Expr::Literal(v) => Expr::Literal(*v),
        ast::Expr::Scalar(n) => Expr::Scalar(*n),
        ast::Expr::Unary(op, a) => Expr::Unary(*op, Box::new(plain(a))),
        ast::Expr::Binary(op, a, b) => Expr::Binary(*op, Box::new(plain(a)), Box::new(plain(b))),
    }
}

fn has_operand(e: &ast::Expr) -> bool {
    e.any(|e| matches!(e, ast::Expr::Access(_)))
}

/// Variables of an expression that are not on the left, in order of first use.
pub fn free_vars(e: &Expr, lhs: &Access) -> Vec<IndexVar> {
    let mut vars = Vec::new();
    e.for_each_access(&mut |a| {
        for v in &a.indices {
            if !lhs.indices.contains(v) && !vars.contains(v) {
                vars.push(*v);
            }
        }
    });
    vars
}

/// A product, and how it is summed in parts.
struct Product<'a> {
    factors: Vec<&'a ast::Expr>,
    parts: Vec<&'a [usize]>,
    /// The variables that are summed in no part.
    vars: Vec<IndexVar>,
    /// Those that are summed in each.
    summed: Vec<Vec<IndexVar>>,
}

impl<'a> Product<'a> {
    /// Parts come after those that they are inside of.
    fn new(e: &'a ast::Expr, parts: Vec<&'a [usize]>, lhs: &Access) -> Self {
        let factors = if parts.is_empty() { vec![e] } else { factors(e) };
        let mut vars = free_vars(&plain(e), lhs);
        let mut summed = vec![vec![]; parts.len()];
        for (part, summed) in parts.iter().zip(&mut summed).rev() {
            let outside = |f: &usize| !part.contains(f);
            let others = |v: &IndexVar| (0..factors.len()).filter(outside).any(|f| has_var(factors[f], *v));
            let (left, here) = vars.into_iter().partition(others);
            (vars, *summed) = (left, here);
        }
        Product { factors, parts, vars, summed }
    }

    /// The innermost part around another one, or around a factor.
    fn around(&self, factors: &[usize], before: usize) -> Option<usize> {
        (0..before).rev().find(|p| factors.iter().all(|f| self.parts[*p].contains(f)))
    }
}

fn has_var(e: &ast::Expr, v: IndexVar) -> bool {
    let mut found = false;
    e.for_each_access(&mut |a| found |= a.indices.contains(&v));
    found
}

/// The terms of a sum, from left to right.
struct Terms<'a> {
    lhs: &'a Access,
    apart: &'a Apart,
    /// So many were met.
    counts: Counts,
    /// The term, by number, that is read.
    within: Option<usize>,
    found: Vec<Term>,
}

impl Terms<'_> {
    fn scope(&mut self, e: &ast::Expr) -> Expr {
        match e {
            ast::Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
                let (a, b) = (self.scope(a), self.scope(b));
                Expr::Binary(*op, Box::new(a), Box::new(b))
            }
            ast::Expr::Unary(UnaryOp::Neg, a) if a.is_additive() => {
                Expr::Unary(UnaryOp::Neg, Box::new(self.scope(a)))
            }
            // What has no operand suits all loops.
            term if !has_operand(term) => plain(term),
            term => {
                let number = self.counts.terms;
                self.counts.terms += 1;
                let product = Product::new(term, self.apart.parts_of(number), self.lhs);
                match product.vars.is_empty() && !self.apart.terms.has(number) {
                    true => self.product(&product),
                    false => {
                        let vars = product.vars.clone();
                        self.read_first(vars, false, vec![], |terms| terms.product(&product))
                    }
                }
            }
        }
    }

    /// A term that is not computed first; but of the sums in it some terms may be, and of its operands some.
    fn term(&mut self, e: &ast::Expr) -> Expr {
        match e {
            ast::Expr::Binary(op, a, b) => {
                let inside = matches!(op, BinaryOp::Add | BinaryOp::Sub);
                let [a, b] = [a, b].map(|e| if inside { self.summand(e) } else { self.term(e) });
                Expr::Binary(*op, Box::new(a), Box::new(b))
            }
            ast::Expr::Unary(op, a) => Expr::Unary(*op, Box::new(self.term(a))),
            ast::Expr::Access(a) => {
                self.counts.operands += 1;
                let apart = self.apart;
                match apart.operands.iter().find(|copied| copied.operand == self.counts.operands - 1) {
                    Some(copied) => {
                        self.read_first(vec![], true, copied.order.clone(), |_| Expr::Access(access(a)))
                    }
                    None => Expr::Access(access(a)),
                }
            }
            ast::Expr::Literal(_) | ast::Expr::Scalar(_) => plain(e),
        }
    }

    /// A product whose parts are computed first.
    fn product(&mut self, product: &Product<'_>) -> Expr {
        let around = self.within;
        let first = self.found.len();
        let number = |part: Option<usize>| part.map_or(around, |p| Some(first + p));
        for (p, part) in product.parts.iter().enumerate() {
            let within = number(product.around(part, p));
            let vars = product.summed[p].clone();
            let body = Expr::Workspace(Workspace((first + p) as u32), vec![]);
            self.found.push(Term { vars, body, inside: false, within, order: vec![], part: true });
        }
        // From left to right, in which order operands are numbered.
        let mut values: Vec<(Option<usize>, usize, Expr)> = Vec::new();
        for (f, factor) in product.factors.iter().enumerate() {
            let owner = product.around(&[f], product.parts.len());
            self.within = number(owner);
            values.push((owner, f, self.term(factor)));
        }
        self.within = around;
        // A part stands where its last factor stood.
        for p in (0..product.parts.len()).rev() {
            let last = product.parts[p].iter().copied().max().unwrap_or(0);
            self.found[first + p].body = multiplied(&mut values, Some(p));
            let read = Expr::Workspace(Workspace((first + p) as u32), vec![]);
            values.push((product.around(product.parts[p], p), last, read));
        }
        multiplied(&mut values, None)
    }

    fn summand(&mut self, e: &ast::Expr) -> Expr {
        if e.is_additive() || !has_operand(e) {
            return self.term(e);
        }
        self.counts.summands += 1;
        match self.apart.summands.has(self.counts.summands - 1) {
            true => self.first(e, vec![], true),
            false => self.term(e),
        }
    }

    fn first(&mut self, e: &ast::Expr, vars: Vec<IndexVar>, inside: bool) -> Expr {
        self.read_first(vars, inside, vec![], |terms| terms.term(e))
    }

    /// A workspace for what `body` reads.
    fn read_first(
        &mut self,
        vars: Vec<IndexVar>,
        inside: bool,
        order: Vec<IndexVar>,
        body: impl FnOnce(&mut Self) -> Expr,
    ) -> Expr {
        let number = self.found.len();
        let within = self.within.replace(number);
        self.found.push(Term {
            vars,
            body: Expr::Workspace(Workspace(number as u32), vec![]),
            inside,
            within,
            order,
            part: false,
        });
        self.found[number].body = body(self);
        self.within = within;
        Expr::Workspace(Workspace(number as u32), vec![])
    }
}

/// The product of the factors of a part, or of what is in none, which are taken out.
fn multiplied(values: &mut Vec<(Option<usize>, usize, Expr)>, part: Option<usize>) -> Expr {
    let mut own: Vec<_> = values.extract_if(.., |(owner, ..)| *owner == part).collect();
    own.sort_by_key(|(_, place, _)| *place);
    let product = |a: Expr, b: Expr| Expr::Binary(BinaryOp::Mul, Box::new(a), Box::new(b));
    let own = own.into_iter().map(|(.., value)| value).reduce(product);
    own.unwrap_or_else(|| unreachable!("parts and products have factors"))
}
