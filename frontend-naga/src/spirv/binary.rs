//! A SPIR-V module as a flat list of instructions: read with rspirv, without what is only for debuggers, each with its
//! place in the source.

use super::debug::{Places, Recorder};
use crate::guard::limits;
use crate::report;
use gpucc_ir::{Diagnostic, Refusal, Span};
use indexmap::IndexMap;
use rspirv::binary::{Assemble, Consumer, ParseAction, ParseState, parse_bytes};
use rspirv::dr::{Instruction, ModuleHeader, Operand};
use rspirv::spirv::{Decoration, Op};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// An instruction and where the source has it: an index into [`Places`], 0 if that is unknown.
#[derive(Debug, Clone)]
pub struct Inst {
    /// The instruction.
    pub inst: Instruction,
    /// Its place, and [`Inst::EXACT`].
    pub place: u32,
}

impl Inst {
    /// The bit of a place that says that the arithmetic there is not contracted: what an instruction becomes has its place.
    pub const EXACT: u32 = 1 << 31;

    /// What it does.
    pub fn op(&self) -> Op {
        self.inst.class.opcode
    }

    /// Its name without `Op`.
    pub fn class_name(&self) -> &'static str {
        self.inst.class.opname
    }

    /// An operand that is an id.
    pub fn id(&self, n: usize) -> Option<u32> {
        self.inst.operands.get(n).and_then(Operand::id_ref_any)
    }

    /// An operand that is a literal of one word.
    pub fn literal(&self, n: usize) -> Option<u32> {
        match self.inst.operands.get(n) {
            Some(&Operand::LiteralBit32(x) | &Operand::LiteralExtInstInteger(x)) => Some(x),
            _ => None,
        }
    }

    /// The ids among the operands from the `n`th.
    pub fn ids(&self, n: usize) -> Vec<u32> {
        self.inst.operands.iter().skip(n).filter_map(Operand::id_ref_any).collect()
    }
}

/// A module.
#[derive(Debug, Clone)]
pub struct Binary {
    /// Header: version and first id that is free.
    pub header: ModuleHeader,
    /// Everything before the first function.
    pub head: Vec<Inst>,
    /// The functions.
    pub body: Vec<Inst>,
    /// Sets of instructions that are not for debuggers alone, by id.
    pub foreign: IndexMap<u32, String, FxBuildHasher>,
    /// Where instructions are in the source.
    pub places: Places,
}

/// Reads a module whose framing has been checked.
///
/// # Errors
/// An instruction that the grammar does not know.
pub fn read(bytes: &[u8]) -> Result<Binary, Diagnostic> {
    let mut reader = Reader::default();
    match parse_bytes(unfolded(bytes), &mut reader) {
        Ok(()) | Err(ParseState::ConsumerStopRequested) => {}
        Err(why) if is_newer(&why) => {
            let what = "a word that the grammar of SPIR-V 1.6 does not have";
            return Err(report::unsupported(Refusal::Spirv, what, Span::UNKNOWN).note(why.to_string()));
        }
        Err(why) => return Err(Diagnostic::invalid("parse", format!("this is not a SPIR-V module: {why}"))),
    }
    let Some(header) = reader.header else {
        return Err(Diagnostic::invalid("parse", "this is not a SPIR-V module: there is no header"));
    };
    let strange = reader.strange;
    if let Some((op, id)) = strange {
        return Err(Diagnostic::invalid("parse", format!("`Op{op}` names %{id}, which the header's bound excludes")));
    }
    let Reader { mut head, body, foreign, recorder, groups, .. } = reader;
    expand_groups(&mut head, &groups)?;
    keep_of_written_images(&mut head);
    Ok(Binary { header, head, body, foreign, places: recorder.finish() })
}

/// Whether the module may be right in a newer version of SPIR-V, or in an extension: instructions and values without a name.
fn is_newer(why: &ParseState) -> bool {
    match why {
        ParseState::OpcodeUnknown(..) => true,
        ParseState::OperandError(error) => error.to_string().contains("unknown value"),
        _ => false,
    }
}

/// Operations on constants with a list of numbers: the reader takes one number only.
const LISTS: [Op; 3] = [Op::CompositeExtract, Op::CompositeInsert, Op::VectorShuffle];

