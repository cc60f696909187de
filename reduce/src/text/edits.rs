//! The passes over texts: which parts go, and what takes the place of others.

use std::collections::BTreeSet;
use std::ops::Range;

use super::given::{Language, Options, TextEdit};
use super::tokens::{Kind, Token, Tokens};
use crate::smaller::smaller;

/// How many passes [`edits`] has.
pub(super) const PASSES: usize = 19;

/// Words of both languages, which are no names of the author.
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "if", "else", "for", "while", "do", "loop", "continuing", "switch", "case", "default", "break", "continue",
    "return", "discard", "fn", "struct", "var", "let", "const", "override", "alias", "enable", "requires",
    "diagnostic", "true", "false", "in", "out", "inout", "uniform", "buffer", "layout", "precision", "highp",
    "mediump", "lowp", "void", "main",
];

/// A part of code between braces or at the end of a line.
struct Statement {
    /// Its tokens.
    at: Range<usize>,
    /// The tokens between the braces of each of its blocks.
    blocks: Vec<Range<usize>>,
    /// The tokens of the first part of a `for`.
    init: Option<Range<usize>>,
    /// The tokens of the condition of an `if`, a `while` or a `switch`.
    head: Option<Range<usize>>,
    /// Where an `else` begins.
    otherwise: Option<usize>,
}

/// A declaration at the top of a text.
struct Declaration {
    at: Range<usize>,
    /// Index of the word that says what it is, behind the attributes.
    word: usize,
    /// The tokens between braces.
    body: Option<Range<usize>>,
}

struct Shape<'a> {
    t: Tokens<'a>,
    language: Language,
    /// The bracket that belongs to each bracket.
    pair: Vec<Option<usize>>,
    /// Whether a token is a part of an attribute or a layout.
    fixed: Vec<bool>,
}

impl<'a> Shape<'a> {
    fn new(source: &'a str, language: Language) -> Shape<'a> {
        let mut t = Tokens::new(source);
        t.list.retain(|k| k.kind != Kind::Comment);
        let mut pair = vec![None; t.list.len()];
        let mut open: Vec<usize> = Vec::new();
        for (k, token) in t.list.iter().enumerate() {
            match t.text(token) {
                "(" | "[" | "{" => open.push(k),
                ")" | "]" | "}" => {
                    if let Some(o) = open.pop() {
                        pair[o] = Some(k);
                        pair[k] = Some(o);
                    }
                }
                _ => {}
            }
        }
        let mut s = Shape { t, language, pair, fixed: Vec::new() };
        s.fixed = vec![false; s.t.list.len()];
        for k in 0..s.t.list.len() {
            let end = s.behind_attributes(k);
            s.fixed[k..end.min(s.t.list.len())].fill(true);
        }
        s
    }

    fn text(&self, k: usize) -> &'a str {
        self.t.list.get(k).map_or("", |t| self.t.text(t))
    }

    fn token(&self, k: usize) -> &Token {
        &self.t.list[k]
    }

    fn is_word(&self, k: usize) -> bool {
        self.t.list.get(k).is_some_and(|t| t.kind == Kind::Word)
    }

    /// The bytes of some tokens.
    fn bytes(&self, at: Range<usize>) -> Range<usize> {
        if at.is_empty() {
            let here = self.t.list.get(at.start).map_or(self.t.source.len(), |t| t.at.start);
            return here..here;
        }
        self.token(at.start).at.start..self.token(at.end - 1).at.end
    }

