//! Writes encoded code as bytes: addresses, distances of branches, counts.

use gpucc_gcn_machine::build::{self as form, Form};
use gpucc_gcn_machine::{Counter, Gcn as Isa, Op, Unit};
use gpucc_ir::{Diagnostic, Loc};
use gpucc_isa::Packed;
use gpucc_mir::{Payload, Piece, Reach, place};

use crate::model;
use crate::tail::encoded::{Code, EncodedInst, Facts, row};

/// Counts of instructions by kind, for statistics.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    pub valu: u64,
    pub salu: u64,
    pub vmem: u64,
    pub smem: u64,
    pub lds: u64,
    pub branches: u64,
    pub waits: u64,
    pub nops: u64,
    /// Those of `vmem` that are of images.
    pub images: u64,
    pub interps: u64,
    pub exports: u64,
}

/// A finished program: bytes, places and counts.
pub struct Program {
    pub code: Vec<u8>,
    /// Address and source location of each instruction.
    pub locs: Vec<(u32, Loc)>,
    pub instructions: u64,
    pub counts: Counts,
    /// Cycles of one wave, estimated.
    pub latency: u64,
}

/// The reach of conditional and unconditional branches: 16 bits of words, with sign.
const REACH: Reach = Reach { back: 4 << 15, ahead: 4 * ((1 << 15) - 1), jump: 4 };

/// The distance of a branch, as its 16-bit field holds it: words from the next instruction.
fn distance(from: u32, to: u32) -> Result<u32, Diagnostic> {
    let words = (i64::from(to) - i64::from(from)) / 4 - 1;
    let d =
        i16::try_from(words).map_err(|_| Diagnostic::internal("emission", format!("a branch over {words} words")))?;
    Ok(u32::from(d as u16))
}

/// Places a program and gives its bytes, each instruction checked against the machine's rules if that is wanted. Nothing if it is so large and so tangled that its branches cannot reach.
///
/// # Errors
/// A compiler bug: a branch that was placed out of reach.
pub fn emit(source: &Code, generation: u8, check: bool) -> Result<Option<Program>, Diagnostic> {
    let blocks = &source.blocks;
    let mut counts = Counts::default();
    let piece = |i: &EncodedInst| Piece {
        bytes: u32::from(i.inst.row().bytes),
        to: i.label.map(|l| l.0),
        falls: Facts::falls(&i.inst),
    };
    let Some(placed) = place(blocks.iter().map(|b| b.insts.iter().map(piece)), REACH) else { return Ok(None) };
    let mut count = blocks.iter().map(|b| b.insts.len()).sum();
    let mut code = Vec::with_capacity(placed.size as usize);
    let mut locs = Vec::with_capacity(count);
    let mut put = |code: &mut Vec<u8>, inst: Packed<Isa>, loc: Loc| {
        if check && let Err(why) = form::check(&inst.unpack(), generation) {
            panic!("{inst:?} breaks a rule: {why}");
        }
        locs.push((code.len() as u32, loc));
        let Some((word, bytes)) = inst.encode(generation) else {
            panic!("{inst:?} does not exist on this generation");
        };
        code.extend_from_slice(&word.to_le_bytes()[..bytes]);
    };
    let mut islands = placed.islands.iter().peekable();
    let mut detours = placed.detours.iter().peekable();
    for (k, item) in blocks.iter().flat_map(|b| &b.insts).enumerate() {
        while let Some(i) = islands.next_if(|i| i.before == k) {
            for &to in &i.jumps {
                let mut jump = Packed::from(form::inst(row(Op::SBranch, Form::Short, false, generation)));
                jump.set("target", distance(code.len() as u32, to)?);
                put(&mut code, jump, Loc::UNKNOWN);
                counts.branches += 1;
                count += 1;
            }
        }
        let mut inst = item.inst;
        if let Some(l) = item.label {
            let detour = detours.next_if(|d| d.0 == k).map(|d| d.1);
            inst.set("target", distance(code.len() as u32, detour.unwrap_or(placed.blocks[l.0 as usize]))?);
        }
        let unit = inst.row().attrs.unit;
        counts.images += u64::from(item.facts.image.is_some());
        *match () {
            _ if item.facts.counter == Counter::Export => &mut counts.exports,
            _ if unit == Unit::Interp => &mut counts.interps,
            _ if item.label.is_some() => &mut counts.branches,
            _ if item.facts.counter == Counter::Vm => &mut counts.vmem,
            _ if item.facts.counter == Counter::Scalar => &mut counts.smem,
            _ if item.facts.counter == Counter::Lds => &mut counts.lds,
            _ if matches!(unit, Unit::Valu | Unit::Trans) => &mut counts.valu,
            _ if inst.op() == Op::SWaitcnt => &mut counts.waits,
            _ if inst.op() == Op::SNop => &mut counts.nops,
            _ => &mut counts.salu,
        } += 1;
        let access = matches!(item.facts.counter, Counter::Vm | Counter::Scalar | Counter::Lds);
        put(&mut code, inst, if access { item.loc } else { item.loc.plain() });
    }
    let instructions = count as u64;
    Ok(Some(Program { code, locs, instructions, counts, latency: model::estimate(source) }))
}
