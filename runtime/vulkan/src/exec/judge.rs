//! The oracle does a dispatch or draw again, and the results are compared.

use gpucc_interp::{OracleProgram, Pair};
use gpucc_ir::Stage;
use gpucc_machines::{Comparison, Count, comparison};
use gpucc_sim::draw::{Draw, Surface, Targets, VertexData};
use gpucc_sim::{Dispatch, RunOptions};

use crate::log;
use crate::pipeline::{Code, Program};
use crate::settings::{Chip, Level};
use crate::shared::Shared;

/// Says how a comparison ended.
fn say(shared: &Shared, what: &str, verdict: Result<String, String>) {
    match verdict {
        Ok(text) => {
            log::tell(shared.instance, Level::Info, "oracle", &format!("{what}: {text}"));
            log::compared(&text);
        }
        Err(text) => {
            let text = format!("{what} on {} differs from the oracle: {text}", shared.chip);
            log::tell(shared.instance, Level::Error, "oracle", &text);
            log::verdict(&text);
        }
    }
}

/// Judges a dispatch by the oracle: the verdict goes to the log.
pub fn dispatch(shared: &Shared, p: &Program, what: &str, before: &Dispatch, after: &Dispatch, run: &RunOptions) {
    let (Chip::Target(target), Code::Machine { ir: selected, .. }) = (shared.chip, &p.code) else { return };
    let place = (target.family(), target.generation_index());
    let entry = p.source.entry.as_str();
    let verdict = gpucc_machines::judge((&p.module, selected), entry, place, before, after, run);
    let verdict = verdict.map_err(|v| v.to_string()).and_then(|c| {
        let images = images(p, selected, place, before, after, run)?;
        let mut c = c.comparison();
        if images > 0 {
            // A dispatch that writes no buffer has its images left.
            c.covered.retain(|count| count.0 > 0);
            c.covered.push(Count(images as u64, "image"));
        }
        Ok(c.to_string())
    });
    say(shared, what, verdict);
}

/// Compares images that a dispatch may have written, to the bit under the machine's numeric profile.
fn images(
    p: &Program,
    selected: &gpucc::Module,
    (family, generation): (&str, usize),
    before: &Dispatch,
    after: &Dispatch,
    run: &RunOptions,
) -> Result<usize, String> {
    // An image that a machine did not write is compared as well as one that it did.
    let written = comparison::written(selected, &p.source.entry);
    let is_image = |r: &gpucc_ir::ResourceKind| matches!(r, gpucc_ir::ResourceKind::StorageTexture { .. });
    if !written.iter().any(|&r| is_image(&selected.resources[r].kind)) {
        return Ok(0);
    }
    let program = OracleProgram::at(selected, &p.source.entry, Stage::Compute).map_err(|t| t.to_string())?;
    let mut own = before.clone();
    program.run(&mut own, run, &gpucc_machines::profile(family, generation)).map_err(|t| t.to_string())?;
    match own.images.iter().zip(&after.images).position(|(a, b)| a != b) {
        None => Ok(own.images.len()),
        Some(k) => {
            let bytes = own.images[k].bytes.iter().zip(&after.images[k].bytes);
            let (at, (o, m)) = bytes.enumerate().find(|(_, (a, b))| a != b).unwrap_or((0, (&0, &0)));
            Err(format!("image {k}, byte {at}: {o:#04x} on the oracle, {m:#04x} on the machine"))
        }
    }
}

/// What a draw had before and after.
pub struct Drawn<'a> {
    /// The vertex program, and the fragment program if there is one.
    pub programs: (&'a Program, Option<&'a Program>),
    /// The draw that was made.
    pub draw: &'a Draw<'a>,
    /// The vertex buffers that were bound.
    pub buffers: &'a [Option<VertexData<'a>>],
    /// Bindings and attachments before.
    pub before: (Dispatch, Targets),
    /// Bindings and attachments after the draw.
    pub after: (&'a Dispatch, &'a Targets),
}

/// Judges a draw by the oracle: the verdict goes to the log.
pub fn draw(shared: &Shared, what: &str, d: Drawn<'_>, run: &RunOptions) {
    let Chip::Target(target) = shared.chip else { return };
    let Code::Machine { ir: selected, .. } = &d.programs.0.code else { return };
    let place = (target.family(), target.generation_index());
    let verdict = oracle_draw(place, selected, d, run);
    say(shared, what, verdict);
}

fn oracle_draw(
    (family, generation): (&str, usize),
    selected: &gpucc::Module,
    d: Drawn<'_>,
    run: &RunOptions,
) -> Result<String, String> {
    let trap = |t: gpucc_sim::Trap| format!("the oracle traps: {t}");
    let vertex = OracleProgram::at(selected, &d.programs.0.source.entry, Stage::Vertex).map_err(trap)?;
    let fragment = match d.programs.1 {
        Some(Program { code: Code::Machine { ir: selected, .. }, source, .. }) => {
            Some(OracleProgram::at(selected, &source.entry, Stage::Fragment).map_err(trap)?)
        }
        _ => None,
    };
    let pair = Pair { vertex: &vertex, fragment: fragment.as_ref() };
    let (mut bindings, mut targets) = d.before;
    let profile = gpucc_machines::profile(family, generation);
    gpucc_interp::draw(pair, d.draw, d.buffers, &mut bindings, &mut targets, run, &profile).map_err(trap)?;
    let mut texels = 0;
    for n in 0..targets.layers() {
        let (Some(own), Some(other)) = (targets.layer(n), d.after.1.layer(n)) else { continue };
        let colours = own.colour.iter().zip(&other.colour).map(|(a, b)| (a.as_ref(), b.as_ref()));
        for (k, pair) in colours.chain([(own.depth.as_ref(), other.depth.as_ref())]).enumerate() {
            let (Some(a), Some(b)) = pair else { continue };
            let bad = differing(a, b, own);
            texels += a.bytes.len() / a.format.bytes().max(1) as usize;
            if bad > 0 {
                return Err(format!("attachment {k} of layer {n}: {bad} texels"));
            }
        }
    }
    if let Some((a, _)) = bindings.buffers.iter().zip(&d.after.0.buffers).find(|(a, b)| a.bytes != b.bytes) {
        return Err(a.name());
    }
    if bindings.images != d.after.0.images {
        return Err("a storage image".into());
    }
    let covered = [(texels, "texel"), (bindings.buffers.len(), "buffer"), (bindings.images.len(), "image")];
    let covered = covered.into_iter().filter(|c| c.0 > 0).map(|(n, of)| Count(n as u64, of));
    Ok(Comparison { covered: covered.collect(), how: "bit-exact".into(), ..Comparison::default() }.to_string())
}

/// Texels that differ and are not left open.
fn differing(a: &Surface, b: &Surface, open: &Targets) -> usize {
    let size = (a.format.bytes() * a.samples).max(1) as usize;
    let pairs = a.bytes.chunks(size).zip(b.bytes.chunks(size)).enumerate();
    let width = a.width.max(1) as usize;
    pairs.filter(|(k, (x, y))| x != y && !open.is_open((k % width) as u32, (k / width) as u32)).count()
}