    fn source(&self, at: Range<usize>) -> &'a str {
        &self.t.source[self.bytes(at)]
    }

    fn gone(&self, at: Range<usize>) -> TextEdit {
        TextEdit::one(self.bytes(at), "")
    }

    fn replaced(&self, at: Range<usize>, with: impl Into<String>) -> TextEdit {
        TextEdit::one(self.bytes(at), with)
    }

    /// The place behind a bracket's partner, or behind a token.
    fn behind(&self, k: usize) -> usize {
        match (self.text(k), self.pair[k]) {
            ("(" | "[" | "{", Some(c)) => c + 1,
            _ => k + 1,
        }
    }

    /// The first of these marks from `k` on, outside of brackets; `end` if there is none.
    fn find(&self, mut k: usize, end: usize, marks: &[&str]) -> usize {
        while k < end {
            if marks.contains(&self.text(k)) {
                return k;
            }
            k = self.behind(k);
        }
        end
    }

    /// Parts between commas outside of brackets.
    fn split(&self, at: Range<usize>, mark: &str) -> Vec<Range<usize>> {
        let mut out = Vec::new();
        let mut from = at.start;
        while from < at.end {
            let to = self.find(from, at.end, &[mark]);
            if to > from {
                out.push(from..to);
            }
            from = to + 1;
        }
        out
    }

    /// The token behind attributes and qualifiers in brackets.
    fn behind_attributes(&self, mut k: usize) -> usize {
        loop {
            match self.text(k) {
                "@" => {
                    k += 2;
                    if self.text(k) == "(" {
                        k = self.behind(k);
                    }
                }
                "layout" if self.text(k + 1) == "(" => k = self.behind(k + 1),
                _ => return k,
            }
        }
    }

    fn declarations(&self) -> Vec<Declaration> {
        let n = self.t.list.len();
        let mut out = Vec::new();
        let mut k = 0;
        while k < n {
            if self.token(k).kind == Kind::Line {
                out.push(Declaration { at: k..k + 1, word: k, body: None });
                k += 1;
                continue;
            }
            let word = self.behind_attributes(k);
            let stop = self.find(word, n, &[";", "{"]);
            let (end, body) = match self.text(stop) {
                "{" => {
                    let close = self.pair[stop].unwrap_or(n.saturating_sub(1));
                    let mut end = close + 1;
                    // A block of GLSL or a structure: its name and a semicolon may follow. An initialiser of a list, too.
                    let function = self.text(stop.wrapping_sub(1)) == ")" || self.text(word) == "fn";
                    if !function && (self.language == Language::Glsl || self.text(end) == ";") {
                        end = (self.find(end, n, &[";"]) + 1).min(n);
                    }
                    (end, Some(stop + 1..close))
                }
                _ => ((stop + 1).min(n), None),
            };
            out.push(Declaration { at: k..end.max(k + 1), word, body });
            k = end.max(k + 1);
        }
        out
    }

    fn is_function(&self, d: &Declaration) -> bool {
        d.body.as_ref().is_some_and(|b| {
            let before = self.text(b.start.wrapping_sub(2));
            self.text(d.word) == "fn" || before == ")" && self.language == Language::Glsl
        })
    }

    /// The name of a function, and the tokens between the brackets of its parameters.
    fn signature(&self, d: &Declaration) -> Option<(usize, Range<usize>)> {
        let open = self.find(d.word, d.at.end, &["("]);
        let name = open.checked_sub(1).filter(|&k| self.is_word(k))?;
        Some((name, open + 1..self.pair.get(open).copied().flatten()?))
    }

    /// Whether something is called from outside.
    fn is_entry(&self, d: &Declaration) -> bool {
        let attributes = d.at.start..d.word;
        let stage = attributes.clone().any(|k| matches!(self.text(k), "vertex" | "fragment" | "compute"));
        let main = self.signature(d).is_some_and(|(name, _)| matches!(self.text(name), "main" | "mainImage"));
        stage || self.language == Language::Glsl && main
    }

    /// The statements of a block, those of inner blocks behind their own.
    fn statements(&self, block: Range<usize>, out: &mut Vec<Statement>) {
        let mut k = block.start;
        while k < block.end {
            let s = self.statement(k, block.end);
            k = s.at.end.max(k + 1);
            let inner = s.blocks.clone();
            out.push(s);
            inner.into_iter().for_each(|b| self.statements(b, out));
        }
    }

    fn statement(&self, k: usize, end: usize) -> Statement {
        let mut s = Statement { at: k..k, blocks: Vec::new(), init: None, head: None, otherwise: None };
        let at = self.behind_attributes(k);
        match self.text(at) {
            "{" => {
                s.at.end = self.behind(at);
                s.blocks.push(at + 1..s.at.end - 1);
            }
            "if" | "for" | "while" | "switch" | "loop" | "continuing" | "do" | "case" | "default" => {
                self.compound(at, end, &mut s);
            }
            _ => s.at.end = (self.find(at, end, &[";"]) + 1).min(end),
        }
        s
    }

    fn compound(&self, at: usize, end: usize, s: &mut Statement) {
        let stop = self.find(at + 1, end, &["{", ";", ":"]);
        // A condition in brackets with a statement without braces behind it.
        let bare = self.text(at + 1) == "(" && self.text(self.behind(at + 1)) != "{" && self.text(at) != "case";
        let body = if bare { self.behind(at + 1) } else { stop };
        if self.text(at + 1) == "(" && body == self.behind(at + 1) {
            let inside = at + 2..self.behind(at + 1).saturating_sub(1);
            if self.text(at) == "for" {
                s.init = self.split(inside, ";").first().cloned();
            } else {
                s.head = Some(inside);
            }
        } else if matches!(self.text(at), "if" | "while" | "switch") {
            s.head = Some(at + 1..body.min(end));
        } else if self.text(at) == "for" {
            s.init = None;
        }
        s.at.end = match self.text(body) {
            "{" => {
                let behind = self.behind(body);
                s.blocks.push(body + 1..behind - 1);
                behind
            }
            ":" if self.text(body + 1) == "{" => {
                let behind = self.behind(body + 1);
                s.blocks.push(body + 2..behind - 1);
                behind
            }
            // A label of GLSL: the statements behind it stand for themselves.
            ":" => body + 1,
            _ if bare && body < end => self.statement(body, end).at.end,
            _ => (body + 1).min(end),
        };
        if self.text(at) == "do" {
            s.at.end = (self.find(s.at.end, end, &[";"]) + 1).min(end);
        }
        if self.text(at) == "if" && self.text(s.at.end) == "else" && s.at.end < end {
            s.otherwise = Some(s.at.end);
            let rest = self.statement(s.at.end + 1, end);
            s.blocks.extend(rest.blocks);
            s.at.end = rest.at.end;
        }
    }

    /// What stands like a call of a name: its tokens, and its arguments. Where a function is declared is one of them.
    fn calls_of(&self, name: &str) -> Vec<(Range<usize>, Vec<Range<usize>>)> {
        let is = |k: &usize| self.text(*k) == name && self.text(*k + 1) == "(";
        let calls = (0..self.t.list.len()).filter(is);
        calls.filter_map(|k| self.pair[k + 1].map(|end| (k..end + 1, self.split(k + 2..end, ",")))).collect()
    }

    fn all_statements(&self) -> Vec<Statement> {
        let mut out = Vec::new();
        for d in self.declarations().iter().filter(|d| self.is_function(d)) {
            if let Some(body) = d.body.clone() {
                self.statements(body, &mut out);
            }
        }
        out
    }

    /// Places where an expression stands alone: values that are given, returned, passed, or asked.
    fn expressions(&self) -> Vec<Range<usize>> {
        let mut out = Vec::new();
        let mut add = |r: Range<usize>| {
            if !r.is_empty() {
                out.push(r);
            }
        };
        for s in self.all_statements() {
            if let Some(head) = s.head.clone() {
                add(head);
            }
            let plain = s.blocks.is_empty();
            let from = match self.text(s.at.start) {
                "return" => Some(s.at.start + 1),
                _ if plain => {
                    let marks = ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="];
                    Some(self.find(s.at.start, s.at.end, &marks)).filter(|&k| k < s.at.end).map(|k| k + 1)
                }
                _ => None,
            };
            if let Some(from) = from {
                add(from..self.find(from, s.at.end, &[";"]));
            }
        }
        for d in self.declarations().iter().filter(|d| d.body.is_none()) {
            let from = self.find(d.word, d.at.end, &["="]) + 1;
            if from < d.at.end {
                add(from..d.at.end - 1);
            }
        }
        for open in 0..self.t.list.len() {
            if let (true, Some(close)) = (matches!(self.text(open), "(" | "[") && !self.fixed[open], self.pair[open]) {
                self.split(open + 1..close, ",").into_iter().for_each(&mut add);
            }
        }
        out
    }

    /// Where an operator of two operands stands outside of brackets.
    fn operators(&self, at: Range<usize>) -> Vec<usize> {
        let marks =
            ["+", "-", "*", "/", "%", "&", "|", "^", "&&", "||", "==", "!=", "<", "<=", ">", ">=", "<<", "?", ":"];
        let mut out = Vec::new();
        let mut k = at.start;
        while k < at.end {
            if k > at.start && k + 1 < at.end && marks.contains(&self.text(k)) {
                out.push(k);
            }
            k = self.behind(k);
        }
        out
    }
}

