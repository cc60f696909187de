//! SPIR-V as compilers write it, made into the SPIR-V that naga's reader takes.
//!
//! [`Module::read`] takes the words apart; [`Module::prepare`] writes others that mean the same, in the steps that its
//! body lists. What cannot be compiled is refused by the name of the instruction, with its place in the source.

mod arith;
mod binary;
mod blocks;
mod chains;
pub mod combined;
mod debug;
pub mod decorations;
mod entries;
mod exits;
mod flow;
mod given;
mod images;
mod layout;
mod literals;
mod matrix;
mod memory;
mod narrow;
mod object;
mod order;
mod refuse;
mod specialize;
mod types;

use binary::{Binary, Inst};
use gpucc_ir::{Class, Diagnostic, FpFlags, MemFlags, SourceFile, Span, Stage};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Decoration, MemoryAccess, Op};
use rustc_hash::FxHashSet;
use types::RewriteCx;

pub use specialize::SpecConstant;

/// A module as read.
#[derive(Debug, Clone)]
pub struct Module {
    binary: Binary,
    constants: Vec<SpecConstant>,
    entries: Vec<(String, Result<Stage, &'static str>)>,
}

/// Words for naga.
#[derive(Debug)]
pub struct Prepared {
    /// The words, in little-endian bytes.
    pub bytes: Vec<u8>,
    /// Of each workgroup variable whether it begins with zero by the source's own word.
    pub zeroed: Vec<bool>,
    /// Inputs and outputs that say where they are interpolated.
    pub sampled: Vec<decorations::Sampled>,
    /// Spans in the source, and what it is, by the byte at which naga says that an instruction begins.
    instructions: Vec<(u32, Span, Op)>,
    /// The bytes at which instructions begin whose arithmetic is not contracted.
    exact: Vec<u32>,
    /// What the module had before it was rewritten.
    original: FxHashSet<Op>,
    /// Whether nothing says that loads and stores are for others to see at once (`Coherent`, `Volatile`, the operands of the Vulkan
    /// memory model). Words for naga do not say it.
    private: bool,
    /// What atomics and barriers say of order.
    orders: order::Orders,
}

impl Module {
    /// Reads a module whose framing is right.
    ///
    /// # Errors
    /// Words that are no instruction.
    pub fn read(bytes: &[u8]) -> Result<Module, Diagnostic> {
        let binary = binary::read(bytes)?;
        let constants = specialize::constants(&binary);
        let entries = entries::list(&binary);
        Ok(Module { binary, constants, entries })
    }

    /// Its constants with a `SpecId`.
    pub fn constants(&self) -> &[SpecConstant] {
        &self.constants
    }

    /// Names and stages of its entry points.
    pub fn entries(&self) -> &[(String, Result<Stage, &'static str>)] {
        &self.entries
    }

    /// The files that it comes from, as far as it says so.
    pub fn files(&self) -> &[SourceFile] {
        &self.binary.places.files
    }

    /// Words for naga, of one entry point or of all, with values by `SpecId`.
    ///
    /// # Errors
    /// What cannot be compiled, a value that a constant cannot have, and words that fit nowhere.
    pub fn prepare(&self, entry: Option<&str>, values: &[(u32, f64)]) -> Result<Prepared, Diagnostic> {
        let mut module = self.binary.clone();
        entries::prune(&mut module, entry);
        refuse::check(&module)?;
        layout::check(&module)?;
        images::check(&module)?;
        order::declare_shared(&mut module);
        decorations::check(&module)?;
        decorations::mark_exact(&mut module);
        let sampled = decorations::sampled(&module);
        module.body = blocks::in_order(std::mem::take(&mut module.body));
        memory::undefined(&mut module);
        combined::split(&mut module);
        specialize::specialize(&mut module, values)?;
        specialize::workgroup_sizes(&mut module)?;
        given::specialise(&mut module)?;
        entries::separate(&mut module);
        memory::initial_outputs(&mut module);
        let matrices = matrix::declare(&mut module)?;
        let mut cx = RewriteCx::new(&module);
        cx.matrices = matrices;
        let zeroed = memory::workgroup(&cx, &mut module.head);
        for inst in std::mem::take(&mut module.body) {
            cx.place = inst.place;
            narrow::rewrite(&mut cx, inst).and_then(|inst| rewrite(&mut cx, inst)).map_err(|mut d| {
                for label in d.labels.iter_mut().filter(|l| !l.span.is_known()) {
                    label.span = module.places.span(cx.place);
                }
                d
            })?;
        }
        let body = std::mem::take(&mut cx.out);
        let body = flow::switches(&mut cx, body)?;
        module.body = chains::sink(&mut cx, body)?;
        module.head.append(&mut cx.globals);
        // Constants that the steps above made may be among them.
        literals::rewrite(&mut cx, &mut module);
        module.head.append(&mut cx.globals);
        if let (set, true) = cx.extensions {
            let name = vec![Operand::LiteralString("GLSL.std.450".into())];
            let inst = Instruction::new(Op::ExtInstImport, None, Some(set), name);
            module.head.insert(0, Inst { inst, place: 0 });
        }
        module.header.bound = cx.bound;
        let (bytes, places) = module.write();
        let orders = order::Orders::new(&cx, &module, &places);
        let exact = places.iter().filter(|p| p.1 & Inst::EXACT != 0).map(|p| p.0).collect();
        let instructions = places.into_iter().map(|(at, place, op)| (at, module.places.span(place), op)).collect();
        let original = self.binary.head.iter().chain(&self.binary.body).map(Inst::op).collect();
        let private = !self.binary.head.iter().chain(&self.binary.body).any(is_shared);
        Ok(Prepared { bytes, zeroed, sampled, instructions, exact, original, private, orders })
    }
}

/// Whether it says of memory, or of an access, that others see it at once.
fn is_shared(inst: &Inst) -> bool {
    let seen = MemoryAccess::VOLATILE | MemoryAccess::NON_PRIVATE_POINTER;
    inst.inst.operands.iter().any(|o| match o {
        Operand::Decoration(d) => matches!(d, Decoration::Coherent | Decoration::Volatile),
        Operand::MemoryAccess(m) => m.intersects(seen),
        _ => false,
    })
}

/// Writes what an instruction becomes: the first step that knows it says so.
fn rewrite(cx: &mut RewriteCx, inst: Inst) -> Result<(), Diagnostic> {
    if inst.op() == Op::Label
        || matrix::rewrite(cx, &inst)?
        || memory::rewrite(cx, &inst)?
        || images::rewrite(cx, &inst)?
        || arith::rewrite(cx, &inst)?
    {
        if inst.op() == Op::Label {
            cx.out.push(inst);
        }
        return Ok(());
    }
    cx.out.push(inst);
    Ok(())
}

impl Prepared {
    /// The span in the source for a byte of the words.
    pub fn span(&self, span: Span) -> Span {
        if !span.is_known() {
            return span;
        }
        match self.instructions.partition_point(|i| i.0 <= span.start).checked_sub(1) {
            Some(at) => self.instructions[at].1,
            None => Span::UNKNOWN,
        }
    }

