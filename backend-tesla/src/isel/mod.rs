//! Instruction selection: from scalar IR to machine IR.
//!
//! A value is one 32-bit register for each lane; booleans are 0 or all ones. Comparisons that feed branches write flag
//! registers instead. Literals and buffer sizes are operands in c0, uniform buffers are operands in their own spaces.

mod alu;
mod control;
mod double;
mod image;
mod io;
mod memory;
mod operand;
mod tex;
mod tex_operands;

use gpucc_container::Source;
use gpucc_driver::Tables;
use gpucc_ir::analysis::LanesRead;
use gpucc_ir::{
    Attr, Diagnostic, Function, Global, Inst, Local, Module, Op as Ir, Place, Refusal, Res, ResourceKind, SecondaryMap,
    Space, Sysval, Value,
};
use gpucc_mir::{BlockId, Def, Lower, MInst, PReg, Pseudo, Repr, Select, Use, VReg};
use gpucc_tesla_machine as machine;
use machine::{SharedTy, Ty};

use crate::builders::{self as build, Builder};
use crate::flow::Plan;
use crate::inst::{Half, Of, PARAMETERS, R, R32, R64, Reads, SrcMods, TOp, Tesla, slot, zero};
use crate::io::Io;
use crate::slots::{Pool, Slot};

pub(crate) type IselCx<'f> = Select<'f, Tesla>;
pub(crate) type U = Use<Tesla>;

/// The last offset of a 32-bit word of s[] that short and immediate forms reach.
const REACH: u32 = 0x3c;
/// Window of workgroup memory with atomics where s[] has none.
pub const WINDOW: u8 = 14;

/// Bytes of tables in c0: the rest of its 64 KiB is for words of the pool.
const TABLES: usize = 32 << 10;

/// Where a variable lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VarLocation {
    /// gN[].
    Global(u8),
    /// cN[].
    Const(u8),
    /// s[], from this offset.
    Shared(u32),
    /// The workgroup's part of g14[], from this offset.
    Window(u32),
    /// l[], from this offset.
    Local(u32),
    /// The tables in c0, from this offset.
    Table(u32),
}

/// A block that selection adds, and where it goes.
pub struct Extra {
    /// The block that was added.
    pub block: BlockId,
    /// Right before this block, or right after it.
    pub before: bool,
    /// The block that it goes beside.
    pub of: BlockId,
}

/// The state of selection.
pub struct Isel<'m> {
    pub module: &'m Module,
    pub t: &'m Tesla,
    pub plan: &'m Plan,
    /// Invocations in x, y, z.
    pub size: [u32; 3],
    /// Words of c0 that are no table.
    pub pool: Pool,
    /// Constant tables, which follow them.
    pub tables: Tables,
    /// Buffers whose size is a parameter in s[], in order.
    pub sizes: Vec<Res>,
    /// Where workgroup memory begins in s[].
    pub shared_base: u32,
    /// Where resources, module variables and function variables lie.
    pub resources: SecondaryMap<Res, Option<VarLocation>>,
    pub globals: SecondaryMap<Global, Option<VarLocation>>,
    pub locals: SecondaryMap<Local, Option<VarLocation>>,
    /// Bytes of workgroup memory in s[], in the window, and of l[].
    pub shared_bytes: u32,
    pub window_bytes: u32,
    pub scratch_bytes: u32,
    /// The packed local id.
    pub packed: Option<VReg>,
    window_base: Option<VReg>,
    /// Blocks added to those of the IR.
    pub extra: Vec<Extra>,
    /// Latch and preheader by loop header.
    pub(crate) latches: SecondaryMap<gpucc_ir::Block, Option<BlockId>>,
    pub(crate) preheaders: SecondaryMap<gpucc_ir::Block, Option<BlockId>>,
    /// Whether a lock loop is in the program.
    pub locks: bool,
    /// Numbers of textures ($t), samplers ($s) and windows (g[]); the first element's of an array of them.
    pub slots: SecondaryMap<Res, u8>,
    /// Textures that are windows of g[], because they are written.
    pub windows: SecondaryMap<Res, bool>,
    /// Inputs and outputs of a vertex or fragment program.
    pub io: &'m Io,
    /// The pipeline around it, if it is known.
    pub pipeline: Option<&'m gpucc_pipeline::Pipeline>,
    /// w of a fragment.
    w: Option<VReg>,
    /// Lanes of results that are read.
    read: LanesRead,
    /// Whether tex instructions take levels from the quad.
    derives: bool,
    /// Whether a tex instruction is repeated for each level of a quad.
    pub levels: bool,
}

