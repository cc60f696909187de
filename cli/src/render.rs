//! `gpucc render`: a scene, or a fragment shader alone, drawn in one or several places.

mod channels;
mod code;
mod heat;
mod pixel;
mod reel;

use std::path::{Path, PathBuf};

use gpucc::Target;
use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc_ir::{Diagnostic, Refusal, ResourceKind, Stage};
use gpucc_made as made;
use gpucc_render::compare::{Against, Verdict, check};
use gpucc_render::frame::{Costs, Stepped};
use gpucc_render::{Failure as Fault, Place, PreparedScene, Programs, Reading, Report, Source, frame};
use gpucc_scene::difference::{self, Difference};
use gpucc_scene::model::{Data, Fill, Immediates, Made, Output, Shader};
use gpucc_scene::moment::{self, Moment};
use gpucc_scene::read::{self, Language};
use gpucc_scene::{Picture, Resources, Scene, SceneError, SceneFile, alone, limits, output, resize};
use gpucc_sim::{Trap, TrapKind};
use indicatif::ProgressBar;

use self::reel::{Length, Reel};
use crate::args::{Front, HeatBy, LangArg, Messages, OracleArg, Render, StageArg};
use crate::report::Reporter;
use crate::{Failure, Worst, comparison, effect, failure, files, input, progress, targets, words};

/// Where a frame is drawn: on the machine of a target, or on the IR interpreter.
type On = Option<Target>;

/// The draw call.
struct Subject {
    file: SceneFile,
    /// Whether it is a shader alone, of which no scene was written.
    is_alone: bool,
}

/// A file to be written for each place.
enum Wanted<'a> {
    Picture(PathBuf),
    Difference(PathBuf),
    Heat(PathBuf),
    Bytes(&'a Output, PathBuf),
}

/// One place with what it has drawn.
struct Seat<'a> {
    on: On,
    /// Whether it is drawn only to be compared with.
    is_hidden: bool,
    programs: Option<Programs>,
    /// Textures and buffers as the last frame left them; `None` before the first.
    resources: Option<Resources>,
    /// Pictures of the path of each that is wanted, in this order.
    reels: Vec<(&'a Wanted<'a>, Reel)>,
    /// The bytes of outputs after the last frame.
    bytes: Vec<(PathBuf, Vec<u8>)>,
    /// Difference over all frames.
    difference: Option<Difference>,
    /// What the pixels of the last frame cost.
    costs: Option<Costs>,
    /// What the pixel that was asked for executed in the last frame.
    stepped: Option<Vec<Stepped>>,
    has_failed: bool,
}

/// `gpucc render INPUT --target T -o OUT.png`.
///
/// # Errors
/// Usage, I/O, a wrong scene or shader, refusal, compiler bug; exit 1 for a trap or a difference from the oracle.
pub fn main(args: &Render, messages: &Messages) -> Result<(), Failure> {
    let places = targets::list(args.target.as_deref().unwrap_or("interp"), true)?;
    if args.init {
        return init(args, messages);
    }
    let is_asked = args.output.is_some()
        || args.sheet.is_some()
        || args.diff.is_some()
        || args.pixel.is_some()
        || args.heat.is_some();
    if !is_asked && args.dumps.is_empty() && args.oracle.is_none() {
        return Err(Failure::Usage("no output requested: use -o OUT.png or --dump NAME=FILE".into()));
    }
    if args.frames.is_some() && !is_asked && args.dumps.is_empty() {
        return Err(Failure::Usage("--frames: no output requested: use -o OUT.png, or -o FOLDER".into()));
    }
    if args.fps.is_some() && args.frames.is_none() && args.skip.is_none() {
        return Err(Failure::Usage("--fps is for --frames and --skip".into()));
    }
    if args.diff.is_some() && places == [None] {
        return Err(Failure::Usage("--diff compares with the oracle, and nothing else is drawn: use --target".into()));
    }
    if args.heat_by == Some(HeatBy::Cycles) && places.contains(&None) {
        return Err(Failure::Usage("--heat-by cycles: the oracle has no costs; use --target".into()));
    }
    let subject = subject(args, messages)?;
    let inputs = inputs(args, &subject);
    let (file, is_alone) = (subject.file.clone(), subject.is_alone);
    let reading = reading(args)?;
    let ready = match is_alone {
        true => PreparedScene::alone(file, &reading),
        false => PreparedScene::read(file, &reading),
    };
    let mut ready = ready.map_err(|f| fault(&f, is_alone, None, messages))?;
    has_effect(args, &ready)?;
    pixel::read(args.pixel.as_deref(), &ready)?;
    let given = code::given(args, &ready, &places)?;
    let scene = &subject.file.scene;
    let outputs = scene.compared_outputs();
    let wanted = wanted(args, scene, &outputs)?;
    check_paths(args, &wanted, &inputs, &places)?;

    let length = Length::of(args);
    let mut seats = seats(args, &places, &wanted);
    let steps = frame::length(scene) * seats.len() * length.drawn() as usize;
    let bar = progress::bar_or_spinner(steps, "draws and dispatches", messages);
    let mut sheet = args.sheet.as_ref().map(|path| Reel::new(path.clone(), length));
    let mut worst = Worst::default();
    for k in 0..length.drawn() {
        if seats.iter().all(|s| s.has_failed || s.is_hidden) {
            break;
        }
        let is_last = k + 1 == length.drawn();
        let pictures = one_frame((args, &given), &mut ready, &mut seats, (k, is_alone), (&bar, messages), &mut worst)?;
        compare(&mut seats, &pictures)?;
        if let Some(reel) = sheet.as_mut().filter(|_| pictures.iter().any(Option::is_some)) {
            reel.push(&side_by_side(&seats, pictures))?;
        }
        if is_last {
            seats.iter().filter(|s| !s.is_hidden).for_each(|s| told(s, &ready, &bar, messages));
            if let Some(p) = pixel::read(args.pixel.as_deref(), &ready)? {
                let list = |s: &mut Seat<'_>| Some(pixel::List { place: shown(s.on), draws: s.stepped.take()? });
                let lists: Vec<pixel::List> = seats.iter_mut().filter_map(list).collect();
                bar.suspend(|| files::stdout(pixel::text(&lists, p.at, &ready).as_bytes()))?;
            }
        }
    }
    bar.finish_and_clear();
    for seat in seats.into_iter().filter(|s| !s.has_failed) {
        seat.reels.into_iter().try_for_each(|r| r.1.finish())?;
        seat.bytes.iter().try_for_each(|(path, bytes)| files::write(path, bytes))?;
    }
    sheet.map_or(Ok(()), Reel::finish)?;
    worst.result()
}

