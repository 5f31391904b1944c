//! The grammar of a `tensor_kernel!`: a function header, a body, schedules.

use super::cursor::{Cursor, bare, is_longer_than, split_commas};
use super::expr::is_keyword;
use super::schedule::{self, RawSchedule};
use super::statement;
use super::syntax::{RawHeader, RawKernel, RawParam, RawType, Reference};
use crate::diag::{Diagnostic, Diagnostics};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use syn::parse::Parser as _;

/// Longest type, and longest attribute, that is read.
const MAX_TYPE_TOKENS: usize = 256;

const EXAMPLE: &str =
    "pub fn spmv(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] = A[i, j] * x[j]; }";

/// Reads the macro's input.
pub(super) fn parse(tokens: TokenStream, diagnostics: &mut Diagnostics) -> RawKernel {
    let mut c = Cursor::new(splice_invisible(tokens), Span::call_site());
    let header = header(&mut c, diagnostics);
    let mut kernel =
        RawKernel { header, statement: None, complete: false, schedules: vec![], after: Diagnostics::new() };
    if kernel.header.is_none() {
        return kernel;
    }
    match c.group(Delimiter::Brace) {
        Some(group) => {
            c.skip(1);
            let body = statement::body(&group, diagnostics);
            (kernel.statement, kernel.complete) = (body.statement, body.complete);
            kernel.schedules = after_body(&mut c, &mut kernel.after);
        }
        None => diagnostics.push(
            Diagnostic::new("missing-body", c.span(), "expected the kernel's body")
                .help("write one statement in braces: `{ y[i] = A[i, j] * x[j]; }`"),
        ),
    }
    kernel
}

/// Fragments that `macro_rules!` passes on come in groups without delimiters.
fn splice_invisible(tokens: TokenStream) -> Vec<TokenTree> {
    let mut out = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(g) if g.delimiter() == Delimiter::None => {
                out.extend(g.stream().into_iter().map(bare))
            }
            token => out.push(bare(token)),
        }
    }
    out
}

/// Up to the body. `None` if it cannot be made out where the name or the parameters are.
fn header(c: &mut Cursor, diagnostics: &mut Diagnostics) -> Option<RawHeader> {
    let attrs = attributes(c, diagnostics);
    let vis = visibility(c, diagnostics);
    qualifiers(c, diagnostics);
    let mut expected = |what: &str, span| {
        diagnostics.push(
            Diagnostic::new("expected-header", span, format!("expected {what}"))
                .help(format!("a kernel is written like a function: `{EXAMPLE}`")),
        );
    };
    if c.is_word("schedule") {
        diagnostics.push(
            Diagnostic::new("expected-header", c.span(), "a schedule has no place before its kernel").help(
                "move it behind the kernel's body: `fn … { y[i] = A[i, j] * x[j]; } schedule cpu { … }`",
            ),
        );
        return None;
    }
    if !c.is_word("fn") {
        expected("`fn`", c.span());
        return None;
    }
    c.skip(1);
    let name = match c.ident() {
        Some(name) if !is_keyword(name) => name.clone(),
        Some(word) => {
            let message = format!("`{word}` can't name a kernel: it is a word of Rust's");
            diagnostics.push(
                Diagnostic::new("reserved-name", word.span(), message)
                    .help("write another name, such as `spmm`"),
            );
            return None;
        }
        None => {
            expected("the kernel's name", c.span());
            return None;
        }
    };
    c.skip(1);
    let generics = c.is_operator("<").then(|| c.span());
    let mut lifetimes = false;
    if generics.is_some() {
        let end = c
            .rest()
            .iter()
            .position(|t| matches!(t, TokenTree::Group(g) if g.delimiter() == Delimiter::Parenthesis));
        let end = end.unwrap_or(0);
        lifetimes = only_lifetimes(&c.rest()[..end]);
        c.skip(end);
    }
    let Some(group) = c.group(Delimiter::Parenthesis) else {
        expected("the parameters in parentheses", c.span());
        return None;
    };
    c.skip(1);
    if let Some(span) = generics {
        diagnostics
            .push(Diagnostic::new("generics", span, "a kernel has no generic parameters").help(if lifetimes {
            "remove them: what a kernel takes and returns borrows nothing after the call"
        } else {
            "remove them: a kernel is generic over the device already; write one kernel for each element type"
        }));
    }
    let params = params(&group, diagnostics);
    let output = output(c, diagnostics);
    if c.is_word("where") {
        diagnostics
            .push(Diagnostic::new("generics", c.span(), "a kernel has no `where` clause").help("remove it"));
        let body = |t: &TokenTree| matches!(t, TokenTree::Group(g) if g.delimiter() == Delimiter::Brace);
        c.skip(c.rest().iter().position(body).unwrap_or(c.rest().len()));
    }
    Some(RawHeader { attrs, vis, name, params, output })
}

