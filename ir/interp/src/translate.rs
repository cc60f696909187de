//! Translation of an entry point into dense arrays.

use crate::oob::OobAccess;
use crate::program::{
    DBlock, DBuffer, DCall, DEdge, DFunc, DInst, DMem, DPlace, DSampler, DSwitch, DTerm, DTex, DTexture, Extra,
    NO_SLOT, OracleProgram,
};
use crate::quads::{FIRST_INPUT, sysval_row};
use gpucc_ir::analysis::{Clamp, clamps, structured_order};
use gpucc_ir::text::inst_text;
use gpucc_ir::{
    AtomicOp, Attr, Block, Const, EdgeRef, Entity, EntryPoint, Func, Function, Init, Inst, InstData, Mem, MemFlags,
    Module, Op, Place, Res, SecondaryMap, Space, Stage, Sysval, Tex, TexArg, Type, Value, ValueDef,
};
use gpucc_sim::{
    RaceCheck, Trap, WORKGROUP,
    trap::{bad_dispatch, unsupported},
};

impl OracleProgram {
    /// Translates the first entry point of a name. The module must have passed the validator.
    ///
    /// # Errors
    /// When there is no such entry, or the interpreter does not model something in it.
    pub fn new(module: &Module, entry: &str) -> Result<OracleProgram, Trap> {
        match module.entry(entry) {
            Some(point) => OracleProgram::of(module, point),
            None => Err(no_entry(module, entry)),
        }
    }

    /// Translates the entry point of a name in a stage. The module must have passed the validator.
    ///
    /// # Errors
    /// When there is no such entry, or the interpreter does not model something in it.
    pub fn at(module: &Module, entry: &str, stage: Stage) -> Result<OracleProgram, Trap> {
        match module.entry_at(entry, stage) {
            Some(point) => OracleProgram::of(module, point),
            None => Err(no_entry(module, entry)),
        }
    }