/// The edits of a pass, in the order of the text.
pub(super) fn edits(source: &str, language: Language, options: &Options, pass: usize) -> Vec<TextEdit> {
    let s = Shape::new(source, language);
    match pass {
        0 => comments(source),
        1 => unneeded(&s, options, None),
        2 => declarations(&s, options),
        3 => bodies(&s, options),
        4 => statements(&s),
        5 => unwrapped(&s),
        6 => calls(&s),
        7 => members(&s, options),
        8 => lone(&s, options),
        9 => parameters(&s),
        10 => operands(&s),
        11 => arguments(&s),
        12 => literals(&s),
        13 => inlined(&s),
        14 => suffixes(&s),
        15 => attributes(&s, options),
        16 => initialisers(&s),
        17 => numbers(&s, options),
        _ if options.rename => names(&s, options),
        _ => Vec::new(),
    }
}

/// What is not needed by the entries with these names.
pub(super) fn unneeded_by(
    source: &str,
    language: Language,
    options: &Options,
    names: &BTreeSet<&str>,
) -> Vec<TextEdit> {
    unneeded(&Shape::new(source, language), options, Some(names))
}

fn comments(source: &str) -> Vec<TextEdit> {
    let t = Tokens::new(source);
    t.list.iter().filter(|k| k.kind == Kind::Comment).map(|k| TextEdit::one(k.at.clone(), " ")).collect()
}

