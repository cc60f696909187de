//! A module as a list of instructions: framing, ids, decorations, names, entry points and the bounds of functions.

use crate::grammar;
use crate::places::{Recorder, SourceMap};
use gpucc_frontend_common::{OverrideInfo, limits, report};
use gpucc_ir::{Diagnostic, Refusal, Span, Stage};
use rspirv::spirv::{Decoration, ExecutionMode, ExecutionModel, Op};
use rustc_hash::FxHashMap;

/// The first word of a module.
pub const MAGIC: u32 = 0x0723_0203;

/// An instruction of the module, with its place.
#[derive(Debug, Clone, Copy)]
pub struct Inst {
    /// The operation, as the grammar names it.
    pub op: Op,
    /// The type of its result; 0 if it has none.
    pub ty: u32,
    /// Its result; 0 if it has none.
    pub id: u32,
    /// Index of its first word in the module.
    pub at: u32,
    /// The first of its operands, and the word behind the last.
    operands: (u32, u32),
    /// Where the source has it.
    pub place: u32,
}

/// A decoration of an id, or of a member.
#[derive(Debug, Clone, Copy)]
pub struct Deco {
    /// The target of a decoration.
    pub target: u32,
    /// The member; `u32::MAX` is the id itself.
    pub member: u32,
    /// The decoration, without its operands.
    pub kind: Decoration,
    /// Its operands.
    operands: (u32, u32),
    /// The word at which the instruction stands.
    at: u32,
}

/// The member of a decoration of an id.
const WHOLE: u32 = u32::MAX;

/// An entry point, with its function, interface and modes.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Name of the entry point.
    pub name: String,
    /// Its stage, or the name of one that gpucc has no word for.
    pub stage: Result<Stage, &'static str>,
    /// Execution model by which the module names the stage.
    pub model: ExecutionModel,
    /// Id of the function.
    pub function: u32,
    /// Variables of its interface.
    pub interface: Vec<u32>,
    /// Execution modes with their operands.
    pub modes: Vec<(ExecutionMode, Vec<u32>)>,
    /// Index of the instruction's first word.
    pub at: u32,
}

/// A constant that can be given a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecConstant {
    /// Id of the constant.
    pub id: u32,
    /// Number of its `SpecId`, by which it is given a value.
    pub number: u32,
    /// Its name, if it has one.
    pub name: Option<String>,
}

/// A function: where its instructions are, parameters first, then blocks.
#[derive(Debug, Clone)]
pub struct Function {
    /// Index of its `OpFunction`.
    pub inst: usize,
    /// Instructions behind `OpFunction` and before `OpFunctionEnd`.
    pub body: std::ops::Range<usize>,
}

/// A module as read.
#[derive(Debug, Clone)]
pub struct Module {
    words: Vec<u32>,
    /// Types, constants, variables; then functions.
    pub insts: Vec<Inst>,
    /// How many instructions stand before the first function.
    pub head: usize,
    /// The instruction that defines an id, plus one.
    defs: Vec<u32>,
    /// How often an id is named by instructions, up to 255.
    uses: Vec<u8>,
    /// Decorations, by target and member.
    decos: Vec<Deco>,
    names: FxHashMap<u32, (u32, u32)>,
    /// Entry points in their order.
    pub entries: Vec<Entry>,
    /// Constants with a `SpecId`.
    pub constants: Vec<SpecConstant>,
    /// Functions by `OpFunction`'s id.
    pub functions: FxHashMap<u32, Function>,
    /// Where instructions are in the source.
    pub places: SourceMap,
    /// Ids of `GLSL.std.450`.
    glsl: Vec<u32>,
    /// Sets of instructions that are not known, with their names.
    foreign: FxHashMap<u32, String>,
    /// Whether it may be linked with others (`Linkage`).
    pub links: bool,
    /// Whether pointers may be addresses.
    pub addresses: bool,
}

fn malformed(text: impl std::fmt::Display) -> Diagnostic {
    Diagnostic::invalid("parse", format!("this is not a SPIR-V module: {text}"))
}

