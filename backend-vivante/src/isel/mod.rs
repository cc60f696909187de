//! Instruction selection: from IR to machine IR.
//!
//! A vector is one register of as many components; scalars are components too. Swizzles, splats, extracted lanes and sign
//! modifiers are folded into operands, so that most of the IR's vector bookkeeping costs nothing.

mod alu;
mod arrays;
mod control;
mod image;
pub mod io;
mod memory;
mod operand;
pub mod tex;

use gpucc_driver::Tables;
use gpucc_ir::{Diagnostic, Function, Inst, Module, Op, Sysval, Value, ValueDef};
use gpucc_mir::{Def, Lower, MInst, PReg, Pseudo, Repr, Select, Use, VReg};
use gpucc_vivante_machine as machine;
use machine::{Op as M, Type};
use smallvec::smallvec;

use crate::arrays::Arrays;
use crate::builders as build;
use crate::inst::{SrcMods, Ty, VOp, Vivante, row, run};
use crate::launch::Steps;
use crate::uniforms::{Table, Word, uniform};
use crate::units::{self, UnitKey};

/// An id vector that the thread walker writes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Id {
    /// Local invocation id.
    Local,
    /// Workgroup id.
    Group,
    /// Global invocation id.
    Global,
}

/// Where workgroup memory lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shared {
    /// A buffer of the launcher.
    Buffer,
    /// Storage on the chip.
    Local,
}

/// Which sign operations may become modifiers of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fold {
    /// None.
    None,
    /// Float negation and absolute value.
    Float,
    /// Integer negation.
    Int,
}

/// The state of selection.
pub struct Isel<'m> {
    /// The module (one entry point, flat).
    pub module: &'m Module,
    /// The target: generation and capabilities.
    pub t: &'m Vivante,
    /// Invocations in x, y, z.
    pub size: [u32; 3],
    /// Variables that live in temporaries.
    pub arrays: Arrays,
    /// Constant tables, which lie in the container's constant bytes.
    pub tables: Tables,
    /// Uniform operands so far.
    pub uniforms: Table,
    /// Where workgroup memory is.
    pub shared: Shared,
    /// Offset of each workgroup variable, and bytes of all.
    pub shared_offsets: Vec<u32>,
    /// Bytes of workgroup memory.
    pub shared_bytes: u32,
    /// Offset of each private and function variable in the scratch of an invocation.
    pub private_offsets: Vec<u32>,
    /// Offsets of function variables.
    pub local_offsets: Vec<u32>,
    /// Bytes of scratch that an invocation needs.
    pub scratch_bytes: u32,
    /// Registers of the ids that are in use.
    pub ids: [Option<VReg>; 3],
    /// Texture units, in the order of their numbers.
    pub units: Vec<UnitKey>,
    /// Number of the first of them.
    first_unit: u32,
    /// The values that the launch computes.
    pub steps: Steps,
    /// The pipeline around a vertex or fragment entry.
    pub pipeline: Option<&'m gpucc_pipeline::Pipeline>,
    /// Whether it is a vertex entry, or one of another stage than compute.
    vertex: bool,
    staged: bool,
    /// Temporaries of inputs by number, and of outputs of a vertex entry.
    input_registers: Vec<Option<u16>>,
    output_registers: Vec<u16>,
    id_register: u16,
    /// Ends of the program.
    ends: usize,
    /// Inputs so far: number, temporary, register; numbers of vertex and instance.
    inputs: Vec<(u16, u16, VReg)>,
    numbers: [Option<VReg>; 2],
    shared_base: Option<VReg>,
    /// The register with the address of the invocation's own memory, if something asks for it.
    pub scratch_base: Option<VReg>,
    index: Option<VReg>,
    /// Whether the prologue prepares for spilled registers.
    spills: bool,
    /// Constant part of the last on-chip address.
    local_base: u32,
    /// Uniform words of buffer contents promoted so far.
    promoted: u32,
}

