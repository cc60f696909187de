//! Translation of an entry point into dense arrays.

use crate::memory::Stray;
use crate::quads::{FIRST_INPUT, sysval_row};
use crate::texture::{DSampler, DTex, DTexture};
use gpucc_ir::analysis::{Clamp, clamps, structured_order};
use gpucc_ir::text::inst_text;
use gpucc_ir::{
    AtomicOp, Attr, Barrier, Block, Const, Deriv, EdgeRef, Entity, EntryPoint, FloatCc, Func, Function, Init, Inst,
    InstData, IntCc, Mem, MemFlags, Module, Op, Place, Res, Scalar, SideMap, Space, Stage, StageInfo, Sysval, Tex,
    TexArg, Type, Value, ValueDef,
};
use gpucc_sim::{RaceCheck, Trap, TrapKind, WORKGROUP};

/// An entry point, ready to run. Owns everything; the module is not needed any more.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) name: String,
    pub(crate) stage: StageInfo,
    /// Of a compute entry; of others one invocation.
    pub(crate) workgroup_size: [u32; 3],
    pub(crate) robust: bool,
    pub(crate) funcs: Vec<DFunc>,
    pub(crate) entry: usize,
    pub(crate) buffers: Vec<DBuffer>,
    pub(crate) textures: Vec<DTexture>,
    pub(crate) samplers: Vec<DSampler>,
    /// Of a vertex or fragment entry: the first row of each input among those of a batch.
    pub(crate) input_rows: Vec<u32>,
    /// Rows of a batch that system values, inputs and targets take.
    pub(crate) rows: u32,
    /// Location of each target that is loaded, and the row of its first component.
    pub(crate) loaded: Vec<(u8, u32)>,
    /// (slot, components) of each output of such an entry.
    pub(crate) outputs: Vec<(u32, u32)>,
    /// System values that are read.
    pub(crate) sysvals: Vec<Sysval>,
    /// Buffers or images are written.
    pub(crate) writes_memory: bool,
    /// Workgroup memory: bytes with initialisers.
    pub(crate) shared: Vec<u8>,
    /// Parts of it that begin as they are here even where the module is not robust.
    pub(crate) shared_set: Vec<std::ops::Range<usize>>,
    /// Private memory of one lane.
    pub(crate) private: Vec<u8>,
    /// Bytes of function memory of one lane, all functions together.
    pub(crate) local_size: u32,
    /// Slots of one subgroup, all functions together; a slot holds one component for all lanes.
    pub(crate) slots: u32,
    /// (slot, bits) of constants.
    pub(crate) consts: Vec<(u32, u64)>,
    /// (slot, mask) of undefined values.
    pub(crate) undefs: Vec<(u32, u64)>,
    /// Whether some reachable function has a barrier that waits.
    pub(crate) barriers: bool,
    pub(crate) strict: bool,
    pub(crate) stray: Stray,
    /// Products in the offsets of accesses, where they are looked at.
    pub(crate) indices: Vec<Vec<Product>>,
    /// Whether an index is out of bounds whose offset comes inside again because it does not fit 32 bits.
    pub(crate) wide_indices: bool,
    /// What a check for races has to know of instructions: number, kind, place, values. Buffers are numbered as here.
    pub(crate) marks: Vec<(u32, u16, u16, [u32; 3])>,
    /// Line and column of each instruction.
    pub(crate) lines: Vec<Option<(u32, u32)>>,
}

#[derive(Clone, Debug)]
pub(crate) struct DBuffer {
    pub name: String,
    pub group: u32,
    pub binding: u32,
    pub min_size: u32,
    pub runtime: bool,
}