    /// Makes accesses plain that naga made atomic as others to the same variable are: `OpLoad` and `OpStore` promise nothing where another
    /// invocation writes the place. Spans are still those of the words.
    pub fn plain_accesses(&self, module: &mut gpucc_ir::Module) {
        if !self.private {
            return;
        }
        for f in module.funcs.keys() {
            for i in module.funcs[f].insts.keys() {
                let d = &module.funcs[f].insts[i];
                let own = match d.op {
                    gpucc_ir::Op::Load => Op::Load,
                    gpucc_ir::Op::Store => Op::Store,
                    _ => continue,
                };
                let atomic = d.mem().is_some_and(|m| m.flags.has(MemFlags::ATOMIC));
                if atomic
                    && self.op(module.span(d.loc)) == Some(own)
                    && let Some(m) = module.funcs[f].insts[i].mem_mut()
                {
                    m.flags = m.flags.without(MemFlags::ATOMIC);
                }
            }
        }
    }

    /// Puts order between atomics and other accesses as the source's instructions say. Spans are still those of the words.
    pub fn order_accesses(&self, module: &mut gpucc_ir::Module) {
        for f in module.funcs.keys() {
            let mut func = std::mem::take(&mut module.funcs[f]);
            self.orders.apply(&mut func, |d| self.at(module.span(d.loc)).map(|i| i.0));
            module.funcs[f] = func;
        }
    }

    /// Takes the licence to contract from what the module forbids it for. Spans are still those of the words.
    pub fn exact_arithmetic(&self, module: &mut gpucc_ir::Module) {
        if self.exact.is_empty() {
            return;
        }
        for f in module.funcs.keys() {
            for i in module.funcs[f].insts.keys() {
                let d = &module.funcs[f].insts[i];
                if d.fp.has(FpFlags::CONTRACT)
                    && let Some(of) = self.at(module.span(d.loc))
                    && self.exact.binary_search(&of.0).is_ok()
                {
                    let d = &mut module.funcs[f].insts[i];
                    d.fp = d.fp.and(FpFlags(!FpFlags::CONTRACT.0));
                }
            }
        }
    }

    /// The instruction there.
    fn at(&self, span: Span) -> Option<&(u32, Span, Op)> {
        if !span.is_known() {
            return None;
        }
        let at = self.instructions.partition_point(|i| i.0 <= span.start).checked_sub(1)?;
        Some(&self.instructions[at])
    }

    /// What the instruction there is.
    fn op(&self, span: Span) -> Option<Op> {
        self.at(span).map(|i| i.2)
    }

    /// A diagnostic about the words as one about the source. What is not supported is named by its instruction.
    pub fn explain(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        let place = diagnostic.labels.iter().find(|l| l.span.is_known()).map(|l| l.span);
        if let Some(name) = place.and_then(|span| self.instruction(span))
            && diagnostic.class == Class::Unsupported
        {
            diagnostic.message = format!("`{name}`: {}", diagnostic.message);
        }
        if let Some((at, _, op)) =
            place.and_then(|span| self.at(span)).filter(|_| diagnostic.class == Class::Unsupported)
            && let Ok(module) = binary::read(&self.bytes)
        {
            let words = self.bytes.get(*at as usize..).unwrap_or(&[]).as_chunks().0;
            let words: Vec<u32> = words.iter().skip(1).take(2).map(|w| u32::from_le_bytes(*w)).collect();
            let inst = object::find(&module, *op, &words);
            diagnostic = refuse::about(diagnostic, inst.and_then(|i| object::name(&module, i)));
        }
        diagnostic.labels.iter_mut().for_each(|l| l.span = self.span(l.span));
        diagnostic
    }

    /// The name of the instruction there, if the module has one of that name: what this rewriting writes is not named, and neither is a type,
    /// which stands for what has it.
    fn instruction(&self, span: Span) -> Option<String> {
        let op = self.op(span)?;
        (!op.is_type() && self.original.contains(&op)).then(|| format!("Op{op:?}"))
    }
}
