//! What a header's names stand for, and which tensor is written.

use super::ast::{Mode, Param};
use super::expr::is_keyword;
use super::resolve::Resolver;
use super::spelling::type_name;
use super::types::Kind;
use crate::format::{FormatSpec, TensorId};
use crate::scalar::DType;
use proc_macro2::Ident;

/// A tensor whose type may not be known.
pub(super) struct DeclaredTensor {
    pub(super) name: Ident,
    pub(super) ty: Option<syn::Type>,
    pub(super) shape: Option<(FormatSpec, DType)>,
    pub(super) mode: Mode,
    pub(super) used: bool,
}

pub(super) struct DeclaredScalar {
    pub(super) name: Ident,
    pub(super) dtype: DType,
    pub(super) used: bool,
}

/// Items in scope of the generated code.
const GENERATED: [&str; 10] =
    ["CIN", "CUDA_CIN", "CUDA_SOURCE", "GPU", "Host", "KERNELS", "Kernel", "PROGRAM", "SIZE", "TEXT"];

/// What generated code would take the name for.
pub(super) fn reserved(name: &Ident) -> Option<&'static str> {
    if is_keyword(name) {
        return Some("it is a word of Rust's");
    }
    GENERATED.iter().any(|item| name == item).then_some("it is an item of the kernel's module")
}

#[derive(Clone, Copy)]
pub(super) enum Entity {
    Tensor(TensorId),
    Scalar(usize),
}