/// A seat for each place, and before them a hidden one for the oracle where pictures are to be compared with it.
fn seats<'a>(args: &Render, places: &[On], wanted: &'a [Wanted<'a>]) -> Vec<Seat<'a>> {
    let length = Length::of(args);
    let seat = |on: On, is_hidden: bool| {
        let path = |w: &'a Wanted<'a>| Some((w, Reel::new(w.path(on, places.len() > 1, length)?, length)));
        let reels = if is_hidden { Vec::new() } else { wanted.iter().filter_map(path).collect() };
        Seat {
            on,
            is_hidden,
            programs: None,
            resources: None,
            reels,
            bytes: Vec::new(),
            difference: None,
            costs: None,
            stepped: None,
            has_failed: false,
        }
    };
    let has_picture = args.sheet.is_some() || wanted.iter().any(|w| !matches!(w, Wanted::Bytes(..)));
    let is_compared = has_picture && (places.len() > 1 || args.diff.is_some() || args.sheet.is_some());
    let hidden = (is_compared && !places.contains(&None)).then(|| seat(None, true));
    hidden.into_iter().chain(places.iter().map(|&on| seat(on, false))).collect()
}

/// Draws a frame in all places that did not fail; gives the picture of each, where one is asked for.
fn one_frame(
    (args, given): (&Render, &[code::Given]),
    ready: &mut PreparedScene,
    seats: &mut [Seat<'_>],
    (k, is_alone): (u32, bool),
    (bar, messages): (&ProgressBar, &Messages),
    worst: &mut Worst,
) -> Result<Vec<Option<Picture>>, Failure> {
    let first = ready.resources.clone();
    let moment = moment(args, k)?;
    let length = Length::of(args);
    let is_last = k + 1 == length.drawn();
    let presented = ready.file.scene.presented();
    let mut pictures = Vec::new();
    for seat in seats {
        pictures.push(None);
        if seat.has_failed {
            continue;
        }
        ready.resources = seat.resources.take().unwrap_or_else(|| first.clone());
        if let Some(moment) = moment {
            ready.resources.tell(&ready.file.scene, &moment);
        }
        let drawn = draw((args, given), ready, seat, (is_alone, is_last), messages, bar);
        let (resources, verdict) = match drawn {
            Ok((resources, verdict)) => (Some(resources), verdict),
            Err(f) => (None, Err(f)),
        };
        if let Err(f) = verdict {
            bar.suspend(|| worst.add(&f, messages));
        }
        let Some(resources) = resources else {
            seat.has_failed = true;
            continue;
        };
        let scene = &ready.file.scene;
        let is_shown = args.output.is_some() || args.sheet.is_some() || args.diff.is_some();
        let is_shown = is_shown && k >= length.skipped;
        if let Some(o) = presented.as_ref().filter(|_| is_shown) {
            pictures.pop();
            pictures.push(Some(output::picture(scene, &resources, o).map_err(|e| scene_error(&e))?));
        }
        for (w, reel) in &mut seat.reels {
            match (w, pictures.last()) {
                (Wanted::Picture(_), Some(Some(p))) => reel.push(p)?,
                (Wanted::Heat(_), _) => {
                    let by = args.heat_by.unwrap_or(HeatBy::Instructions);
                    let costs = seat.costs.take().unwrap_or_default();
                    reel.push(&heat::drawn(&costs, by, &shown(seat.on)))?;
                    if is_last {
                        let text = format!("heat: {}", heat::said(&costs, by));
                        let reporter = Reporter::new(messages, &ready.file.name, "");
                        bar.suspend(|| reporter.note("heat", &text, Some(&shown(seat.on))));
                    }
                }
                (Wanted::Bytes(o, _), _) if is_last => {
                    let bytes = output::bytes(scene, &resources, o).map_err(|e| scene_error(&e))?;
                    seat.bytes.push((reel.path().to_path_buf(), bytes));
                }
                _ => {}
            }
        }
        seat.resources = Some(resources);
    }
    ready.resources = first;
    Ok(pictures)
}

/// The moment of a frame; `None` where the command line says nothing of it.
fn moment(args: &Render, k: u32) -> Result<Option<Moment>, Failure> {
    let is_film = args.frames.is_some() || args.skip.is_some();
    if args.time.is_none() && args.mouse.is_none() && !is_film {
        return Ok(None);
    }
    let o = options(args)?;
    let of_one = Moment { mouse: o.mouse, ..Moment::at(o.time) };
    if !is_film {
        return Ok(Some(of_one));
    }
    let delta = 1.0 / f64::from(Length::of(args).in_second);
    Ok(Some(Moment { time: o.time + f64::from(k) * delta, delta, frame: k, ..of_one }))
}

/// Compares the pictures of a frame with the oracle's, and draws the differences.
fn compare(seats: &mut [Seat<'_>], pictures: &[Option<Picture>]) -> Result<(), Failure> {
    let oracle = seats.iter().zip(pictures).find(|(s, _)| s.on.is_none()).and_then(|(_, p)| p.as_ref());
    let Some(want) = oracle else { return Ok(()) };
    for (seat, got) in seats.iter_mut().zip(pictures).filter(|(s, _)| s.on.is_some()) {
        let Some(got) = got else { continue };
        let found = Difference::between(want, got);
        seat.difference = found.map(|d| seat.difference.unwrap_or_default() + d);
        for (w, reel) in &mut seat.reels {
            if matches!(w, Wanted::Difference(_)) {
                reel.push(&difference::drawn(want, got))?;
            }
        }
    }
    Ok(())
}

/// The pictures of a frame in one, with the names of their places.
fn side_by_side(seats: &[Seat<'_>], pictures: Vec<Option<Picture>>) -> Picture {
    let name = |on: On| on.map_or_else(|| "oracle".into(), |t| t.to_string());
    let named: Vec<(String, Picture)> =
        seats.iter().zip(pictures).filter_map(|(s, p)| Some((name(s.on), p?))).collect();
    gpucc_scene::sheet::sheet(&named, gpucc_scene::sheet::columns(named.len()))
}

/// Says how far the pictures of a place are from the oracle's.
fn told(seat: &Seat<'_>, ready: &PreparedScene, bar: &ProgressBar, messages: &Messages) {
    let Some(difference) = seat.difference.filter(|_| !seat.has_failed) else { return };
    let text = format!("greatest difference to the oracle: {difference}");
    let reporter = Reporter::new(messages, &ready.file.name, "");
    bar.suspend(|| reporter.note("difference", &text, Some(&shown(seat.on))));
}

/// The place that messages name.
fn shown(on: On) -> String {
    on.map_or_else(|| "interp".into(), |t| t.to_string())
}

/// How the shaders are read.
fn reading(args: &Render) -> Result<Reading, Failure> {
    let front = FrontOptions { entry: None, ..input::front_options(&args.front)? };
    Ok(Reading { front, features: args.front.features.iter().cloned().collect() })
}

/// Refuses options that have no effect on any of the shaders.
fn has_effect(args: &Render, ready: &PreparedScene) -> Result<(), Failure> {
    let front = &args.front;
    let of_source = |s: &Source| {
        let lang = if s.glsl.is_some() { Lang::GlslFragment } else { s.lang };
        effect::none_on(front, effect::Kind { lang, modules: s.modules.as_deref() })
    };
    let mut lists: Vec<Vec<String>> = ready.shaders.sources.iter().map(of_source).collect();
    // The vertex shader that is made for a shader alone has no options.
    if lists.len() > 1 && args.inputs.len() == 1 {
        let made: Vec<bool> = ready.shaders.sources.iter().map(|s| s.name.ends_with(MADE_VERTEX)).collect();
        let mut made = made.into_iter();
        lists.retain(|_| !made.next().unwrap_or(false));
    }
    effect::everywhere(&lists).map_or(Ok(()), |text| Err(Failure::Usage(text)))?;
    let entries = &ready.shaders.entries;
    let lists: Vec<Vec<String>> = entries.iter().map(|e| effect::none_in(front, &e.module)).collect();
    effect::everywhere(&lists).map_or(Ok(()), |text| Err(Failure::Usage(text)))?;
    let of_moment = [("--time", args.time.is_some()), ("--mouse", args.mouse.is_some())];
    if let Some((option, _)) = of_moment.iter().find(|o| o.1).filter(|_| !moment::is_told(&ready.file.scene)) {
        return Err(Failure::Usage(format!("{option}: the scene has no buffer with `frame = true` or `follows`")));
    }
    let has_immediates = entries.iter().any(|e| e.used.iter().any(|u| u.kind == ResourceKind::Immediates));
    if args.immediates.is_some() && !has_immediates {
        return Err(Failure::Usage("--immediates: no stage has immediate data".into()));
    }
    channels::have_effect(args, ready)
}

/// Prints the scene of two stages.
fn init(args: &Render, messages: &Messages) -> Result<(), Failure> {
    match stages(args, messages)? {
        Some(text) => files::stdout(text.as_bytes()),
        None => Err(Failure::Usage("--init is for a vertex and a fragment shader, or a file with both stages".into())),
    }
}

/// The text of the scene of a vertex and a fragment shader, if that is what is given: two files in either order, or one with both
/// stages.
fn stages(args: &Render, messages: &Messages) -> Result<Option<String>, Failure> {
    let names: Vec<&Path> = args.inputs.iter().map(PathBuf::as_path).collect();
    let is_shader = |p: &&Path| *p != Path::new("-") && Language::of(p).is_none();
    if !names.iter().all(is_shader) {
        return match names.len() {
            1 => Ok(None),
            _ if args.oracle.is_some() && ["source", "lowered"].iter().any(|w| names.contains(&Path::new(w))) => {
                Err(Failure::Usage("the modules that --oracle runs follow `=`: --oracle=source".into()))
            }
            _ => Err(Failure::Usage("two inputs are a vertex and a fragment shader".into())),
        };
    }
    let reading = reading(args)?;
    // Two entry points of one file are a pair.
    let both = args.front.entry.as_deref().and_then(|e| e.split_once(','));
    if let [one] = names[..]
        && both.is_none()
        && (args.front.entry.is_some() || !is_both(one, &reading))
    {
        return Ok(None);
    }
    let entry = args.front.entry.is_some() && both.is_none();
    let only_alone = [
        ("--channel", !args.channels.is_empty()),
        ("--buffer", !args.toy_buffers.is_empty()),
        ("--common", args.common.is_some()),
        ("--entry with one name", entry),
        ("--lang", args.front.lang.is_some()),
        ("--stage", args.front.stage.is_some()),
    ];
    if let Some((option, _)) = only_alone.iter().find(|o| o.1) {
        return match names.len() {
            1 => Ok(None),
            _ => Err(Failure::Usage(format!("{option} is for a fragment shader alone"))),
        };
    }
    let size = options(args)?.size;
    let mut files: Vec<String> = names.iter().map(|p| p.display().to_string()).collect();
    if let [a, b] = &mut files[..] {
        let stage = |p: &str| stage_of(Path::new(p), &reading);
        match (stage(a)?, stage(b)?) {
            // A file that is refused is taken for the stage that is missing.
            (Some(Stage::Vertex) | None, Some(Stage::Fragment) | None) => {}
            (Some(Stage::Fragment) | None, Some(Stage::Vertex) | None) => std::mem::swap(a, b),
            _ => {
                return Err(Failure::Input(format!(
                    "{a} and {b}: a vertex and a fragment stage are expected, one in each file"
                )));
            }
        }
    }
    let pair = [files[0].as_str(), files.last().map_or("", String::as_str)];
    let entries = both.map_or([None; 2], |(v, f)| [Some(v.trim()), Some(f.trim())]);
    let pair = made::Pair { files: pair, entries, folder: Path::new(""), size, attempt: args.seed.unwrap_or(0) };
    let text = match args.seed {
        Some(_) => made::scene(&pair, &reading),
        None => made::liveliest(&pair, &reading),
    };
    let mut text = text.map_err(|f| fault(&f, false, None, messages))?;
    if let Some(spec) = &args.immediates {
        let hex: String = words::plain(spec)?.iter().map(|b| format!("{b:02x}")).collect();
        let given = format!("immediates = {{ hex = \"{hex}\" }}");
        if !text.lines().any(|l| l.starts_with("immediates = ")) {
            return Err(Failure::Usage("--immediates: no stage has immediate data".into()));
        }
        text = text.lines().map(|l| if l.starts_with("immediates = ") { &given } else { l }).fold(
            String::new(),
            |mut all, l| {
                all.push_str(l);
                all.push('\n');
                all
            },
        );
    }
    Ok(Some(text))
}

/// The stage of a shader by its ending, or by its entry points. `None` if it is refused or wrong: faults of it are told where the scene is
/// made.
fn stage_of(path: &Path, reading: &Reading) -> Result<Option<Stage>, Failure> {
    match language(path) {
        Some(Lang::GlslVertex) => return Ok(Some(Stage::Vertex)),
        Some(Lang::GlslFragment) => return Ok(Some(Stage::Fragment)),
        Some(Lang::Wgsl | Lang::Spirv) => {}
        _ => {
            return Err(Failure::Usage(format!(
                "`{}` is no shader of a pipeline (.wgsl, .wesl, .spv, .vert, .frag)",
                path.display()
            )));
        }
    }
    // A vertex and a fragment entry of several: which ones says --entry.
    let mut list = kinds(path, &files::read(path)?, reading);
    list.dedup();
    Ok(match list[..] {
        [] => None,
        [Stage::Vertex] => Some(Stage::Vertex),
        [Stage::Compute, ..] => Some(Stage::Compute),
        _ => Some(Stage::Fragment),
    })
}

/// The language of a file of a pipeline, by its ending.
fn language(path: &Path) -> Option<Lang> {
    let front = Front::default();
    input::language(path, &front).ok().filter(|l| *l != Lang::Gir)
}

/// Whether a file has one vertex and one fragment entry and nothing else.
fn is_both(path: &Path, reading: &Reading) -> bool {
    let bytes = || std::fs::read(path).unwrap_or_default();
    matches!(language(path), Some(Lang::Wgsl | Lang::Spirv))
        && matches!(
            kinds(path, &bytes(), reading)[..],
            [Stage::Vertex, Stage::Fragment] | [Stage::Fragment, Stage::Vertex]
        )
}

/// The stages of the entry points of a file; none if it is wrong.
fn kinds(path: &Path, bytes: &[u8], reading: &Reading) -> Vec<Stage> {
    let lang = if language(path) == Some(Lang::Spirv) { Lang::Spirv } else { Lang::Wgsl };
    let features: Vec<String> = reading.features.iter().cloned().collect();
    // Only names and stages are asked for.
    let options = FrontOptions { spirv: reading.front.spirv, ..FrontOptions::default() };
    let loaded = match input::is_wesl(path) {
        true => input::modules(path, bytes, &features).map_or_else(|_| Err(Vec::new()), |m| m.load(&options)),
        false => frontend::load(bytes, lang, &options),
    };
    loaded.map_or_else(|_| Vec::new(), |l| l.module.entries.iter().map(|e| e.stage.kind()).collect())
}

/// Reads the scene, or makes the one of a shader alone or of two stages.
fn subject(args: &Render, messages: &Messages) -> Result<Subject, Failure> {
    if let Some(text) = stages(args, messages)? {
        let name = args.inputs.iter().map(|i| i.display().to_string()).collect::<Vec<_>>().join(" and ");
        // Lines are those of a text that nobody wrote.
        let scene =
            read::parse(&text, Language::Toml).map_err(|e| scene_error(&SceneError { place: None, ..e.of(&name) }))?;
        return Ok(Subject { file: SceneFile { scene, name, folder: PathBuf::new(), text: None }, is_alone: false });
    }
    if args.seed.is_some() {
        let text = "--seed is for the scene that is made of a vertex and a fragment shader";
        return Err(Failure::Usage(text.into()));
    }
    let path = args.inputs[0].as_path();
    let for_shaders = [
        ("--entry", args.front.entry.is_some()),
        ("--immediates", args.immediates.is_some()),
        ("--lang", args.front.lang.is_some()),
        ("--stage", args.front.stage.is_some()),
        ("--override", !args.front.overrides.is_empty()),
        ("--image-format", !args.front.formats.is_empty()),
        ("--channel", !args.channels.is_empty()),
        ("--buffer", !args.toy_buffers.is_empty()),
        ("--common", args.common.is_some()),
    ];
    let scene_only = || match for_shaders.iter().find(|o| o.1) {
        Some((option, _)) => {
            Err(Failure::Usage(format!("{option} applies to single shaders only; a scene sets its own")))
        }
        None => Ok(()),
    };
    if let Some(lang) = args.front.lang {
        return alone_in(lang, path, args, messages);
    }
    if path == Path::new("-") {
        let bytes = files::read(path)?;
        let text = String::from_utf8(bytes).map_err(|e| {
            Failure::Input(format!("standard input is not UTF-8 text (byte {})", e.utf8_error().valid_up_to()))
        })?;
        let (name, folder) = ("<stdin>".to_string(), PathBuf::new());
        let is_json = text.trim_start().starts_with('{');
        if !is_json && !crate::input::is_scene(text.as_bytes()) {
            let scene = scene_alone(Shader::Wgsl(text), args, messages)?;
            return Ok(Subject { file: SceneFile { scene, name, folder, text: None }, is_alone: true });
        }
        scene_only()?;
        let language = if is_json { Language::Json } else { Language::Toml };
        let scene = read::parse(&text, language).map_err(|e| scene_error(&e.of(&name)))?;
        let file = SceneFile { scene, name, folder, text: Some((text, language)) };
        let file = file.sized().map_err(|e| scene_error(&e))?;
        return Ok(Subject { file: resized(file, args)?, is_alone: false });
    }
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    if Language::of(path).is_some() {
        scene_only()?;
        if path.is_dir() {
            return Err(Failure::Io(format!("`{}` is a directory, not a file", path.display())));
        }
        let file = read::open(path).map_err(|e| scene_error(&e))?;
        return Ok(Subject { file: resized(file, args)?, is_alone: false });
    }
    let ending = ending.to_ascii_lowercase();
    let glsl = ["frag", "glsl"].contains(&ending.as_str());
    if ending == "bin" {
        let path = path.display();
        return Err(Failure::Usage(format!(
            "`{path}` is machine code by its ending, and what is drawn with it says a scene: gpucc render SCENE --code {path}"
        )));
    }
    if !glsl && !["wgsl", "wesl", "spv"].contains(&ending.as_str()) {
        return Err(Failure::Usage(format!(
            "`{}` is neither a scene (.toml, .json) nor a fragment shader (.wgsl, .wesl, .spv, .frag, .glsl)",
            path.display()
        )));
    }
    match args.front.stage {
        None | Some(StageArg::Fs) if glsl => {}
        None => {}
        Some(StageArg::Fs) => return Err(Failure::Usage("--stage is for GLSL files with the ending .glsl".into())),
        Some(_) => return Err(Failure::Usage("a shader alone is a fragment shader: --stage fs".into())),
    }
    // Read first, so that a file that is not there is told as in other commands.
    let bytes = files::read(path)?;
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let shown = path.display().to_string();
    let shader = match glsl {
        true => Shader::Made(Made { name: shown, ending: "frag", bytes, body: None }),
        false => Shader::File(name),
    };
    let scene = scene_alone(shader, args, messages)?;
    let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
    Ok(Subject { file: SceneFile { scene, name: path.display().to_string(), folder, text: None }, is_alone: true })
}

/// The scene with the size that `--size` says.
fn resized(mut file: SceneFile, args: &Render) -> Result<SceneFile, Failure> {
    if args.size.is_some() {
        let size = options(args)?.size;
        resize::resize(&mut file.scene, size).map_err(|text| Failure::Usage(format!("--size: {text}")))?;
    }
    Ok(file)
}

/// A shader alone in the language that `--lang` says.
fn alone_in(lang: LangArg, path: &Path, args: &Render, messages: &Messages) -> Result<Subject, Failure> {
    match args.front.stage {
        None => {}
        Some(StageArg::Fs) if lang == LangArg::Glsl => {}
        Some(StageArg::Fs) => return Err(Failure::Usage("--stage is for --lang glsl".into())),
        Some(_) => return Err(Failure::Usage("a shader alone is a fragment shader: --stage fs".into())),
    }
    let ending = match lang {
        LangArg::Wgsl => "wgsl",
        LangArg::Spv => "spv",
        LangArg::Glsl | LangArg::Frag => "frag",
        LangArg::Vert | LangArg::Comp | LangArg::Gir => {
            return Err(Failure::Usage("a shader alone is a fragment shader: --lang wgsl, spv, glsl or frag".into()));
        }
    };
    let bytes = files::read(path)?;
    let name = if path == Path::new("-") { "<stdin>".into() } else { path.display().to_string() };
    let shader = Shader::Made(Made { name: name.clone(), ending, bytes, body: None });
    let file = SceneFile { scene: scene_alone(shader, args, messages)?, name, folder: PathBuf::new(), text: None };
    Ok(Subject { file, is_alone: true })
}

/// The scene of a shader alone, with what the command line gives it.
fn scene_alone(shader: Shader, args: &Render, messages: &Messages) -> Result<Scene, Failure> {
    let mut scene = alone::scene(shader, &options(args)?);
    channels::put(args, &mut scene, messages)?;
    Ok(scene)
}

/// The options of the command line about the picture of a shader alone.
fn options(args: &Render) -> Result<alone::Options, Failure> {
    let mut list = Vec::new();
    for (key, value) in
        [("--size", &args.size), ("--time", &args.time), ("--mouse", &args.mouse), ("--entry", &args.front.entry)]
    {
        list.extend(value.iter().flat_map(|v| [key.to_string(), v.clone()]));
    }
    let mut o = alone::Options::parse(&list).map_err(Failure::Usage)?;
    if let Some(spec) = &args.immediates {
        o.immediates = Some(Immediates::plain(words::plain(spec)?));
    }
    let numbers = [o.time, o.mouse[0], o.mouse[1]];
    // The shader reads them as floats.
    if numbers.iter().any(|n| !(*n as f32).is_finite()) {
        return Err(Failure::Usage("--time and --mouse take finite numbers".into()));
    }
    let [w, h] = o.size;
    let most = limits::AXIS;
    if w == 0 || h == 0 || w > most || h > most || u64::from(w) * u64::from(h) * 4 > limits::RESOURCE_BYTES {
        let mib = limits::RESOURCE_BYTES >> 20;
        return Err(Failure::Usage(format!(
            "--size {w}x{h}: sides are 1 to {most}, and a picture has {mib} MiB at most"
        )));
    }
    Ok(o)
}

/// The files that are read.
fn inputs(args: &Render, subject: &Subject) -> Vec<PathBuf> {
    let scene = &subject.file.scene;
    let mut names: Vec<&String> = Vec::new();
    for (_, s) in scene.shaders.iter() {
        if let Shader::File(name) = s {
            names.push(name);
        }
    }
    for (_, t) in scene.textures.iter() {
        for c in &t.contents {
            if let Fill::Data(Data::File(name)) = &c.fill {
                names.push(name);
            }
        }
    }
    for (_, b) in scene.buffers.iter() {
        for d in &b.data {
            if let Data::File(name) = d {
                names.push(name);
            }
        }
    }
    let own = args.inputs.iter().cloned().chain(args.immediates.iter().flat_map(|spec| words::files(spec)));
    let own = own.chain(channels::paths(args)).chain(code::paths(args));
    own.chain(names.into_iter().map(|n| subject.file.folder.join(n))).collect()
}

/// The bytes to be written.
fn wanted<'a>(args: &Render, scene: &Scene, outputs: &'a [Output]) -> Result<Vec<Wanted<'a>>, Failure> {
    let mut list = Vec::new();
    let pictures = [("-o", &args.output), ("--diff", &args.diff), ("--heat", &args.heat), ("--sheet", &args.sheet)];
    for (option, path) in pictures.into_iter().filter_map(|(o, p)| Some((o, p.as_ref()?))) {
        if scene.presented().is_none() {
            let path = args.inputs[0].display();
            if scene.outputs.is_empty() && scene.textures.iter().any(|(_, t)| t.sample_count > 1) {
                return Err(Failure::Input(format!(
                    "{path}: -o needs a picture, and a multisampled texture is none: give the attachment a `resolveTarget`"
                )));
            }
            return Err(Failure::Input(format!(
                "{path}: {option} needs an output that is a colour texture, there is none: add `[[outputs]]` with \
                 `name = \"picture\"` and `texture = \"...\"`"
            )));
        }
        // A picture by another name is a mistake that shows late.
        let ending = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
        if let Some(ending) =
            ending.filter(|e| ["jpg", "jpeg", "gif", "bmp", "webp", "tga", "ppm", "exr"].contains(&e.as_str()))
        {
            return Err(Failure::Usage(format!("{option} writes PNG files, not .{ending}: name it .png")));
        }
    }
    list.extend(args.output.clone().map(Wanted::Picture));
    list.extend(args.diff.clone().map(Wanted::Difference));
    list.extend(args.heat.clone().map(Wanted::Heat));
    for d in &args.dumps {
        let Some((name, path)) = d.split_once('=') else {
            return Err(Failure::Usage(format!("--dump {d}: expected NAME=FILE")));
        };
        let Some(out) = outputs.iter().find(|o| o.name == name) else {
            let names: Vec<String> = outputs.iter().map(|o| format!("`{}`", o.name)).collect();
            let there = if names.is_empty() { "none".into() } else { names.join(", ") };
            return Err(Failure::Usage(format!("--dump {d}: there is no output `{name}`; available: {there}")));
        };
        list.push(Wanted::Bytes(out, path.into()));
    }
    Ok(list)
}

impl Wanted<'_> {
    /// Where it goes, named after the place if there are several; the oracle has no difference from itself.
    fn path(&self, on: On, several: bool, length: Length) -> Option<PathBuf> {
        let (path, length) = match self {
            Wanted::Picture(path) | Wanted::Difference(path) | Wanted::Heat(path) => (path, length),
            Wanted::Bytes(_, path) => (path, Length { frames: None, ..length }),
        };
        if matches!(self, Wanted::Difference(_)) && on.is_none() {
            return None;
        }
        let tag = on.map_or_else(|| "interp".into(), |t| format!("{}-{}", t.family(), t.generation()));
        Some(match several {
            false => path.clone(),
            true if length.is_folder(path) => {
                let mut name = path.components().as_path().as_os_str().to_owned();
                name.push(format!(".{tag}"));
                name.into()
            }
            true => files::tagged(path, &tag),
        })
    }
}

/// Refuses outputs that are inputs, and two that are one file.
fn check_paths(args: &Render, wanted: &[Wanted<'_>], inputs: &[PathBuf], places: &[On]) -> Result<(), Failure> {
    let length = Length::of(args);
    let mut seen: Vec<PathBuf> = Vec::new();
    for (w, &on) in wanted.iter().flat_map(|w| places.iter().map(move |on| (w, on))) {
        let Some(path) = w.path(on, places.len() > 1, length) else { continue };
        let of_one = matches!(w, Wanted::Bytes(..));
        let length = if of_one { Length { frames: None, ..length } } else { length };
        seen.push(reel::checked(&path, length, inputs)?);
    }
    if let Some(path) = &args.sheet {
        seen.push(reel::checked(path, length, inputs)?);
    }
    files::distinct(&seen, inputs)?;
    let to_stdout = seen.iter().filter(|p| *p == Path::new("-")).count();
    if to_stdout > 1 {
        return Err(Failure::Usage("only one output can go to standard output".into()));
    }
    Ok(())
}

/// Draws in one place, and compares with the oracle if asked: the second result is what it says, and what differs is written all the same.
fn draw(
    (args, given): (&Render, &[code::Given]),
    ready: &PreparedScene,
    seat: &mut Seat<'_>,
    (is_alone, is_last): (bool, bool),
    messages: &Messages,
    bar: &ProgressBar,
) -> Result<(Resources, Result<(), Failure>), Failure> {
    let on = seat.on;
    let level = args.front.level();
    let place = on.map_or_else(|| Place::interp(level), |t| Place::Target(t, level));
    let target = shown(on);
    let told = |f: &Fault| {
        bar.suspend(|| match f {
            Fault::Trap { field, line, trap } => stopped(field, line.as_ref(), trap, ready, &target, messages),
            f => fault(f, is_alone, Some(&target), messages),
        })
    };
    let (scene, shaders) = (&ready.file.scene, &ready.shaders);
    let programs = match seat.programs.take() {
        Some(programs) => programs,
        None => {
            let mut programs = Programs::new(scene, shaders, place).map_err(|f| told(&f))?;
            code::put(given, ready, &mut programs, on)?;
            programs
        }
    };
    let programs = seat.programs.insert(programs);
    let mut options = frame::Options::default();
    options.run.step_limit = args.steps.unwrap_or(options.run.step_limit);
    options.run.perturb = args.perturb;
    options.costs = args.heat.is_some() && !seat.is_hidden;
    options.pixel = pixel::read(args.pixel.as_deref(), ready)?.filter(|_| is_last && !seat.is_hidden);
    let mut resources = ready.resources.clone();
    let mut report =
        frame::run(scene, shaders, programs, &mut resources, &options, &mut || bar.inc(1)).map_err(|f| told(&f))?;
    seat.costs = report.costs.remove(&moment::presented_size(scene));
    if seat.is_hidden {
        return Ok((resources, Ok(())));
    }
    bar.suspend(|| said(&report, ready, (&target, is_last), messages));
    // A scene that was made, or a comparison, says little where there is nothing to be seen.
    let made = args.inputs.len() == 2 || ready.file.text.is_none() && !is_alone;
    if is_last && (made || args.oracle.is_some()) && made::is_plain(scene, &resources) {
        let mut d =
            Diagnostic::invalid("one-colour", "the picture has one colour: it shows little of the shaders").warning();
        if made {
            d = d.note("--seed N tries other contents of buffers; --init prints the scene, to be edited");
        }
        bar.suspend(|| Reporter::new(messages, &ready.file.name, "").show(&[d], Some(&target)));
    }
    if args.stats {
        bar.suspend(|| crate::run::show(&report.run, &target))?;
    }
    seat.stepped = options.pixel.map(|_| std::mem::take(&mut report.stepped));
    let Some(oracle) = args.oracle else { return Ok((resources, Ok(()))) };
    let against = match oracle {
        OracleArg::Lowered => Against::Lowered,
        OracleArg::Source => Against::Source,
    };
    let verdict = check(ready, (programs, place), (&resources, &report), against, &options)
        .map_err(|v| match v {
            Verdict::Failure(f) => bar.suspend(|| fault(&f, is_alone, Some("the oracle"), messages)),
            Verdict::Differs(text) => Failure::Input(format!("{target}: {text}")),
        })
        .and_then(|compared| {
            let reporter = Reporter::new(messages, &ready.file.name, "");
            let comparison = compared.comparison(against);
            // Of a film the last frame says what was compared, and each one of which nothing was.
            match is_last || comparison.not_compared().is_some() {
                true => bar.suspend(|| comparison::say(&comparison, ("oracle", ""), (&reporter, &target), args.deny)),
                false => Ok(()),
            }
        });
    Ok((resources, verdict))
}

/// A number of things.
fn plural(n: u64, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        _ if what == "dispatch" => format!("{n} dispatches"),
        _ if what == "pass" => format!("{n} passes"),
        _ => format!("{n} {what}s"),
    }
}

/// Says in a line what was drawn, of the last frame, and warns of races.
fn said(report: &Report, ready: &PreparedScene, (target, is_last): (&str, bool), messages: &Messages) {
    let reporter = Reporter::new(messages, &ready.file.name, "");
    let text = format!(
        "rendered {}: {}, {}, {}",
        plural(ready.file.scene.passes.len() as u64, "pass"),
        plural(report.draws, "draw"),
        plural(report.dispatches, "dispatch"),
        plural(report.run.instructions, crate::run::instruction(target)),
    );
    for text in std::iter::once(&text).chain(&report.notes).filter(|_| is_last) {
        reporter.note("render", text, Some(target));
    }
    for race in &report.races {
        if let Fault::Trap { field, line, trap } = race {
            let d = Diagnostic::invalid("race", format!("{field}: {trap}")).warning();
            show(d, line.as_ref(), ready, target, messages);
        }
    }
}

/// Shows why a frame was stopped.
fn stopped(
    field: &str,
    line: Option<&(String, u32, u32)>,
    trap: &Trap,
    ready: &PreparedScene,
    target: &str,
    messages: &Messages,
) -> Failure {
    let text = format!("{field}: {trap}");
    let (d, code) = match trap.kind {
        TrapKind::StepLimit => (Diagnostic::invalid("step-limit", text).note("--steps sets another limit"), 1),
        // The machine or the driver part lacks something that the target may have: no fault of the scene.
        TrapKind::Unsupported => (Diagnostic::unsupported(Refusal::NotModelled, text), 3),
        _ => (Diagnostic::invalid("trap", text), 1),
    };
    show(d, line, ready, target, messages);
    Failure::Said(code)
}

/// Shows a message with the line of the shader, where it is known.
fn show(
    mut d: Diagnostic,
    line: Option<&(String, u32, u32)>,
    ready: &PreparedScene,
    target: &str,
    messages: &Messages,
) {
    let of = |s: &Source, name: &str| s.name == name || s.files().iter().any(|f| f.0 == name);
    let source = line.and_then(|l| Some((ready.shaders.sources.iter().find(|s| of(s, &l.0))?, l)));
    let reporter = match source {
        Some((s, &(ref name, line, column))) => {
            let several = s.modules.is_some() || s.glsl.is_some();
            let reporter = match s.files().into_iter().find(|f| several && f.0 == *name) {
                Some(file) => Reporter::with_files(messages, vec![file]),
                None => reporter(s, messages),
            };
            match reporter.span(line, column) {
                Some(span) => d = d.at(span, ""),
                None => d = d.note(format!("source line {line}:{column}")),
            }
            reporter
        }
        None => Reporter::new(messages, &ready.file.name, ""),
    };
    reporter.show(&[d], Some(target));
}

/// Where messages about a shader go.
fn reporter(source: &Source, messages: &Messages) -> Reporter {
    Reporter::with_files(messages, source.files())
}

/// A wrong scene, or a file that cannot be read.
fn scene_error(e: &SceneError) -> Failure {
    if e.is_io { Failure::Io(e.to_string()) } else { Failure::Scene(e.clone()) }
}

/// The interface that a shader alone may have.
const ALONE: &str = "a shader alone gets `position`, `front_facing` and `@location(0) uv: vec2<f32>`, and in group 0 the uniform \
                     buffer 0, the sampler 1 and the textures 2 to 5; anything else needs a scene";

/// How the vertex shader is named that is made for a shader alone.
const MADE_VERTEX: &str = ": shaders.vertex";

/// Says why there is no picture; what is left is the exit code, or the sentence.
fn fault(f: &Fault, is_alone: bool, target: Option<&str>, messages: &Messages) -> Failure {
    match f {
        Fault::Scene(e) if is_alone && !e.is_io => {
            // Fields are those of a scene that nobody wrote.
            let hint = if e.field.ends_with("entryPoint") && e.message.contains("has ") && !e.message.contains("input")
            {
                "--entry chooses a fragment function, or a vertex and a fragment function: --entry VS,FS"
            } else if e.field.ends_with("immediates") {
                "give it with --immediates SPEC"
            } else {
                ALONE
            };
            // So is the name of the shader.
            let message = e.message.replace("the shader `fragment`", "the file");
            Failure::Input(format!("{}: {message}; {hint}", e.file))
        }
        Fault::Scene(e) => scene_error(e),
        Fault::Shader { source, list } if is_alone && source.name.ends_with(MADE_VERTEX) => {
            // Nobody wrote its code.
            let list: Vec<_> = list.iter().map(|d| Diagnostic { labels: Vec::new(), ..d.clone() }).collect();
            Reporter::new(messages, source.name.trim_end_matches(MADE_VERTEX), "").show(&list, target);
            failure(&list)
        }
        Fault::Shader { source, list } => {
            reporter(source, messages).show(list, target);
            failure(list)
        }
        Fault::Trap { trap, .. } => {
            let text = f.to_string();
            let text =
                if trap.kind == TrapKind::StepLimit { format!("{text}; --steps sets another limit") } else { text };
            Failure::Input(target.map_or_else(|| text.clone(), |t| format!("{t}: {text}")))
        }
    }
}
