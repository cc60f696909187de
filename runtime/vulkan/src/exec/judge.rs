//! The oracle does a dispatch or draw again, and the results are compared.

use gpucc::Target;
use gpucc_interp::{Free, OracleProgram, Pair, Profile};
use gpucc_ir::Stage;
use gpucc_machines::{Comparison, Count, comparison};
use gpucc_sim::draw::{Draw, Targets, VertexData};
use gpucc_sim::{Dispatch, RunOptions};

use crate::log;
use crate::pipeline::Program;
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
    let Chip::Target(target) = shared.chip else { return };
    let selected = match p.selected(target) {
        Ok(selected) => selected,
        Err(text) => return say(shared, what, Err(text)),
    };
    let place = (target.family(), target.generation_index());
    let entry = p.source.entry.as_str();
    let verdict = gpucc_machines::judge((&p.module, selected), entry, place, before, after, run);
    let verdict = verdict.map_err(|v| v.to_string()).and_then(|c| {
        let images = images(p, selected, place, before, after, run)?;
        let mut c = c.comparison();
        if images.count > 0 {
            // A dispatch that writes no buffer has its images left.
            c.covered.retain(|count| count.0 > 0);
            c.covered.push(Count(images.count, "image"));
        }
        if images.left > 0 {
            (c.values, c.without) = (c.values + images.texels, c.without + images.left);
            c.left.push((Count(images.left, "texel"), OPEN.into()));
        }
        Ok(c.to_string())
    });
    say(shared, what, verdict);
}

/// Why values are left out.
const OPEN: &str = "that change with the order of invocations, or that nothing decides";

/// Images that were compared.
#[derive(Default)]
struct Images {
    count: u64,
    texels: u64,
    /// Texels that were left out.
    left: u64,
}

/// Compares images that a dispatch may have written, to the bit under the machine's numeric profile. Where they differ, other orders of
/// invocations are tried before that counts.
fn images(
    p: &Program,
    selected: &gpucc::Module,
    (family, generation): (&str, usize),
    before: &Dispatch,
    after: &Dispatch,
    run: &RunOptions,
) -> Result<Images, String> {
    // An image that a machine did not write is compared as well as one that it did.
    let written = comparison::written(selected, &p.source.entry);
    let is_image = |r: &gpucc_ir::ResourceKind| matches!(r, gpucc_ir::ResourceKind::StorageTexture { .. });
    if !written.iter().any(|&r| is_image(&selected.resources[r].kind)) {
        return Ok(Images::default());
    }
    let program = OracleProgram::at(selected, &p.source.entry, Stage::Compute).map_err(|t| t.to_string())?;
    let again = |run: &RunOptions, profile: &Profile| {
        let mut own = before.clone();
        program.run(&mut own, run, profile).map(|_| own)
    };
    let profile = gpucc_machines::profile(family, generation);
    let own = again(run, &profile).map_err(|t| t.to_string())?;
    let mut out = Images { count: own.images.len() as u64, ..Images::default() };
    let Some(k) = own.images.iter().zip(&after.images).position(|(a, b)| a != b) else { return Ok(out) };
    let (want, got): (Vec<_>, Vec<_>) = (image_parts(&own).collect(), image_parts(after).collect());
    let mut marks = unmarked(&want);
    for (run, profile) in choices(run, &profile, (true, !program.sees_subgroups())) {
        // An order in which it traps tells nothing.
        let Ok(other) = again(&run, &profile) else { continue };
        mark(&mut marks, &want, &image_parts(&other).collect::<Vec<_>>());
    }
    if apart(&want, &got, &marks).is_some() {
        let bytes = own.images[k].bytes.iter().zip(&after.images[k].bytes);
        let (at, (o, m)) = bytes.enumerate().find(|(_, (a, b))| a != b).unwrap_or((0, (&0, &0)));
        return Err(format!("image {k}, byte {at}: {o:#04x} on the oracle, {m:#04x} on the machine"));
    }
    out.texels = marks.iter().map(Vec::len).sum::<usize>() as u64;
    out.left = marks.iter().flatten().filter(|m| **m).count() as u64;
    Ok(out)
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
    let verdict = oracle_draw(target, d, run);
    say(shared, what, verdict);
}

/// Seeds of other orders of invocations, and sizes of subgroups: how many invocations load a word before the first of them stores to it
/// depends on how many go side by side.
const ORDERS: std::ops::Range<u64> = 2..10;
const SIZES: [u32; 5] = [1, 4, 16, 32, 64];

/// Runs that differ from the usual one in what nothing decides: whether the order of invocations is part of it, because they write memory,
/// and the size of subgroups, because no lane sees it. Some bits of NaN and some zeros are nobody's in any case.
fn choices(run: &RunOptions, profile: &Profile, (writes, sizes): (bool, bool)) -> Vec<(RunOptions, Profile)> {
    let other = |(size, seed): (u32, u64)| {
        let profile = Profile { subgroup_size: size, ..profile.clone() };
        (RunOptions { perturb: (seed > 0).then_some(seed), ..run.clone() }, profile)
    };
    let orders = ORDERS.map(|seed| (profile.subgroup_size, seed));
    let sizes = SIZES.iter().filter(|_| sizes).flat_map(|&size| [(size, 0), (size, 1)]);
    let orders = orders.chain(sizes).filter(|_| writes).map(other);
    let free = Free::ALL.into_iter().map(|free| (run.clone(), Profile { free: Some(free), ..profile.clone() }));
    orders.chain(free).collect()
}

