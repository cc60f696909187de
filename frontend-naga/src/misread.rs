//! GLSL that naga's parser takes and gives another meaning. Such a text is refused before anything is made of it.
//!
//! The forms are looked for in the tokens behind the preprocessor, since macros can hide any of them. What cannot be told apart from a form
//! by its tokens alone is refused with it.

use gpucc_frontend_common::report;
use gpucc_ir::{Diagnostic, Refusal, Span};
use indexmap::IndexSet;
use pp_rs::pp::Preprocessor;
use pp_rs::token::{Location, Punct as P, Token, TokenValue as T};
use rustc_hash::FxBuildHasher;

type Names<'a> = IndexSet<&'a str, FxBuildHasher>;

/// Looks for the first form that naga gets wrong.
///
/// # Errors
/// The refusal, with the place of the form.
pub fn check(source: &str) -> Result<(), Diagnostic> {
    // An error of the preprocessor is one that the parser will report.
    let tokens: Vec<Token> = Preprocessor::new(source).map_while(Result::ok).filter(is_code).collect();
    let list = items(&tokens);
    let mut globals = Globals::default();
    for item in &list {
        if let Item::Function { head, .. } = item {
            globals.functions.extend(head.iter().find_map(name));
        }
    }
    for item in &list {
        match item {
            Item::Function { body, .. } => {
                words(body)?;
                short_circuits(body, &globals.functions)?;
                late_conditions(body)?;
            }
            Item::Declaration(all) => {
                words(all)?;
                short_circuits(all, &globals.functions)?;
                globals.declare(all)?;
            }
        }
    }
    Ok(())
}

fn is_code(t: &Token) -> bool {
    !matches!(t.value, T::Version(_) | T::Extension(_) | T::Pragma(_))
}

fn span(at: Location) -> Span {
    Span::new(at.start, at.end)
}

fn name(t: &Token) -> Option<&str> {
    match &t.value {
        T::Ident(name) => Some(name),
        _ => None,
    }
}

fn is(t: &Token, punct: P) -> bool {
    t.value == T::Punct(punct)
}

/// How a token changes the number of open brackets.
fn step(t: &Token) -> i32 {
    match &t.value {
        T::Punct(P::LeftBrace | P::LeftParen | P::LeftBracket) => 1,
        T::Punct(P::RightBrace | P::RightParen | P::RightBracket) => -1,
        _ => 0,
    }
}

fn refused(what: &str, at: &Token) -> Diagnostic {
    report::unsupported(Refusal::Parser, &format!("{what} of GLSL text"), span(at.location))
        .note(crate::known::BY_SPIRV)
}

/// What stands outside of all brackets.
enum Item<'a> {
    /// The tokens up to a body, its name first, and those of the body.
    Function { head: &'a [Token], body: &'a [Token] },
    /// Anything that ends with a semicolon.
    Declaration(&'a [Token]),
}

fn items(tokens: &[Token]) -> Vec<Item<'_>> {
    let mut list = Vec::new();
    let (mut start, mut depth, mut body) = (0, 0, None);
    for (k, t) in tokens.iter().enumerate() {
        if depth == 0 && is(t, P::LeftBrace) && k > 0 && is(&tokens[k - 1], P::RightParen) {
            body = Some(k);
        }
        depth += step(t);
        match body {
            Some(from) if depth == 0 => {
                let head = &tokens[start..from];
                // The name is what stands before the parameters.
                let at = head.iter().position(|t| is(t, P::LeftParen)).map_or(0, |n| n.saturating_sub(1));
                list.push(Item::Function { head: &head[at..], body: &tokens[from..=k] });
                (start, body) = (k + 1, None);
            }
            None if depth == 0 && is(t, P::Semicolon) => {
                list.push(Item::Declaration(&tokens[start..k]));
                start = k + 1;
            }
            _ => {}
        }
    }
    list.push(Item::Declaration(&tokens[start..]));
    list
}

