//! Calls of built-in functions that naga does not evaluate, with constant arguments: their values are written in their place.
//!
//! Arguments are literals, constants whose name is declared once in the source, and expressions of both.

use std::collections::BTreeMap;

use super::Changes;
use super::number::{self, Kind, OURS, Value};
use super::scopes::Scopes;
use super::tokens::{self, Tokens};

/// Calls inside of each other that are looked at.
const DEPTH: usize = 32;

/// Finds calls of built-in functions whose value is known, and writes it there.
pub fn find(t: &Tokens, changes: &mut Changes) {
    let called =
        |n: &usize| (OURS.contains(&t.text(*n)) || t.text(*n) == "bitcast") && !matches!(t.text(n - 1), "." | "fn");
    let calls: Vec<usize> = (1..t.list.len()).filter(called).collect();
    if calls.is_empty() {
        return;
    }
    let constants = Constants::new(t);
    for n in calls {
        let mut at = Reader { t, constants: &constants, n, depth: 0 };
        let Some(value) = at.postfix() else { continue };
        if let Some(mut text) = value.text() {
            let (from, to) = (t.list[n].at, t.list[at.n - 1].end);
            // A bracket there would be read as one around the whole expression.
            if t.text(n - 1) == "const_assert" && text.starts_with('(') {
                text.insert_str(0, "0 + ");
            }
            changes.push((from, to - from, text));
        }
    }
    private(t, &constants, changes);
    // The results of `frexp` and `modf` have no text: their members are written where they are asked for.
    for constant in &constants.list {
        let Value::Struct(_) = constant.value else { continue };
        let name = t.text(constant.first + 1);
        let is_use = |n: &usize| {
            let declared = || constants.scopes.find(t, *n) == Some(constant.first + 1);
            t.text(*n) == name && *n != constant.first + 1 && t.text(n - 1) != "." && declared()
        };
        let written = (1..t.list.len()).filter(is_use).map(|n| {
            let mut at = Reader { t, constants: &constants, n, depth: 0 };
            let text = at.postfix()?.text()?;
            let (from, to) = (t.list[n].at, t.list[at.n - 1].end);
            Some((from, to - from, text))
        });
        let first = t.list[constant.first];
        match written.collect::<Option<Vec<_>>>() {
            Some(written) => {
                super::blank(changes, first.at, t.list[constant.end].end);
                changes.extend(written);
            }
            // A mistake, which is told of a value of run time too.
            None if first.depth > 0 => changes.push((first.at, first.end - first.at, "let  ".into())),
            None => {}
        }
    }
}

/// Private variables that begin with what `frexp` or `modf` of a constant give: a structure of ours takes the place of one without a name.
fn private(t: &Tokens, constants: &Constants, changes: &mut Changes) {
    let mut declared: BTreeMap<String, String> = BTreeMap::new();
    for n in 6..t.list.len() {
        let head = ["var", "<", "private", ">"].iter().enumerate().all(|(k, text)| t.text(n - 6 + k) == *text);
        if !head || t.text(n - 1) != "=" || !matches!(t.text(n), "modf" | "frexp") {
            continue;
        }
        let mut at = Reader { t, constants, n, depth: 0 };
        let Some(Value::Struct(members)) = at.postfix() else { continue };
        let typed = members.iter().map(|(name, value)| Some((name, value.concrete_type()?, value.text()?)));
        let Some(typed) = typed.collect::<Option<Vec<_>>>() else { continue };
        let name = format!("gpucc_{}_{}", t.text(n), typed[0].1.replace(['<', '>'], "_"));
        let list = typed.iter().map(|(name, ty, _)| format!("{name}: {ty}")).collect::<Vec<_>>().join(", ");
        let values = typed.iter().map(|m| m.2.as_str()).collect::<Vec<_>>().join(", ");
        let (from, to) = (t.list[n].at, t.list[at.n - 1].end);
        changes.push((from, to - from, format!("{name}({values})")));
        declared.insert(format!(" struct {name} {{ {list} }}"), name);
    }
    let end = t.list.last().map_or(0, |l| l.end);
    changes.extend(declared.into_keys().map(|text| (end, 0, text)));
}

/// A constant with its declaration: from `const` to the semicolon.
struct Constant {
    value: Value,
    first: usize,
    end: usize,
}

/// The constants of a source that have a value here.
pub struct Constants<'a> {
    scopes: Scopes<'a>,
    /// Constants in the order in which they were evaluated.
    list: Vec<Constant>,
    /// The place in the list by the token of the name.
    places: BTreeMap<usize, usize>,
}

