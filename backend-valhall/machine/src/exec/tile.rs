//! Discards, and messages to the tile: coverage, depth, colours (sections 10 and 17).

use gpucc_isa::fail_if;
use gpucc_num::convert::f16_to_f32;
use gpucc_sim::lanes::lanes;
use gpucc_sim::trap::{Trap, hazard, reserved, unsupported};

use super::decode::{ATEST_DATUM, DInst, Value, regfmt};
use super::memory::check_run;
use super::scoreboard::Touch;
use super::stage::{Fragment, StageContext};
use super::subgroup::{LANES, NOWHERE, V32, Warp};
use crate::Op;
use crate::build::flow;

/// The register of coverage.
const COVERAGE: u8 = 60;
/// The slot of coverage and depth.
const SLOT: u8 = 0;

/// DISCARD: lanes continue as helpers.
pub(super) fn discard(w: &mut Warp, d: &DInst, context: &mut StageContext<'_>) -> Result<(), Trap> {
    let f = context.fragment("DISCARD")?;
    w.check_source(&d.src[0])?;
    w.check_source(&d.src[1])?;
    fail_if!(f.tested & w.active != 0, reserved("a discard behind ATEST"));
    let (x, y) = (w.src32(d, 0).map(f32::from_bits), w.src32(d, 1).map(f32::from_bits));
    let gone = lanes(w.active).filter(|&l| holds(d.cmp, x[l], y[l])).fold(0, |m, l| m | 1 << l);
    w.kill_last_uses(d)?;
    w.helpers |= gone;
    Ok(())
}

fn holds(condition: u8, x: f32, y: f32) -> bool {
    match condition {
        0 => x == y,
        1 => x > y,
        2 => x >= y,
        3 => x != y,
        4 => x < y,
        5 => x <= y,
        // Neither equal nor unordered.
        6 => x.partial_cmp(&y).is_some_and(core::cmp::Ordering::is_ne),
        _ => !x.is_nan() && !y.is_nan(),
    }
}

/// Executes a message to the tile; gives how many words behind it are skipped.
pub(super) fn execute(w: &mut Warp, d: &DInst, context: &mut StageContext<'_>) -> Result<usize, Trap> {
    let f = context.fragment(crate::ROWS[d.op as usize].text)?;
    let before = u32::from(w.before);
    let waited = match d.op {
        Op::Atest | Op::ZsEmit => matches!(before, flow::WAIT0126 | flow::WAIT),
        _ => before == flow::WAIT,
    };
    if !waited {
        let what = "messages to the tile need the wait for all before them, on the instruction before";
        return Err(hazard(what));
    }
    match d.op {
        Op::Atest => atest(w, d, f).map(|()| 0),
        Op::ZsEmit => emit(w, d, f).map(|()| 0),
        Op::Blend => blend(w, d, f),
        Op::LdTile => load(w, d, f).map(|()| 0),
        _ => store(w, d, f).map(|()| 0),
    }
}

/// That a source is the register of coverage.
fn coverage(w: &Warp, d: &DInst, k: usize) -> Result<V32, Trap> {
    fail_if!(d.src[k].value != Value::Reg(COVERAGE), reserved("coverage is in r60"));
    w.check_source(&d.src[k])?;
    Ok(w.src32(d, k))
}

fn once(w: &Warp, done: u16, what: &str) -> Result<(), Trap> {
    match done & w.active & !w.helpers {
        0 => Ok(()),
        l => Err(reserved(format!("{what} a second time")).in_lane(l.trailing_zeros())),
    }
}

fn atest(w: &mut Warp, d: &DInst, f: &mut Fragment<'_>) -> Result<(), Trap> {
    let cover = coverage(w, d, 0)?;
    w.check_source(&d.src[1])?;
    fail_if!(d.src[2].value != Value::Const(ATEST_DATUM), reserved("the third operand of ATEST is its datum"));
    fail_if!(d.sr != COVERAGE || d.sr_count != 1, reserved("ATEST gives coverage in r60"));
    once(w, f.tested, "ATEST")?;
    f.tested |= w.active;
    let mut out = [0; LANES];
    for l in lanes(w.active & !w.helpers) {
        f.coverage[l] = cover[l];
        out[l] = cover[l];
    }
    w.kill_last_uses(d)?;
    w.write_message(COVERAGE, 0xF, &out)?;
    w.issue(SLOT, (COVERAGE, 1), Touch::Nothing, &[NOWHERE; LANES], 0)
}