/// Textures, and samplers, that a program has.
pub(crate) const DESCRIPTORS: u32 = 16;

impl<'m> Isel<'m> {
    /// Gives every buffer and variable its place.
    ///
    /// # Errors
    /// When there are more than the chip has room for.
    pub fn new(
        module: &'m Module,
        f: &Function,
        t: &'m Tesla,
        plan: &'m Plan,
        io: &'m Io,
        size: [u32; 3],
    ) -> Result<Isel<'m>, Diagnostic> {
        let mut s = Isel {
            module,
            pipeline: None,
            t,
            plan,
            size,
            pool: Pool::default(),
            tables: Tables::default(),
            sizes: Vec::new(),
            shared_base: 0,
            resources: SecondaryMap::with_default(None),
            globals: SecondaryMap::with_default(None),
            locals: SecondaryMap::with_default(None),
            shared_bytes: 0,
            window_bytes: 0,
            scratch_bytes: 0,
            packed: None,
            window_base: None,
            extra: Vec::new(),
            latches: SecondaryMap::with_default(None),
            preheaders: SecondaryMap::with_default(None),
            locks: false,
            slots: SecondaryMap::new(),
            windows: SecondaryMap::new(),
            read: LanesRead::new(f),
            derives: io.is_fragment(),
            io,
            w: None,
            levels: false,
        };
        let mut used: Vec<(Place, bool)> = Vec::new();
        let mut with_descriptors: Vec<Res> = Vec::new();
        for (_, i) in f.insts_in_order() {
            let d = &f.insts[i];
            let place = match &d.attr {
                Attr::Mem(m) | Attr::Atomic(_, m) => m.place,
                Attr::Place(p) => *p,
                Attr::Tex(t) | Attr::TexAtomic(_, t) => {
                    with_descriptors.extend([Some(t.texture), t.sampler].into_iter().flatten());
                    s.windows[t.texture] |= matches!(d.op, Ir::ImageStore | Ir::ImageAtomic);
                    continue;
                }
                Attr::Res(r) => {
                    let next = PARAMETERS + 4 * s.sizes.len() as u32;
                    if !s.sizes.contains(r) && next <= REACH {
                        s.sizes.push(*r);
                    }
                    continue;
                }
                _ => continue,
            };
            let atomic = matches!(d.op, Ir::Atomic | Ir::CmpXchg);
            match used.iter_mut().find(|u| u.0 == place) {
                Some(u) => u.1 |= atomic,
                None => used.push((place, atomic)),
            }
        }
        used.sort();
        let tables = Tables::new(module, f);
        if tables.data.len() <= TABLES {
            s.tables = tables;
        }
        s.shared_base = (PARAMETERS + 4 * s.sizes.len() as u32).next_multiple_of(16);
        let (mut storage, mut uniform) = (0, 1);
        let chip = s.chip();
        for &(place, atomic) in &used {
            let table = s.tables.at(place).map(VarLocation::Table);
            match place {
                Place::Global(g) if table.is_some() => s.globals[g] = table,
                Place::Local(l) if table.is_some() => s.locals[l] = table,
                Place::Buffer(r) => {
                    let d = &module.resources[r];
                    let (next, most, what) = match d.kind.space() {
                        Space::Uniform => (&mut uniform, 14, "uniform buffers, at most 13"),
                        _ => (&mut storage, 15, "storage buffers, at most 15"),
                    };
                    if *next == most {
                        return Err(Diagnostic::unsupported(
                            Refusal::TooManyBuffers,
                            format!("tesla:{chip} cannot bind so many {what}"),
                        )
                        .at(d.span, "this one is too many"));
                    }
                    let n = *next;
                    *next += 1;
                    s.resources[r] = Some(if d.kind.space() == Space::Uniform {
                        VarLocation::Const(n)
                    } else {
                        VarLocation::Global(n)
                    });
                }
                Place::Global(g) => {
                    let d = &module.globals[g];
                    let room = |at: &mut u32| {
                        let from = at.next_multiple_of(d.align.max(4));
                        *at = from.saturating_add(d.size.next_multiple_of(4));
                        from
                    };
                    s.globals[g] = Some(if d.space != Space::Workgroup {
                        VarLocation::Local(room(&mut s.scratch_bytes))
                    } else if atomic && t.generation == 1 {
                        VarLocation::Window(room(&mut s.window_bytes))
                    } else {
                        VarLocation::Shared(room(&mut s.shared_bytes))
                    });
                }
                Place::Local(l) => {
                    let d = &f.locals[l];
                    let from = s.scratch_bytes.next_multiple_of(d.align.max(16));
                    s.scratch_bytes = from.saturating_add(d.size.next_multiple_of(4));
                    s.locals[l] = Some(VarLocation::Local(from));
                }
                // Refused before.
                Place::Address => {}
            }
        }
        s.number(with_descriptors, &mut storage)?;
        s.window_bytes = s.window_bytes.next_multiple_of(16);
        s.scratch_bytes = s.scratch_bytes.next_multiple_of(16);
        let span = module.entries[0].span;
        let refuse = |code, text: String| Err(Diagnostic::unsupported(code, text).at(span, "this entry point"));
        if storage > WINDOW && s.window_bytes > 0 {
            return refuse(
                Refusal::TooManyBuffers,
                format!("tesla:{chip} needs window 14 for workgroup atomics, so at most 14 storage buffers"),
            );
        }
        if s.shared_bytes > 16_384 - s.shared_base {
            return refuse(
                Refusal::WorkgroupMemory,
                format!(
                    "tesla:{chip} has {} bytes of workgroup memory, this needs {}",
                    16_384 - s.shared_base,
                    s.shared_bytes
                ),
            );
        }
        if s.scratch_bytes > 0xff00 {
            return refuse(
                Refusal::PrivateMemory,
                format!("tesla:{chip} has 65536 bytes of private memory, this needs {}", s.scratch_bytes),
            );
        }
        Ok(s)
    }

    /// Gives textures, samplers and storage textures that are written their numbers; `storage` windows are taken.
    fn number(&mut self, mut with_descriptors: Vec<Res>, storage: &mut u8) -> Result<(), Diagnostic> {
        with_descriptors.sort_unstable();
        with_descriptors.dedup();
        let mut next = [0; 2];
        for r in with_descriptors {
            let d = &self.module.resources[r];
            let count = d.count.max(1);
            let is_window = self.windows[r];
            let room = match d.kind {
                _ if is_window => {
                    self.slots[r] = *storage;
                    *storage = storage.saturating_add(count.min(16) as u8);
                    *storage <= 15
                }
                kind => {
                    let n = &mut next[usize::from(matches!(kind, ResourceKind::Sampler { .. }))];
                    self.slots[r] = *n as u8;
                    *n += count;
                    *n <= DESCRIPTORS
                }
            };
            if !room {
                let (code, what) = match is_window {
                    true => (Refusal::TooManyBuffers, "15 storage buffers and storage textures that are written"),
                    false => (Refusal::TextureUnits, "16 textures and 16 samplers"),
                };
                return Err(Diagnostic::unsupported(
                    code,
                    format!("tesla:{} cannot bind so many: at most {what}", self.chip()),
                )
                .at(d.span, "this one is too many"));
            }
        }
        Ok(())
    }

    pub(crate) fn chip(&self) -> &'static str {
        <machine::Tesla as gpucc_isa::Isa>::GENERATIONS[self.t.generation as usize]
    }

    /// A new instruction with one result.
    pub(crate) fn temp(&self, cx: &mut IselCx<'_>, i: MInst<Tesla>) -> VReg {
        let d = cx.temp(R32);
        cx.emit(i.def(d));
        d
    }

    /// Shift by a constant.
    pub(crate) fn shift<const TAKES: u64>(&self, cx: &mut IselCx<'_>, op: Builder<2, 0, TAKES>, a: U, by: u32) -> VReg {
        self.temp(cx, op.on([a, Use::imm(by)]))
    }

    fn packed_id(&mut self, cx: &mut IselCx<'_>) -> VReg {
        *self.packed.get_or_insert_with(|| cx.temp(R32))
    }

    /// One component of the local id.
    pub(crate) fn local_id(&mut self, cx: &mut IselCx<'_>, dim: usize) -> U {
        let [_, y, z] = self.size;
        if self.size[dim] == 1 {
            return zero();
        }
        let packed = self.packed_id(cx);
        match dim {
            0 if y == 1 && z == 1 => packed.into(),
            0 => self.temp(cx, build::CvtII.with((Of(Ty::U32), Reads(Ty::U16)), [low(packed)])).into(),
            1 if z == 1 => self.shift(cx, build::Shr, packed.into(), 16).into(),
            1 => {
                // Bits 16 to 25.
                let t = self.shift(cx, build::Shl, packed.into(), 6);
                self.shift(cx, build::Shr, t.into(), 22).into()
            }
            _ => self.shift(cx, build::Shr, packed.into(), 26).into(),
        }
    }

    /// One component of the workgroup id, an operand in the header.
    pub(crate) fn group_id(dim: usize) -> U {
        slot(Slot::Shared(SharedTy::U16, [0xc, 0xe, 0x12][dim]))
    }

    /// One component of the grid size.
    pub(crate) fn groups(dim: usize) -> U {
        slot(Slot::Shared(SharedTy::U16, [0x8, 0xa, 0x10][dim]))
    }

    /// Local index: x + y * size.x + z * size.x * size.y.
    fn local_index(&mut self, cx: &mut IselCx<'_>) -> U {
        let [x, y, z] = self.size;
        let mut sum = self.local_id(cx, 0);
        for (dim, count, stride) in [(1, y, x), (2, z, x * y)] {
            if count > 1 {
                let id = self.local_id(cx, dim);
                let k = self.literal(stride);
                let d = if sum == zero() {
                    self.temp(cx, build::Mul24.on([id, k]))
                } else {
                    self.temp(cx, build::MadU24.on([id, k, sum]))
                };
                sum = d.into();
            }
        }
        sum
    }

    fn sysval(&mut self, cx: &mut IselCx<'_>, i: Inst, s: Sysval) -> Result<(), Diagnostic> {
        let dst = cx.result(i, 0);
        match s {
            Sysval::LocalInvocationId => {
                for (k, &d) in dst.iter().enumerate() {
                    let v = self.local_id(cx, k);
                    cx.emit(copy(d, v));
                }
            }
            Sysval::WorkgroupId => {
                for (k, &d) in dst.iter().enumerate() {
                    cx.emit(build::Mov.on([Self::group_id(k)]).def(d));
                }
            }
            Sysval::NumWorkgroups => {
                for (k, &d) in dst.iter().enumerate() {
                    cx.emit(build::Mov.on([Self::groups(k)]).def(d));
                }
            }
            Sysval::GlobalInvocationId => {
                for (k, &d) in dst.iter().enumerate() {
                    let local = self.local_id(cx, k);
                    let group = Self::group_id(k);
                    match self.size[k] {
                        1 => cx.emit(build::Mov.on([group]).def(d)),
                        n => {
                            // The multiply-add with an immediate adds to its destination.
                            let group = group.mods(SrcMods::half(Half::Low));
                            cx.emit(build::MadU16.on([group, Use::imm(n), local]).def(Def::reg(d).tied(2)));
                        }
                    }
                }
            }
            Sysval::LocalInvocationIndex => {
                let v = self.local_index(cx);
                cx.emit(copy(dst[0], v));
            }
            Sysval::SubgroupSize => cx.emit(copy(dst[0], Use::imm(32))),
            Sysval::SubgroupInvocationId => {
                let v = self.local_index(cx);
                cx.emit(build::And.on([v, Use::imm(31)]).def(dst[0]));
            }
            _ => return self.stage_sysval(cx, i, s),
        }
        Ok(())
    }

    /// Start of the workgroup's part of the window.
    fn window(&mut self, cx: &mut IselCx<'_>) -> VReg {
        *self.window_base.get_or_insert_with(|| cx.temp(R32))
    }

    /// Preload sources of the words of c0.
    pub fn pool_sources(&self) -> Vec<Source> {
        self.pool.words().map(|w| Pool::source(self.module, w)).collect()
    }
}

