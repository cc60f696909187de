//! Ends the helpers of a fragment program where nothing reads across the lanes of a quad any more (reference, section 10): the flow
//! `discard`. Texture operations whose results are read behind that place alone skip helpers.
//!
//! Needs: all other flows in place. Keeps: all instructions and their flows; an instruction without a flow carries this one, and where
//! there is none helpers continue. Other lanes do the same as before.

use gpucc_mir::backward;
use gpucc_valhall_machine::build::flow;
use gpucc_valhall_machine::{Class, LodMode, Op};

use crate::encoded::{Block, Code, EncodedInst, flow_of, mask};

/// Whether an instruction reads what other lanes of the quad have.
fn needs_helpers(i: &EncodedInst) -> bool {
    match i.inst.op() {
        Op::Wmask
        | Op::ClperI32
        | Op::ClperV2u16
        | Op::ClperV4u8
        | Op::ClperS32
        | Op::ClperV2s16
        | Op::ClperV4s8
        | Op::ClperU64
        | Op::ClperS64 => true,
        Op::TexSingle | Op::TexDual => {
            let computed = [LodMode::Computed as u32, LodMode::ComputedBias as u32];
            i.inst.get("lod_mode").is_none_or(|m| computed.contains(&m))
        }
        Op::TexGradient => i.inst.get("derivative_enable").is_none_or(|given| given == 0),
        _ => i.inst.row().attrs.class == Class::VaryingTexture,
    }
}

fn is_discard(i: &EncodedInst) -> bool {
    i.inst.row().attrs.class == Class::Discard
}

/// Lets helpers end at most `fuel` times, and returns how often they do.
pub fn run(code: &mut Code, fuel: u64) -> u64 {
    let all = || code.blocks.iter().flat_map(|b| &b.insts);
    if !all().any(|i| needs_helpers(i) || is_discard(i)) {
        return 0;
    }
    let own: Vec<bool> = code.blocks.iter().map(|b| b.insts.iter().any(needs_helpers)).collect();
    let needed = backward(
        own.len(),
        |b| code.succs(b),
        |needed: &mut bool, next| *needed |= next,
        |b, needed| *needed |= own[b],
    );
    let behind: Vec<bool> = (0..own.len()).map(|b| code.succs(b).any(|s| needed[s])).collect();
    // Blocks to which helpers come that nobody needs there.
    let mut left = vec![false; own.len()];
    for b in (0..own.len()).filter(|&b| behind[b]) {
        code.succs(b).filter(|&s| !needed[s]).for_each(|s| left[s] = true);
    }
    let mut ended = 0;
    for (b, block) in code.blocks.iter_mut().enumerate().filter(|(b, _)| !behind[*b]) {
        let last = block.insts.iter().rposition(needs_helpers);
        let first = last.or(left[b].then_some(0));
        let discards = (last.map_or(0, |l| l + 1)..block.insts.len()).filter(|&k| is_discard(&block.insts[k]));
        let places: Vec<usize> = first.into_iter().chain(discards).collect();
        for from in places {
            if ended == fuel {
                return ended;
            }
            ended += u64::from(end(block, from));
        }
    }
    ended
}

/// Lets helpers end behind an instruction, or soon.
fn end(block: &mut Block, from: usize) -> bool {
    let mut at = None;
    for (k, i) in block.insts.iter().enumerate().skip(from) {
        match flow_of(&i.inst) {
            // Those that have ended go by here as well.
            flow::DISCARD => return false,
            // Messages behind coverage have no effect for helpers.
            _ if i.inst.row().attrs.class == Class::Tile || i.label.is_some() => break,
            flow::NONE => {
                at = Some(k);
                break;
            }
            _ => {}
        }
    }
    let Some(at) = at else { return false };
    block.insts[at].inst.set("flow", flow::DISCARD);
    let mut read = 0;
    for i in block.insts[..=at].iter_mut().rev() {
        if i.inst.get("skip") == Some(0) && mask(&i.writes) & read == 0 {
            i.inst.set("skip", 1);
        }
        read |= mask(&i.reads);
    }
    true
}
