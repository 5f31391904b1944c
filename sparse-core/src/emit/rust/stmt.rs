//! Statements.

use super::around;
use super::carried;
use super::expr::{Arithmetic, Exprs, bare, rust_type, value};
use super::merges;
use super::names::Names;
use super::partial::{Accumulator, Partial, is_position_loop};
use super::quote::{Tokens, quote};
use super::runs;
use super::tasks::{Task, monoid};
use super::unroll::Unrolled;
use super::workspaces;
use crate::emit::subtracted;
use crate::llir::{BufferId, Elem, Expr, IndexOp, Init, LoopKind, Space, Stmt, Ty, VarId, WorkspaceId};
use crate::scalar::{BinaryOp, DType, Monoid};

/// Emits statements of one program.
#[derive(Clone, Copy)]
pub(super) struct Stmts<'a> {
    pub(super) names: &'a Names<'a>,
    pub(super) exprs: Exprs<'a>,
    /// An accumulator whose updates go elsewhere: to one of its partial sums.
    redirect: Option<(Accumulator, &'a Tokens)>,
    /// A total whose partial sums stand outside of a loop around.
    pub(super) kept: Option<Accumulator>,
    /// Inside a loop over stored entries.
    pub(super) in_positions: bool,
    /// Are four entries a row's last ones?
    last: bool,
    /// How often it is written out, by unrolled loops around.
    pub(super) copies: u32,
}

impl<'a> Stmts<'a> {
    pub(super) fn new(names: &'a Names<'a>) -> Self {
        Stmts {
            names,
            exprs: Exprs::new(names, Arithmetic::Exact),
            redirect: None,
            kept: None,
            in_positions: false,
            last: false,
            copies: 1,
        }
    }

    /// With what an unrolled loop writes out so many times.
    pub(super) fn written_out(self, times: u32) -> Self {
        Stmts { copies: self.copies * times, ..self }
    }

    /// With updates of an accumulator going to another place.
    pub(super) fn accumulating(self, accumulator: Accumulator, place: &'a Tokens) -> Self {
        Stmts { redirect: Some((accumulator, place)), ..self }
    }

    /// With a total's partial sums standing outside.
    pub(super) fn keeping(self, total: Accumulator) -> Self {
        Stmts { kept: Some(total), ..self }
    }

    /// With scalars that vary with these variables computed in vectors.
    pub(super) fn in_vectors(self, varying: &'a [VarId]) -> Self {
        Stmts { exprs: Exprs { varying, ..self.exprs }, ..self }
    }

    /// With the coordinates of four entries in each of these variables; maybe the last of a row.
    pub(super) fn picking(self, coordinates: &'a [VarId], last: bool) -> Self {
        let fours = self.in_fours();
        Stmts { exprs: Exprs { picking: coordinates, ..fours.exprs }, last, ..fours }
    }

    /// With vectors of four.
    pub(super) fn in_fours(self) -> Self {
        Stmts { exprs: Exprs { fours: true, ..self.exprs }, ..self }
    }

    /// With what is inside a loop, maybe over stored entries.
    pub(super) fn inside(self, positions: bool) -> Self {
        Stmts { in_positions: self.in_positions || positions, ..self }
    }

    fn redirected(self, accumulator: Accumulator) -> Option<Tokens> {
        self.redirect.filter(|(a, _)| *a == accumulator).map(|(_, place)| place.clone())
    }

    pub(super) fn block(self, block: &[Stmt]) -> Tokens {
        let opened = workspaces::opened(self.names, block);
        let mut code = Vec::with_capacity(block.len());
        let mut n = 0;
        while n < block.len() {
            code.extend(opened.iter().filter(|o| o.at == n).map(|o| o.open(self.names)));
            if let Some(run) = runs::gathered(self, &block[n..]) {
                code.push(run);
                n += runs::GATHERED;
            } else {
                code.push(self.stmt(&block[n]));
                n += 1;
            }
        }
        code.into_iter().collect()
    }

