//! The outputs of a frame against those of the oracle.

use std::collections::BTreeMap;
use std::sync::Arc;

use gpucc_interp::{Free, OobAccess, Profile};
use gpucc_machines::{Comparison, Count};
use gpucc_pipeline::{Base, Code, Format, Layout};
use gpucc_scene::compare::{Compare, Difference, Kind, Type};
use gpucc_scene::model::{Output, OutputSource, Pass, Pipeline};
use gpucc_scene::{Resources, Scene, output};

use crate::PreparedScene;
use crate::error::Failure;
use crate::frame::{self, Options, Report};
use crate::place::{Lowering, Place, Programs};

/// The modules that the oracle runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// The same lowered modules; outputs are equal to the bit. On the oracle itself quads and workgroups run in another order.
    Lowered,
    /// The modules as they were written; outputs are equal inside tolerances.
    Source,
}

/// The part that was compared and is equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Number of outputs that were compared.
    pub outputs: usize,
    /// Bytes of those outputs in all.
    pub bytes: usize,
    /// Texels of texture outputs and words of buffers.
    pub values: usize,
    /// Pixels that were left out: a lane of their quads had read another that was inactive.
    pub open: usize,
    /// Texels and words that were left out: on the oracle they change with the order of invocations that write memory.
    pub ordered: usize,
    /// Texels and words that were left out: on the oracle they change with what no rule of arithmetic or of sampling decides.
    pub free: usize,
    /// Words that an access out of bounds may decide: left out of the comparison with the source.
    pub strayed: usize,
}

impl Compared {
    /// The same in the form that all commands say.
    pub fn comparison(&self, against: Against) -> Comparison {
        let how = match against {
            Against::Lowered => "bit-exact",
            Against::Source => "within the tolerances for the source",
        };
        Comparison {
            covered: vec![Count(self.outputs as u64, "output"), Count(self.bytes as u64, "byte")],
            how: how.into(),
            values: self.values as u64,
            without: (self.open + self.ordered + self.free + self.strayed) as u64,
            left: vec![
                (Count(self.open as u64, "pixel"), "of quads whose lanes read one that had ended".into()),
                (Count(self.ordered as u64, "value"), "that change with the order of invocations".into()),
                (Count(self.free as u64, "value"), "that no rule of arithmetic decides".into()),
                (Count(self.strayed as u64, "value"), "that accesses out of bounds decide".into()),
            ],
            partly: Vec::new(),
            nothing: "no pass draws to a colour texture, and the scene has no `outputs`",
        }
    }
}

/// Why a frame does not pass.
#[derive(Debug)]
pub enum Verdict {
    /// The oracle could not run it.
    Failure(Failure),
    /// An output differs.
    Differs(String),
}

/// Part of the pixels that may differ from the source in any way.
const SHARE: f64 = 0.002;