/// Single words whose meaning is lost.
fn words(tokens: &[Token]) -> Result<(), Diagnostic> {
    for t in tokens {
        match name(t) {
            Some(n) if n.starts_with("texelFetchOffset") || ["gl_ClipDistance", "gl_CullDistance"].contains(&n) => {
                return Err(refused(&format!("`{n}`"), t));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The right side of `&&` and `||` is evaluated always: it must not do anything.
fn short_circuits(tokens: &[Token], functions: &Names<'_>) -> Result<(), Diagnostic> {
    for (k, t) in tokens.iter().enumerate() {
        if !is(t, P::LogicalAnd) && !is(t, P::LogicalOr) {
            continue;
        }
        let mut depth = 0;
        for (n, side) in tokens.iter().enumerate().skip(k + 1) {
            depth += step(side);
            let ends = depth == 0
                && [P::Semicolon, P::Comma, P::Question, P::Colon, P::LogicalAnd, P::LogicalOr, P::LogicalXor]
                    .iter()
                    .any(|p| is(side, *p));
            if depth < 0 || ends {
                break;
            }
            let acts = match &side.value {
                T::Punct(
                    P::Increment
                    | P::Decrement
                    | P::Equal
                    | P::AddAssign
                    | P::SubAssign
                    | P::MulAssign
                    | P::DivAssign
                    | P::ModAssign
                    | P::LeftShiftAssign
                    | P::RightShiftAssign
                    | P::AndAssign
                    | P::XorAssign
                    | P::OrAssign,
                ) => true,
                T::Ident(name) if tokens.get(n + 1).is_some_and(|t| is(t, P::LeftParen)) => {
                    let name = name.as_str();
                    functions.contains(name)
                        || ["atomic", "imageAtomic", "imageStore"].iter().any(|p| name.starts_with(p))
                }
                _ => false,
            };
            if acts {
                return Err(refused("a call or an assignment on the right side of `&&` or `||`", side));
            }
        }
    }
    Ok(())
}

/// `continue` goes past the condition of `do ... while`.
fn late_conditions(body: &[Token]) -> Result<(), Diagnostic> {
    let has = |word| body.iter().find(|t| name(t) == Some(word));
    match (has("do"), has("continue")) {
        (Some(_), Some(at)) => Err(refused("`continue` beside `do ... while`", at)),
        _ => Ok(()),
    }
}

/// What was declared so far.
#[derive(Default)]
struct Globals<'a> {
    functions: Names<'a>,
    structs: Names<'a>,
    /// Constants whose values no specialisation changes.
    constants: Names<'a>,
    /// Names that a member of a block would hide.
    names: Names<'a>,
}

const TYPES: [&str; 9] = ["float", "double", "int", "uint", "bool", "true", "false", "f16", "float16_t"];

fn is_type(name: &str) -> bool {
    let vector = ["vec", "ivec", "uvec", "bvec", "dvec", "mat", "dmat"];
    TYPES.contains(&name)
        || vector.iter().any(|v| name.strip_prefix(v).is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit())))
}

impl<'a> Globals<'a> {
    fn declare(&mut self, all: &'a [Token]) -> Result<(), Diagnostic> {
        let mut depth = 0;
        let depths: Vec<i32> = all
            .iter()
            .map(|t| {
                let before = depth;
                depth += step(t);
                before.min(depth)
            })
            .collect();
        let outside = |punct| (0..all.len()).find(|&k| depths[k] == 0 && is(&all[k], punct));
        let brace = outside(P::LeftBrace);
        let end = [brace, outside(P::Equal)].into_iter().flatten().min().unwrap_or(all.len());
        // Words outside of `layout(..)`.
        let head: Vec<&'a Token> = (0..end).filter(|&k| depths[k] == 0).map(|k| &all[k]).collect();
        let has = |word: &str| head.iter().find(|t| name(t) == Some(word)).copied();
        if let Some(at) = has("centroid").or_else(|| has("sample")) {
            let word = name(at).unwrap_or_default();
            return Err(refused(&format!("`{word}`"), at));
        }
        match brace {
            Some(open) if has("struct").is_some() => {
                self.structs.extend(head.iter().rev().find_map(|t| name(t)));
                self.names.extend(declared(&all[open..]));
                Ok(())
            }
            Some(open) => self.block(all, open),
            None => self.variables(all, &head, &depths),
        }
    }

    /// A block, with members from a brace on.
    fn block(&mut self, all: &'a [Token], open: usize) -> Result<(), Diagnostic> {
        let mut depth = 0;
        let close = all.iter().enumerate().skip(open).find(|(_, t)| {
            depth += step(t);
            depth == 0
        });
        let Some((close, _)) = close else { return Ok(()) };
        let behind = &all[close + 1..];
        if let Some(at) = behind.iter().find(|t| is(t, P::LeftBracket)) {
            return Err(refused("an array of blocks", at));
        }
        let members = all[open + 1..close].split(|t| is(t, P::Semicolon)).flat_map(declared);
        if behind.is_empty() {
            self.names.extend(members);
            return Ok(());
        }
        for member in members {
            if self.names.contains(member) {
                let at = all[open..close].iter().find(|t| name(t) == Some(member)).unwrap_or(&all[open]);
                return Err(refused(&format!("the name `{member}` of a member of a block and of what is global"), at));
            }
        }
        self.names.extend(behind.iter().find_map(name));
        Ok(())
    }

    fn variables(&mut self, all: &'a [Token], head: &[&'a Token], depths: &[i32]) -> Result<(), Diagnostic> {
        let has = |word: &str| head.iter().find(|t| name(t) == Some(word)).copied();
        let place = has("in").or_else(|| has("out"));
        let is_array = head.iter().any(|t| is(t, P::LeftBracket));
        let of_struct = head.iter().any(|t| name(t).is_some_and(|n| self.structs.contains(n)));
        let integer = head
            .iter()
            .filter_map(|t| name(t))
            .any(|n| ["int", "uint"].contains(&n) || n.starts_with("ivec") || n.starts_with("uvec"));
        if let (Some(_), Some(at)) = (place, has("flat").or_else(|| has("noperspective")))
            && (of_struct || is_array && !integer)
        {
            let word = name(at).unwrap_or_default();
            return Err(refused(&format!("`{word}` in front of an array or a structure"), at));
        }
        let is_constant = has("const").is_some();
        let specialised = all.iter().any(|t| name(t) == Some("constant_id"));
        let mut open = specialised;
        // An initial value goes from its sign to the next comma outside of brackets.
        let mut inside = false;
        for (k, t) in all.iter().enumerate() {
            if depths[k] == 0 && (is(t, P::Equal) || is(t, P::Comma)) {
                inside = is(t, P::Equal);
            }
            let Some(n) = name(t).filter(|_| inside) else { continue };
            // A component of what stands before it.
            let component = k > 0 && is(&all[k - 1], P::Dot);
            if component || is_type(n) || self.structs.contains(n) || self.constants.contains(n) {
                continue;
            }
            open = true;
            let function = all.get(k + 1).is_some_and(|t| is(t, P::LeftParen)) && !self.functions.contains(n);
            if !is_constant && place.is_none() && has("uniform").is_none() && !specialised && !function {
                return Err(refused("a global variable whose initial value is no constant", t));
            }
            if !is_constant && function {
                return Err(refused("a global variable whose initial value calls a function", t));
            }
        }
        let list = declared(all);
        if is_constant && !open {
            self.constants.extend(list.iter().copied());
        }
        self.names.extend(list);
        Ok(())
    }
}

/// The names that a declaration without braces makes: of each part between commas the last word before a bracket or a sign.
fn declared(tokens: &[Token]) -> Vec<&str> {
    let mut list = Vec::new();
    let (mut depth, mut last, mut done) = (0, None, false);
    for t in tokens {
        if depth == 0 {
            match &t.value {
                T::Ident(n) if !done => last = Some(n.as_str()),
                // Behind `layout` there are brackets too.
                T::Punct(P::LeftBracket | P::Equal) => done = last.is_some(),
                T::Punct(P::Comma) => {
                    list.extend(last.take());
                    done = false;
                }
                _ => {}
            }
        }
        depth += step(t);
    }
    list.extend(last);
    list
}