/// Whether other programs see a declaration.
fn is_interface(s: &Shape<'_>, d: &Declaration) -> bool {
    s.is_entry(d)
        || d.at.clone().any(|k| s.text(k) == "@" && matches!(s.text(k + 1), "group" | "binding" | "location"))
        || matches!(s.text(d.word), "in" | "out" | "uniform" | "buffer" | "override")
        || d.word > d.at.start && s.language == Language::Glsl
}

/// What no entry names, nor what an entry names, all of it at once. Of the entries those with these names, without them all.
///
/// Of GLSL functions alone: what else is declared there has names in many places.
fn unneeded(s: &Shape<'_>, options: &Options, entries: Option<&BTreeSet<&str>>) -> Vec<TextEdit> {
    let list = s.declarations();
    let name = |d: &Declaration| {
        let wgsl = match s.text(d.word) {
            "var" if s.text(d.word + 1) == "<" => s.find(d.word + 1, d.at.end, &[">"]) + 1,
            "fn" | "struct" | "var" | "const" | "override" | "alias" => d.word + 1,
            _ => return None,
        };
        match s.language {
            Language::Wgsl => Some(wgsl),
            Language::Glsl if s.is_function(d) => s.signature(d).map(|(k, _)| k),
            Language::Glsl => None,
        }
    };
    let is_root = |d: &Declaration| match name(d) {
        None => true,
        Some(k) if s.is_entry(d) => entries.is_none_or(|e| e.contains(s.text(k))),
        Some(_) => options.keep_interface && is_interface(s, d),
    };
    let mut kept: Vec<bool> = list.iter().map(is_root).collect();
    let mut work: Vec<usize> = (0..list.len()).filter(|&k| kept[k]).collect();
    while let Some(k) = work.pop() {
        let words: BTreeSet<&str> = list[k].at.clone().map(|t| s.text(t)).collect();
        for (other, d) in list.iter().enumerate() {
            if !kept[other] && name(d).is_some_and(|n| words.contains(s.text(n))) {
                kept[other] = true;
                work.push(other);
            }
        }
    }
    let gone: Vec<_> =
        list.iter().zip(&kept).filter(|(_, k)| !**k).map(|(d, _)| (s.bytes(d.at.clone()), String::new())).collect();
    if gone.is_empty() { Vec::new() } else { vec![TextEdit(gone)] }
}

fn declarations(s: &Shape<'_>, options: &Options) -> Vec<TextEdit> {
    s.declarations()
        .iter()
        .filter(|d| !options.keep_interface || !is_interface(s, d))
        .map(|d| s.gone(d.at.clone()))
        .collect()
}

fn statements(s: &Shape<'_>) -> Vec<TextEdit> {
    let mut out: Vec<TextEdit> = Vec::new();
    for x in s.all_statements() {
        out.push(s.gone(x.at.clone()));
        if let Some(from) = x.otherwise {
            out.push(s.gone(from..x.at.end));
        }
    }
    out
}