/// Runs a frame on the oracle and compares the outputs.
///
/// # Errors
/// The first output that differs, or what stops the oracle.
pub fn check(
    ready: &PreparedScene,
    (programs, place): (&Programs, Place),
    (got, report): (&Resources, &Report),
    against: Against,
    options: &Options,
) -> Result<Compared, Verdict> {
    let scene = &ready.file.scene;
    let mut options = options.clone();
    options.profile = Profile::default();
    let own = match against {
        Against::Source => Some(Programs::new(scene, &ready.shaders, Place::Oracle(Lowering::Source))),
        Against::Lowered => programs.judges(&ready.shaders).transpose(),
    };
    let own = own.transpose().map_err(Verdict::Failure)?;
    if let Place::Target(t, _) | Place::Mixed { target: t, .. } = place {
        let own = gpucc_machines::profile(t.family(), t.generation_index());
        options.profile.subgroup_size = own.subgroup_size;
        options.profile.interp = Some(Arc::new(own.rules()));
    }
    match (against, place) {
        (Against::Lowered, Place::Target(t, _) | Place::Mixed { target: t, .. }) => {
            options.profile = gpucc_machines::profile(t.family(), t.generation_index());
            options.sampling = gpucc_machines::sampling(t.family());
        }
        (Against::Lowered, Place::Oracle(_)) => {
            options.run.perturb = Some(options.run.perturb.map_or(1, |seed| seed ^ 1));
        }
        (Against::Source, _) => {}
    }
    let mut want = ready.resources.clone();
    let programs = own.as_ref().unwrap_or(programs);
    let oracle =
        frame::run(scene, &ready.shaders, programs, &mut want, &options, &mut || {}).map_err(Verdict::Failure)?;
    let mut open = report.open.clone();
    for (place, pixels) in oracle.open {
        let all = open.entry(place).or_insert_with(|| vec![false; pixels.len()]);
        all.iter_mut().zip(&pixels).for_each(|(a, o)| *a |= o);
    }
    let mut compared = Compared::default();
    // Another order of invocations that write memory shows what is nobody's, also where machine and oracle come in one order.
    let moved = programs.write_memory().then(|| in_another_order(ready, programs, &options)).flatten();
    let (mut others, mut choices, mut strays) = (None, None, None);
    for o in &scene.compared_outputs() {
        let failed = |e| Verdict::Failure(Failure::Scene(e));
        let want = output::bytes(scene, &want, o).map_err(failed)?;
        let mut got = output::bytes(scene, got, o).map_err(failed)?;
        compared.open += close(scene, o, &open, (&want, &mut got));
        let judge = |got: &[u8]| match (against, &o.source) {
            (Against::Lowered, _) => Compare::exact().check(&want, got),
            (Against::Source, OutputSource::Buffer(_)) => words(&want, got),
            (Against::Source, OutputSource::Texture { .. }) => tolerance(scene, o).check(&want, got),
        };
        let mut result = judge(&got);
        let size = texel_bytes(scene, o);
        let other = moved.as_ref().map(|m| output::bytes(scene, m, o)).transpose().map_err(failed)?;
        let is_moved = programs.write_memory() && other.as_ref().is_some_and(|m| *m != want);
        if is_moved || result.is_err() && (programs.write_memory() || programs.ask_lanes()) {
            let mut marks = vec![false; want.len().div_ceil(size)];
            let others = others.get_or_insert_with(|| in_other_orders(ready, programs, &options));
            for bytes in others.iter().map(|r| output::bytes(scene, r, o)).chain(other.map(Ok)) {
                differing(size, (&want, &bytes.map_err(failed)?), &mut marks);
            }
            compared.ordered += even(size, &marks, (&want, &mut got));
            result = judge(&got);
        }
        if result.is_err() {
            let mut marks = vec![false; want.len().div_ceil(size)];
            for other in choices.get_or_insert_with(|| with_other_choices(ready, programs, &options)) {
                differing(size, (&want, &output::bytes(scene, other, o).map_err(failed)?), &mut marks);
            }
            compared.free += even(size, &marks, (&want, &mut got));
            result = judge(&got);
        }
        if result.is_err() && against == Against::Source {
            let mut marks = vec![false; want.len().div_ceil(size)];
            for other in strays.get_or_insert_with(|| with_other_places(ready, &options)) {
                differing(size, (&want, &output::bytes(scene, other, o).map_err(failed)?), &mut marks);
            }
            compared.strayed += even(size, &marks, (&want, &mut got));
            result = judge(&got);
        }
        result.map_err(|d| Verdict::Differs(sentence(scene, o, against, &d)))?;
        compared.outputs += 1;
        compared.bytes += want.len();
        compared.values += want.len().div_ceil(size);
    }
    Ok(compared)
}

/// The frame of the oracle in another order of invocations; nothing if it traps.
fn in_another_order(ready: &PreparedScene, programs: &Programs, options: &Options) -> Option<Resources> {
    let mut options = options.clone();
    options.run.perturb = Some(options.run.perturb.unwrap_or(0) ^ 6);
    let mut resources = ready.resources.clone();
    let scene = &ready.file.scene;
    frame::run(scene, &ready.shaders, programs, &mut resources, &options, &mut || {}).ok().map(|_| resources)
}

/// Results of the oracle for a frame whose invocations run in other orders, and in batches of other sizes unless programs ask for the size. An order
/// in which it traps gives none.
fn in_other_orders(ready: &PreparedScene, programs: &Programs, options: &Options) -> Vec<Resources> {
    let own = (options.profile.subgroup_size, options.run.perturb);
    let sizes = if programs.ask_lanes() { &[][..] } else { &[4, 16, 32, 64] };
    let sizes = sizes.iter().map(|&size| (size, own.1));
    // Of many orders some give a pixel another lane.
    let seeds = if programs.ask_lanes() { 2..18 } else { 2..6 };
    let orders = seeds.map(|seed| (own.0, Some(own.1.unwrap_or(0) ^ seed)));
    let plain = own.1.map(|_| (own.0, None));
    let run = |(subgroup_size, perturb)| {
        let mut options = options.clone();
        options.profile.subgroup_size = subgroup_size;
        options.run.perturb = perturb;
        let mut resources = ready.resources.clone();
        let scene = &ready.file.scene;
        frame::run(scene, &ready.shaders, programs, &mut resources, &options, &mut || {}).ok().map(|_| resources)
    };
    sizes.chain(orders).chain(plain).filter_map(run).collect()
}