impl DBuffer {
    /// Bytes that the program can name of a binding of this size.
    pub fn limit(&self, bytes: usize) -> usize {
        if self.runtime { bytes } else { bytes.min(self.min_size as usize) }
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct DFunc {
    pub blocks: Vec<DBlock>,
    pub insts: Vec<DInst>,
    pub edges: Vec<DEdge>,
    pub switches: Vec<DSwitch>,
    pub calls: Vec<DCall>,
    /// Parameter slots, in order.
    pub params: Vec<(u32, u32)>,
    /// Bytes of this function's variables in the lane's function memory.
    pub locals: (u32, u32),
    /// Text of instructions for traps, in the order of the function.
    pub texts: Vec<String>,
    /// Number of its first instruction among those of all functions.
    pub first: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct DBlock {
    pub block: Block,
    /// Range in `DFunc::insts`.
    pub first: u32,
    pub last: u32,
    pub term: DTerm,
    /// Index in `DFunc::texts` of the terminator.
    pub text: u32,
}

#[derive(Clone, Debug)]
pub(crate) enum DTerm {
    Jump(u32),
    Br {
        cond: u32,
        then: u32,
        other: u32,
    },
    Switch(u32),
    /// (slot, components) of each result.
    Ret(Vec<(u32, u32)>),
    Unreachable,
}

#[derive(Clone, Debug)]
pub(crate) struct DEdge {
    /// Position in `DFunc::blocks`.
    pub block: u32,
    /// (from, to) slot by slot.
    pub copies: Vec<(u32, u32)>,
    /// Some `to` is a later `from`, so all must be read before one is written.
    pub overlap: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct DSwitch {
    pub sel: u32,
    /// Sorted by value.
    pub cases: Vec<(u64, u32)>,
    pub default: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct DCall {
    pub func: usize,
    /// (slot, components) of each argument.
    pub args: Vec<(u32, u32)>,
    /// (slot, components) of each result.
    pub results: Vec<(u32, u32)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DPlace {
    Buffer(u32),
    Shared { base: u32, size: u32 },
    Private { base: u32, size: u32 },
    Local { base: u32, size: u32 },
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct DMem {
    pub place: DPlace,
    pub offset: u32,
    pub align: u32,
    pub in_bounds: bool,
    /// Slot of the dynamic offset.
    pub dynamic: Option<u32>,
    /// Number of its index among [`Program::indices`], where a product makes the offset.
    pub index: Option<u32>,
    pub ty: Type,
}

/// A product in an offset: slot of the index, and the factor.
pub(crate) type Product = (u32, u32);

#[derive(Clone, Debug)]
pub(crate) enum Extra {
    None,
    Int(IntCc),
    Float(FloatCc),
    Lane(u32),
    Lanes([u8; 4]),
    Mem(DMem),
    Atomic(AtomicOp, DMem),
    Init(DPlace, Box<[u8]>),
    Buffer(u32),
    Barrier(Barrier),
    Sysval(Sysval),
    /// First row among those of a batch.
    Row(u32),
    Deriv(Deriv),
    Tex(Box<DTex>),
    Call(u32),
    /// Type of the operand, where it differs from the result's.
    From(Type),
    /// Components of the condition.
    Cond(u32),
    /// Slots of composed operands.
    Parts([u32; 4]),
    /// (components of a, components of b)
    Dyn(u32),
}

#[derive(Clone, Debug)]
pub(crate) struct DInst {
    pub op: Op,
    /// Lane kind that decides the meaning: of the first operand, or of the result where there is none.
    pub scalar: Scalar,
    /// Lane kind of the result.
    pub to: Scalar,
    /// Components of the result (or of the stored value).
    pub n: u32,
    pub dst: u32,
    pub args: [u32; 4],
    pub extra: Extra,
    /// Index in `DFunc::texts`.
    pub text: u32,
}

/// The slot of an operand or result that is not there.
pub(crate) const NO_SLOT: u32 = u32::MAX;

impl Program {
    /// Translates the first entry point of a name. The module must have passed the validator.
    ///
    /// # Errors
    /// When there is no such entry, or the interpreter does not model something in it.
    pub fn new(module: &Module, entry: &str) -> Result<Program, Trap> {
        match module.entry(entry) {
            Some(point) => Program::of(module, point),
            None => Err(no_entry(module, entry)),
        }
    }

    /// Translates the entry point of a name in a stage. The module must have passed the validator.
    ///
    /// # Errors
    /// When there is no such entry, or the interpreter does not model something in it.
    pub fn at(module: &Module, entry: &str, stage: Stage) -> Result<Program, Trap> {
        match module.entry_at(entry, stage) {
            Some(point) => Program::of(module, point),
            None => Err(no_entry(module, entry)),
        }
    }

    fn of(module: &Module, point: &EntryPoint) -> Result<Program, Trap> {
        let mut cx = Cx {
            module,
            out: Program {
                name: point.name.clone(),
                stage: point.stage.clone(),
                workgroup_size: point.workgroup_size().unwrap_or([1; 3]),
                robust: module.options.robust,
                funcs: Vec::new(),
                entry: 0,
                buffers: Vec::new(),
                textures: Vec::new(),
                samplers: Vec::new(),
                input_rows: Vec::new(),
                rows: FIRST_INPUT,
                loaded: Vec::new(),
                outputs: Vec::new(),
                sysvals: Vec::new(),
                writes_memory: false,
                shared: Vec::new(),
                shared_set: Vec::new(),
                private: Vec::new(),
                local_size: 0,
                slots: 0,
                consts: Vec::new(),
                undefs: Vec::new(),
                barriers: false,
                strict: false,
                stray: Stray::Nowhere,
                indices: Vec::new(),
                wide_indices: false,
                marks: Vec::new(),
                lines: Vec::new(),
            },
            funcs: SideMap::with_default(None),
            resources: SideMap::with_default(None),
            globals: Vec::new(),
        };
        if let Some(io) = point.interface() {
            let mut row = FIRST_INPUT;
            for slot in &io.inputs {
                cx.out.input_rows.push(row);
                row += slot.ty.lanes();
            }
            cx.out.rows = row;
            let outputs = io.outputs.iter().map(|slot| (cx.new_slots(slot.ty.lanes()), slot.ty.lanes())).collect();
            cx.out.outputs = outputs;
        }
        let large = |v: u64| v > 1 << 28;
        let total = module.globals.values().map(|g| u64::from(g.size)).sum();
        if large(total) || module.funcs.values().any(|f| large(f.locals.values().map(|l| u64::from(l.size)).sum())) {
            return Err(Trap::new(TrapKind::Unsupported, "variables of more than 256 MiB"));
        }
        for g in module.globals.values() {
            let memory = match g.space {
                Space::Workgroup => &mut cx.out.shared,
                _ => &mut cx.out.private,
            };
            let base = memory.len().next_multiple_of(g.align.clamp(16, 256) as usize);
            memory.resize(base + g.size as usize, 0);
            if let Init::Bytes(b) = &g.init {
                let n = b.len().min(g.size as usize);
                memory[base..base + n].copy_from_slice(&b[..n]);
                if g.space == Space::Workgroup {
                    cx.out.shared_set.push(base..base + n);
                }
            }
            cx.globals.push(base as u32);
        }
        // Functions call only functions with smaller indices, so this order has callees first.
        let mut wanted: Vec<Func> = vec![point.func];
        let mut at = 0;
        while let Some(&func) = wanted.get(at) {
            at += 1;
            let f = &module.funcs[func];
            for (_, i) in f.insts_in_order() {
                if let Attr::Call(callee) = f.insts[i].attr
                    && !wanted.contains(&callee)
                {
                    wanted.push(callee);
                }
            }
        }
        wanted.sort_unstable();
        for func in wanted {
            cx.function(func)?;
        }
        cx.out.entry = cx.funcs[point.func].unwrap_or_default();
        Ok(cx.out)
    }

    /// Makes a read of bytes that were never written a trap. Otherwise it is a note in the report, and the value is
    /// garbage. What a WGSL program becomes initialises every variable, so tests of it ask for this.
    #[must_use]
    pub fn strict(self) -> Program {
        Program { strict: true, ..self }
    }

    /// Whether a seed draws the place of accesses out of bounds, one after the other.
    pub(crate) fn strays_by_seed(&self) -> bool {
        matches!(self.stray, Stray::Random(_))
    }

    /// Takes an index of a buffer for out of bounds if its offset does not fit 32 bits, although the bits that are left may name a
    /// place inside. Right for modules as the source has them: what bounds the index comes to another place than what bounds the
    /// offset.
    #[must_use]
    pub fn with_wide_indices(self) -> Program {
        Program { wide_indices: true, ..self }
    }

    /// Where accesses go that are out of bounds, if the module is robust.
    pub fn straying(&mut self, stray: Stray) {
        self.stray = stray;
    }

    /// The instruction of this number, the address in traps.
    pub(crate) fn text(&self, number: u64) -> String {
        let at = self.funcs.partition_point(|f| u64::from(f.first) <= number).checked_sub(1);
        let text = at.and_then(|at| {
            let f = &self.funcs[at];
            f.texts.get(number.checked_sub(f.first.into())? as usize)
        });
        text.cloned().unwrap_or_default()
    }

    /// Line and column in the source, both from 1, of the instruction at an address that a trap names.
    pub fn line_column(&self, pc: u64) -> Option<(u32, u32)> {
        *self.lines.get(usize::try_from(pc).ok()?)?
    }

    /// Name of the entry point.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The stage of the entry point.
    pub fn stage(&self) -> Stage {
        self.stage.kind()
    }

    /// Invocations of a workgroup.
    pub fn workgroup_size(&self) -> [u32; 3] {
        self.workgroup_size
    }

    /// (name, group, binding, least size) of the buffers that must be bound.
    pub fn buffers(&self) -> impl Iterator<Item = (&str, u32, u32, u32)> {
        self.buffers.iter().map(|b| (b.name.as_str(), b.group, b.binding, b.min_size))
    }
}

struct Cx<'m> {
    module: &'m Module,
    out: Program,
    funcs: SideMap<Func, Option<usize>>,
    /// Number of a buffer, texture or sampler among those of its sort.
    resources: SideMap<Res, Option<u32>>,
    globals: Vec<u32>,
}

/// Slots of one function while it is translated.
struct Slots {
    of: SideMap<Value, u32>,
    /// Free places by number of components, of values that live in one block only.
    free: [Vec<u32>; 4],
}

impl Cx<'_> {
    fn buffer(&mut self, res: Res) -> u32 {
        if let Some(b) = self.resources[res] {
            return b;
        }
        let r = &self.module.resources[res];
        let b = self.out.buffers.len() as u32;
        self.out.buffers.push(DBuffer {
            name: r.name.clone(),
            group: r.group,
            binding: r.binding,
            min_size: r.min_size,
            runtime: r.stride != 0,
        });
        self.resources[res] = Some(b);
        b
    }

    fn texture(&mut self, res: Res) -> u32 {
        if let Some(t) = self.resources[res] {
            return t;
        }
        let r = &self.module.resources[res];
        let t = self.out.textures.len() as u32;
        let (group, binding, count, kind, variant) = (r.group, r.binding, r.count, r.kind, r.variant);
        self.out.textures.push(DTexture { name: r.name.clone(), group, binding, count, kind, variant });
        self.resources[res] = Some(t);
        t
    }

    fn sampler(&mut self, res: Res) -> u32 {
        if let Some(s) = self.resources[res] {
            return s;
        }
        let r = &self.module.resources[res];
        let s = self.out.samplers.len() as u32;
        let (group, binding, count, variant) = (r.group, r.binding, r.count, r.variant);
        self.out.samplers.push(DSampler { name: r.name.clone(), group, binding, count, variant });
        self.resources[res] = Some(s);
        s
    }

    fn tex(&mut self, s: &mut Slots, f: &Function, d: &InstData, tex: &Tex, atomic: Option<AtomicOp>) -> Extra {
        let mut args = [NO_SLOT; TexArg::ALL.len()];
        for (&arg, &v) in tex.desc.args().iter().zip(&d.args) {
            args[arg as usize] = self.slot(s, f, v);
        }
        let (texture, sampler) = (self.texture(tex.texture), tex.sampler.map(|s| self.sampler(s)));
        Extra::Tex(Box::new(DTex { texture, sampler, desc: tex.desc, args, atomic }))
    }

    /// What an instruction reads that is a system value.
    fn sysval(&mut self, v: Sysval) -> Result<Extra, Trap> {
        let stage = self.out.stage();
        if !stage.has(v) {
            return Err(Trap::new(TrapKind::Unsupported, format!("`{v}` in a {} entry", stage.name())));
        }
        if !self.out.sysvals.contains(&v) {
            self.out.sysvals.push(v);
        }
        Ok(sysval_row(v).map_or(Extra::Sysval(v), Extra::Row))
    }

    /// The row of a target that is loaded.
    fn target(&mut self, location: u8) -> u32 {
        if let Some(known) = self.out.loaded.iter().find(|t| t.0 == location) {
            return known.1;
        }
        let row = self.out.rows;
        self.out.rows += 4;
        self.out.loaded.push((location, row));
        row
    }

    fn place(&mut self, locals: &[u32], f: &Function, place: Place) -> DPlace {
        match place {
            Place::Buffer(r) => DPlace::Buffer(self.buffer(r)),
            Place::Global(g) => {
                let (base, size) = (self.globals[g.index()], self.module.globals[g].size);
                match self.module.globals[g].space {
                    Space::Workgroup => DPlace::Shared { base, size },
                    _ => DPlace::Private { base, size },
                }
            }
            Place::Local(l) => DPlace::Local { base: locals[l.index()], size: f.locals[l].size },
        }
    }

    fn new_slots(&mut self, n: u32) -> u32 {
        let at = self.out.slots;
        self.out.slots += n;
        at
    }

    /// Slot of a value that may be a constant or undefined.
    fn slot(&mut self, s: &mut Slots, f: &Function, v: Value) -> u32 {
        if s.of[v] != NO_SLOT {
            return s.of[v];
        }
        let ty = f.ty(v);
        let at = self.new_slots(ty.lanes());
        s.of[v] = at;
        match f.values[v].def {
            ValueDef::Const(_) => {
                let c: Option<&Const> = f.as_const(v);
                let bits = c.map(|c| c.bits.clone()).unwrap_or_default();
                self.out.consts.extend(bits.iter().enumerate().map(|(i, &b)| (at + i as u32, b)));
            }
            ValueDef::Undef => {
                self.out.undefs.extend((0..ty.lanes()).map(|i| (at + i, ty.scalar().mask())));
            }
            // Defined in a block that is never reached from here, or a validator's miss: reads as zero.
            ValueDef::Inst(..) | ValueDef::Param(..) => {}
        }
        at
    }

    fn function(&mut self, func: Func) -> Result<(), Trap> {
        let f = &self.module.funcs[func];
        let order = structured_order(f);
        let mut position: SideMap<Block, u32> = SideMap::with_default(0);
        for (i, &b) in order.iter().enumerate() {
            position[b] = i as u32;
        }
        let mut out = DFunc { first: self.out.lines.len() as u32, ..DFunc::default() };

        let mut locals = Vec::new();
        let mut size = self.out.local_size;
        let start = size.next_multiple_of(16);
        for l in f.locals.values() {
            size = size.next_multiple_of(l.align.clamp(4, 256));
            locals.push(size);
            size = size.checked_add(l.size).ok_or_else(too_large)?;
        }
        if !f.locals.is_empty() {
            out.locals = (start.min(locals[0]), size);
            self.out.local_size = size;
        }

        let single = single_block_values(f, &order);
        let mut slots = Slots { of: SideMap::with_default(NO_SLOT), free: Default::default() };
        for &b in &order {
            for &p in &f.blocks[b].params {
                slots.of[p] = self.new_slots(f.ty(p).lanes());
            }
        }
        for (_, i) in f.insts_in_order() {
            for r in f.insts[i].results {
                if single[r].is_none() {
                    slots.of[r] = self.new_slots(f.ty(r).lanes());
                }
            }
        }
        out.params = f.params().iter().map(|&p| (slots.of[p], f.ty(p).lanes())).collect();

        for &b in &order {
            let first = out.insts.len() as u32;
            let mut term = (DTerm::Unreachable, 0);
            let insts = &f.blocks[b].insts;
            for (at, &i) in insts.iter().enumerate() {
                let d = &f.insts[i];
                let text = out.texts.len() as u32;
                out.texts.push(format!("{} ({b} of `{}`)", inst_text(f, i), f.name));
                self.marks(f, i);
                self.out.lines.push(self.module.line_column(d.loc));
                // A result that lives in this block only borrows a place; its own operands still hold theirs.
                for r in d.results {
                    if single[r].is_some() {
                        let n = f.ty(r).lanes();
                        slots.of[r] = match slots.free[n as usize - 1].pop() {
                            Some(s) => s,
                            None => self.new_slots(n),
                        };
                    }
                }
                if d.op.is_terminator() {
                    term = (self.terminator(&mut slots, &position, f, i, &mut out), text);
                } else {
                    let inst = self.inst(&mut slots, &locals, f, i, text, &mut out)?;
                    out.insts.push(inst);
                }
                let mut done: Vec<Value> = Vec::new();
                let last = |v: Value| single[v] == Some(at as u32);
                for_each_read(f, i, |v| {
                    if last(v) && !done.contains(&v) {
                        done.push(v);
                    }
                });
                done.extend(d.results.iter().filter(|&r| last(r)));
                for v in done {
                    slots.free[f.ty(v).lanes() as usize - 1].push(slots.of[v]);
                }
                if d.op.is_terminator() {
                    break;
                }
            }
            let last = out.insts.len() as u32;
            out.blocks.push(DBlock { block: b, first, last, term: term.0, text: term.1 });
        }
        self.funcs[func] = Some(self.out.funcs.len());
        self.out.funcs.push(out);
        Ok(())
    }

    /// What a check for races has to know of the next instruction.
    fn marks(&mut self, f: &Function, i: Inst) {
        let number = self.out.lines.len() as u32;
        let Some(mem) = f.insts[i].mem() else { return };
        if mem.flags.has(MemFlags::ATOMIC) {
            self.out.marks.push((number, RaceCheck::ATOMIC, WORKGROUP, [0; 3]));
        }
        let (place, start) = match mem.place {
            Place::Buffer(r) => (self.buffer(r) as u16, 0),
            Place::Global(g) if self.module.globals[g].space == Space::Workgroup => {
                (WORKGROUP, self.globals[g.index()])
            }
            _ => return,
        };
        let row = |c| match c {
            Clamp::Tail { span, enough } => (number, RaceCheck::TAIL, place, [span, enough, 0]),
            Clamp::Index { base, stride, last } => {
                (number, RaceCheck::INDEX, place, [base.wrapping_add(start), stride, last])
            }
        };
        self.out.marks.extend(clamps(self.module, f, i).into_iter().map(row));
    }

    /// The slots of the indices that an access to a buffer multiplies, with the factors.
    fn products(&mut self, s: &mut Slots, f: &Function, i: Inst) -> Option<u32> {
        let list: Vec<(u32, u32)> = index_products(f, i).into_iter().map(|(v, by)| (self.slot(s, f, v), by)).collect();
        if list.is_empty() {
            return None;
        }
        self.out.indices.push(list);
        Some(self.out.indices.len() as u32 - 1)
    }

    fn edge(&mut self, s: &mut Slots, pos: &SideMap<Block, u32>, f: &Function, e: EdgeRef<'_>, out: &mut DFunc) -> u32 {
        let mut copies = Vec::new();
        for (&a, &p) in e.args.iter().zip(&f.blocks[e.block].params) {
            let (from, to) = (self.slot(s, f, a), s.of[p]);
            copies.extend((0..f.ty(p).lanes()).map(|i| (from + i, to + i)).filter(|(a, b)| a != b));
        }
        let overlap =
            copies.iter().enumerate().any(|(i, &(_, to))| copies[i + 1..].iter().any(|&(from, _)| from == to));
        out.edges.push(DEdge { block: pos[e.block], copies, overlap });
        out.edges.len() as u32 - 1
    }

    fn terminator(
        &mut self,
        s: &mut Slots,
        pos: &SideMap<Block, u32>,
        f: &Function,
        i: Inst,
        out: &mut DFunc,
    ) -> DTerm {
        let d = &f.insts[i];
        match &d.attr {
            Attr::Branch(b) => match b.other() {
                None => DTerm::Jump(self.edge(s, pos, f, b.then(), out)),
                Some(other) => DTerm::Br {
                    cond: self.slot(s, f, d.args[0]),
                    then: self.edge(s, pos, f, b.then(), out),
                    other: self.edge(s, pos, f, other, out),
                },
            },
            Attr::Switch(w) => {
                let sel = self.slot(s, f, d.args[0]);
                let mut cases: Vec<(u64, u32)> =
                    w.cases.iter().map(|(v, e)| (*v, self.edge(s, pos, f, e.view(), out))).collect();
                cases.sort_by_key(|c| c.0);
                let default = self.edge(s, pos, f, w.default.view(), out);
                out.switches.push(DSwitch { sel, cases, default });
                DTerm::Switch(out.switches.len() as u32 - 1)
            }
            _ if d.op == Op::Ret => DTerm::Ret(d.args.iter().map(|&a| (self.slot(s, f, a), f.ty(a).lanes())).collect()),
            _ => DTerm::Unreachable,
        }
    }

    fn inst(
        &mut self,
        s: &mut Slots,
        locals: &[u32],
        f: &Function,
        i: Inst,
        text: u32,
        out: &mut DFunc,
    ) -> Result<DInst, Trap> {
        let d = &f.insts[i];
        let mut args = [NO_SLOT; 4];
        for (to, &a) in args.iter_mut().zip(&d.args) {
            *to = self.slot(s, f, a);
        }
        let result = d.results.first().map(|r| f.ty(r));
        let operand = d.args.first().map(|&a| f.ty(a));
        let ty = result.or(operand).unwrap_or(Type::I32);
        let dst = d.results.first().map_or(NO_SLOT, |r| s.of[r]);
        let mut mem = |cx: &mut Self, m: &Mem, ty: Type| DMem {
            place: cx.place(locals, f, m.place),
            offset: m.offset,
            align: m.align.max(1),
            in_bounds: m.flags.has(MemFlags::IN_BOUNDS),
            dynamic: d.dyn_offset().map(|v| cx.slot(s, f, v)),
            index: cx.products(s, f, i),
            ty,
        };
        let access = match d.op {
            Op::Load => ty,
            _ => operand.unwrap_or(ty),
        };
        let extra = match &d.attr {
            Attr::IntCc(c) => Extra::Int(*c),
            Attr::FloatCc(c) => Extra::Float(*c),
            Attr::Lane(l) => Extra::Lane(u32::from(*l)),
            Attr::Lanes(l) => {
                let mut lanes = [0; 4];
                for (to, from) in lanes.iter_mut().zip(l) {
                    *to = *from;
                }
                Extra::Lanes(lanes)
            }
            Attr::Mem(m) => Extra::Mem(mem(self, m, access)),
            Attr::Atomic(op, m) => Extra::Atomic(*op, mem(self, m, access)),
            Attr::Place(p) => {
                let init = match p {
                    Place::Local(l) => Some(&f.locals[*l]),
                    Place::Global(g) => Some(&self.module.globals[*g]),
                    Place::Buffer(_) => None,
                };
                let mut bytes = vec![0; init.map_or(0, |v| v.size as usize)];
                if let Some(Init::Bytes(b)) = init.map(|v| &v.init) {
                    let n = b.len().min(bytes.len());
                    bytes[..n].copy_from_slice(&b[..n]);
                }
                Extra::Init(self.place(locals, f, *p), bytes.into())
            }
            Attr::Res(r) => Extra::Buffer(self.buffer(*r)),
            Attr::Barrier(b) => {
                self.out.barriers |= b.exec == gpucc_ir::Scope::Workgroup;
                Extra::Barrier(*b)
            }
            Attr::Sysval(v) => self.sysval(*v)?,
            Attr::Input(n) => match self.out.input_rows.get(usize::from(*n)) {
                Some(&row) => Extra::Row(row),
                None => return Err(Trap::new(TrapKind::Unsupported, format!("`{}` has no input {n}", self.out.name))),
            },
            Attr::Target(n) => Extra::Row(self.target(*n)),
            Attr::Deriv(d) => Extra::Deriv(*d),
            Attr::Tex(t) => self.tex(s, f, d, t, None),
            Attr::TexAtomic(op, t) => self.tex(s, f, d, t, Some(*op)),
            Attr::Call(callee) => {
                let func = self.funcs[*callee].ok_or_else(|| {
                    Trap::new(TrapKind::Unsupported, format!("`{}` calls a function that comes later", f.name))
                })?;
                let args = d.args.iter().map(|&a| (self.slot(s, f, a), f.ty(a).lanes())).collect();
                let results = d.results.iter().map(|r| (s.of[r], f.ty(r).lanes())).collect();
                out.calls.push(DCall { func, args, results });
                Extra::Call(out.calls.len() as u32 - 1)
            }
            _ => match d.op {
                Op::Select => Extra::Cond(f.ty(d.args[0]).lanes()),
                Op::Compose => {
                    let mut parts = [NO_SLOT; 4];
                    for (to, &a) in parts.iter_mut().zip(&d.args) {
                        *to = self.slot(s, f, a);
                    }
                    Extra::Parts(parts)
                }
                Op::ExtractDyn | Op::InsertDyn => Extra::Dyn(operand.map_or(1, Type::lanes)),
                _ => operand.map_or(Extra::None, Extra::From),
            },
        };
        // The kind of the operand says what an op means, but a select's first operand is its condition.
        let scalar = match d.op {
            Op::Select | Op::Load => ty.scalar(),
            _ => operand.unwrap_or(ty).scalar(),
        };
        let to_memory = match (d.op, &extra) {
            (Op::ImageStore | Op::ImageAtomic, _) => true,
            (Op::Store | Op::Atomic | Op::CmpXchg, Extra::Mem(m) | Extra::Atomic(_, m)) => {
                matches!(m.place, DPlace::Buffer(_))
            }
            _ => false,
        };
        self.out.writes_memory |= to_memory;
        Ok(DInst { op: d.op, scalar, to: ty.scalar(), n: ty.lanes(), dst, args, extra, text })
    }
}

fn no_entry(module: &Module, entry: &str) -> Trap {
    let name = |e: &EntryPoint| match e.stage.kind() {
        Stage::Compute => e.name.clone(),
        stage => format!("{} ({})", e.name, stage.name()),
    };
    let names: Vec<_> = module.entries.iter().map(name).collect();
    let message = format!("there is no entry point `{entry}`; available: {}", names.join(", "));
    Trap::new(TrapKind::Dispatch, message)
}

fn too_large() -> Trap {
    Trap::new(TrapKind::Unsupported, "function variables larger than 4 GiB")
}

/// What an instruction reads here: its operands and the indices in the offset of its access.
fn for_each_read(f: &Function, i: Inst, mut read: impl FnMut(Value)) {
    f.insts[i].for_each_use(&mut read);
    index_products(f, i).into_iter().for_each(|(v, _)| read(v));
}

/// The products of an index and a constant in the offset of an access to a buffer.
fn index_products(f: &Function, i: Inst) -> Vec<(Value, u32)> {
    let mut list = Vec::new();
    let d = &f.insts[i];
    if !d.mem().is_some_and(|m| matches!(m.place, Place::Buffer(_)) && !m.flags.has(MemFlags::IN_BOUNDS)) {
        return list;
    }
    let mut open: Vec<Value> = d.dyn_offset().into_iter().collect();
    while let Some(v) = open.pop() {
        let Some(d) = f.def_inst(v).map(|i| &f.insts[i]).filter(|_| list.len() < 8) else { continue };
        let constant = |k: usize| f.as_const(d.args[k]).and_then(|c| c.bits.first().map(|&b| b as u32));
        match d.op {
            Op::IAdd | Op::Or if open.len() < 8 => open.extend([d.args[0], d.args[1]]),
            Op::IMul => match (constant(0), constant(1)) {
                (None, Some(by)) => list.push((d.args[0], by)),
                (Some(by), None) => list.push((d.args[1], by)),
                _ => {}
            },
            Op::Shl => {
                if let Some(by) = constant(1).and_then(|c| 1_u32.checked_shl(c)) {
                    list.push((d.args[0], by));
                }
            }
            _ => {}
        }
    }
    list
}

/// For values that are defined by an instruction and used in its block alone: position in the block of the last use
/// (of the definition when there is none). A value keeps its place while lanes are elsewhere only if it is not one of
/// these: other lanes may run the same block again in between.
fn single_block_values(f: &Function, order: &[Block]) -> SideMap<Value, Option<u32>> {
    let mut home: SideMap<Value, Option<Block>> = SideMap::with_default(None);
    let mut last: SideMap<Value, Option<u32>> = SideMap::with_default(None);
    for &b in order {
        for (at, &i) in f.blocks[b].insts.iter().enumerate() {
            for r in f.insts[i].results {
                home[r] = Some(b);
                last[r] = Some(at as u32);
            }
        }
    }
    for &b in order {
        for (at, &i) in f.blocks[b].insts.iter().enumerate() {
            for_each_read(f, i, |v| {
                if home[v] != Some(b) {
                    last[v] = None;
                } else if let Some(l) = last[v] {
                    last[v] = Some(l.max(at as u32));
                }
            });
        }
    }
    last
}