/// A construct becomes one of its blocks, a block its statements.
fn unwrapped(s: &Shape<'_>) -> Vec<TextEdit> {
    let mut out = Vec::new();
    for x in s.all_statements() {
        let init = x.init.clone().map_or(String::new(), |i| format!("{}; ", s.source(i)));
        for block in &x.blocks {
            let inside = s.source(block.clone());
            out.push(s.replaced(x.at.clone(), format!("{init}{inside}")));
            out.push(s.replaced(x.at.clone(), format!("{{ {init}{inside} }}")));
        }
    }
    out
}

/// A stage of vertices that covers the whole target with three of them, and has no other output.
const WHOLE_TARGET: &str = "(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f { \
    return vec4f(f32(i / 2u) * 4.0 - 1.0, f32(i % 2u) * 4.0 - 1.0, 0.0, 1.0); }";
const WHOLE_TARGET_GLSL: &str = "gl_Position = vec4(gl_VertexIndex / 2 * 4 - 1, gl_VertexIndex % 2 * 4 - 1, 0, 1);";

/// A stage of vertices becomes the plain one; functions return the zero of their type at once.
fn bodies(s: &Shape<'_>, options: &Options) -> Vec<TextEdit> {
    let mut out = Vec::new();
    for d in s.declarations().iter().filter(|d| s.is_entry(d) && !options.keep_interface) {
        let (Some(body), Some((name, _))) = (d.body.clone(), s.signature(d)) else { continue };
        if (d.at.start..d.word).any(|k| s.text(k) == "vertex") {
            out.push(s.replaced(name + 1..d.at.end, WHOLE_TARGET));
        } else if body.clone().any(|k| s.text(k) == "gl_Position") {
            out.push(s.replaced(body, WHOLE_TARGET_GLSL));
        }
    }
    for d in s.declarations().iter().filter(|d| s.is_function(d)) {
        let (Some(body), Some((name, params))) = (d.body.clone(), s.signature(d)) else { continue };
        let result = match s.language {
            Language::Wgsl => {
                let from = s.behind_attributes(params.end + 2);
                if s.text(params.end + 1) == "->" { s.source(from..body.start - 1) } else { "" }
            }
            Language::Glsl => match s.text(name - 1) {
                "void" => "",
                ty => ty,
            },
        };
        let zero =
            if s.language == Language::Glsl { format!("return {result}(0);") } else { format!("return {result}();") };
        // What is returned becomes a constant where the statements in front of it are wanted: a half first, which shows where zero does not.
        let mut inner = Vec::new();
        s.statements(body.clone(), &mut inner);
        for x in inner.iter().filter(|x| !result.is_empty() && s.text(x.at.start) == "return" && x.at.len() > 2) {
            let value = x.at.start + 1..x.at.end - 1;
            for constant in [".5", if s.language == Language::Glsl { "0" } else { "" }] {
                out.push(s.replaced(value.clone(), format!("{result}({constant})")));
            }
        }
        out.push(s.replaced(body, if result.is_empty() { String::new() } else { zero }));
    }
    out
}

/// Members of structures and blocks.
fn members(s: &Shape<'_>, options: &Options) -> Vec<TextEdit> {
    let mut out = Vec::new();
    if options.keep_interface {
        return out;
    }
    for d in s.declarations().iter().filter(|d| !s.is_function(d)) {
        let Some(body) = d.body.clone() else { continue };
        let mark = if s.language == Language::Wgsl { "," } else { ";" };
        let list = s.split(body.clone(), mark);
        for (k, member) in list.iter().enumerate() {
            let end = if s.text(member.end) == mark { member.end + 1 } else { member.end };
            let gone = s.gone(member.start..end.min(body.end));
            let mut with = gone.0.clone();
            for (_, args) in s.calls_of(s.text(d.word + 1)) {
                if args.len() == list.len() {
                    with.push((s.bytes(listed(&args, k)), String::new()));
                }
            }
            if with.len() > 1 {
                out.push(TextEdit(with));
            }
            out.push(gone);
        }
    }
    out
}

/// An element of a list with the comma behind it, or in front of the last.
fn listed(list: &[Range<usize>], k: usize) -> Range<usize> {
    match list.get(k + 1) {
        Some(next) => list[k].start..next.start,
        None if k > 0 => list[k - 1].end..list[k].end,
        None => list[k].clone(),
    }
}