/// Results of the oracle for a frame with every choice of what nothing decides: bits of NaN, signs of some zeros, texels at coordinates that are
/// NaN.
fn with_other_choices(ready: &PreparedScene, programs: &Programs, options: &Options) -> Vec<Resources> {
    let scene = &ready.file.scene;
    let run = |free| {
        let mut options = options.clone();
        options.profile.free = Some(free);
        let mut resources = ready.resources.clone();
        frame::run(scene, &ready.shaders, programs, &mut resources, &options, &mut || {}).ok().map(|_| resources)
    };
    Free::ALL.into_iter().filter_map(run).collect()
}

/// Results of the oracle for the modules as they were written, with other places that accesses out of bounds reach: WGSL leaves open which.
fn with_other_places(ready: &PreparedScene, options: &Options) -> Vec<Resources> {
    let scene = &ready.file.scene;
    let Ok(mut programs) = Programs::new(scene, &ready.shaders, Place::Oracle(Lowering::Source)) else {
        return Vec::new();
    };
    let run = |&answer: &OobAccess| {
        programs.set_oob(answer);
        let mut resources = ready.resources.clone();
        frame::run(scene, &ready.shaders, &programs, &mut resources, options, &mut || {}).ok().map(|_| resources)
    };
    gpucc_machines::OOB_ANSWERS.iter().filter_map(run).collect()
}

/// Bytes of what is written as a whole: a texel, or a word of a buffer.
fn texel_bytes(scene: &Scene, o: &Output) -> usize {
    shape(scene, o).map_or(4, |(_, format, ..)| format.bytes().max(1) as usize)
}

/// Marks the texels or words that are others in another order.
fn differing(size: usize, (want, other): (&[u8], &[u8]), marks: &mut [bool]) {
    for (mark, (want, other)) in marks.iter_mut().zip(want.chunks(size).zip(other.chunks(size))) {
        *mark |= want != other;
    }
}

/// Makes equal what is marked; gives how many texels or words that are.
fn even(size: usize, marks: &[bool], (want, got): (&[u8], &mut [u8])) -> usize {
    let mut count = 0;
    for (_, (want, got)) in marks.iter().zip(want.chunks(size).zip(got.chunks_mut(size))).filter(|(m, _)| **m) {
        if got.len() == want.len() {
            got.copy_from_slice(want);
            count += 1;
        }
    }
    count
}

/// Format, width and pixels of a texture output, and its texture.
fn shape(scene: &Scene, o: &Output) -> Option<(usize, Format, u32, u32)> {
    let OutputSource::Texture { texture, mip_level, aspect, .. } = &o.source else { return None };
    let k = scene.textures.position(texture)?;
    let (_, t) = scene.textures.at(k)?;
    let [w, h, _] = t.level_size(*mip_level);
    Some((k, gpucc_scene::view::aspect_format(t.format, *aspect)?, w, w * h))
}

/// Makes pixels equal about which nothing is said; gives their number.
fn close(
    scene: &Scene,
    o: &Output,
    open: &BTreeMap<(usize, u32, u32), Vec<bool>>,
    (want, got): (&[u8], &mut [u8]),
) -> usize {
    let (Some((texture, _, _, pixels)), OutputSource::Texture { mip_level, array_layer, .. }) =
        (shape(scene, o), &o.source)
    else {
        return 0;
    };
    let layers = scene.textures.at(texture).map_or(1, |(_, t)| t.level_size(*mip_level)[2]);
    let layers = array_layer.map_or(0..layers, |k| k..k + 1);
    let size = want.len() / (pixels as usize * layers.len()).max(1);
    let mut count = 0;
    for (n, layer) in layers.enumerate() {
        let Some(list) = open.get(&(texture, *mip_level, layer)) else { continue };
        for (k, _) in list.iter().enumerate().filter(|(_, open)| **open) {
            let at = (n * pixels as usize + k) * size;
            if let (Some(to), Some(from)) = (got.get_mut(at..at + size), want.get(at..at + size)) {
                to.copy_from_slice(from);
                count += 1;
            }
        }
    }
    count
}

/// Whether any pipeline that draws blends with a second source.
fn is_dual(scene: &Scene) -> bool {
    let of = |p: &Pipeline| match p {
        Pipeline::Render(r) => r
            .fragment
            .iter()
            .flat_map(|f| f.targets.iter().flatten())
            .any(|t| t.blend.is_some_and(|b| b.reads_second())),
        Pipeline::Compute(_) => false,
    };
    let drawn = |name: &str| scene.pipelines.get(name).is_some_and(of);
    scene.passes.iter().any(|p| match p {
        Pass::Render { draws, .. } => draws.iter().any(|d| drawn(&d.pipeline)),
        Pass::Compute { .. } => false,
    })
}