fn at_word(limit: &limits::Limit, word: usize) -> Diagnostic {
    report::limit(limit).note(format!("at word {word}"))
}

/// The words of a binary; a big-endian module is swapped.
fn words(bytes: &[u8]) -> Result<Vec<u32>, Diagnostic> {
    if bytes.is_empty() {
        return Err(malformed("the file is empty"));
    }
    if bytes.len() as u64 / 4 > limits::SPIRV_WORDS.max {
        return Err(at_word(&limits::SPIRV_WORDS, 0));
    }
    if !bytes.len().is_multiple_of(4) {
        return Err(malformed(format!("{} bytes are not a whole number of 32-bit words", bytes.len())));
    }
    let mut words: Vec<u32> = bytes.as_chunks().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
    if words[0].swap_bytes() == MAGIC {
        words.iter_mut().for_each(|w| *w = w.swap_bytes());
    }
    if words[0] != MAGIC {
        return Err(malformed(format!("magic number {:#010x} is not SPIR-V's {MAGIC:#010x}", words[0])));
    }
    if words.len() < 5 {
        return Err(malformed("the header of five words is cut off"));
    }
    if u64::from(words[3]) > limits::SPIRV_IDS.max {
        return Err(at_word(&limits::SPIRV_IDS, 3));
    }
    Ok(words)
}

/// The tables that are collected while a module is read.
struct Reader {
    m: Module,
    recorder: Recorder,
    /// Sets of instructions for debuggers: whether one is `NonSemantic.Shader.DebugInfo`.
    silent: FxHashMap<u32, bool>,
    /// The decorations of groups: group, target, member.
    groups: Vec<(u32, u32, u32)>,
    /// Functions, entry points and modes come before what they name.
    modes: Vec<(u32, ExecutionMode, Vec<u32>)>,
    merges: u64,
    open: Option<usize>,
}

impl Module {
    /// The specialisation constants, in source order. All of them have a default.
    pub fn overrides(&self) -> Vec<OverrideInfo> {
        let id = |c: &SpecConstant| u16::try_from(c.number).ok();
        let info = |c: &SpecConstant| OverrideInfo { name: c.name.clone(), id: id(c), has_default: true };
        self.constants.iter().map(info).collect()
    }

    /// Reads a module.
    ///
    /// # Errors
    /// Words that are no instructions, ids that are out of bounds or defined twice, and what is refused by its number alone.
    pub fn read(bytes: &[u8]) -> Result<Module, Diagnostic> {
        let words = words(bytes)?;
        let bound = words[3] as usize;
        let m = Module {
            words,
            insts: Vec::new(),
            links: false,
            addresses: false,
            head: usize::MAX,
            defs: vec![0; bound],
            uses: vec![0; bound],
            decos: Vec::new(),
            names: FxHashMap::default(),
            entries: Vec::new(),
            constants: Vec::new(),
            functions: FxHashMap::default(),
            places: SourceMap::default(),
            glsl: Vec::new(),
            foreign: FxHashMap::default(),
        };
        let mut r = Reader {
            m,
            recorder: Recorder::default(),
            silent: FxHashMap::default(),
            groups: Vec::new(),
            modes: Vec::new(),
            merges: 0,
            open: None,
        };
        let mut at = 5;
        while at < r.m.words.len() {
            let (length, opcode) = ((r.m.words[at] >> 16) as usize, r.m.words[at] as u16);
            let left = r.m.words.len() - at;
            if length == 0 || length > left {
                let name = grammar::called(opcode);
                let text = format!("{name} at word {at} claims {length} words, {left} are left");
                return Err(malformed(text));
            }
            r.instruction(at, length, opcode)?;
            at += length;
        }
        r.finish()
    }

    /// Whether it has so few constructs and functions that nothing recurses far.
    pub fn is_small(&self) -> bool {
        let deep = |i: &&Inst| matches!(i.op, Op::Function | Op::LoopMerge | Op::SelectionMerge);
        self.insts.iter().filter(deep).count() <= 256
    }