/// Calls of functions that do nothing but give a value become this value.
fn calls(s: &Shape<'_>) -> Vec<TextEdit> {
    let mut out = Vec::new();
    for d in s.declarations().iter().filter(|d| s.is_function(d) && !s.is_entry(d)) {
        let (Some(body), Some((name, params))) = (d.body.clone(), s.signature(d)) else { continue };
        let last = s.find(body.start, body.end, &[";"]);
        if s.text(body.start) != "return" || last + 1 != body.end {
            continue;
        }
        let params: Vec<&str> = s
            .split(params, ",")
            .into_iter()
            .map(|p| if s.language == Language::Wgsl { s.text(p.start) } else { s.text(p.end - 1) })
            .collect();
        let mut parts = vec![(s.bytes(d.at.clone()), String::new())];
        for (at, args) in s.calls_of(s.text(name)) {
            if args.len() != params.len() || d.at.contains(&at.start) {
                continue;
            }
            let value: Vec<String> = (body.start + 1..last)
                .map(|k| match params.iter().position(|p| *p == s.text(k) && s.text(k - 1) != ".") {
                    Some(n) if args[n].len() == 1 => s.source(args[n].clone()).into(),
                    Some(n) => format!("({})", s.source(args[n].clone())),
                    None => s.text(k).into(),
                })
                .collect();
            parts.push((s.bytes(at), format!("({})", value.join(" "))));
        }
        if parts.len() > 1 {
            out.push(TextEdit(parts));
        }
    }
    out
}

/// A parameter with the argument of each call.
fn parameters(s: &Shape<'_>) -> Vec<TextEdit> {
    let mut out = Vec::new();
    for d in s.declarations().iter().filter(|d| s.is_function(d)) {
        let Some((name, params)) = s.signature(d) else { continue };
        let list = s.split(params, ",");
        for k in 0..list.len() {
            let mut parts = vec![(s.bytes(listed(&list, k)), String::new())];
            for (call, args) in s.calls_of(s.text(name)) {
                if call.start != name && args.len() == list.len() {
                    parts.push((s.bytes(listed(&args, k)), String::new()));
                }
            }
            out.push(TextEdit(parts));
        }
    }
    out
}

/// An expression becomes what stands on one side of an operator.
fn operands(s: &Shape<'_>) -> Vec<TextEdit> {
    let mut out = Vec::new();
    for e in s.expressions() {
        for k in s.operators(e.clone()) {
            out.push(s.gone(e.start..k + 1));
            out.push(s.gone(k..e.end));
        }
        if matches!(s.text(e.start), "-" | "!" | "~" | "&" | "+") {
            out.push(s.gone(e.start..e.start + 1));
        }
    }
    out
}

/// A call or brackets become one of what is inside, with what is taken of the whole or without.
fn arguments(s: &Shape<'_>) -> Vec<TextEdit> {
    let mut out = Vec::new();
    for open in 0..s.t.list.len() {
        let (true, Some(close)) = (s.text(open) == "(" && !s.fixed[open], s.pair[open]) else { continue };
        let before = open.wrapping_sub(1);
        let mut start = open;
        if s.is_word(before) && !KEYWORDS.contains(&s.text(before)) {
            start = before;
        } else if s.text(before) == ">" {
            // The name in front of a template.
            let mut k = before;
            while k > 0 && s.text(k) != "<" {
                k -= 1;
            }
            start = k.saturating_sub(1);
        } else if s.is_word(before) {
            continue;
        }
        let is_taken = s.text(close + 1) == "." && s.is_word(close + 2);
        for arg in s.split(open + 1..close, ",") {
            for end in [close + 1, close + 3].into_iter().take(1 + usize::from(is_taken)) {
                let whole = s.bytes(start..end);
                let inner = s.bytes(arg.clone());
                out.push(TextEdit(vec![
                    (whole.start..inner.start, if start == open { String::new() } else { "(".into() }),
                    (inner.end..whole.end, if start == open { String::new() } else { ")".into() }),
                ]));
            }
        }
    }
    out
}