impl<'a> Constants<'a> {
    /// Those of a source.
    pub fn new(t: &'a Tokens) -> Constants<'a> {
        let mut all = Constants { scopes: Scopes::new(t), list: Vec::new(), places: BTreeMap::new() };
        // A constant may stand in front of what it is made of, at the level of the module.
        for _ in 0..2 {
            for first in (0..t.list.len()).filter(|&n| t.text(n) == "const" && t.is_word(n + 1)) {
                if !all.places.contains_key(&(first + 1))
                    && let Some((value, end)) = all.evaluate(t, first)
                {
                    all.places.insert(first + 1, all.list.len());
                    all.list.push(Constant { value, first, end });
                }
            }
        }
        all
    }

    /// The value of the constant that is declared there, and the semicolon.
    fn evaluate(&self, t: &Tokens, first: usize) -> Option<(Value, usize)> {
        let equals = (first..t.list.len()).take(24).find(|&n| t.text(n) == "=")?;
        let mut at = Reader { t, constants: self, n: equals + 1, depth: 0 };
        let mut value = at.expression(0)?;
        let end = at.n;
        if t.text(end) != ";" {
            return None;
        }
        if t.text(first + 2) == ":" {
            let (_, kind, _) = kind_of(t, first + 3)?;
            value = value.to(kind?)?;
        }
        Some((value, end))
    }

    /// The value of the constant expression that begins at a token, and the token behind it.
    pub fn expression(&self, t: &Tokens, n: usize) -> Option<(Value, usize)> {
        let mut at = Reader { t, constants: self, n, depth: 0 };
        let value = at.expression(0)?;
        Some((value, at.n))
    }

    /// The value of a name.
    fn value(&self, t: &Tokens, n: usize) -> Option<&Value> {
        let place = self.places.get(&self.scopes.find(t, n)?)?;
        Some(&self.list[*place].value)
    }

    /// Whether a name is one of the language there.
    fn is_builtin(&self, t: &Tokens, n: usize) -> bool {
        self.scopes.find(t, n).is_none()
    }
}

/// A type there: its lanes and rows (of a matrix columns and rows), its kind if it is written, and the token behind.
pub fn kind_of(t: &Tokens, n: usize) -> Option<((usize, usize), Option<Kind>, usize)> {
    let scalar = |text: &str| match text {
        "f32" => Some(Kind::F32),
        "i32" => Some(Kind::I32),
        "u32" => Some(Kind::U32),
        "f16" => Some(Kind::F16),
        _ => None,
    };
    let text = t.text(n);
    if let Some(kind) = scalar(text) {
        return Some(((1, 1), Some(kind), n + 1));
    }
    let letter = match text.chars().last()? {
        'f' => Some(Kind::F32),
        'i' => Some(Kind::I32),
        'u' => Some(Kind::U32),
        'h' => Some(Kind::F16),
        _ => None,
    };
    let stem = if letter.is_some() { &text[..text.len() - 1] } else { text };
    let digit = |c: Option<char>| c.and_then(|c| c.to_digit(10)).filter(|d| (2..=4).contains(d)).map(|d| d as usize);
    let shape = match stem.strip_prefix("vec").map(str::chars) {
        Some(mut rest) => (digit(rest.next())?, 1, rest.next().is_none()),
        None => {
            let mut rest = stem.strip_prefix("mat")?.chars();
            let columns = digit(rest.next())?;
            (columns, if rest.next() == Some('x') { digit(rest.next())? } else { return None }, rest.next().is_none())
        }
    };
    if !shape.2 {
        return None;
    }
    if letter.is_none() && t.text(n + 1) == "<" {
        let kind = scalar(t.text(n + 2))?;
        return (t.text(n + 3) == ">").then_some(((shape.0, shape.1), Some(kind), n + 4));
    }
    Some(((shape.0, shape.1), letter, n + 1))
}

/// Reads an expression from a token on.
struct Reader<'a> {
    t: &'a Tokens,
    constants: &'a Constants<'a>,
    n: usize,
    depth: usize,
}