    /// The operands of an instruction behind its type and result.
    pub fn operands(&self, inst: &Inst) -> &[u32] {
        &self.words[inst.operands.0 as usize..inst.operands.1 as usize]
    }

    /// The operands of a decoration.
    pub fn deco_operands(&self, deco: &Deco) -> &[u32] {
        &self.words[deco.operands.0 as usize..deco.operands.1 as usize]
    }

    /// The index of the instruction that defines an id.
    pub fn def(&self, id: u32) -> Option<usize> {
        // A known value that is not kept has no place.
        self.defs.get(id as usize).filter(|d| **d > 0 && **d != u32::MAX).map(|d| *d as usize - 1)
    }

    /// How often an id is named, up to 255.
    pub fn uses(&self, id: u32) -> u8 {
        self.uses.get(id as usize).copied().unwrap_or(0)
    }

    /// The name of an id.
    pub fn name(&self, id: u32) -> Option<String> {
        let &(from, to) = self.names.get(&id)?;
        let name = grammar::text(&self.words[from as usize..to as usize]);
        if name.is_empty() { None } else { Some(name) }
    }

    /// Every decoration, by target and member.
    pub fn all_decos(&self) -> &[Deco] {
        &self.decos
    }

    fn decos_of(&self, target: u32, member: u32) -> &[Deco] {
        let from = self.decos.partition_point(|d| (d.target, d.member) < (target, member));
        let count = self.decos[from..].partition_point(|d| (d.target, d.member) == (target, member));
        &self.decos[from..from + count]
    }

    /// The operands of a decoration of an id, if it has it.
    pub fn deco(&self, target: u32, kind: Decoration) -> Option<&[u32]> {
        self.decos_of(target, WHOLE).iter().find(|d| d.kind == kind).map(|d| self.deco_operands(d))
    }

    /// The first operand of a decoration of an id.
    pub fn deco_number(&self, target: u32, kind: Decoration) -> Option<u32> {
        self.deco(target, kind).and_then(|o| o.first()).copied()
    }

    /// Whether an id has a decoration.
    pub fn has(&self, target: u32, kind: Decoration) -> bool {
        self.deco(target, kind).is_some()
    }

    /// The operands of a decoration of a member, if it has it.
    pub fn member_deco(&self, target: u32, member: u32, kind: Decoration) -> Option<&[u32]> {
        self.decos_of(target, member).iter().find(|d| d.kind == kind).map(|d| self.deco_operands(d))
    }

    /// The first operand of a decoration of a member.
    pub fn member_number(&self, target: u32, member: u32, kind: Decoration) -> Option<u32> {
        self.member_deco(target, member, kind).and_then(|o| o.first()).copied()
    }

    /// Whether an instruction of an extended set is one of `GLSL.std.450`; else the name of its set, if it is known.
    pub fn set(&self, id: u32) -> Result<(), Option<&str>> {
        if self.glsl.contains(&id) { Ok(()) } else { Err(self.foreign.get(&id).map(String::as_str)) }
    }

    /// The grammar's name of an instruction, with `Op`.
    pub fn op_name(&self, inst: &Inst) -> String {
        grammar::lookup(inst.op as u16).map_or_else(|| format!("{:?}", inst.op), |g| format!("Op{}", g.opname))
    }

    /// The place of an instruction in the source.
    pub fn span(&self, inst: &Inst) -> Span {
        self.places.span(inst.place)
    }

    /// An instruction that breaks a rule of SPIR-V.
    pub fn wrong(&self, inst: &Inst, text: impl std::fmt::Display) -> Diagnostic {
        let message = format!("`{}` at word {}: {text}", self.op_name(inst), inst.at);
        self.about(Diagnostic::invalid("validation", message), inst).at(self.span(inst), "")
    }

    /// An instruction that is right and cannot be compiled; `what` stands behind its name.
    pub fn missing(&self, code: Refusal, inst: &Inst, what: impl std::fmt::Display) -> Diagnostic {
        let name = format!("`{} {what}", self.op_name(inst));
        let name = format!("{}`", name.trim_end());
        self.about(report::unsupported(code, &name, self.span(inst)), inst)
    }

