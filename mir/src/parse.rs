//! Reads what [`print`](crate::print()) writes.

use core::any::{Any, TypeId};
use core::cell::RefCell;
use core::fmt;
use std::rc::Rc;

use gpucc_ir::Loc;
use gpucc_regalloc::{FileId, Placement};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::fields::Fields;
use crate::func::{MEdge, MEdges, MFunc};
use crate::inst::{BlockId, Class, Def, MInst, Opcode, PReg, Reg, Regs, Src, Target, Use, VReg};
use crate::print::{LANES, PSEUDOS};

/// The fault of a text, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// Line, the first is 1.
    pub line: usize,
    /// Column in bytes, the first is 1.
    pub column: usize,
    /// The fault in one sentence, without its place.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl core::error::Error for ParseError {}

type Parsed<X> = Result<X, ParseError>;

/// The opcodes of a target by name.
struct OpNames<T: Target>(FxHashMap<String, T::Op>);

thread_local! {
    /// The names of each target whose texts the thread has read: a target has thousands.
    static NAMES: RefCell<FxHashMap<TypeId, Rc<dyn Any>>> = RefCell::default();
}

impl<T: Target> OpNames<T> {
    /// Those of `t`.
    fn of(t: &T) -> Rc<OpNames<T>> {
        let new = || Rc::new(OpNames::<T>(t.ops().into_iter().map(|o| (t.op_name(o), o)).collect()));
        NAMES.with_borrow_mut(|known| {
            let names = known.entry(TypeId::of::<T>()).or_insert_with(|| new()).clone();
            names.downcast().unwrap_or_else(|_| new())
        })
    }
}

/// Reads one function. Lines that begin with `;` and empty lines are skipped.
///
/// # Errors
/// The first fault, with its line and column.
pub fn parse<T: Target>(text: &str, t: &T) -> Parsed<MFunc<T>> {
    let names = OpNames::of(t);
    let cursor = |(n, text)| Cursor { line: n + 1, text, at: 0, t, ops: &names.0 };
    let mut lines = text.lines().enumerate().map(cursor).filter(|c| {
        let l = c.text.trim_start();
        !l.is_empty() && !l.starts_with(';')
    });
    let end = text.lines().count() + 1;
    let missing = |what: &str| ParseError { line: end, column: 1, message: format!("{what} is missing") };
    let mut head = lines.next().ok_or_else(|| missing("`mir NAME vregs N {`"))?;
    head.word("mir")?;
    let mut mf = MFunc::new(head.name()?);
    head.word("vregs")?;
    let count = head.number()?;
    if count > 1 << 24 {
        return Err(head.fault("too many virtual registers"));
    }
    mf.classes = vec![Class(0); count as usize];
    head.symbol("{")?;
    head.end()?;
    let mut closed = None;
    for mut c in lines.by_ref() {
        if c.take("}") {
            c.end()?;
            closed = Some(c.line);
            break;
        }
        if c.text.starts_with('b') {
            c.block(&mut mf)?;
        } else if mf.blocks.is_empty() {
            return Err(c.fault("an instruction before the first block"));
        } else {
            let inst = c.inst(&mut mf)?;
            c.end()?;
            if let Some(list) = mf.code.last_mut() {
                list.push(inst);
            }
        }
    }
    if closed.is_none() {
        return Err(missing("`}`"));
    }
    if let Some(c) = lines.next() {
        return Err(c.fault("text behind the function"));
    }
    let blocks = mf.blocks.len() as u32;
    let labels = mf.code.iter().flatten().flat_map(MInst::labels);
    let edges = mf.blocks.iter().flat_map(|b| b.all_succs()).map(|e| e.to);
    let unknown = labels.chain(edges).find(|b| b.0 >= blocks);
    match unknown {
        Some(b) => {
            Err(ParseError { line: closed.unwrap_or(end), column: 1, message: format!("there is no block {b:?}") })
        }
        None => Ok(mf),
    }
}