/// Expressions become constants; which one fits the type is found by trying.
fn literals(s: &Shape<'_>) -> Vec<TextEdit> {
    let list: &[&str] = match s.language {
        Language::Wgsl => {
            // Halves of a colour show where zero and one do not: what is added to it, or multiplied.
            &[
                "0",
                "0.0",
                "0u",
                "true",
                "1",
                "1.0",
                "1u",
                "vec2f()",
                "vec3f()",
                "vec4f()",
                "vec3u()",
                "vec4u()",
                "vec3f(.5)",
                "vec4f(.5)",
            ]
        }
        Language::Glsl => &[
            "0", "0.0", "0u", "true", "1", "1.0", "1u", "vec2(0)", "vec3(0)", "vec4(0)", "uvec4(0)", "vec3(.5)",
            "vec4(.5)",
        ],
    };
    let is_one = |e: &Range<usize>| {
        e.len() == 1 && (s.token(e.start).kind == Kind::Number || matches!(s.text(e.start), "true" | "false"))
    };
    let mut places: Vec<Range<usize>> = s.expressions().into_iter().filter(|e| !is_one(e)).collect();
    // Long ones first, and all with one constant next to each other, so that a run of edits is a try that can hold.
    places.sort_by_key(|e| std::cmp::Reverse(e.len()));
    list.iter().flat_map(|&with| places.iter().map(move |e| s.replaced(e.clone(), with))).collect()
}

/// A value that a name stands for, where the name is read.
fn inlined(s: &Shape<'_>) -> Vec<TextEdit> {
    let mut places: Vec<Range<usize>> =
        s.declarations().into_iter().filter(|d| !s.is_function(d)).map(|d| d.at).collect();
    places.extend(s.all_statements().into_iter().filter(|x| x.blocks.is_empty()).map(|x| x.at));
    let mut out = Vec::new();
    for at in places {
        if !matches!(s.text(at.start), "let" | "const" | "var") {
            continue;
        }
        let name = at.start + 1;
        let from = s.find(name, at.end, &["="]) + 1;
        if from >= at.end {
            continue;
        }
        let value = s.source(from..at.end - 1);
        let mut parts = vec![(s.bytes(at.clone()), String::new())];
        for k in at.end..s.t.list.len() {
            if s.text(k) == s.text(name) && s.text(k.wrapping_sub(1)) != "." {
                parts.push((s.bytes(k..k + 1), format!("({value})")));
            }
        }
        out.push(TextEdit(parts));
    }
    out
}

/// A structure of one member becomes this member, wherever it is named, made or taken apart.
fn lone(s: &Shape<'_>, options: &Options) -> Vec<TextEdit> {
    let mut out = Vec::new();
    if options.keep_interface || s.language != Language::Wgsl {
        return out;
    }
    for d in s.declarations().iter().filter(|d| s.text(d.word) == "struct") {
        let Some(body) = d.body.clone() else { continue };
        let [member] = &s.split(body, ",")[..] else { continue };
        let name = s.behind_attributes(member.start);
        let (attributes, ty) = (s.source(member.start..name), s.source(name + 2..member.end));
        let mut parts = vec![(s.bytes(d.at.clone()), String::new())];
        for k in 0..s.t.list.len() {
            let before = s.text(k.wrapping_sub(1));
            if d.at.contains(&k) {
                continue;
            }
            if before == "." && s.text(k) == s.text(name) {
                parts.push((s.bytes(k - 1..k + 1), String::new()));
            } else if s.text(k) != s.text(d.word + 1) || before == "." {
                continue;
            } else if s.text(k + 1) == "(" {
                parts.push((s.bytes(k..k + 1), String::new()));
            } else if before == "->" {
                parts.push((s.bytes(k..k + 1), format!("{attributes} {ty}")));
            } else {
                // Of parameters the attributes stand in front of the name.
                if before == ":" && matches!(s.text(k.wrapping_sub(3)), "(" | ",") {
                    let here = s.bytes(k - 2..k - 2);
                    parts.push((here.start..here.start, format!("{attributes} ")));
                }
                parts.push((s.bytes(k..k + 1), ty.to_string()));
            }
        }
        out.push(TextEdit(parts));
    }
    out
}

/// Members, components and indices of a value.
fn suffixes(s: &Shape<'_>) -> Vec<TextEdit> {
    let mut out = Vec::new();
    for k in 1..s.t.list.len() {
        if s.text(k) == "." && s.is_word(k + 1) {
            out.push(s.gone(k..k + 2));
            if s.text(k + 1).len() > 1 {
                out.push(s.replaced(k + 1..k + 2, "x"));
            }
        }
        if let ("[", Some(close)) = (s.text(k), s.pair[k]) {
            out.push(s.gone(k..close + 1));
        }
    }
    out
}