/// `<'a, 'b>`.
fn only_lifetimes(generics: &[TokenTree]) -> bool {
    let mut names = generics.windows(2).filter_map(|pair| match pair {
        [before, TokenTree::Ident(name)] => Some((before, name)),
        _ => None,
    });
    names.all(|(before, _)| matches!(before, TokenTree::Punct(p) if p.as_char() == '\''))
}

fn attributes(c: &mut Cursor, diagnostics: &mut Diagnostics) -> Vec<syn::Attribute> {
    let mut attrs = Vec::new();
    while c.is_operator("#") || matches!(c.peek(), Some(TokenTree::Punct(p)) if p.as_char() == '#') {
        let span = c.span();
        c.skip(1);
        if c.is_operator("!") {
            c.skip(1);
            diagnostics.push(
                Diagnostic::new("bad-attribute", span, "an inner attribute has no place here")
                    .help("write `#[…]` above the function"),
            );
            c.skip(usize::from(c.group(Delimiter::Bracket).is_some()));
            continue;
        }
        let Some(group) = c.group(Delimiter::Bracket) else {
            diagnostics.push(
                Diagnostic::new("bad-attribute", span, "expected an attribute")
                    .help("write `#[…]`, or remove the `#`"),
            );
            continue;
        };
        let hash = proc_macro2::Punct::new('#', proc_macro2::Spacing::Alone);
        let tokens = [TokenTree::Punct(hash), TokenTree::Group(group)];
        c.skip(1);
        let long = is_longer_than(&tokens, MAX_TYPE_TOKENS);
        match syn::Attribute::parse_outer.parse2(tokens.into_iter().collect()) {
            _ if long => diagnostics.push(
                Diagnostic::new("bad-attribute", span, "the attribute is too long to be read")
                    .help("shorten it"),
            ),
            Ok(parsed) => attrs.extend(parsed),
            Err(e) => diagnostics.push(
                Diagnostic::new("bad-attribute", e.span(), format!("not an attribute: {e}"))
                    .help("write it as above any other function"),
            ),
        }
    }
    attrs
}

fn visibility(c: &mut Cursor, diagnostics: &mut Diagnostics) -> syn::Visibility {
    if !c.is_word("pub") {
        return syn::Visibility::Inherited;
    }
    let span = c.span();
    let mut tokens: Vec<TokenTree> = c.next().into_iter().collect();
    if let Some(group) = c.group(Delimiter::Parenthesis) {
        tokens.push(group.into());
        c.skip(1);
    }
    syn::parse2(tokens.into_iter().collect()).unwrap_or_else(|_| {
        diagnostics.push(
            Diagnostic::new("bad-visibility", span, "not a visibility")
                .help("write `pub`, `pub(crate)`, `pub(super)` or `pub(in path)`"),
        );
        syn::Visibility::Inherited
    })
}

/// `async`, `const`, `unsafe`, `extern "C"`: none of them.
fn qualifiers(c: &mut Cursor, diagnostics: &mut Diagnostics) {
    while let Some(word) = c.ident().map(Ident::to_string) {
        if !matches!(word.as_str(), "async" | "const" | "unsafe" | "extern" | "safe" | "default" | "gen") {
            return;
        }
        diagnostics.push(
            Diagnostic::new("qualifier", c.span(), format!("a kernel cannot be `{word}`"))
                .help(format!("remove `{word}`: a kernel is a plain `fn`")),
        );
        c.skip(1);
        if word == "extern" && matches!(c.peek(), Some(TokenTree::Literal(_))) {
            c.skip(1);
        }
    }
}

fn params(group: &Group, diagnostics: &mut Diagnostics) -> Vec<RawParam> {
    let pieces = split_commas(&mut Cursor::of_group(group), true);
    pieces.into_iter().filter_map(|piece| param(piece, diagnostics)).collect()
}

fn param(mut c: Cursor, diagnostics: &mut Diagnostics) -> Option<RawParam> {
    let span = c.span();
    let mut error = |code, span, message: String, help: &str| {
        diagnostics.push(Diagnostic::new(code, span, message).help(help));
    };
    if c.is_operator("#") {
        error("parameter-attribute", span, "a kernel's parameters have no attributes".into(), "remove it");
        while c.is_operator("#") {
            c.skip(1 + usize::from(matches!(c.peek_second(), Some(TokenTree::Group(_)))));
        }
    }
    if c.is_operator("...") {
        error(
            "bad-parameter",
            span,
            "a kernel's parameters are counted".into(),
            "write one parameter a tensor",
        );
        return None;
    }
    // Before the type, whose path may begin with the word.
    let mut pattern = c.rest().iter().take_while(|t| !matches!(t, TokenTree::Punct(p) if p.as_char() == ':'));
    if pattern.any(|t| matches!(t, TokenTree::Ident(i) if i == "self")) {
        let help = "a kernel is a free function: name a tensor, `A: Csr<f32>`";
        error("bad-parameter", span, "a kernel has no `self`".into(), help);
        return None;
    }
    if c.is_word("mut") {
        let help = "remove it; a tensor that is written in place has `&mut` before its type: `C: &mut DenseMat<f32>`";
        error("bad-parameter", span, "a parameter is not declared `mut`".into(), help);
        c.skip(1);
    }
    let name = match c.ident() {
        Some(name) if name != "_" && name != "ref" => name.clone(),
        _ => {
            let help = "write a name and a type: `A: Csr<f32>`";
            error("bad-parameter", c.span(), "a kernel's parameters are plain names".into(), help);
            return None;
        }
    };
    c.skip(1);
    if !c.is_operator(":") {
        let help = format!("write its type: `{name}: Csr<f32>`, or `{name}: f32` for a scalar");
        error("bad-parameter", c.span(), format!("expected `:` and the type of `{name}`"), &help);
        let ty = RawType { ty: None, reference: Reference::None, span: name.span() };
        return Some(RawParam { name, ty });
    }
    c.skip(1);
    Some(RawParam { name, ty: read_type(c.rest(), c.span(), diagnostics) })
}

