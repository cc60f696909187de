//! Where values live: in scalar registers, in lane masks, or in vector registers.
//!
//! A uniform value is scalar if the scalar unit can compute it and the wave runs its definition before every use; so are
//! parameters of blocks that the wave enters exactly as lanes do. Where lanes leave a loop at different times, each keeps what
//! the value was then: what is read behind such a loop has a register per lane. A boolean is a lane mask under the same condition, unless
//! it leaves a loop (lanes leave at different times, and each keeps its own). All else, and all vectors but loaded ones,
//! has a register per lane.

use gpucc_ir::analysis::Uniformity;
use gpucc_ir::{
    Attr, Block, Function, Inst, Module, Op as Ir, OpAttrs, Place, Res, Scalar, SecondaryMap, Space, Sysval, Touched,
    Type, Value, ValueDef,
};
use smallvec::SmallVec;

use crate::flow::{EdgeKind, Plan, Waiting};

/// The registers in which a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RegBank {
    /// Vector registers.
    #[default]
    Vector,
    /// Scalar registers.
    Scalar,
    /// A lane mask.
    Mask,
}

/// Finds the register banks of all values.
pub struct RegBanks<'a> {
    m: &'a Module,
    f: &'a Function,
    generation: u8,
    uniform: &'a Uniformity,
    written: SecondaryMap<Res, bool>,
    home: SecondaryMap<Value, RegBank>,
    block_of: SecondaryMap<Inst, Option<Block>>,
    /// Whether each wave of a workgroup begins with all lanes.
    whole_waves: bool,
}

/// Whether an instruction takes a word apart into two halves.
pub fn is_halves_of_word(f: &Function, i: Inst) -> bool {
    let d = &f.insts[i];
    d.op == Ir::Bitcast && f.ty(d.result()) == Type::F16.with_lanes(2)
}