/// How a texture output is compared with that of the source.
fn tolerance(scene: &Scene, o: &Output) -> Compare {
    let Some((_, format, ..)) = shape(scene, o) else { return Compare::exact() };
    let codes = if is_dual(scene) { 2.0 } else { 1.0 };
    let near =
        |ty: Type, abs: f64, rel: f64, pixel: usize| Compare { kind: Kind::Near { ty, abs, rel }, pixel, share: SHARE };
    let n = format.components() as usize;
    // Two units of the last place: of f16 2^-9, of eleven bits 2^-5.
    match format.layout() {
        _ if matches!(format.base(), Base::Uint | Base::Sint | Base::Stencil) => {
            Compare { pixel: format.bytes() as usize, share: SHARE, ..Compare::exact() }
        }
        Layout::Array(Code::Unorm | Code::Srgb, 8) | Layout::Bgra(_) => near(Type::U8, codes, 0.0, n),
        Layout::Array(Code::Snorm, 8) => near(Type::I8, codes, 0.0, n),
        Layout::Array(Code::Unorm, _) => near(Type::U16, 2.0, 0.0, n),
        Layout::Array(Code::Snorm, _) => near(Type::I16, 2.0, 0.0, n),
        Layout::Array(Code::Float, 16) => near(Type::F16, 2f64.powi(-14), 2f64.powi(-9), n),
        Layout::Rgb10a2(_) => near(Type::Rgb10a2, codes, 0.0, 4),
        Layout::Rg11b10 => near(Type::Rg11b10, 2f64.powi(-14), 2f64.powi(-5), 3),
        Layout::DepthUnorm(16) => near(Type::U16, 1.0, 0.0, 1),
        Layout::DepthFloat | Layout::Array(Code::Float, _) => near(Type::F32, 2f64.powi(-20), 2f64.powi(-16), n),
        _ => Compare::exact(),
    }
}

/// Compares the words of buffers: equal, or floats that are nearly so.
fn words(want: &[u8], got: &[u8]) -> Result<(), Difference> {
    if want.len() != got.len() {
        return Err(Difference::Length { want: want.len(), got: got.len() });
    }
    let word = |b: &[u8]| b.iter().rev().fold(0u32, |w, &b| w << 8 | u32::from(b));
    let pairs = want.chunks(4).zip(got.chunks(4)).map(|(w, g)| (word(w), word(g)));
    let is_near = |(w, g): (u32, u32)| {
        let (a, b) = (f64::from(f32::from_bits(w)), f64::from(f32::from_bits(g)));
        w == g
            || a.is_nan() && b.is_nan()
            || (a - b).abs() <= 2f64.powi(-20) + a.abs() * 2f64.powi(-16) && a.abs() > 1e-30
    };
    let wrong: Vec<(usize, (u32, u32))> = pairs.enumerate().filter(|(_, p)| !is_near(*p)).collect();
    match wrong.first() {
        None => Ok(()),
        Some((at, (w, g))) => Err(Difference::Value {
            pixel: *at,
            component: 0,
            got: format!("{g:#010x}"),
            want: format!("{w:#010x}"),
            bad: wrong.len(),
            pixels: want.len().div_ceil(4),
            share: 0.0,
        }),
    }
}

/// Where an output differs, in one sentence.
fn sentence(scene: &Scene, o: &Output, against: Against, d: &Difference) -> String {
    let name = &o.name;
    let Difference::Value { pixel, component, got, want, bad, pixels, .. } = d else {
        return format!("output `{name}`: {d}");
    };
    match (shape(scene, o), against) {
        (Some((_, format, width, all)), _) => {
            let bytes = format.bytes().max(1) as usize;
            // Bytes are counted where they are equal to the bit, pixels elsewhere.
            let (at, part) =
                if against == Against::Lowered { (pixel / bytes, pixel % bytes) } else { (*pixel, *component) };
            let (pixel, layer) = (at as u32 % all, at as u32 / all);
            let layer = if layer > 0 { format!(" of layer {layer}") } else { String::new() };
            let (x, y) = (pixel % width, pixel / width);
            let what = if against == Against::Lowered { "byte" } else { "component" };
            let many = if against == Against::Lowered { "bytes" } else { "pixels" };
            format!(
                "output `{name}`, pixel {x},{y}{layer}, {what} {part}: {got} here, {want} on the oracle; {bad} of {pixels} {many} differ"
            )
        }
        (None, Against::Lowered) => {
            format!("output `{name}`, byte {pixel}: {got} here, {want} on the oracle; {bad} of {pixels} bytes differ")
        }
        (None, Against::Source) => {
            format!(
                "output `{name}`, byte {}: {got} here, {want} on the oracle; {bad} of {pixels} words differ",
                pixel * 4
            )
        }
    }
}