/// `-> Type`.
fn output(c: &mut Cursor, diagnostics: &mut Diagnostics) -> Option<RawType> {
    if c.is_operator("->") {
        c.skip(2);
    } else if c.is_operator("=>")
        || c.is_operator(":")
        || c.ident().is_some_and(|i| i != "where" && i != "schedule")
    {
        diagnostics.push(
            Diagnostic::new("missing-arrow", c.span(), "expected `->` before the result's type")
                .help("write it as in `-> DenseVec<f32>`"),
        );
        c.skip(c.operator().map_or(0, str::len));
    } else {
        return None;
    }
    let span = c.span();
    let ends = |t: &TokenTree| match t {
        TokenTree::Group(g) => g.delimiter() == Delimiter::Brace,
        TokenTree::Ident(i) => i == "where" || i == "schedule",
        TokenTree::Punct(p) => p.as_char() == ';',
        TokenTree::Literal(_) => false,
    };
    let len = c.rest().iter().position(ends).unwrap_or(c.rest().len());
    let ty = read_type(&c.rest()[..len], span, diagnostics);
    c.skip(len);
    Some(ty)
}

fn read_type(tokens: &[TokenTree], span: Span, diagnostics: &mut Diagnostics) -> RawType {
    if let [TokenTree::Ident(word), rest @ ..] = tokens
        && word == "mut"
        && !rest.is_empty()
    {
        diagnostics.push(
            Diagnostic::new("bad-type", word.span(), "a type does not begin with `mut`")
                .help("write `&mut` before the type of the tensor that is written in place"),
        );
        let ty = read_type(rest, span, diagnostics);
        return RawType { reference: Reference::Mut, ..ty };
    }
    let mut fail = |span, message: &str| {
        diagnostics.push(
            Diagnostic::new("bad-type", span, message)
                .help("write a tensor's type, such as `Csr<f32>`, or a scalar's, such as `f32`"),
        );
        RawType { ty: None, reference: Reference::None, span }
    };
    if tokens.is_empty() {
        return fail(span, "a type is missing");
    }
    if is_longer_than(tokens, MAX_TYPE_TOKENS) {
        return fail(span, &format!("a type of more than {MAX_TYPE_TOKENS} tokens"));
    }
    let mut ty = match syn::parse2::<syn::Type>(tokens.iter().cloned().collect()) {
        Ok(ty) => ty,
        Err(e) => return fail(e.span(), "this is not a type"),
    };
    let mut reference = Reference::None;
    loop {
        ty = match ty {
            syn::Type::Reference(r) => {
                reference = match (reference, r.mutability) {
                    (Reference::None, Some(_)) => Reference::Mut,
                    _ => Reference::Shared(r.and_token.span),
                };
                *r.elem
            }
            syn::Type::Paren(p) => *p.elem,
            syn::Type::Group(g) => *g.elem,
            ty => return RawType { ty: Some(ty), reference, span },
        };
    }
}

/// Schedules and nothing else.
fn after_body(c: &mut Cursor, diagnostics: &mut Diagnostics) -> Vec<RawSchedule> {
    let mut schedules = Vec::new();
    while !c.is_empty() {
        if c.is_operator(";") {
            c.skip(1);
            continue;
        }
        if !c.is_word("schedule") {
            let another = c.rest().iter().any(|t| matches!(t, TokenTree::Ident(i) if i == "fn"));
            diagnostics.push(if another {
                Diagnostic::new("several-kernels", c.span(), "a `tensor_kernel!` holds one function")
                    .help("write a `tensor_kernel!` for each")
            } else {
                Diagnostic::new("unexpected-tokens", c.span(), "expected the end, or `schedule`")
                    .help("remove what follows the kernel's body")
            });
            return schedules;
        }
        schedule::raw(c, &mut schedules, diagnostics);
    }
    schedules
}