    /// Adds what the source calls the thing that an instruction is about.
    fn about(&self, mut d: Diagnostic, inst: &Inst) -> Diagnostic {
        if let Some(name) = self.object(inst) {
            d.notes.insert(0, format!("this is about `{name}`"));
        }
        d
    }

    /// The name of the result, or of the first operand that has one, or whose own operands have. Of a type it is the first variable with that
    /// type in it.
    fn object(&self, inst: &Inst) -> Option<String> {
        /// Instructions on the way to a name.
        const FAR: u32 = 6;
        if inst.op.is_type() {
            let mut variables = self.insts[..self.head.min(self.insts.len())].iter().filter(|i| i.op == Op::Variable);
            let named = variables.find(|v| self.has_type(v.ty, inst.id, FAR));
            return named.and_then(|v| self.name(v.id)).or_else(|| self.name(inst.id));
        }
        self.name(inst.id).or_else(|| self.ids(inst).into_iter().find_map(|id| self.name_of(id, FAR)))
    }

    fn name_of(&self, id: u32, left: u32) -> Option<String> {
        if let Some(name) = self.name(id) {
            return Some(name);
        }
        let inst = &self.insts[self.def(id).filter(|_| left > 0)?];
        if inst.op.is_type() {
            return None;
        }
        self.ids(inst).into_iter().find_map(|part| self.name_of(part, left - 1))
    }

    fn has_type(&self, ty: u32, part: u32, left: u32) -> bool {
        ty == part
            || left > 0
                && self.def(ty).is_some_and(|d| {
                    let inst = &self.insts[d];
                    inst.op.is_type() && self.ids(inst).into_iter().any(|below| self.has_type(below, part, left - 1))
                })
    }

    /// The ids among the operands.
    pub fn ids(&self, inst: &Inst) -> Vec<u32> {
        let mut list = Vec::new();
        if let Some(grammar) = grammar::lookup(inst.op as u16) {
            let all = &self.words[inst.at as usize + 1..inst.operands.1 as usize];
            let _ = grammar::operands(grammar, all, |id| list.push(id));
        }
        let own = usize::from(inst.ty != 0) + usize::from(inst.id != 0);
        list.drain(..own.min(list.len()));
        list
    }

    /// A note for what stands at a word and is none of the instructions that are kept.
    fn wrong_at(&self, opname: &str, at: u32, text: impl std::fmt::Display) -> Diagnostic {
        Diagnostic::invalid("validation", format!("`Op{opname}` at word {at}: {text}"))
    }
}