struct Cursor<'a, T: Target> {
    line: usize,
    text: &'a str,
    at: usize,
    t: &'a T,
    ops: &'a FxHashMap<String, T::Op>,
}

impl<'a, T: Target> Cursor<'a, T> {
    fn fault(&self, message: impl Into<String>) -> ParseError {
        ParseError { line: self.line, column: self.at + 1, message: message.into() }
    }

    fn blank(&mut self) {
        // Nearly all blanks are single ones.
        while self.text.as_bytes().get(self.at) == Some(&b' ') {
            self.at += 1;
        }
        if self.text.as_bytes().get(self.at).is_some_and(|b| *b <= b' ' || *b >= 0x80) {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Takes a symbol, after blanks.
    fn take(&mut self, symbol: &str) -> bool {
        let before = self.at;
        self.blank();
        let found = self.joined(symbol);
        if !found {
            self.at = before;
        }
        found
    }

    /// Takes a symbol that must stand right here.
    fn joined(&mut self, symbol: &str) -> bool {
        let end = self.at + symbol.len();
        let found = self.text.as_bytes().get(self.at..end) == Some(symbol.as_bytes());
        self.at = if found { end } else { self.at };
        found
    }

    fn symbol(&mut self, symbol: &str) -> Parsed<()> {
        if self.take(symbol) { Ok(()) } else { Err(self.fault(format!("`{symbol}` is wanted"))) }
    }

    fn end(&mut self) -> Parsed<()> {
        self.blank();
        if self.rest().is_empty() { Ok(()) } else { Err(self.fault(format!("`{}` is left over", self.rest()))) }
    }

    /// A run of characters that `part` accepts; may be empty.
    fn run(&mut self, part: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let mut ascii = 0;
        while rest.as_bytes().get(ascii).is_some_and(|b| b.is_ascii() && part(char::from(*b))) {
            ascii += 1;
        }
        // What follows may be characters of several bytes.
        let n = match rest.as_bytes().get(ascii) {
            Some(b) if !b.is_ascii() => rest.find(|c| !part(c)).unwrap_or(rest.len()),
            _ => ascii,
        };
        self.at += n;
        &rest[..n]
    }

    fn name(&mut self) -> Parsed<&'a str> {
        self.blank();
        let name = self.run(|c| !c.is_whitespace());
        if name.is_empty() { Err(self.fault("a name is wanted")) } else { Ok(name) }
    }

    fn word(&mut self, word: &str) -> Parsed<()> {
        let before = self.at;
        self.blank();
        if self.run(|c| c.is_alphanumeric() || c == '_') == word {
            return Ok(());
        }
        self.at = before;
        self.blank();
        Err(self.fault(format!("`{word}` is wanted")))
    }

    fn number(&mut self) -> Parsed<u32> {
        self.blank();
        let start = self.at;
        let bytes = self.text.as_bytes();
        let radix = if self.joined("0x") { 16 } else { 10 };
        // Nothing is no number, and one above 32 bits is none either.
        let mut value: Option<u32> = None;
        while let Some(digit) = bytes.get(self.at).and_then(|b| char::from(*b).to_digit(radix)) {
            let Some(next) = value.unwrap_or(0).checked_mul(radix).and_then(|v| v.checked_add(digit)) else {
                value = None;
                break;
            };
            value = Some(next);
            self.at += 1;
        }
        value.ok_or_else(|| {
            self.at = start;
            self.fault("a number of 32 bits is wanted")
        })
    }

    fn small<N: TryFrom<u32>>(&mut self) -> Parsed<N> {
        let start = self.at;
        let n = self.number()?;
        N::try_from(n).map_err(|_| {
            self.at = start;
            self.fault(format!("{n} is too large here"))
        })
    }

    fn vreg(&mut self, mf: &MFunc<T>) -> Parsed<VReg> {
        self.blank();
        let start = self.at;
        self.symbol("%")?;
        let v = VReg(self.number()?);
        if (v.0 as usize) < mf.classes.len() {
            return Ok(v);
        }
        self.at = start;
        Err(self.fault(format!("{v:?} is not below `vregs {}`", mf.classes.len())))
    }

    /// A virtual register with its class, which is noted.
    fn typed(&mut self, mf: &mut MFunc<T>) -> Parsed<VReg> {
        let v = self.vreg(mf)?;
        if !self.joined(":") {
            return Err(self.fault("`:class` is wanted"));
        }
        let start = self.at;
        let name = self.run(|c| c.is_alphanumeric() || c == '_');
        let Some(class) = self.t.classes().iter().position(|c| c.name == name) else {
            let all: Vec<&str> = self.t.classes().iter().map(|c| c.name).collect();
            self.at = start;
            return Err(self.fault(format!("no class `{name}`; available: {}", all.join(", "))));
        };
        mf.classes[v.0 as usize] = Class(class as u8);
        Ok(v)
    }

    fn label(&mut self) -> Parsed<BlockId> {
        self.symbol("b")?;
        Ok(BlockId(self.number()?))
    }

    /// Reads what `one` puts where it belongs, again behind each comma.
    fn list(&mut self, close: Option<&str>, mut one: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        if close.is_some_and(|c| self.take(c)) {
            return Ok(());
        }
        loop {
            one(self)?;
            if self.take(",") {
                continue;
            }
            return close.map_or(Ok(()), |c| self.symbol(c));
        }
    }

    fn edges(&mut self, mf: &MFunc<T>) -> Parsed<MEdges> {
        if self.take("none") {
            return Ok(MEdges::new());
        }
        let mut edges = MEdges::new();
        self.list(None, |c| {
            let mut e = MEdge::to(c.label()?);
            if c.joined("(") {
                c.list(Some(")"), |c| {
                    e.args.push(if c.take("-") { VReg::NONE } else { c.vreg(mf)? });
                    Ok(())
                })?;
            }
            edges.push(e);
            Ok(())
        })?;
        Ok(edges)
    }

    fn block(&mut self, mf: &mut MFunc<T>) -> Parsed<()> {
        let b = self.label()?;
        if b.0 as usize != mf.blocks.len() {
            return Err(self.fault(format!("block b{} comes next", mf.blocks.len())));
        }
        mf.block();
        if self.joined("(") {
            let mut params = Regs::new();
            self.list(Some(")"), |c| {
                params.push(c.typed(mf)?);
                Ok(())
            })?;
            mf.at(b).params = params;
        }
        if self.take("runs") {
            mf.at(b).runs = self.small()?;
        }
        if self.take("linear") {
            mf.at(b).linear = Some(self.edges(mf)?);
        }
        if self.take("->") {
            mf.at(b).succs = self.edges(mf)?;
        }
        self.symbol(":")?;
        self.end()
    }

    /// A physical register: `v4`, `v[4:5]`, `t1.xz`.
    fn preg(&mut self) -> Parsed<PReg> {
        self.blank();
        let start = self.at;
        // The longest name that fits: `a` and `acc` may both be files.
        let files = self.t.files().iter().enumerate();
        let fits = |name: &str| {
            let rest = self.rest().strip_prefix(name);
            rest.is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit() || c == '['))
        };
        let Some((file, f)) = files.filter(|(_, f)| fits(f.name)).max_by_key(|(_, f)| f.name.len()) else {
            return Err(self.fault("a register is wanted"));
        };
        self.at += f.name.len();
        let place = if self.joined("[") {
            let (from, _, to): (u16, _, u16) = (self.small()?, self.symbol(":")?, self.small()?);
            self.symbol("]")?;
            (from <= to && to < f.units).then(|| Placement::run(from, to - from + 1))
        } else {
            let n: u16 = self.small()?;
            if f.row > 1 && self.joined(".") {
                let letters = self.run(|c| LANES.contains(&c));
                let lanes = letters.chars().filter_map(|c| LANES.iter().position(|l| *l == c));
                let mask = lanes.fold(0, |m, l| m | 1 << l);
                (mask != 0 && n < f.units / f.row).then(|| Placement::mask(n * f.row, mask))
            } else {
                (n < f.units).then(|| Placement::run(n, 1))
            }
        };
        place.map(|place| PReg { file: file as FileId, place }).ok_or_else(|| {
            self.at = start;
            self.fault(format!("the file has {} units", f.units))
        })
    }

    /// `{name=number, ..}`.
    fn fields<F: Fields>(&mut self) -> Parsed<F> {
        let mut out = F::default();
        self.list(Some("}"), |c| {
            c.blank();
            let start = c.at;
            let name = c.run(|x| x != '=' && x != '}' && x != ',' && !x.is_whitespace());
            c.symbol("=")?;
            let bits = c.number()?;
            if out.set(name, bits) {
                return Ok(());
            }
            c.at = start;
            Err(c.fault(format!("no modifier `{name}` with value {bits}")))
        })?;
        Ok(out)
    }

    fn def(&mut self, mf: &mut MFunc<T>) -> Parsed<Def> {
        let early = self.take("!");
        let mut d = match self.take("%") {
            true => {
                self.at -= 1;
                Def::reg(self.typed(mf)?)
            }
            false => Def::preg(self.preg()?),
        };
        d.early = early;
        if self.joined("@") {
            d = d.at(self.preg()?);
        }
        if self.joined("=#") {
            d = d.tied(self.small()?);
        }
        Ok(d)
    }

    fn operand(&mut self, mf: &MFunc<T>) -> Parsed<Use<T>> {
        self.blank();
        let rest = self.rest();
        let mut u = if rest.starts_with('%') {
            Use::reg(self.vreg(mf)?)
        } else if rest.starts_with("0x") {
            Use::imm(self.number()?)
        } else if rest.starts_with("u[") {
            self.at += 2;
            let n = self.number()?;
            self.symbol("]")?;
            Use::uniform(n)
        } else if rest.starts_with('b') && rest[1..].starts_with(|c: char| c.is_ascii_digit()) {
            Use::label(self.label()?)
        } else {
            Use::new(Src::Reg(Reg::P(self.preg()?)))
        };
        if self.joined("[") {
            let (first, _, count) = (self.small()?, self.symbol("+")?, self.small::<u8>()?);
            self.symbol("]")?;
            if count == 0 {
                return Err(self.fault("a part has units"));
            }
            u = u.part(first, count);
        }
        if self.joined("{") {
            u.mods = self.fields()?;
        }
        if self.joined("@") {
            u = u.at(self.preg()?);
        }
        Ok(u)
    }

    fn inst(&mut self, mf: &mut MFunc<T>) -> Parsed<MInst<T>> {
        self.blank();
        let mut defs = SmallVec::new();
        if self.rest().contains(" = ") {
            self.list(None, |c| {
                defs.push(c.def(mf)?);
                Ok(())
            })?;
            self.symbol("=")?;
        }
        self.blank();
        let start = self.at;
        let name = self.run(|c| !c.is_whitespace());
        let op = match PSEUDOS.iter().find(|p| p.1 == name) {
            Some(p) => Opcode::Pseudo(p.0),
            None => Opcode::Op(self.ops.get(name).copied().ok_or_else(|| {
                self.at = start;
                self.fault(format!("there is no instruction `{name}`"))
            })?),
        };
        let mut inst = MInst::bare(op);
        inst.defs = defs;
        if self.take("{") {
            inst.mods = self.fields()?;
        }
        self.blank();
        if !self.rest().is_empty() && !self.rest().starts_with('@') {
            self.list(None, |c| {
                inst.uses.push(c.operand(mf)?);
                Ok(())
            })?;
        }
        if self.take("@") {
            let plain = Loc(self.number()?);
            inst.loc = match (self.joined(".atomic"), self.joined(".access")) {
                (true, _) => plain.atomic(),
                (_, true) => plain.access(),
                _ => plain,
            };
        }
        Ok(inst)
    }
}