/// A piece of the prologue that is emitted behind the preloaded registers.
type Later<'m> = Box<dyn FnOnce(&mut Isel<'m>, &mut Select<'_, Vivante>)>;

/// Most words of buffer contents that are promoted to uniforms; the rest is loaded.
const PROMOTED: u32 = 400;

impl<'m> Isel<'m> {
    /// Lays out memory and gets ready.
    pub fn new(
        module: &'m Module,
        f: &Function,
        t: &'m Vivante,
        (arrays, tables): (Arrays, Tables),
        size: [u32; 3],
        spills: bool,
    ) -> Isel<'m> {
        let mut shared_offsets = vec![0; module.globals.len()];
        let mut private_offsets = vec![0; module.globals.len()];
        let (mut shared, mut scratch) = (0u32, 0u32);
        let mut used = vec![false; module.globals.len()];
        let mut used_locals = vec![false; f.locals.len()];
        let mut atomics = false;
        for (_, i) in f.insts_in_order() {
            let d = &f.insts[i];
            let place = match &d.attr {
                gpucc_ir::Attr::Mem(m) | gpucc_ir::Attr::Atomic(_, m) => m.place,
                gpucc_ir::Attr::Place(p) => *p,
                _ => continue,
            };
            if arrays.find(place).is_some() || tables.at(place).is_some() {
                continue;
            }
            match place {
                gpucc_ir::Place::Global(g) => {
                    used[g.0 as usize] = true;
                    let workgroup = module.globals[g].space == gpucc_ir::Space::Workgroup;
                    atomics |= workgroup && matches!(d.op, Op::Atomic | Op::CmpXchg);
                }
                gpucc_ir::Place::Local(l) => used_locals[l.0 as usize] = true,
                gpucc_ir::Place::Buffer(_) | gpucc_ir::Place::Address => {}
            }
        }
        let round = |v: u32| v.div_ceil(16).saturating_mul(16);
        for (g, data) in module.globals.iter() {
            if !used[g.0 as usize] {
                continue;
            }
            let (offsets, total) = match data.space {
                gpucc_ir::Space::Workgroup => (&mut shared_offsets, &mut shared),
                _ => (&mut private_offsets, &mut scratch),
            };
            offsets[g.0 as usize] = *total;
            *total = total.saturating_add(round(data.size));
        }
        let mut local_offsets = vec![0; f.locals.len()];
        for (l, data) in f.locals.iter() {
            if used_locals[l.0 as usize] {
                local_offsets[l.0 as usize] = scratch;
                scratch = scratch.saturating_add(round(data.size));
            }
        }
        // On-chip storage has no atomics (reference 10.3).
        let fits = shared <= machine::validate::LOCAL_BYTES[t.generation as usize];
        let place = if fits && !atomics && shared > 0 { Shared::Local } else { Shared::Buffer };
        Isel {
            module,
            t,
            size,
            arrays,
            tables,
            uniforms: Table::default(),
            shared: place,
            shared_offsets,
            shared_bytes: shared,
            private_offsets,
            local_offsets,
            scratch_bytes: scratch,
            ids: [None; 3],
            steps: Steps::default(),
            pipeline: None,
            vertex: false,
            staged: false,
            input_registers: Vec::new(),
            output_registers: Vec::new(),
            id_register: 0,
            ends: f.insts_in_order().filter(|&(_, i)| f.insts[i].op == Op::Ret).count(),
            inputs: Vec::new(),
            numbers: [None; 2],
            units: Vec::new(),
            first_unit: units::units(t.generation, module.entries[0].stage.kind() == gpucc_ir::Stage::Vertex).0,
            shared_base: None,
            scratch_base: None,
            index: None,
            spills,
            local_base: 0,
            promoted: 0,
        }
    }

    /// The state for a vertex or fragment entry, with its pipeline.
    #[must_use]
    pub fn staged(mut self, io: &crate::io::Io, pipeline: Option<&'m gpucc_pipeline::Pipeline>) -> Self {
        self.pipeline = pipeline;
        self.vertex = io.is_vertex;
        self.staged = io.is_vertex || io.is_fragment;
        self.input_registers = io.inputs.clone();
        self.output_registers = io.outputs.clone();
        self.id_register = io.id_register();
        self
    }

    /// The state with the steps that the launch computes.
    #[must_use]
    pub fn after(mut self, steps: Steps) -> Self {
        self.steps = steps;
        self
    }

    /// The register of an id vector.
    fn id(&mut self, cx: &mut Select<'_, Vivante>, id: Id) -> VReg {
        *self.ids[id as usize].get_or_insert_with(|| cx.temp(row(3)))
    }

    /// `a * b + c` of scalars.
    fn mad(&mut self, cx: &mut Select<'_, Vivante>, a: Use<Vivante>, b: Use<Vivante>, c: Use<Vivante>) -> VReg {
        let d = cx.temp(row(1));
        cx.emit(build::Imadlo0.with((Ty(Type::S32),), [a, b, c]).def(d));
        d
    }

    /// The values that the entry block computes from ids: bases of memory, indices, the third id vector.
    fn prologue(&mut self, cx: &mut Select<'_, Vivante>) {
        // From the last to the first, as each may ask for others.
        let lane = |v: VReg, k: u8| Use::reg(v).mods(SrcMods::broadcast(k));
        let mut later: Vec<Later<'m>> = Vec::new();
        if self.spills && self.scratch_base.is_none() {
            self.scratch_base = Some(cx.temp(row(1)));
        }
        let needs_group = self.scratch_base.is_some() || self.shared_base.is_some();
        if self.scratch_base.is_some() && self.index.is_none() {
            self.index = Some(cx.temp(row(1)));
        }
        if self.index.is_some() {
            self.id(cx, Id::Local);
        }
        if needs_group {
            self.id(cx, Id::Group);
        }
        let derived = self.derived();
        if derived.is_some() {
            let (l, g, out) = (self.ids[0], self.ids[1], self.ids[2]);
            later.push(Box::new(move |s, cx| {
                let (Some(l), Some(g), Some(out)) = (l, g, out) else { return };
                if derived == Some(Id::Local) {
                    s.local_id(cx, l, out);
                    return;
                }
                s.global_id(cx, out, g, l);
            }));
        }
        if let Some(out) = self.index {
            let l = self.ids[Id::Local as usize];
            later.push(Box::new(move |s, cx| {
                let Some(l) = l else { return };
                let [sx, sy, sz] = s.size;
                let mut now = lane(l, 0);
                if sy > 1 {
                    let n = s.literal(sx);
                    now = Use::reg(s.mad(cx, lane(l, 1), n, now));
                }
                if sz > 1 {
                    let n = s.literal(sx.saturating_mul(sy));
                    now = Use::reg(s.mad(cx, lane(l, 2), n, now));
                }
                match now.vreg() {
                    Some(v) if cx.mf.class(v) == row(1) => cx.emit(MInst::copy(out, v)),
                    Some(v) => cx.emit(MInst::copy(out, Use::reg(v).part(now.mods.swz[0], 1))),
                    None => cx.emit(MInst::copy(out, now)),
                }
            }));
        }
        if needs_group {
            let (g, index) = (self.ids[Id::Group as usize], self.index);
            let (shared, scratch) = (self.shared_base, self.scratch_base);
            later.push(Box::new(move |s, cx| {
                let Some(g) = g else { return };
                let (nx, ny) = (s.word(Word::Groups(0)), s.word(Word::Groups(1)));
                let t = s.mad(cx, lane(g, 2), ny, lane(g, 1));
                let linear = s.mad(cx, Use::reg(t), nx, lane(g, 0));
                if let Some(out) = shared {
                    let (n, base) = (s.literal(s.shared_bytes), s.word(Word::Shared));
                    let b = s.mad(cx, Use::reg(linear), n, base);
                    cx.emit(MInst::copy(out, b));
                }
                if let (Some(out), Some(index)) = (scratch, index) {
                    let n = s.literal(gpucc_ir::invocations(s.size));
                    let i = s.mad(cx, Use::reg(linear), n, Use::reg(index));
                    let n = if s.spills { s.word(Word::Stride) } else { s.literal(s.scratch_bytes) };
                    let base = s.word(Word::Scratch);
                    let b = s.mad(cx, Use::reg(i), n, base);
                    cx.emit(MInst::copy(out, b));
                    if s.spills {
                        let keep = Def::preg(crate::inst::SPILL_BASE);
                        cx.emit(build::Mov.on([Use::reg(b)]).def(keep));
                    }
                }
            }));
        }
        // Two vectors are loaded; with all three in use one is computed.
        let mut start = MInst::pseudo(Pseudo::Start);
        let mut at = 0;
        for (k, id) in self.ids.iter().enumerate() {
            if let Some(v) = id
                && derived.is_none_or(|d| d as usize != k)
            {
                start.defs.push(Def::reg(*v).at(PReg::new(0, at * 4, 3)));
                at += 1;
            }
        }
        if at > 0 {
            cx.emit(start);
        }
        for f in later {
            f(self, cx);
        }
    }

    /// The id vector that arithmetic makes when all three are in use: the local one where a mask is enough.
    fn derived(&self) -> Option<Id> {
        let all = self.ids.iter().all(Option::is_some);
        let masks = self.size.iter().all(|n| n.is_power_of_two()) && self.t.is_vector(M::And, Type::U32);
        all.then_some(if masks { Id::Local } else { Id::Global })
    }

    /// `global & (size - 1)`.
    fn local_id(&mut self, cx: &mut Select<'_, Vivante>, out: VReg, global: VReg) {
        let bits = self.size.map(|n| n - 1);
        let mask = self.constant_operand(&bits, false, false, Fold::None);
        cx.emit(build::And.with((Ty(Type::U32),), [Use::reg(global), mask]).def(out));
    }

    /// `group * size + local` of the components that are read; the chips' multiplication is scalar, additions are not.
    fn global_id(&mut self, cx: &mut Select<'_, Vivante>, out: VReg, group: VReg, local: VReg) {
        let size = self.size;
        let lane = |v: VReg, k: u8| Use::reg(v).mods(SrcMods::broadcast(k));
        let vector = self.t.is_vector(M::Add, Type::S32);
        let plain: Vec<u8> = (0..3u8).filter(|&k| size[usize::from(k)] == 1).collect();
        let shared = (vector && plain.len() > 1).then(|| {
            let sum = cx.temp(row(plain.len() as u32));
            let swz = core::array::from_fn(|k| plain[k.min(plain.len() - 1)]);
            let part = |v: VReg| Use::reg(v).mods(SrcMods::swizzle(swz));
            cx.emit(build::Add.with((Ty(Type::S32),), [part(group), part(local)]).def(sum));
            sum
        });
        let mut parts: Vec<Use<Vivante>> = Vec::new();
        for k in 0..3u8 {
            let at = plain.iter().position(|&p| p == k);
            parts.push(match (at, shared) {
                (Some(at), Some(sum)) => Use::reg(sum).part(at as u8, 1),
                (Some(_), None) => {
                    let d = cx.temp(row(1));
                    let uses = [lane(group, k), lane(local, k)];
                    cx.emit(build::Add.with((Ty(Type::S32),), uses).def(d));
                    Use::reg(d)
                }
                (None, _) => {
                    let n = self.literal(size[usize::from(k)]);
                    Use::reg(self.mad(cx, lane(group, k), n, lane(local, k)))
                }
            });
        }
        cx.emit(MInst::collect(out, parts));
    }

    /// The id vectors in t0 and t1.
    pub fn preloaded(&self) -> Vec<Id> {
        let derived = self.derived();
        [Id::Local, Id::Group, Id::Global]
            .into_iter()
            .filter(|&id| self.ids[id as usize].is_some() && derived != Some(id))
            .collect()
    }

    /// A literal as an operand: immediate where the chip has one.
    fn literal(&mut self, bits: u32) -> Use<Vivante> {
        if self.t.immediate(bits) {
            return Use::imm(bits);
        }
        self.word(Word::Const(bits))
    }

    /// A uniform word in every lane.
    fn word(&mut self, w: Word) -> Use<Vivante> {
        uniform(self.uniforms.slot(smallvec![w])).mods(SrcMods::broadcast(0))
    }

    fn sysval(&mut self, cx: &mut Select<'_, Vivante>, i: Inst, s: Sysval) -> Result<(), Diagnostic> {
        let dst = cx.result(i, 0)[0];
        let src: Use<Vivante> = match s {
            Sysval::LocalInvocationId => self.id(cx, Id::Local).into(),
            Sysval::WorkgroupId => self.id(cx, Id::Group).into(),
            Sysval::GlobalInvocationId => self.id(cx, Id::Global).into(),
            Sysval::NumWorkgroups => self.operand(cx, cx.data(i).result(), Fold::None),
            Sysval::LocalInvocationIndex => (*self.index.get_or_insert_with(|| cx.temp(row(1)))).into(),
            // Subgroups are refused before.
            _ => return self.stage_sysval(cx, i, s),
        };
        cx.emit(MInst::copy(dst, src));
        Ok(())
    }
}