impl Reader {
    fn instruction(&mut self, at: usize, length: usize, opcode: u16) -> Result<(), Diagnostic> {
        let Some(grammar) = grammar::lookup(opcode) else {
            let d = report::unsupported(Refusal::Spirv, &grammar::called(opcode), Span::UNKNOWN);
            return Err(d.note(format!("at word {at}")));
        };
        let op = grammar.opcode;
        let linkage = rspirv::spirv::Capability::Linkage as u32;
        self.m.links |= op == Op::Capability && length > 1 && self.m.words[at + 1] == linkage;
        // A program is what it does; what its instructions need is looked at one by one.
        if matches!(
            op,
            Op::Capability
                | Op::Extension
                | Op::ConditionalExtensionINTEL
                | Op::ConditionalCapabilityINTEL
                | Op::SourceExtension
                | Op::ModuleProcessed
                | Op::DecorateString
                | Op::MemberDecorateString
                | Op::Nop
        ) {
            return Ok(());
        }
        let bound = self.m.words[3];
        let (has_type, has_result) = grammar::head(grammar);
        let all = &self.m.words[at + 1..at + length];
        let mut strange = None;
        let uses = &mut self.m.uses;
        let silent = op == Op::ExtInst && all.get(2).is_some_and(|set| self.silent.contains_key(set));
        let counted = !matches!(op, Op::Name | Op::MemberName | Op::EntryPoint | Op::Decorate | Op::GroupDecorate);
        let walked = grammar::operands(grammar, all, |id| match uses.get_mut(id as usize) {
            // glslang names %0 where it knows no debugging information.
            Some(n) if id != 0 || silent => {
                if counted {
                    *n = n.saturating_add(1);
                }
            }
            // Ids for debuggers may be numbers.
            _ if silent => {}
            _ => strange = strange.or(Some(id)),
        });
        if let Err(text) = walked {
            return Err(malformed(format!("`Op{}` at word {at} {text}", grammar.opname)));
        }
        if let Some(id) = strange {
            let text =
                format!("`Op{}` at word {at} names %{id}, which the header's bound {bound} excludes", grammar.opname);
            return Err(Diagnostic::invalid("parse", text));
        }
        let own = usize::from(has_type) + usize::from(has_result);
        let ty = if has_type { all[0] } else { 0 };
        let id = if has_result { all[own - 1] } else { 0 };
        if has_result && id >= bound {
            let text =
                format!("`Op{}` at word {at} defines %{id}, which the header's bound {bound} excludes", grammar.opname);
            return Err(Diagnostic::invalid("parse", text));
        }
        let operands = ((at + 1 + own) as u32, (at + length) as u32);
        let inst = Inst { op, ty, id, at: at as u32, operands, place: self.recorder.current() };
        if id != 0 {
            let n = &mut self.m.uses[id as usize];
            *n = n.saturating_sub(1);
            if self.m.defs[id as usize] != 0 {
                return Err(self.m.wrong(&inst, format!("%{id} is defined twice")));
            }
            // Known from here on, also of what is not kept.
            self.m.defs[id as usize] = u32::MAX;
        }
        if self.aside(&inst)? {
            return Ok(());
        }
        self.keep(inst)
    }