fn oracle_draw(target: Target, d: Drawn<'_>, run: &RunOptions) -> Result<String, String> {
    let trap = |t: gpucc_sim::Trap| format!("the oracle traps: {t}");
    let read = |p: &Program, stage| OracleProgram::at(p.selected(target)?, &p.source.entry, stage).map_err(trap);
    let vertex = read(d.programs.0, Stage::Vertex)?;
    let fragment = d.programs.1.map(|p| read(p, Stage::Fragment)).transpose()?;
    let pair = Pair { vertex: &vertex, fragment: fragment.as_ref() };
    let again = |run: &RunOptions, profile: &Profile| {
        let (mut bindings, mut targets) = d.before.clone();
        let draw = Draw { seed: run.perturb, ..d.draw.clone() };
        gpucc_interp::draw(pair, &draw, d.buffers, &mut bindings, &mut targets, run, profile)?;
        Ok((bindings, targets))
    };
    let profile = gpucc_machines::profile(target.family(), target.generation_index());
    let own = again(run, &profile).map_err(trap)?;
    let (want, got) = (parts(&own.0, &own.1), parts(d.after.0, d.after.1));
    let mut c = Comparison { covered: covered(&want), how: "bit-exact".into(), ..Comparison::default() };
    let mut marks = unmarked(&want);
    if apart(&want, &got, &marks).is_none() {
        return Ok(c.to_string());
    }
    let writes = vertex.writes_memory() || fragment.as_ref().is_some_and(OracleProgram::writes_memory);
    let sizes = !(vertex.sees_subgroups() || fragment.as_ref().is_some_and(OracleProgram::sees_subgroups));
    for (run, profile) in choices(run, &profile, (writes, sizes)) {
        // An order in which it traps tells nothing.
        let Ok(other) = again(&run, &profile) else { continue };
        mark(&mut marks, &want, &parts(&other.0, &other.1));
    }
    if let Some(text) = apart(&want, &got, &marks) {
        return Err(text);
    }
    let left = marks.iter().flatten().filter(|m| **m).count();
    (c.values, c.without) = (marks.iter().map(Vec::len).sum::<usize>() as u64, left as u64);
    c.left = vec![(Count(left as u64, "value"), OPEN.into())];
    Ok(c.to_string())
}

/// A part of what a draw leaves.
struct Part<'a> {
    name: String,
    bytes: &'a [u8],
    /// Bytes that are written as a whole.
    unit: usize,
    /// The attachments that it is one of.
    of: Option<&'a Targets>,
    width: u32,
}

impl Part<'_> {
    fn units(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.chunks(self.unit)
    }

    /// Whether nothing is said of a unit: the pixel of an open quad.
    fn is_open(&self, at: usize) -> bool {
        let (x, y) = (at as u32 % self.width.max(1), at as u32 / self.width.max(1));
        self.of.is_some_and(|t| t.is_open(x, y))
    }

    /// How many units differ that are not marked, and of which something is said.
    fn differing(&self, other: &Part<'_>, marks: &[bool]) -> usize {
        let pairs = self.units().zip(other.units()).enumerate();
        let says = |k: usize| marks.get(k) != Some(&true) && !self.is_open(k) && !other.is_open(k);
        pairs.filter(|(k, (a, b))| a != b && says(*k)).count()
    }
}

/// All that a draw leaves: attachments, buffers, images.
fn parts<'a>(bindings: &'a Dispatch, targets: &'a Targets) -> Vec<Part<'a>> {
    let mut list = Vec::new();
    for n in 0..targets.layers() {
        let Some(t) = targets.layer(n) else { continue };
        for (k, s) in t.colour.iter().chain([&t.depth]).enumerate() {
            let Some(s) = s else { continue };
            let (unit, name) = ((s.format.bytes() * s.samples).max(1) as usize, format!("attachment {k} of layer {n}"));
            list.push(Part { name, bytes: &s.bytes, unit, of: Some(t), width: s.width });
        }
    }
    list.extend(bindings.buffers.iter().map(|b| Part { name: b.name(), bytes: &b.bytes, unit: 4, of: None, width: 0 }));
    list.extend(image_parts(bindings));
    list
}

/// The images of a dispatch or draw.
fn image_parts(bindings: &Dispatch) -> impl Iterator<Item = Part<'_>> {
    bindings.images.iter().map(|i| {
        let unit = i.format.bytes().max(1) as usize;
        Part { name: "a storage image".into(), bytes: &i.bytes, unit, of: None, width: 0 }
    })
}

/// Marks for all units, none of which is set.
fn unmarked(list: &[Part<'_>]) -> Vec<Vec<bool>> {
    list.iter().map(|p| vec![false; p.units().count()]).collect()
}

/// Marks what another run made otherwise.
fn mark(marks: &mut [Vec<bool>], want: &[Part<'_>], other: &[Part<'_>]) {
    for ((marks, a), b) in marks.iter_mut().zip(want).zip(other) {
        marks.iter_mut().zip(a.units().zip(b.units())).for_each(|(m, (a, b))| *m |= a != b);
    }
}

/// The first part that differs where nothing is marked, in a sentence.
fn apart(want: &[Part<'_>], got: &[Part<'_>], marks: &[Vec<bool>]) -> Option<String> {
    want.iter().zip(got).zip(marks).find_map(|((a, b), marks)| {
        let bad = a.differing(b, marks);
        (bad > 0).then(|| format!("{}: {bad} of {} values", a.name, a.units().count()))
    })
}

/// What was compared, counted.
fn covered(list: &[Part<'_>]) -> Vec<Count> {
    let texels = list.iter().filter(|p| p.of.is_some()).map(|p| p.units().count()).sum();
    let of = |image: bool| list.iter().filter(|p| p.of.is_none() && (p.name == "a storage image") == image).count();
    let all: [(usize, &'static str); 3] = [(texels, "texel"), (of(false), "buffer"), (of(true), "image")];
    all.into_iter().filter(|c| c.0 > 0).map(|(n, what)| Count(n as u64, what)).collect()
}