    pub(super) fn stmt(self, stmt: &Stmt) -> Tokens {
        match stmt {
            Stmt::Let { var, value: Expr::Load { buffer, index } } if self.exprs.picking.contains(var) => {
                let (var, crd, index) =
                    (self.names.var(*var), self.names.buffer(*buffer), self.exprs.expr(index));
                let isa = &self.names.isa;
                let four = if self.last { quote!(last_four_indices) } else { quote!(four_indices) };
                quote!(let #var = #isa.#four(#crd, #index);)
            }
            Stmt::Let { var, value } if self.names.is_carried(*var, value) => Tokens::new(),
            Stmt::Let { var, value } => {
                let (var, value) = (self.names.var(*var), self.exprs.initial(value));
                quote!(let #var = #value;)
            }
            Stmt::Mut { var, value } => {
                let (var, value) = (self.names.var(*var), self.exprs.initial(value));
                quote!(let mut #var = #value;)
            }
            Stmt::Assign { var, value } => {
                let name = self.names.var(*var);
                match value {
                    // `p = p + c` as `p += c`
                    Expr::IndexOp(IndexOp::Add, a, b) if **a == Expr::Var(*var) => {
                        let b = self.exprs.expr(b);
                        quote!(#name += #b;)
                    }
                    value => {
                        let value = self.exprs.expr(value);
                        quote!(#name = #value;)
                    }
                }
            }
            Stmt::Update { var, op, value } => {
                let (name, t) = (self.names.var(*var), self.exprs.dtype(&Expr::Var(*var)));
                let place = self.redirected(Accumulator::Var(*var)).unwrap_or_else(|| quote!(#name));
                self.update(place, *op, t, value)
            }
            Stmt::Store { buffer, index, value } => {
                let (index, value) = (self.exprs.expr(index), self.element(*buffer, value));
                self.store(*buffer, index, value)
            }
            Stmt::Reduce { buffer, index, op, value } => self.reduce(*buffer, index, *op, value),
            Stmt::Atomic { buffer, index, op, value } => {
                let (name, chunk, monoid) = (self.names.buffer(*buffer), &self.names.chunk, monoid(*op));
                let (index, value) = (self.exprs.expr(index), self.exprs.expr(value));
                quote!(#name.combine(#chunk.alone, #index, #value, #monoid);)
            }
            Stmt::Mask { workspace, crd, lo, hi } => workspaces::mask(self.names, *workspace, *crd, [lo, hi]),
            Stmt::Scatter { workspace, at, value } => self.scatter(*workspace, at, value),
            Stmt::Place { workspace, at, block } => workspaces::place(self.names, *workspace, at, *block),
            Stmt::Gather(workspace) => workspaces::gather(self.names, *workspace),
            Stmt::Alloc { buffer, len, init } => {
                let (name, memory) = (self.names.buffer(*buffer), self.names.memory(*buffer));
                let len = self.exprs.expr(len);
                match init {
                    Init::Value(init) => {
                        let init = value(*init);
                        quote!(let #name = #memory.array(#len, #init);)
                    }
                    Init::Kept => quote!(let #name = #memory.array(#len);),
                    Init::Unwritten => quote!(let #name = #memory.unwritten(#len);),
                }
            }
            Stmt::Scan { buffer, len } => {
                let (name, counts) = (self.names.buffer(*buffer), self.exprs.expr(len));
                let bounded = self.names.is_bounded(*buffer).then(|| self.names.len(*buffer));
                let grown = bounded.map(|len| quote!(#len += 1;));
                quote!(#name.scan(#counts); #grown)
            }
            Stmt::Threads { .. } => {
                Task::of(self.names, stmt).map(|task| task.call(self)).unwrap_or_default()
            }
            Stmt::Append { buffer, value } => self.append(*buffer, value),
            Stmt::AppendN { buffer, count, value } => self.append_n(*buffer, count, value.as_ref()),
            Stmt::Local { buffer, init } => {
                let (name, t) = (self.names.buffer(*buffer), self.element_type(*buffer));
                let Some(init) = *init else {
                    unreachable!("a verified program's arrays on the CPU have values")
                };
                let (init, len) = (value(init), self.register_len(*buffer));
                quote!(let mut #name: [#t; #len] = [#init; #len];)
            }
            Stmt::For { var, lo, hi, step, kind, body } => {
                let program = self.names.program;
                if let Some(partial) = Partial::of(program, &self.names.lets, stmt, self.in_positions) {
                    return partial.emit(self);
                }
                if *step == 1
                    && let Some(runs) =
                        runs::emit(self, *var, lo, hi, body).or_else(|| runs::tile(self, *var, lo, hi, body))
                {
                    return runs;
                }
                if self.kept.is_none()
                    && let Some(around) = around::emit(self, stmt)
                {
                    return around;
                }
                let positions = is_position_loop(program, *var, body);
                let inside = self.inside(positions);
                if let LoopKind::Unroll(copies) = *kind {
                    return Unrolled { var: *var, lo, hi, step: *step, copies, body }.emit(inside);
                }
                let appends = body.iter().any(|s| matches!(s, Stmt::Append { .. }));
                let short = self.in_positions || appends;
                let exprs = self.exprs;
                let range = match *step {
                    // From a cursor on: what is left of one of two rows.
                    1 if positions && appends && matches!(lo, Expr::Var(_)) => exprs.rest(lo, hi),
                    1 if positions && short => exprs.fiber(lo, hi),
                    1 => exprs.range(lo, hi),
                    step => {
                        let (range, step) = (exprs.range(lo, hi), bare(u64::from(step)));
                        quote!((#range).step_by(#step))
                    }
                };
                let body = inside.block(body);
                carried::emit(self.names, *var, &exprs.expr(lo), &range, &body)
            }
            Stmt::While { cond, body } => {
                if let Some(merge) = merges::emit(self, cond, body) {
                    return merge;
                }
                let (cond, body) = (self.exprs.expr(cond), self.block(body));
                quote!(while #cond { #body })
            }
            Stmt::If { cond, then, otherwise } => self.branch(cond, then, otherwise),
            Stmt::Collective(_)
            | Stmt::Claim { .. }
            | Stmt::Fetch { .. }
            | Stmt::Barrier(_)
            | Stmt::LoadVector { .. }
            | Stmt::StoreVector { .. }
            | Stmt::Exit => {
                unreachable!("what lanes do together stands in launches")
            }
            // Tokens carry no comments.
            Stmt::Comment(_) => Tokens::new(),
        }
    }

    fn branch(self, cond: &Expr, then: &[Stmt], otherwise: &[Stmt]) -> Tokens {
        let (cond, then) = (self.exprs.expr(cond), self.block(then));
        match otherwise {
            [] => quote!(if #cond { #then }),
            [Stmt::If { cond: c, then: t, otherwise: o }] => {
                let rest = self.branch(c, t, o);
                quote!(if #cond { #then } else #rest)
            }
            otherwise => {
                let otherwise = self.block(otherwise);
                quote!(if #cond { #then } else { #otherwise })
            }
        }
    }

    fn scatter(self, workspace: WorkspaceId, at: &[Expr], value: &Expr) -> Tokens {
        let w = self.names.program.workspace(workspace);
        let (name, place) = (&self.names.workspace(workspace).open, &self.names.at);
        let at = at.iter().map(|e| self.exprs.expr(e));
        let value = match w.op {
            Some(op) => self.exprs.binary_with(op.op(), w.init.dtype(), quote!(#name.at(#place)), value),
            None => self.exprs.expr(value),
        };
        match w.masked {
            true => quote!(if let Some(#place) = #name.place([#(#at),*]) { #name.set(#place, #value); }),
            false => quote!(let #place = #name.place([#(#at),*]); #name.set(#place, #value);),
        }
    }

    /// `place op= value`
    fn update(self, place: Tokens, op: Monoid, t: DType, value: &Expr) -> Tokens {
        let (op, value) = subtracted(op.op(), value);
        let infix = match op {
            BinaryOp::Add if t.is_float() && !fuses(value) => Some(quote!(+=)),
            BinaryOp::Sub if t.is_float() => Some(quote!(-=)),
            BinaryOp::Mul if t.is_float() => Some(quote!(*=)),
            BinaryOp::And => Some(quote!(&=)),
            BinaryOp::Or => Some(quote!(|=)),
            _ => None,
        };
        if let Some(infix) = infix {
            let value = self.exprs.expr(value);
            return quote!(#place #infix #value;);
        }
        let combined = self.exprs.binary_with(op, t, place.clone(), value);
        quote!(#place = #combined;)
    }

    fn reduce(self, buffer: BufferId, index: &Expr, op: Monoid, value: &Expr) -> Tokens {
        let name = self.names.buffer(buffer);
        let at = &self.names.at;
        // An index that is more than a name is computed once.
        let (first, index) = match index {
            Expr::Var(_) | Expr::Index(_) => (None, self.exprs.expr(index)),
            index => {
                let index = self.exprs.initial(index);
                (Some(quote!(let #at = #index;)), quote!(#at))
            }
        };
        let t = match self.names.program.buffer(buffer).elem {
            Elem::Scalar(t) => t,
            Elem::Index => DType::I32,
        };
        if self.names.is_register(buffer) {
            let array = self.redirected(Accumulator::Array(buffer)).unwrap_or_else(|| quote!(#name));
            let update = self.update(quote!(#array[#index]), op, t, value);
            return quote!(#first #update);
        }
        let combined = self.exprs.binary_with(op.op(), t, quote!(#name.at(#index)), value);
        let store = self.store(buffer, index, combined);
        quote!(#first #store)
    }

    fn store(self, buffer: BufferId, index: Tokens, value: Tokens) -> Tokens {
        let name = self.names.buffer(buffer);
        if self.names.is_register(buffer) {
            quote!(#name[#index] = #value;)
        } else {
            quote!(#name.set(#index, #value);)
        }
    }

    fn append(self, buffer: BufferId, value: &Expr) -> Tokens {
        let (name, value) = (self.names.buffer(buffer), self.element(buffer, value));
        if !self.names.is_bounded(buffer) {
            return quote!(#name.push(#value););
        }
        let len = self.names.len(buffer);
        let count = (!self.names.leads(buffer)).then(|| quote!(#len += 1;));
        quote!(#name.set(#len, #value); #count)
    }

    fn append_n(self, buffer: BufferId, count: &Expr, value: Option<&Expr>) -> Tokens {
        let Some(value) = value else {
            let (len, count) = (self.names.len(buffer), self.exprs.expr(count));
            return quote!(#len += #count;);
        };
        let (name, value) = (self.names.buffer(buffer), self.element(buffer, value));
        if !self.names.is_bounded(buffer) {
            let count = self.exprs.expr(count);
            return quote!(#name.push_n(#count, #value););
        }
        let (len, n, count) = (self.names.len(buffer), &self.names.count, self.exprs.initial(count));
        quote! {
            let #n = #count;
            #name.set_n(#len, #n, #value);
            #len += #n;
        }
    }

    /// A value as it is stored in a buffer: indices as i32.
    pub(super) fn element(self, buffer: BufferId, value: &Expr) -> Tokens {
        let tokens = self.exprs.expr(value);
        match (self.names.program.buffer(buffer).elem, value) {
            (Elem::Scalar(_), _) => tokens,
            // Literals take their place's type.
            (Elem::Index, Expr::Index(_)) => tokens,
            (Elem::Index, Expr::Lit(_)) => tokens,
            (Elem::Index, Expr::Var(_) | Expr::Load { .. } | Expr::Len(_)) => quote!(#tokens as i32),
            (Elem::Index, _) => quote!((#tokens) as i32),
        }
    }

    fn element_type(self, buffer: BufferId) -> Tokens {
        match self.names.program.buffer(buffer).elem.ty() {
            Ty::Scalar(t) => rust_type(t),
            Ty::Index | Ty::Cond | Ty::Segments => quote!(i32),
        }
    }

    pub(super) fn register_len(self, buffer: BufferId) -> Tokens {
        match self.names.program.buffer(buffer).space {
            Space::Register { len } => bare(u64::from(len)),
            _ => bare(0),
        }
    }
}

/// Does adding this value become a fused multiply-add?
fn fuses(value: &Expr) -> bool {
    matches!(value, Expr::Binary(BinaryOp::Mul, ..))
}