fn attributes(s: &Shape<'_>, options: &Options) -> Vec<TextEdit> {
    let mut out = Vec::new();
    for k in 0..s.t.list.len() {
        if s.text(k) == "@" && s.is_word(k + 1) && !options.keep_interface {
            let end = if s.text(k + 2) == "(" { s.behind(k + 2) } else { k + 2 };
            out.push(s.gone(k..end));
        }
        if s.text(k) == "layout" && s.text(k + 1) == "(" && !options.keep_interface {
            out.push(s.gone(k..s.behind(k + 1)));
        }
    }
    out
}

/// Initial values and stated types of variables.
fn initialisers(s: &Shape<'_>) -> Vec<TextEdit> {
    let mut out = Vec::new();
    let ranges = s.all_statements().into_iter().filter(|x| x.blocks.is_empty()).map(|x| x.at);
    let globals = s.declarations().into_iter().filter(|d| d.body.is_none()).map(|d| d.word..d.at.end);
    for at in ranges.chain(globals) {
        let equals = s.find(at.start, at.end, &["="]);
        if equals + 1 >= at.end {
            continue;
        }
        out.push(s.gone(equals..at.end - 1));
        let colon = s.find(at.start, equals, &[":"]);
        if colon < equals {
            out.push(s.gone(colon..equals));
        }
    }
    out
}

fn numbers(s: &Shape<'_>, options: &Options) -> Vec<TextEdit> {
    let mut out = Vec::new();
    let free = |k: usize| !(options.keep_interface && s.fixed[k]);
    for (k, t) in s.t.list.iter().enumerate().filter(|(k, t)| t.kind == Kind::Number && free(*k)) {
        let text = s.t.text(t);
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (number, suffix) = text.split_at(digits);
        let Ok(n) = number.parse::<u64>() else {
            out.push(s.replaced(k..k + 1, "0"));
            continue;
        };
        let whole = matches!(suffix, "" | "u" | "i" | "U");
        let rest = if whole { suffix } else { ".0" };
        let smaller = smaller(n);
        for (j, m) in smaller.iter().enumerate() {
            if (*m < n || !whole && suffix != ".0") && !smaller[..j].contains(m) {
                out.push(s.replaced(k..k + 1, format!("{m}{rest}")));
            }
        }
    }
    out
}

/// Names that the author gave become the shortest that are free.
fn names(s: &Shape<'_>, options: &Options) -> Vec<TextEdit> {
    let used: BTreeSet<&str> = (0..s.t.list.len()).filter(|&k| s.is_word(k)).map(|k| s.text(k)).collect();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut free = (0u32..)
        .flat_map(|round| ('a'..='z').map(move |c| if round == 0 { c.to_string() } else { format!("{c}{round}") }));
    let mut out = Vec::new();
    let entries: BTreeSet<&str> = s
        .declarations()
        .iter()
        .filter(|d| s.is_entry(d))
        .filter_map(|d| s.signature(d))
        .map(|(n, _)| s.text(n))
        .collect();
    for k in 0..s.t.list.len() {
        let word = s.text(k);
        let declares = match s.language {
            Language::Wgsl => {
                let before = s.text(k.wrapping_sub(1));
                matches!(before, "fn" | "struct" | "let" | "const" | "override" | "alias" | "var" | ">")
                    || s.text(k + 1) == ":"
            }
            Language::Glsl => {
                s.is_word(k.wrapping_sub(1)) && !matches!(s.text(k.wrapping_sub(1)), "return" | "case" | "else")
            }
        };
        let short = word.len() <= 1 || KEYWORDS.contains(&word) || word.starts_with("gl_");
        let kept = entries.contains(word) && (options.keep_interface || s.language == Language::Glsl);
        if !s.is_word(k) || !declares || short || kept || !seen.insert(word) {
            continue;
        }
        let Some(name) = free.by_ref().find(|n| !used.contains(n.as_str())) else { break };
        let parts = (0..s.t.list.len()).filter(|&j| s.text(j) == word && s.is_word(j));
        out.push(TextEdit(parts.map(|j| (s.bytes(j..j + 1), name.clone())).collect()));
    }
    out
}