    /// Whether an instruction is no part of functions, types and constants; what it says is kept elsewhere.
    fn aside(&mut self, inst: &Inst) -> Result<bool, Diagnostic> {
        let (from, to) = inst.operands;
        let o: Vec<u32> = self.m.words[from as usize..(to as usize).min(from as usize + 4)].to_vec();
        let text = |m: &Module, n: u32| grammar::text(&m.words[(from + n).min(to) as usize..to as usize]);
        match inst.op {
            Op::String => self.recorder.string(inst.id, &text(&self.m, 0)),
            Op::Source => {
                let source = if to - from > 3 { Some(text(&self.m, 3)) } else { None };
                self.recorder.source(o.get(2).copied(), source.as_deref());
            }
            Op::SourceContinued => self.recorder.source_continued(&text(&self.m, 0)),
            Op::Line => self.recorder.line(o[0], o[1], o[2]),
            Op::NoLine => self.recorder.nowhere(),
            Op::Name => {
                self.m.names.insert(o[0], (from + 1, to));
            }
            Op::MemberName => {}
            Op::ExtInstImport => match text(&self.m, 0) {
                name if name == "GLSL.std.450" => self.m.glsl.push(inst.id),
                name if name.starts_with("NonSemantic.") || name.contains("DebugInfo") => {
                    self.silent.insert(inst.id, name.starts_with("NonSemantic.Shader.DebugInfo"));
                }
                name => {
                    self.m.foreign.insert(inst.id, name);
                }
            },
            Op::ExtInst => match self.silent.get(&o[0]) {
                Some(true) => {
                    let operands = self.m.words[from as usize..to as usize].to_vec();
                    self.recorder.debug(inst.id, &operands);
                }
                Some(false) => {}
                None => return Ok(false),
            },
            Op::ExtInstWithForwardRefsKHR if self.silent.contains_key(&o[0]) => {}
            Op::Decorate | Op::DecorateId => self.decorate(inst, o[0], WHOLE, 1)?,
            Op::MemberDecorate => self.decorate(inst, o[0], o[1], 2)?,
            Op::DecorationGroup => {}
            Op::GroupDecorate => {
                for k in from + 1..to {
                    self.groups.push((o[0], self.m.words[k as usize], WHOLE));
                }
            }
            Op::GroupMemberDecorate => {
                for k in (from + 1..to).step_by(2) {
                    self.groups.push((o[0], self.m.words[k as usize], self.m.words[k as usize + 1]));
                }
            }
            Op::EntryPoint => self.entry(inst)?,
            Op::ExecutionMode | Op::ExecutionModeId => {
                let Some(mode) = ExecutionMode::from_u32(o[1]) else {
                    return Err(self.m.missing(Refusal::Spirv, inst, format!("mode {}", o[1])));
                };
                let operands = self.m.words[from as usize + 2..to as usize].to_vec();
                self.modes.push((o[0], mode, operands));
            }
            Op::MemoryModel => {
                if o[0] == rspirv::spirv::AddressingModel::PhysicalStorageBuffer64 as u32 {
                    self.m.addresses = true;
                } else if o[0] != 0 {
                    let name = rspirv::spirv::AddressingModel::from_u32(o[0]);
                    let name = name.map_or_else(|| o[0].to_string(), |n| format!("{n:?}"));
                    return Err(self.m.missing(Refusal::PhysicalAddresses, inst, name));
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn decorate(&mut self, inst: &Inst, target: u32, member: u32, at: u32) -> Result<(), Diagnostic> {
        let (from, to) = inst.operands;
        let number = self.m.words[(from + at) as usize];
        let Some(kind) = Decoration::from_u32(number) else {
            return Err(self.m.missing(Refusal::Spirv, inst, grammar::decoration_called(number)));
        };
        let operands = (from + at + 1, to);
        self.m.decos.push(Deco { target, member, kind, operands, at: inst.at });
        Ok(())
    }

    fn entry(&mut self, inst: &Inst) -> Result<(), Diagnostic> {
        let operands = self.m.operands(inst);
        let Some(model) = ExecutionModel::from_u32(operands[0]) else {
            return Err(self.m.missing(Refusal::Spirv, inst, format!("the stage {}", operands[0])));
        };
        let stage = match model {
            ExecutionModel::GLCompute => Ok(Stage::Compute),
            ExecutionModel::Vertex => Ok(Stage::Vertex),
            ExecutionModel::Fragment => Ok(Stage::Fragment),
            ExecutionModel::Kernel => Err("kernel"),
            ExecutionModel::Geometry => Err("geometry"),
            ExecutionModel::TessellationControl | ExecutionModel::TessellationEvaluation => Err("tessellation"),
            ExecutionModel::MeshNV | ExecutionModel::MeshEXT => Err("mesh"),
            ExecutionModel::TaskNV | ExecutionModel::TaskEXT => Err("task"),
            _ => Err("ray tracing"),
        };
        let name = &operands[2..];
        let end = grammar::string_words(name).unwrap_or(name.len());
        let entry = Entry {
            name: grammar::text(name),
            stage,
            model,
            function: operands[1],
            interface: name[end..].to_vec(),
            modes: Vec::new(),
            at: inst.at,
        };
        self.m.entries.push(entry);
        Ok(())
    }

    fn keep(&mut self, inst: Inst) -> Result<(), Diagnostic> {
        let index = self.m.insts.len();
        match (inst.op, self.open) {
            (Op::Function, None) => {
                self.m.head = self.m.head.min(index);
                self.open = Some(index);
                self.merges = 0;
            }
            (Op::Function, Some(_)) => return Err(self.m.wrong(&inst, "the function before it has no end")),
            (Op::FunctionEnd, Some(start)) => {
                let id = self.m.insts[start].id;
                self.m.functions.insert(id, Function { inst: start, body: start + 1..index });
                self.open = None;
            }
            (Op::FunctionEnd, None) => return Err(self.m.wrong(&inst, "there is no function that it ends")),
            (Op::LoopMerge | Op::SelectionMerge, _) => {
                self.merges += 1;
                if self.merges > limits::SPIRV_MERGES.max {
                    return Err(at_word(&limits::SPIRV_MERGES, inst.at as usize));
                }
            }
            (Op::Constant, _) if inst.operands.1 - inst.operands.0 == 1 => {
                self.recorder.constant(inst.id, self.m.words[inst.operands.0 as usize]);
            }
            _ => {}
        }
        if self.open.is_none() && self.m.head != usize::MAX && inst.op != Op::FunctionEnd {
            return Err(self.m.wrong(&inst, "it stands behind the first function, and in none"));
        }
        if inst.id != 0 {
            self.m.defs[inst.id as usize] = index as u32 + 1;
        }
        self.m.insts.push(inst);
        if inst.op == Op::FunctionEnd || rspirv::grammar::reflect::is_block_terminator(inst.op) {
            self.recorder.nowhere();
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Module, Diagnostic> {
        if let Some(start) = self.open {
            let inst = self.m.insts[start];
            return Err(self.m.wrong(&inst, "the function has no end"));
        }
        self.m.head = self.m.head.min(self.m.insts.len());
        self.m.defs.iter_mut().filter(|d| **d == u32::MAX).for_each(|d| *d = 0);
        self.expand_groups()?;
        self.m.decos.sort_by_key(|d| (d.target, d.member));
        for (function, mode, operands) in std::mem::take(&mut self.modes) {
            for e in self.m.entries.iter_mut().filter(|e| e.function == function) {
                e.modes.push((mode, operands.clone()));
            }
        }
        self.m.places = std::mem::take(&mut self.recorder).finish();
        let mut constants = Vec::new();
        for inst in &self.m.insts[..self.m.head] {
            if matches!(inst.op, Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse)
                && let Some(number) = self.m.deco_number(inst.id, Decoration::SpecId)
            {
                constants.push(SpecConstant { id: inst.id, number, name: self.m.name(inst.id) });
            }
        }
        self.m.constants = constants;
        for e in &self.m.entries {
            if !self.m.functions.contains_key(&e.function) {
                return Err(self.m.wrong_at("EntryPoint", e.at, format!("%{} is no function", e.function)));
            }
        }
        Ok(self.m)
    }

    /// Writes what decoration groups say at each of their targets.
    fn expand_groups(&mut self) -> Result<(), Diagnostic> {
        if self.groups.is_empty() {
            return Ok(());
        }
        let mut of: FxHashMap<u32, Vec<Deco>> = FxHashMap::default();
        for d in self.m.decos.iter().filter(|d| d.member == WHOLE) {
            of.entry(d.target).or_default().push(*d);
        }
        for (group, target, member) in std::mem::take(&mut self.groups) {
            for d in of.get(&group).into_iter().flatten() {
                if self.m.decos.len() as u64 > limits::INSTRUCTIONS.max {
                    return Err(report::limit(&limits::INSTRUCTIONS));
                }
                self.m.decos.push(Deco { target, member, ..*d });
            }
        }
        Ok(())
    }
}

impl Module {
    /// The operation of an `OpSpecConstantOp` as an instruction of its own.
    pub fn inner(&self, inst: &Inst, op: Op) -> Option<Inst> {
        let inner = Inst { op, operands: (inst.operands.0 + 1, inst.operands.1), ..*inst };
        let grammar = grammar::lookup(op as u16)?;
        // The type and the result stand before the operation.
        let rest = self.operands(&inner);
        let mut words = vec![inst.ty, inst.id];
        words.extend(rest);
        grammar::operands(grammar, &words, |_| {}).ok()?;
        Some(inner)
    }

    /// A decoration that cannot be kept.
    pub fn missing_deco(&self, code: Refusal, deco: &Deco) -> Diagnostic {
        let op = if deco.member == WHOLE { "OpDecorate" } else { "OpMemberDecorate" };
        let d = report::unsupported(code, &format!("`{op} {:?}`", deco.kind), Span::UNKNOWN);
        let d = d.note(format!("at word {}", deco.at));
        match self.name(deco.target) {
            Some(name) => d.note(format!("this is about `{name}`")),
            None => d,
        }
    }
}