/// The words with such operations as instructions of their own; [`folded`] takes them back.
fn unfolded(bytes: &[u8]) -> Vec<u8> {
    let word = |at: usize| bytes.get(at..at + 4).map_or(0, |w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
    let mut out = bytes.get(..20).unwrap_or(bytes).to_vec();
    let mut at = out.len();
    while at < bytes.len() {
        let (first, inner) = (word(at), word(at + 12));
        let length = (first >> 16).max(1);
        let end = (at + 4 * length as usize).min(bytes.len());
        if first & 0xffff == Op::SpecConstantOp as u32 && length > 4 && LISTS.iter().any(|&op| op as u32 == inner) {
            out.extend(((length - 1) << 16 | inner).to_le_bytes());
            out.extend(&bytes[at + 4..at + 12]);
            out.extend(&bytes[at + 16..end]);
        } else {
            out.extend(&bytes[at..end]);
        }
        at = end;
    }
    out
}

/// An instruction outside of functions that is an operation on constants.
fn folded(mut inst: Instruction) -> Instruction {
    let op = inst.class.opcode;
    if !LISTS.contains(&op) {
        return inst;
    }
    inst.operands.insert(0, Operand::LiteralSpecConstantOpInteger(op));
    Instruction::new(Op::SpecConstantOp, inst.result_type, inst.result_id, inst.operands)
}

/// What a group decorates: ids, and members of them.
type Targets = Vec<(u32, Option<u32>)>;

#[derive(Default)]
struct Reader {
    header: Option<ModuleHeader>,
    head: Vec<Inst>,
    body: Vec<Inst>,
    foreign: IndexMap<u32, String, FxBuildHasher>,
    /// Sets of instructions for debuggers: whether one is `NonSemantic.Shader.DebugInfo`.
    silent: FxHashMap<u32, bool>,
    recorder: Recorder,
    /// Decoration groups with what they decorate.
    groups: Vec<(u32, Targets)>,
    in_function: bool,
    /// The first id that the header excludes.
    strange: Option<(&'static str, u32)>,
}

impl Consumer for Reader {
    fn initialize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn finalize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_header(&mut self, header: ModuleHeader) -> ParseAction {
        self.header = Some(header);
        ParseAction::Continue
    }

    fn consume_instruction(&mut self, inst: Instruction) -> ParseAction {
        let inst = if self.in_function { inst } else { folded(inst) };
        let inst = Inst { inst, place: self.recorder.current() };
        let bound = self.header.as_ref().map_or(0, |h| h.bound);
        let named = inst.inst.operands.iter().filter_map(Operand::id_ref_any);
        let mut ids = named.chain(inst.inst.result_id).chain(inst.inst.result_type);
        // glslang names %0 where it knows no debugging information (of the type behind a buffer reference).
        let silent = inst.op() == Op::ExtInst && inst.id(0).is_some_and(|set| self.silent.contains_key(&set));
        if let Some(id) = ids.find(|&id| (id == 0 && !silent) || id >= bound) {
            self.strange = Some((inst.class_name(), id));
            return ParseAction::Stop;
        }
        if !self.aside(&inst) {
            self.in_function |= inst.op() == Op::Function;
            let ends = inst.op() == Op::FunctionEnd || rspirv::grammar::reflect::is_block_terminator(inst.op());
            if self.in_function {
                self.body.push(inst)
            } else {
                self.head.push(inst)
            }
            if ends {
                self.recorder.nowhere();
            }
        }
        ParseAction::Continue
    }
}

impl Reader {
    /// Whether an instruction is not part of the program; what it says of the source is kept.
    fn aside(&mut self, inst: &Inst) -> bool {
        let text = |n: usize| match inst.inst.operands.get(n) {
            Some(Operand::LiteralString(s)) => Some(s.as_str()),
            _ => None,
        };
        match inst.op() {
            Op::String => {
                if let (Some(id), Some(text)) = (inst.inst.result_id, text(0)) {
                    self.recorder.string(id, text);
                }
            }
            Op::Source => self.recorder.source(inst.id(2), text(3)),
            Op::SourceContinued => self.recorder.source_continued(text(0).unwrap_or_default()),
            Op::Line => {
                self.recorder.line(inst.id(0).unwrap_or(0), inst.literal(1).unwrap_or(0), inst.literal(2).unwrap_or(0))
            }
            Op::NoLine => self.recorder.nowhere(),
            Op::ExtInstImport => {
                let (Some(id), Some(name)) = (inst.inst.result_id, text(0)) else { return true };
                match name {
                    "GLSL.std.450" => return false,
                    _ if name.starts_with("NonSemantic.") || name.contains("DebugInfo") => {
                        self.silent.insert(id, name.starts_with("NonSemantic.Shader.DebugInfo"));
                    }
                    _ => {
                        self.foreign.insert(id, name.to_string());
                    }
                }
            }
            Op::ExtInst => match inst.id(0).and_then(|set| self.silent.get(&set)) {
                Some(true) => self.recorder.debug(inst),
                Some(false) => {}
                None => return false,
            },
            // A program is what it does; what its instructions need is looked at one by one.
            Op::Capability
            | Op::Extension
            | Op::ConditionalExtensionINTEL
            | Op::ConditionalCapabilityINTEL
            | Op::Nop
            | Op::SourceExtension
            | Op::ModuleProcessed
            | Op::DecorateString
            | Op::MemberDecorateString
            | Op::DecorationGroup => {}
            Op::GroupDecorate => self.group(inst, inst.ids(1).into_iter().map(|id| (id, None)).collect()),
            Op::GroupMemberDecorate => {
                let pairs = inst.inst.operands[1..].chunks_exact(2).filter_map(|pair| match pair {
                    [id, Operand::LiteralBit32(member)] => Some((id.id_ref_any()?, Some(*member))),
                    _ => None,
                });
                self.group(inst, pairs.collect());
            }
            Op::Constant if !self.in_function => {
                if let (Some(id), Some(value)) = (inst.inst.result_id, inst.literal(0)) {
                    self.recorder.constant(id, value);
                }
                return false;
            }
            _ => return false,
        }
        true
    }

    fn group(&mut self, inst: &Inst, targets: Targets) {
        if let Some(group) = inst.id(0) {
            self.groups.push((group, targets));
        }
    }
}

/// Writes what decoration groups say at each of their targets.
fn expand_groups(head: &mut Vec<Inst>, groups: &[(u32, Targets)]) -> Result<(), Diagnostic> {
    if groups.is_empty() {
        return Ok(());
    }
    let mut targets: FxHashMap<u32, Targets> = FxHashMap::default();
    for (group, list) in groups {
        targets.entry(*group).or_default().extend(list);
    }
    let mut out = Vec::with_capacity(head.len());
    for inst in head.drain(..) {
        let group = if inst.op() == Op::Decorate { inst.id(0) } else { None };
        for &(id, member) in group.and_then(|g| targets.get(&g)).into_iter().flatten() {
            if out.len() as u64 > limits::INSTRUCTIONS.max {
                return Err(report::limit(&limits::INSTRUCTIONS));
            }
            let rest = &inst.inst.operands[1..];
            let (op, first) = match member {
                Some(m) => (Op::MemberDecorate, vec![Operand::IdRef(id), Operand::LiteralBit32(m)]),
                None => (Op::Decorate, vec![Operand::IdRef(id)]),
            };
            let operands = first.into_iter().chain(rest.iter().cloned()).collect();
            out.push(Inst { inst: Instruction::new(op, None, None, operands), place: 0 });
        }
        out.push(inst);
    }
    *head = out;
    Ok(())
}

/// Takes away that something is not read, but of images that are written: buffers that are only written are buffers that may be
/// written, while a format may allow an image the one and not the other.
fn keep_of_written_images(head: &mut Vec<Inst>) {
    let says = |i: &Inst, what| i.inst.operands.contains(&Operand::Decoration(what));
    if !head.iter().any(|i| says(i, Decoration::NonReadable)) {
        return;
    }
    let mut images = FxHashSet::default();
    let mut written = FxHashSet::default();
    for i in head.iter() {
        let of = match i.op() {
            Op::TypeImage => i.inst.result_id,
            Op::TypePointer => i.inst.result_id.filter(|_| i.id(1).is_some_and(|t| images.contains(&t))),
            Op::Variable => {
                let id = i.inst.result_id.filter(|_| i.inst.result_type.is_some_and(|t| images.contains(&t)));
                written.extend(id);
                None
            }
            _ => None,
        };
        images.extend(of);
    }
    for i in head.iter().filter(|i| i.op() == Op::Decorate && says(i, Decoration::NonWritable)) {
        if let Some(id) = i.id(0) {
            written.remove(&id);
        }
    }
    let is_written = |i: &Inst| i.op() == Op::Decorate && i.id(0).is_some_and(|id| written.contains(&id));
    head.retain(|i| !says(i, Decoration::NonReadable) || is_written(i));
}

impl Binary {
    /// The words, and what stands where: the byte at which naga's reader says that an instruction begins, its place, and what it is.
    pub fn write(&self) -> (Vec<u8>, Vec<(u32, u32, Op)>) {
        let mut words = Vec::new();
        self.header.assemble_into(&mut words);
        let mut starts = Vec::with_capacity(self.head.len() + self.body.len());
        let mut uncounted = 0;
        for inst in self.head.iter().chain(&self.body) {
            let start = words.len();
            starts.push(((start - uncounted) as u32 * 4, inst.place, inst.op()));
            inst.inst.assemble_into(&mut words);
            // Of these the reader does not count the last operands: everything behind lies further on than it says.
            uncounted += match inst.op() {
                Op::EntryPoint => inst.inst.operands.len().saturating_sub(3),
                Op::ExecutionMode => (words.len() - start).saturating_sub(3),
                Op::TypeFunction => inst.inst.operands.len().saturating_sub(1),
                _ => 0,
            };
        }
        (words.iter().flat_map(|w| w.to_le_bytes()).collect(), starts)
    }
}