impl Lower<Vivante> for Isel<'_> {
    fn repr(&mut self, f: &Function, v: Value) -> Repr {
        let lanes = f.ty(v).lanes();
        // LOAD writes neighbouring components; everything else takes any.
        let loaded = matches!(f.values[v].def, ValueDef::Inst(i, _) if f.insts[i].op == Op::Load);
        Repr { class: if loaded && lanes > 1 && !f.ty(v).is_bool() { run(lanes) } else { row(lanes) }, count: 1 }
    }

    fn inst(&mut self, cx: &mut Select<'_, Vivante>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        if let Some(v) = d.results.first()
            && self.steps.computed(v).is_some()
        {
            // Where a register has to hold it.
            let dst = cx.result(i, 0)[0];
            let src = self.operand(cx, v, Fold::None);
            cx.emit(MInst::copy(dst, src));
            return Ok(());
        }
        match d.op {
            Op::Load | Op::Store | Op::Atomic | Op::CmpXchg => self.memory(cx, i),
            Op::Sysval => match d.attr {
                gpucc_ir::Attr::Sysval(s) => self.sysval(cx, i, s),
                _ => Err(Diagnostic::internal("isel", "a system value without its name")),
            },
            Op::Barrier => {
                let waits = matches!(d.attr, gpucc_ir::Attr::Barrier(b) if b.exec == gpucc_ir::Scope::Workgroup);
                cx.emit(if waits { build::Barrier.on([]) } else { MInst::new(VOp::Fence) });
                Ok(())
            }
            Op::Input => match d.attr {
                gpucc_ir::Attr::Input(n) => self.input(cx, i, n),
                _ => Err(cx.unknown(i)),
            },
            Op::Derivative => self.derivative(cx, i),
            Op::Demote => self.demote(cx, i),
            Op::Sample | Op::Tex | Op::TexQuery | Op::ImageLoad | Op::ImageStore | Op::ImageAtomic => self.tex(cx, i),
            _ => self.alu(cx, i),
        }
    }

    fn terminator(&mut self, cx: &mut Select<'_, Vivante>, i: Inst) -> Result<(), Diagnostic> {
        self.control(cx, i)
    }

    fn constant(&mut self, cx: &mut Select<'_, Vivante>, v: Value, into: &[VReg]) -> Result<(), Diagnostic> {
        let src = self.operand(cx, v, Fold::None);
        cx.emit(MInst::copy(into[0], src));
        Ok(())
    }

    fn entry(&mut self, cx: &mut Select<'_, Vivante>) -> Result<(), Diagnostic> {
        if self.staged {
            if self.spills && self.scratch_base.is_none() {
                self.scratch_base = Some(cx.temp(row(1)));
            }
            self.stage_start(cx);
        } else {
            self.prologue(cx);
        }
        Ok(())
    }
}