/// The low half of a register.
pub(crate) fn low(v: VReg) -> U {
    U::reg(v).mods(SrcMods::half(Half::Low))
}

/// The high half of a register.
pub(crate) fn high(v: VReg) -> U {
    U::reg(v).mods(SrcMods::half(Half::High))
}

/// `d = src` for any operand.
pub(crate) fn copy(d: VReg, src: U) -> MInst<Tesla> {
    if src.vreg().is_some() && src.mods == SrcMods::default() || matches!(src.src, gpucc_mir::Src::Imm(_)) {
        MInst::copy(d, src)
    } else if src == zero() {
        MInst::copy(d, U::imm(0))
    } else {
        let memory = matches!(src.src, gpucc_mir::Src::Uniform(n) if matches!(Slot::unpack(n), Slot::Pool(_) | Slot::Table(_) | Slot::Const(..)));
        if memory { build::LdC.on([src]).def(d) } else { build::Mov.on([src]).def(d) }
    }
}

impl Lower<Tesla> for Isel<'_> {
    fn repr(&mut self, f: &Function, v: Value) -> Repr {
        let ty = f.ty(v);
        let class = if ty.bits() == 64 { R64 } else { R32 };
        Repr { class, count: ty.lanes() as u8 }
    }

    fn inst(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        match d.op {
            Ir::Load | Ir::Store | Ir::Atomic | Ir::CmpXchg => self.memory(cx, i),
            Ir::CubeCoords => {
                self.cube_coords(cx, i, d.args[0]);
                Ok(())
            }
            Ir::Input => match d.attr {
                Attr::Input(n) => self.input(cx, i, n),
                _ => Err(cx.unknown(i)),
            },
            Ir::Demote => {
                self.demote(cx, i);
                Ok(())
            }
            Ir::Derivative => match d.attr {
                Attr::Deriv(of) => {
                    self.derivative(cx, i, of);
                    Ok(())
                }
                _ => Err(cx.unknown(i)),
            },
            _ if d.tex().is_some() => match d.tex() {
                Some(t) => self.image(cx, i, *t),
                None => Err(cx.unknown(i)),
            },
            Ir::Sysval => match d.attr {
                Attr::Sysval(s) => self.sysval(cx, i, s),
                _ => Err(Diagnostic::internal("isel", "a system value without its name")),
            },
            Ir::Barrier => {
                let Attr::Barrier(b) = d.attr else { return Err(cx.unknown(i)) };
                // Vertex and fragment programs store nothing that others could see, and have no region to load from.
                if b.device && (b.storage || b.texture) && !self.io.is_staged() {
                    let t = cx.temp(R32);
                    cx.emit(MInst::new(TOp::DeviceFence).def(t));
                }
                let waits = b.exec == gpucc_ir::Scope::Workgroup;
                cx.emit(if waits { build::Bar.on([]) } else { MInst::new(TOp::Fence) });
                Ok(())
            }
            _ => self.alu(cx, i),
        }
    }

    fn terminator(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        self.control(cx, i)
    }

    fn constant(&mut self, cx: &mut IselCx<'_>, v: Value, into: &[VReg]) -> Result<(), Diagnostic> {
        let Some(c) = cx.f.as_const(v) else { return Err(Diagnostic::internal("isel", "no constant")) };
        if c.ty.bits() == 64 {
            for (&d, &bits) in into.iter().zip(&c.bits) {
                Self::double_bits(cx, bits, d);
            }
            return Ok(());
        }
        let bool = c.ty.is_bool();
        for (&d, &bits) in into.iter().zip(&c.bits) {
            let bits = if bool { 0u32.wrapping_sub(bits as u32) } else { bits as u32 };
            cx.emit(MInst::copy(d, U::imm(bits)));
        }
        Ok(())
    }

    fn entry(&mut self, cx: &mut IselCx<'_>) -> Result<(), Diagnostic> {
        self.begin(cx);
        if let Some(v) = self.packed {
            let mut start = MInst::pseudo(Pseudo::Start);
            start.defs.push(Def::reg(v).at(PReg::new(R, 0, 1)));
            cx.emit(start);
        }
        if let Some(d) = self.window_base {
            // Workgroup number times the bytes of a workgroup.
            let y = self.temp(cx, build::Mov.on([Self::group_id(1)]));
            let ny = self.temp(cx, build::Mov.on([Self::groups(1)]));
            let z = Self::group_id(2).mods(SrcMods::half(Half::Low));
            let t = self.temp(cx, build::MadU16.on([z, low(ny), y.into()]));
            let nx = self.temp(cx, build::Mov.on([Self::groups(0)]));
            let x = self.temp(cx, build::Mov.on([Self::group_id(0)]));
            let p = self.mul32(cx, t, nx);
            let w = self.temp(cx, build::Add.on([p.into(), x.into()]));
            let n = self.temp(cx, build::Mov.on([U::imm(self.window_bytes)]));
            let base = self.mul32(cx, w, n);
            cx.emit(MInst::copy(d, base));
        }
        Ok(())
    }

    fn block_prologue(&mut self, cx: &mut IselCx<'_>) {
        self.start_marks(cx);
    }
}