fn tested(w: &Warp, f: &Fragment<'_>) -> Result<(), Trap> {
    match w.active & !f.tested {
        0 => Ok(()),
        l => Err(reserved("before ATEST").in_lane(l.trailing_zeros())),
    }
}

/// That coverage is what ATEST gave.
fn same_coverage(w: &Warp, f: &Fragment<'_>, cover: &V32) -> Result<(), Trap> {
    match lanes(w.active & !w.helpers).find(|&l| cover[l] != f.coverage[l]) {
        Some(l) => Err(reserved("coverage is not what ATEST gave").in_lane(l as u32)),
        None => Ok(()),
    }
}

fn emit(w: &mut Warp, d: &DInst, f: &mut Fragment<'_>) -> Result<(), Trap> {
    tested(w, f)?;
    let cover = coverage(w, d, 2)?;
    same_coverage(w, f, &cover)?;
    let kinds = [d.message.z, d.message.stencil];
    fail_if!(kinds == [false; 2], reserved("ZS_EMIT of neither depth nor stencil"));
    if d.sr != COVERAGE || d.sr_count != 1 || d.slot != SLOT {
        return Err(reserved("ZS_EMIT gives coverage in r60, on slot 0"));
    }
    w.check_source(&d.src[0])?;
    w.check_source(&d.src[1])?;
    once(w, f.emitted[0] | f.emitted[1], "ZS_EMIT")?;
    fail_if!(f.given.iter().any(|g| g & w.active & !w.helpers != 0), reserved("ZS_EMIT behind a colour"));
    for (emitted, _) in f.emitted.iter_mut().zip(kinds).filter(|k| k.1) {
        *emitted |= w.active;
    }
    let (depth, stencil) = (w.src32(d, 0), w.src32(d, 1));
    for l in lanes(w.active) {
        f.depth[l] = f32::from_bits(depth[l]);
        f.stencil[l] = stencil[l] & 0xff;
    }
    w.kill_last_uses(d)?;
    w.write_message(COVERAGE, 0xF, &cover)?;
    w.issue(SLOT, (COVERAGE, 1), Touch::Nothing, &[NOWHERE; LANES], 0)
}

/// Whether registers hold what a target does.
fn check_format(format: u8, integer: bool, signed: bool) -> Result<(), Trap> {
    let fits = match format {
        regfmt::F32 => !integer,
        regfmt::S32 => integer && signed,
        regfmt::U32 => integer && !signed,
        n => return Err(unsupported(format!("register format {n} of a colour"))),
    };
    if fits { Ok(()) } else { Err(reserved("the register format is not that of the target")) }
}

fn blend(w: &mut Warp, d: &DInst, f: &mut Fragment<'_>) -> Result<usize, Trap> {
    tested(w, f)?;
    let Some(n) = d.message.descriptor else {
        return Err(reserved("the first operand of BLEND is a blend descriptor"));
    };
    let cover = coverage(w, d, 2)?;
    same_coverage(w, f, &cover)?;
    // Four halves in two registers, or four registers.
    let narrow = d.message.regfmt == regfmt::F16;
    let registers = if narrow { 2 } else { 4 };
    if d.sr != 0 || d.sr_count != registers || d.message.vecsize != 3 {
        return Err(reserved("a colour is four registers from r0, or two of halves"));
    }
    check_run(w, d.sr, 4 * u32::from(registers))?;
    let b = f.blend[usize::from(n)];
    fail_if!(!b.there, reserved(format!("the draw has no blend descriptor {n}")));
    let ends = u32::from(d.flow) == flow::END;
    fail_if!(ends && d.message.target != 0, reserved("a BLEND that ends the program skips nothing"));
    // The colour of a target that is off goes nowhere.
    if b.on {
        check_format(if narrow { regfmt::F32 } else { d.message.regfmt }, b.integer, b.signed)?;
        let target = usize::from(b.target) & 7;
        once(w, f.given[target], "BLEND of a target")?;
        f.given[target] |= w.active;
        for l in lanes(w.active) {
            f.colour[target][l] = core::array::from_fn(|k| match narrow {
                true => f16_to_f32((w.regs[k / 2][l] >> (16 * (k % 2))) as u16).to_bits(),
                false => w.regs[k][l],
            });
        }
    }
    w.stage(d.slot, (d.sr, d.sr_count));
    w.kill_last_uses(d)?;
    w.issue(d.slot, (0, 0), Touch::Nothing, &[NOWHERE; LANES], 0)?;
    // Fixed function goes past the call of a shader.
    Ok(if ends { 0 } else { usize::from(d.message.target) })
}