impl<'a> RegBanks<'a> {
    /// The banks of the values of `f`.
    pub fn new(m: &'a Module, f: &'a Function, plan: &Plan, uniform: &'a Uniformity, generation: u8) -> RegBanks<'a> {
        let mut written: SecondaryMap<Res, bool> = SecondaryMap::new();
        for (_, i) in f.insts_in_order() {
            let d = &f.insts[i];
            match d.touches().filter(|_| d.op.has(OpAttrs::writes)) {
                Some(Touched::Place(p)) => m.buffers_at(p).for_each(|r| written[r] = true),
                Some(Touched::Image(r)) => written[r] = true,
                _ => {}
            }
        }
        let mut h = RegBanks {
            m,
            f,
            generation,
            uniform,
            written,
            home: SecondaryMap::with_default(RegBank::Vector),
            block_of: f.inst_blocks(),
            whole_waves: m
                .entries
                .iter()
                .all(|e| e.workgroup_size().is_some_and(|size| gpucc_ir::invocations(size).is_multiple_of(64))),
        };
        h.find(plan);
        h
    }

    /// The registers in which a value is.
    pub fn of(&self, v: Value) -> RegBank {
        self.home[v]
    }

    /// Whether the shader writes a buffer or an image.
    pub fn writes(&self, r: Res) -> bool {
        self.written[r]
    }

    /// Whether a value is a constant or in a scalar register.
    pub fn scalar(&self, v: Value) -> bool {
        self.home[v] == RegBank::Scalar || self.f.const_bits(v).is_some()
    }

    /// Whether a load can be done by the scalar unit: constant memory at an address in scalar registers.
    pub fn scalar_load(&self, i: Inst) -> bool {
        let d = &self.f.insts[i];
        let (Ir::Load, Attr::Mem(m)) = (d.op, &d.attr) else { return false };
        let Place::Buffer(r) = m.place else { return false };
        // Offsets beyond the field go through a register.
        let limit = if self.generation == 2 { (1 << 20) - 64 } else { 1 << 30 };
        let fixed = self.m.space(m.place) == Space::Uniform || !self.written[r] && m.flags.is_alone();
        fixed
            && self.f.ty(d.result()).bits() == 32
            && m.offset.is_multiple_of(4)
            && m.offset < limit
            && d.dyn_offset().is_none_or(|o| self.scalar(o))
    }

    fn find(&mut self, plan: &Plan) {
        let f = self.f;
        let mut pos: SecondaryMap<Block, usize> = SecondaryMap::new();
        for (k, &b) in f.layout.iter().enumerate() {
            pos[b] = k;
        }
        // Blocks in which each value is used.
        let mut uses: SecondaryMap<Value, SmallVec<[u32; 4]>> = SecondaryMap::new();
        uses.reserve(f.values.len());
        for (b, i) in f.insts_in_order() {
            f.insts[i].for_each_use(|v| {
                let at = pos[b] as u32;
                if uses[v].last() != Some(&at) {
                    uses[v].push(at);
                }
            });
        }
        let dom = plan.wave_dominators();
        let reached = |v: Value, at: usize| uses[v].iter().all(|&u| u as usize == at || dom.dominates(at, u as usize));
        let stays = |v: Value, at: usize| uses[v].iter().all(|&u| plan.loops.all_around(at, u as usize));
        // Loops, by their first position, that some lanes leave while others continue.
        let mut split = vec![false; f.layout.len()];
        for (p, b) in plan.blocks.iter().enumerate() {
            for e in b.edges.iter().filter(|e| e.how == EdgeKind::Park) {
                plan.loops.around(p).take_while(|l| l.1 < e.to).for_each(|l| split[l.0] = true);
            }
        }
        let kept = |v: Value, at: usize| {
            let left = |u: usize| plan.loops.around(at).take_while(move |l| u < l.0 || l.1 < u);
            uses[v].iter().all(|&u| !left(u as usize).any(|l| split[l.0]))
        };
        let mut scalars: Vec<Value> = Vec::new();
        for (p, &b) in f.layout.iter().enumerate() {
            let entered = p > 0 && plan.blocks[p].waiting == Waiting::Nobody;
            let params = f.blocks[b].params.iter().filter(|_| entered).copied();
            let results = f.blocks[b].insts.iter().flat_map(|&i| f.insts[i].results.iter());
            for v in params.chain(results) {
                let ty = f.ty(v);
                if ty.is_bool() && !ty.is_vector() {
                    if reached(v, p) && stays(v, p) {
                        self.home[v] = RegBank::Mask;
                    }
                } else if !ty.is_bool()
                    && (ty.bits() == 32 || ty.scalar() == Scalar::F16)
                    && !self.uniform.is_divergent(v)
                    && reached(v, p)
                    && kept(v, p)
                {
                    self.home[v] = RegBank::Scalar;
                    scalars.push(v);
                }
            }
        }
        // All that could be scalar is, until something it needs turns out not to be.
        let preds = f.preds();
        loop {
            let before = scalars.len();
            scalars.retain(|&v| {
                let keep = match f.values[v].def {
                    ValueDef::Inst(i, _) => self.computable(i),
                    ValueDef::Param(b, k) => f.edges_to(b, &preds[b]).all(|(_, e)| {
                        let a = e.args[k as usize];
                        self.scalar(a) || f.is_undef(a)
                    }),
                    ValueDef::Const(_) | ValueDef::Undef => false,
                };
                if !keep {
                    self.home[v] = RegBank::Vector;
                }
                keep
            });
            if scalars.len() == before {
                break;
            }
        }
    }

    fn computable(&self, i: Inst) -> bool {
        let (f, d) = (self.f, &self.f.insts[i]);
        // Words of a descriptor; a level and the element of an array are in them too.
        if d.op == Ir::TexQuery {
            return d.args.iter().all(|&a| self.scalar(a));
        }
        // A mask of lanes is in scalar registers; so is what a lane says that is known to be there.
        if d.op == Ir::Ballot {
            return true;
        }
        if d.op == Ir::LaneRead {
            return self.scalar(d.args[1])
                && self.whole_waves
                && self.block_of[i].is_some_and(|b| !self.uniform.divergent_block(b));
        }
        if is_halves_of_word(f, i) {
            return self.scalar(d.args[0]);
        }
        if f.ty(d.result()).is_vector() {
            return self.scalar_load(i);
        }
        match d.op {
            Ir::BufferLength => true,
            Ir::Load => self.scalar_load(i),
            Ir::Extract => self.fixed_lane(i).is_some() || self.home[d.args[0]] == RegBank::Scalar,
            Ir::Bitcast => !f.ty(d.args[0]).is_vector() && self.scalar(d.args[0]),
            Ir::Select => {
                self.scalar_condition(d.args[0], self.block_of[i]) && d.args[1..].iter().all(|&a| self.scalar(a))
            }
            // Two shifts and an `or`: amounts that vary need both halves to be the same.
            Ir::FShr => {
                let known = f.const_bits(d.args[2]).is_some_and(|c| c % 32 != 0);
                (known || d.args[0] == d.args[1]) && d.args.iter().all(|&a| self.scalar(a))
            }
            Ir::BitSel => d.args.iter().all(|&a| self.scalar(a)),
            Ir::UBitExtract | Ir::SBitExtract => self.scalar(d.args[0]),
            o => {
                crate::ops::scalar_op(o).is_some()
                    && f.ty(d.result()).is_int()
                    && d.args.iter().all(|&a| self.scalar(a))
            }
        }
    }

    /// Whether a condition is a comparison of this block that the scalar unit can do.
    pub fn scalar_condition(&self, v: Value, here: Option<Block>) -> bool {
        let Some(i) = self.f.def_inst(v) else { return false };
        let c = &self.f.insts[i];
        c.op == Ir::ICmp && self.block_of[i] == here && c.args.iter().all(|&a| self.scalar(a))
    }

    /// The component of a system value that a scalar register holds for the whole program.
    pub fn fixed_lane(&self, i: Inst) -> Option<(Sysval, u8)> {
        let d = &self.f.insts[i];
        let (Ir::Extract, Attr::Lane(k)) = (d.op, &d.attr) else { return None };
        match self.f.def_op(d.args[0], Ir::Sysval)?.attr {
            Attr::Sysval(s @ (Sysval::WorkgroupId | Sysval::NumWorkgroups)) => Some((s, *k)),
            _ => None,
        }
    }
}