    fn of(module: &Module, point: &EntryPoint) -> Result<OracleProgram, Trap> {
        let mut cx = TranslateCx {
            module,
            out: OracleProgram {
                name: point.name.clone(),
                stage: point.stage.clone(),
                modes: point.modes,
                workgroup_size: point.workgroup_size().unwrap_or([1; 3]),
                robust: module.options.robust,
                zeroes: module.options.zeroes_workgroup_memory(),
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
                addresses: false,
                shared: Vec::new(),
                shared_set: Vec::new(),
                variables: Vec::new(),
                private: Vec::new(),
                local_size: 0,
                slots: 0,
                consts: Vec::new(),
                undefs: Vec::new(),
                barriers: false,
                strict: false,
                oob: OobAccess::Nowhere,
                indices: Vec::new(),
                wide_indices: false,
                marks: Vec::new(),
                lines: Vec::new(),
            },
            funcs: SecondaryMap::with_default(None),
            resources: SecondaryMap::with_default(None),
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
        let large = |v: u64| v > u64::from(gpucc_ir::verify::MOST_VARIABLE);
        let total = module.globals.values().map(|g| u64::from(g.size)).sum();
        if large(total) || module.funcs.values().any(|f| large(f.locals.values().map(|l| u64::from(l.size)).sum())) {
            return Err(unsupported("variables of more than 16 MiB"));
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
            if g.space == Space::Workgroup && !g.name.is_empty() {
                cx.out.variables.push((base as u32, g.size, g.name.clone()));
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
}

struct TranslateCx<'m> {
    module: &'m Module,
    out: OracleProgram,
    funcs: SecondaryMap<Func, Option<usize>>,
    /// Number of a buffer, texture or sampler among those of its sort.
    resources: SecondaryMap<Res, Option<u32>>,
    globals: Vec<u32>,
}

/// Slots of one function while it is translated.
struct Slots {
    of: SecondaryMap<Value, u32>,
    /// Free places by number of components, of values that live in one block only.
    free: [Vec<u32>; 4],
}

impl TranslateCx<'_> {
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

    /// The system value that an instruction reads.
    fn sysval(&mut self, v: Sysval) -> Result<Extra, Trap> {
        let stage = self.out.stage();
        if !stage.has(v) {
            return Err(unsupported(format!("`{v}` in a {} entry", stage.name())));
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
            // An access says how its address is given.
            Place::Address => DPlace::Address { halves: false },
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
        let mut position: SecondaryMap<Block, u32> = SecondaryMap::with_default(0);
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
            size = size.checked_add(l.size).filter(|&s| s <= gpucc_ir::verify::MOST_VARIABLE).ok_or_else(too_large)?;
        }
        if !f.locals.is_empty() {
            out.locals = (start.min(locals[0]), size);
            self.out.local_size = size;
        }

        let single = single_block_values(f, &order);
        let mut slots = Slots { of: SecondaryMap::with_default(NO_SLOT), free: Default::default() };
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

    /// The part of the next instruction that a check for races needs.
    fn marks(&mut self, f: &Function, i: Inst) {
        let number = self.out.lines.len() as u32;
        let Some(mem) = f.insts[i].mem() else { return };
        if mem.flags.is_shared() {
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

    fn edge(
        &mut self,
        s: &mut Slots,
        pos: &SecondaryMap<Block, u32>,
        f: &Function,
        e: EdgeRef<'_>,
        out: &mut DFunc,
    ) -> u32 {
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
        pos: &SecondaryMap<Block, u32>,
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
            place: match m.place {
                Place::Address => {
                    cx.out.addresses = true;
                    DPlace::Address { halves: d.dyn_offset().is_some_and(|v| f.ty(v).is_vector()) }
                }
                place => cx.place(locals, f, place),
            },
            offset: m.offset,
            align: m.align.max(1),
            in_bounds: m.flags.has(MemFlags::IN_BOUNDS),
            whole: false,
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
                    Place::Buffer(_) | Place::Address => None,
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
                None => return Err(unsupported(format!("`{}` has no input {n}", self.out.name))),
            },
            Attr::Target(n) => Extra::Row(self.target(*n)),
            Attr::Deriv(d) => Extra::Deriv(*d),
            Attr::Reduce(k) => Extra::Reduce(*k),
            Attr::Tex(t) => self.tex(s, f, d, t, None),
            Attr::TexAtomic(op, t) => self.tex(s, f, d, t, Some(*op)),
            Attr::Call(callee) => {
                let func = self.funcs[*callee]
                    .ok_or_else(|| unsupported(format!("`{}` calls a function that comes later", f.name)))?;
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
                matches!(m.place, DPlace::Buffer(_) | DPlace::Address { .. })
            }
            _ => false,
        };
        self.out.writes_memory |= to_memory;
        let nsz = d.fp.has(gpucc_ir::FpFlags::NSZ);
        let loose = d.fp.has(gpucc_ir::FpFlags::LOOSE);
        Ok(DInst { op: d.op, scalar, to: ty.scalar(), n: ty.lanes(), dst, args, extra, text, nsz, loose })
    }
}

fn no_entry(module: &Module, entry: &str) -> Trap {
    let name = |e: &EntryPoint| match e.stage.kind() {
        Stage::Compute => e.name.clone(),
        stage => format!("{} ({})", e.name, stage.name()),
    };
    let names: Vec<_> = module.entries.iter().map(name).collect();
    let message = format!("there is no entry point `{entry}`; available: {}", names.join(", "));
    bad_dispatch(message)
}

fn too_large() -> Trap {
    unsupported("function variables of more than 16 MiB")
}

/// The operands of an instruction here, with the indices in the offset of its access.
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
fn single_block_values(f: &Function, order: &[Block]) -> SecondaryMap<Value, Option<u32>> {
    let mut home: SecondaryMap<Value, Option<Block>> = SecondaryMap::with_default(None);
    let mut last: SecondaryMap<Value, Option<u32>> = SecondaryMap::with_default(None);
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