/// The target of a pixel word, which names the current pixel and sample; its conversion is that of the target.
fn addressed(d: &DInst, f: &Fragment<'_>, l: usize, (pixel, conversion): (u32, u32)) -> Result<usize, Trap> {
    let name = crate::ROWS[d.op as usize].text;
    let (sample, target, place) = (pixel & 0xff, pixel >> 8 & 0xff, pixel >> 16);
    fail_if!(place != 0xff00, unsupported(format!("{name} of another pixel")));
    let Some(b) = f.blend.get(target as usize).filter(|b| b.on) else {
        return Err(reserved(format!("{name} of target {target}")));
    };
    fail_if!(conversion != (b.internal >> 32) as u32, reserved("the conversion is not that of the target"));
    check_format(d.message.regfmt, b.integer, b.signed)?;
    if sample != f.batch[l / 4].sample.unwrap_or(0).into() {
        return Err(unsupported(format!("{name} of another sample than the program's")));
    }
    Ok(target as usize)
}

/// ST_TILE: colours of a target past blending, as a blend shader ends (reference, 17). A store that leaves blending out is the colour of
/// an opaque target; in others it would be blended here, which is not what it says.
fn store(w: &mut Warp, d: &DInst, f: &mut Fragment<'_>) -> Result<(), Trap> {
    tested(w, f)?;
    for k in [0, 2] {
        w.check_source(&d.src[k])?;
    }
    let cover = coverage(w, d, 1)?;
    same_coverage(w, f, &cover)?;
    fail_if!(d.sr_count != 4 || d.message.vecsize != 3, reserved("a colour is four registers"));
    check_run(w, d.sr, 16)?;
    let (pixel, conversion) = (w.src32(d, 0), w.src32(d, 2));
    for l in lanes(w.active) {
        let here = |t: Trap| t.in_lane(l as u32);
        let n = addressed(d, f, l, (pixel[l], conversion[l])).map_err(here)?;
        fail_if!(!f.blend[n].opaque, here(unsupported("ST_TILE to a target that blends")));
        let target = usize::from(f.blend[n].target) & 7;
        if f.given[target] >> l & 1 == 1 && w.helpers >> l & 1 == 0 {
            return Err(here(reserved("ST_TILE of a target that has its colour")));
        }
        f.given[target] |= 1 << l;
        f.colour[target][l] = core::array::from_fn(|k| w.regs[usize::from(d.sr) + k][l]);
    }
    w.stage(d.slot, (d.sr, d.sr_count));
    w.kill_last_uses(d)?;
    w.issue(d.slot, (0, 0), Touch::Nothing, &[NOWHERE; LANES], 0)
}

fn load(w: &mut Warp, d: &DInst, f: &mut Fragment<'_>) -> Result<(), Trap> {
    for k in [0, 2] {
        w.check_source(&d.src[k])?;
    }
    coverage(w, d, 1)?;
    let (pixel, conversion) = (w.src32(d, 0), w.src32(d, 2));
    let n = usize::from(d.message.vecsize) + 1;
    fail_if!(usize::from(d.sr_count) != n, reserved(format!("{} registers for {n} components", d.sr_count)));
    let mut values = [[0u32; LANES]; 4];
    for l in lanes(w.active) {
        let here = |t: Trap| t.in_lane(l as u32);
        let target = addressed(d, f, l, (pixel[l], conversion[l])).map_err(here)?;
        let quad = &f.batch[l / 4];
        let Some(surface) = f.targets.colour.get(target).and_then(Option::as_ref) else { continue };
        let texel = surface.texel(quad.pixel(l % 4), pixel[l] & 0xff);
        (0..n).for_each(|k| values[k][l] = texel[k]);
    }
    w.kill_last_uses(d)?;
    for (r, v) in (d.sr..).zip(&values[..n]) {
        w.write_message(r, 0xF, v)?;
    }
    w.issue(d.slot, (d.sr, d.sr_count), Touch::Nothing, &[NOWHERE; LANES], 0)
}