impl Resolver<'_> {
    pub(super) fn parameter(&mut self, name: Ident, ty: Option<syn::Type>, kind: &Kind, mode: Mode) -> Param {
        let text = name.to_string();
        if let Some(why) = reserved(&name) {
            let message = format!("`{text}` can't name a parameter: {why}");
            self.error("reserved-name", name.span(), message, "write another name, such as `A`");
        }
        let duplicate = self.names.contains_key(&text);
        if duplicate {
            let message = format!("there is a parameter `{text}` already");
            self.error("duplicate-parameter", name.span(), message, "give each parameter a name of its own");
        }
        let (param, entity) = match kind {
            Kind::Scalar(dtype) => {
                let n = self.scalars.len();
                self.scalars.push(DeclaredScalar { name, dtype: *dtype, used: duplicate });
                (Param::Scalar(n), Entity::Scalar(n))
            }
            kind => {
                let id = self.tensor(name, ty, kind, mode);
                self.tensors[id.index()].used |= duplicate;
                (Param::Tensor(id), Entity::Tensor(id))
            }
        };
        self.names.entry(text).or_insert(entity);
        param
    }

    fn tensor(&mut self, name: Ident, ty: Option<syn::Type>, kind: &Kind, mode: Mode) -> TensorId {
        let shape = match kind {
            Kind::Tensor(spec, dtype) => Some((spec.clone(), *dtype)),
            Kind::Scalar(_) | Kind::Unknown => None,
        };
        let id = TensorId(self.tensors.len() as u32);
        self.tensors.push(DeclaredTensor { name, ty, shape, mode, used: mode != Mode::Input });
        id
    }

    /// Which tensor is written: the returned one, named by the left side, or the one `&mut` parameter.
    pub(super) fn output(
        &mut self,
        kernel: &Ident,
        params: &[Param],
        is_mut: &[bool],
        result: Option<(Option<syn::Type>, Kind)>,
        lhs: Option<Ident>,
    ) -> Option<TensorId> {
        let written = params.iter().zip(is_mut).filter_map(|(p, m)| match p {
            Param::Tensor(t) if *m => Some(*t),
            _ => None,
        });
        let written: Vec<_> = written.collect();
        let surplus = if result.is_some() { &written[..] } else { written.get(1..).unwrap_or_default() };
        for t in surplus {
            let message = "a kernel has one output: the tensor that it returns, or one `&mut` parameter";
            let help = "keep one of the outputs, and write a `tensor_kernel!` for each other";
            self.error("several-outputs", self.tensors[t.index()].name.span(), message, help);
        }
        let Some((ty, kind)) = result else {
            let Some(&first) = written.first() else {
                if is_mut.contains(&true) {
                    // `&mut f32`, which has been reported.
                    self.unresolved = true;
                    return None;
                }
                if let Some(name) = &lhs
                    && let Some(&Entity::Tensor(t)) = self.names.get(&name.to_string())
                {
                    self.operand_is_written(name, t);
                    return None;
                }
                let help = "return the result (`-> DenseVec<f32>`), or take it as a parameter `y: &mut DenseVec<f32>`";
                self.error("no-output", kernel.span(), format!("`{kernel}` has no output"), help);
                return None;
            };
            let name = lhs?;
            let output = self.tensors[first.index()].name.to_string();
            return match self.names.get(&name.to_string()) {
                _ if name == output => Some(first),
                Some(Entity::Tensor(t)) if written.contains(t) => Some(*t),
                _ => {
                    self.unresolved = true;
                    self.error(
                        "left-side-not-output",
                        name.span(),
                        format!("the left side is `{name}`, but `{output}` is the kernel's output"),
                        format!("write `{output}` on the left, or make `{name}` the parameter with `&mut`"),
                    );
                    None
                }
            };
        };
        let name = lhs?;
        if self.names.contains_key(&name.to_string()) {
            self.unresolved = true;
            if surplus.iter().any(|t| self.tensors[t.index()].name == name) {
                return None;
            }
            self.error(
                "output-is-parameter",
                name.span(),
                format!("`{name}` is a parameter, but the kernel returns a new tensor, which the left side names"),
                format!("write another name on the left; to write `{name}` in place, make it `&mut` and return nothing"),
            );
            return None;
        }
        if let Some(why) = reserved(&name) {
            let message = format!("`{name}` can't name a result: {why}");
            self.error("reserved-name", name.span(), message, "write another name, such as `C`");
        }
        let id = self.tensor(name.clone(), ty, &kind, Mode::Result);
        self.names.insert(name.to_string(), Entity::Tensor(id));
        Some(id)
    }

    /// A kernel that returns nothing assigns to a parameter that is not `&mut`.
    fn operand_is_written(&mut self, name: &Ident, operand: TensorId) {
        self.unresolved = true;
        let tensor = &mut self.tensors[operand.index()];
        tensor.used = true;
        let ty = match &tensor.shape {
            Some((spec, dtype)) => type_name(spec, *dtype),
            None => "…".into(),
        };
        let message = format!("`{name}` is written, but its type is not `&mut`");
        let help =
            format!("declare it `{name}: &mut {ty}`, or return a new tensor of another name (`-> {ty}`)");
        self.error("operand-written", name.span(), message, help);
    }

    /// A declared name that differs in case or in one character.
    pub(super) fn similar(&self, name: &str) -> Option<String> {
        let declared = self.tensors.iter().map(|t| &t.name).chain(self.scalars.iter().map(|s| &s.name));
        let mut near: Vec<_> = declared.map(Ident::to_string).filter(|d| is_near(d, name)).collect();
        near.sort_by_key(|d| !d.eq_ignore_ascii_case(name));
        near.into_iter().next()
    }
}

/// Equal but for case, or for one character inserted, removed or changed in a name of three or more.
pub(super) fn is_near(a: &str, b: &str) -> bool {
    if a.eq_ignore_ascii_case(b) {
        return true;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (short, long) = if a.len() <= b.len() { (&a, &b) } else { (&b, &a) };
    if short.len() < 2 || long.len() < 3 || long.len() - short.len() > 1 {
        return false;
    }
    let prefix = short.iter().zip(long).take_while(|(x, y)| x == y).count();
    let skip = usize::from(short.len() == long.len());
    short.get(prefix + skip..).unwrap_or_default() == long.get(prefix + 1..).unwrap_or_default()
}