impl Reader<'_> {
    fn eat(&mut self, text: &str) -> Option<()> {
        (self.t.text(self.n) == text).then(|| self.n += 1)
    }

    /// Operators that bind at least so strongly: 0 sums, 1 products.
    fn expression(&mut self, least: u32) -> Option<Value> {
        self.depth += 1;
        if self.depth > DEPTH {
            return None;
        }
        let mut value = self.unary()?;
        loop {
            let sign = self.t.text(self.n);
            let strength = match sign {
                "+" | "-" => 0,
                "*" | "/" | "%" => 1,
                _ => break,
            };
            if strength < least {
                break;
            }
            self.n += 1;
            let right = self.expression(strength + 1)?;
            value = number::binary(sign, &value, &right)?;
        }
        self.depth -= 1;
        // An operator that binds less strongly than all that is read here.
        let ends = matches!(self.t.text(self.n), ")" | "," | ";" | "]" | "+" | "-" | "*" | "/" | "%" | "}" | "{" | "");
        ends.then_some(value)
    }

    fn unary(&mut self) -> Option<Value> {
        if self.eat("-").is_some() {
            let (kind, lanes) = match self.unary()? {
                Value::Lanes(kind, lanes) => (kind, lanes),
                _ => return None,
            };
            return Value::of(kind, lanes.into_iter().map(|v| -v));
        }
        self.postfix()
    }

    fn postfix(&mut self) -> Option<Value> {
        let mut value = self.primary()?;
        loop {
            if self.eat(".").is_some() {
                value = value.member(self.t.text(self.n))?;
                self.n += 1;
            } else if self.eat("[").is_some() {
                let (_, lanes) = match self.expression(0)? {
                    Value::Lanes(kind, lanes) if !kind.is_float() && lanes.len() == 1 => (kind, lanes),
                    _ => return None,
                };
                value = value.element(lanes[0] as usize).filter(|_| lanes[0] >= 0.0)?;
                self.eat("]")?;
            } else {
                return Some(value);
            }
        }
    }

    fn primary(&mut self) -> Option<Value> {
        let (n, text) = (self.n, self.t.text(self.n));
        match self.t.list.get(n)?.kind {
            tokens::Kind::Number => {
                self.n += 1;
                literal(text)
            }
            tokens::Kind::Sign => {
                self.eat("(")?;
                let value = self.expression(0)?;
                self.eat(")")?;
                Some(value)
            }
            tokens::Kind::Word if !self.constants.is_builtin(self.t, n) => {
                let value = self.constants.value(self.t, n).filter(|_| self.t.text(n + 1) != "(")?;
                self.n += 1;
                Some(value.clone())
            }
            tokens::Kind::Word if text == "bitcast" => {
                self.n += 1;
                self.eat("<")?;
                let ((lanes, rows), kind, behind) = kind_of(self.t, self.n)?;
                self.n = behind;
                self.eat(">")?;
                let list = self.arguments()?;
                let ([value], kind, 1) = (&list[..], kind?, rows) else { return None };
                number::cast(value, kind, lanes)
            }
            tokens::Kind::Word => {
                if let Some((shape, kind, behind)) = kind_of(self.t, n)
                    && self.t.text(behind) == "("
                {
                    self.n = behind;
                    return constructed(shape, kind, &self.arguments()?);
                }
                self.n += 1;
                number::call(text, &self.arguments()?)
            }
        }
    }

    fn arguments(&mut self) -> Option<Vec<Value>> {
        self.eat("(")?;
        let mut list = Vec::new();
        while self.eat(")").is_none() {
            list.push(self.expression(0)?);
            if self.eat(",").is_none() {
                self.eat(")")?;
                break;
            }
        }
        Some(list)
    }
}

/// The value that a constructor makes.
fn constructed((lanes, rows): (usize, usize), kind: Option<Kind>, list: &[Value]) -> Option<Value> {
    let mut all = Vec::new();
    let mut own = Kind::AbstractInt;
    for v in list {
        let (k, l) = v.lanes()?;
        own = own.join(k)?;
        all.extend_from_slice(l);
    }
    // A conversion may lose bits.
    let convert = |v: f64| match (kind, own.is_float()) {
        (Some(Kind::I32), true) => v.trunc().clamp(f64::from(i32::MIN), f64::from(i32::MAX)),
        (Some(Kind::U32), true) => v.trunc().clamp(0.0, f64::from(u32::MAX)),
        _ => v,
    };
    let to = kind.unwrap_or(own);
    // A float that a half does not hold is rounded.
    let convert = |v: f64| if to == Kind::F16 { number::rounded_half(v) } else { convert(v) };
    match (all.len(), rows) {
        (0, 1) => Value::of(to, vec![0.0; lanes]),
        (1, 1) => Value::of(to, vec![convert(all[0]); lanes]),
        (n, 1) if n == lanes => Value::of(to, all.into_iter().map(convert)),
        (n, rows) if rows > 1 && n == lanes * rows => {
            let to = if to == Kind::AbstractInt { Kind::AbstractFloat } else { to };
            Some(Value::Matrix(to, rows, all.into_iter().map(|v| to.hold(v)).collect::<Option<_>>()?))
        }
        _ => None,
    }
}

/// The value of a literal.
fn literal(text: &str) -> Option<Value> {
    let hex = text.strip_prefix("0x").or(text.strip_prefix("0X"));
    let (digits, kind) = match text.chars().last()? {
        'u' => (&text[..text.len() - 1], Some(Kind::U32)),
        'i' => (&text[..text.len() - 1], Some(Kind::I32)),
        'f' if hex.is_none() => (&text[..text.len() - 1], Some(Kind::F32)),
        'h' => (&text[..text.len() - 1], Some(Kind::F16)),
        _ => (text, None),
    };
    if hex.is_some() {
        let digits = &digits[2..];
        if digits.contains(['.', 'p', 'P']) {
            return None;
        }
        let v = u64::from_str_radix(digits, 16).ok()? as f64;
        return Value::of(kind.unwrap_or(Kind::AbstractInt), [v]);
    }
    let is_float = digits.contains(['.', 'e', 'E']);
    Value::of(kind.unwrap_or(if is_float { Kind::AbstractFloat } else { Kind::AbstractInt }), [digits.parse().ok()?])
}
