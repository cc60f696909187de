//! What the page asks of the server, and what programs ask that know Compiler Explorer's interface.

use std::path::{Component, Path, PathBuf};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use clap::{Parser, ValueEnum};
use gpucc::Target;
use gpucc_scene::model::{Data, Fill, Shader};
use gpucc_scene::read::{self, Language};
use gpucc_scene::{Scene, moment};
use serde::Deserialize;
use serde_json::{Value, json};

use super::http::{Reply, Request};
use super::server::Server;
use super::start::LANGUAGES;
use crate::args::{ColorArg, Explain, Front, HeatBy, MessageFormat, Messages, OracleArg, Render, Run, StageArg};
use crate::{Failure, explain, files, input, render, run, targets, words};

/// Bytes of all buffers of a run, and of its immediate data.
const BUFFERS: usize = 1 << 20;
/// Pixels of a picture.
const PIXELS: u64 = 1 << 20;
/// Bytes of text of a run.
const OUTPUT: usize = 1 << 20;
/// Messages of an answer.
const MESSAGES: usize = 200;
/// Targets of an explanation.
const TARGETS: usize = 4;

/// How messages come.
const SAID: Messages = Messages { color: ColorArg::Never, message_format: MessageFormat::Json };

/// All targets by name.
fn every_target() -> Vec<Target> {
    Target::parse_list("all:all").unwrap_or_default()
}

/// A target as part of an address.
fn id(target: Target) -> String {
    target.to_string().replace(':', "-")
}

fn reply(value: &Value) -> Reply {
    Reply { status: 200, kind: "application/json", body: value.to_string().into_bytes() }
}

/// The answer to a `GET` that needs no work.
pub fn asked(server: &Server, path: &str) -> Option<Reply> {
    let start = &server.start;
    let compilers = |lang: &str| {
        let one = |t: &Target| {
            json!({"id": id(*t), "name": format!("gpucc {} {t}", env!("CARGO_PKG_VERSION")), "lang": lang, "compilerType": "gpucc",
                "semver": env!("CARGO_PKG_VERSION"), "instructionSet": t.family()})
        };
        reply(&Value::Array(every_target().iter().map(one).collect()))
    };
    Some(match path {
        "/api/start" => {
            let names = |list: &str| -> Vec<String> {
                Target::parse_list(list).unwrap_or_default().iter().map(ToString::to_string).collect()
            };
            reply(&json!({"name": start.name, "lang": start.lang, "source": start.text, "targets": names("all:all"),
                "shown": names("all"), "languages": LANGUAGES.map(|l| l.0), "steps": server.steps, "watched": start.path.is_some(),
                "version": env!("CARGO_PKG_VERSION")}))
        }
        "/api/file" => reply(&json!({"source": start.again()})),
        "/api/languages" => {
            let one = |name: &str| json!({"id": name, "name": name, "extensions": [format!(".{name}")]});
            reply(&Value::Array(["wgsl", "glsl"].map(one).to_vec()))
        }
        "/api/compilers" | "/api/compilers/wgsl" => compilers("wgsl"),
        "/api/compilers/glsl" => compilers("glsl"),
        _ => return None,
    })
}

/// Something that takes time.
pub enum Work {
    /// Listings and numbers.
    Explain,
    /// A dispatch.
    Run,
    /// A picture.
    Render,
    /// A listing, as Compiler Explorer asks.
    Compile(Target),
}

/// The work that a path asks for.
pub fn work(path: &str) -> Option<Work> {
    Some(match path {
        "/api/explain" => Work::Explain,
        "/api/run" => Work::Run,
        "/api/render" => Work::Render,
        _ => {
            let name = path.strip_prefix("/api/compiler/")?.strip_suffix("/compile")?;
            Work::Compile(every_target().into_iter().find(|t| id(*t) == name)?)
        }
    })
}

/// A text and what is to be done with it; each use reads what it needs.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Asked {
    source: String,
    lang: String,
    /// Options of a compilation, as on a command line.
    arguments: String,
    target: Option<String>,
    grid: Option<String>,
    buffers: Vec<String>,
    immediates: Option<String>,
    oracle: bool,
    size: Option<String>,
    time: Option<String>,
    mouse: Option<String>,
    /// What pixels are coloured by in a second picture.
    heat: Option<String>,
}

/// A request as Compiler Explorer writes it.
#[derive(Debug, Deserialize)]
struct Compilation {
    source: String,
    #[serde(default)]
    lang: Option<String>,
    #[serde(default)]
    options: CompilationOptions,
}

#[derive(Debug, Default, Deserialize)]
struct CompilationOptions {
    #[serde(default, rename = "userArguments")]
    arguments: String,
}

impl Compilation {
    /// The body is JSON, or the source itself with options in the query, as command-line clients send it.
    fn of(request: &Request) -> Result<Compilation, serde_json::Error> {
        let is_json = request.header("content-type").is_some_and(|t| t.contains("json"));
        if is_json || request.body.trim_ascii_start().starts_with(b"{") {
            return serde_json::from_slice(&request.body);
        }
        let given = |name: &str| request.parameter(name).map(decoded);
        Ok(Compilation {
            source: String::from_utf8_lossy(&request.body).into_owned(),
            lang: given("lang"),
            options: CompilationOptions { arguments: given("options").unwrap_or_default() },
        })
    }
}

/// A value of a query without its escapes.
fn decoded(text: &str) -> String {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = tail.get(..2).and_then(|h| u8::from_str_radix(std::str::from_utf8(h).ok()?, 16).ok());
        match (first, hex) {
            (b'%', Some(byte)) => {
                out.push(byte);
                rest = &tail[2..];
                continue;
            }
            (b'+', _) => out.push(b' '),
            (byte, _) => out.push(*byte),
        }
        rest = tail;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The options of a compilation alone.
#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct Arguments {
    #[command(flatten)]
    front: Front,
}

impl Asked {
    /// The options that every command takes.
    fn front(&self) -> Result<Front, Failure> {
        let Some((_, lang)) = LANGUAGES.iter().find(|l| l.0 == self.lang) else {
            let names = LANGUAGES.map(|l| l.0).join(", ");
            return Err(Failure::Usage(format!("`{}` is no language; there are {names}", self.lang)));
        };
        let Arguments { front } = Arguments::try_parse_from(self.arguments.split_whitespace()).map_err(|e| {
            let text = e.to_string();
            let line = text.lines().next().unwrap_or_default();
            Failure::Usage(line.strip_prefix("error: ").unwrap_or(line).to_string())
        })?;
        if !front.includes.is_empty() || front.lang.is_some() {
            return Err(Failure::Usage("-I and --lang are not for the page: the text is all that there is".into()));
        }
        Ok(Front { lang: *lang, ..front })
    }

    /// The scene of the request if it is one, once its files are allowed.
    fn scene(&self, server: &Server) -> Result<Option<Scene>, Failure> {
        if self.lang != "scene" {
            return Ok(None);
        }
        let is_json = self.source.trim_start().starts_with('{');
        let language = if is_json { Language::Json } else { Language::Toml };
        let scene = read::parse(&self.source, language).map_err(|e| Failure::Scene(e.of("scene")))?;
        let is_near = |name: &str| Path::new(name).components().all(|c| matches!(c, Component::Normal(_)));
        match named_files(&scene).into_iter().find(|n| !server.start.has_folder || !is_near(n)) {
            Some(name) => Err(Failure::Usage(format!(
                "the scene names the file `{name}`: only files beside or below a scene that `gpucc serve SCENE` began with are read"
            ))),
            None => Ok(Some(scene)),
        }
    }

    /// The buffer specifications, which name no files and are small.
    fn checked_buffers(&self) -> Result<(), Failure> {
        let mut left = BUFFERS;
        for text in
            self.buffers.iter().map(|b| files::binding(b).map(|b| b.2)).chain(self.immediates.as_deref().map(Ok))
        {
            let text = text?;
            if let Some(file) = words::files(text).first() {
                return Err(Failure::Usage(format!(
                    "`{}` is none of zero:, f32:, f16:, u32:, i32: and addr:",
                    file.display()
                )));
            }
            left -= words::spec_within(text, left)?.bytes.len();
        }
        Ok(())
    }

    fn explain(&self, server: &Server) -> Result<Value, Failure> {
        self.scene(server)?;
        let target = self.target.clone().unwrap_or_else(|| "all".into());
        if input::targets(Some(&target))?.len() > TARGETS {
            return Err(Failure::Usage(format!("there are at most {TARGETS} listings")));
        }
        let args = Explain {
            input: "-".into(),
            target: Some(target),
            html: None,
            json: true,
            against: None,
            executed: false,
            grid: None,
            buffers: Vec::new(),
            immediates: None,
            front: self.front()?,
        };
        let (page, _) = explain::explained(Path::new("-"), &args, &SAID)?;
        Ok(explain::json::page(&page))
    }

    fn run(&self, steps: u64) -> Result<(), Failure> {
        self.checked_buffers()?;
        let place = |b: &String| b.split_once('=').map(|(place, _)| format!("{place}=-"));
        let args = Run {
            input: Some("-".into()),
            launch: None,
            target: self.target.clone(),
            grid: self.grid.clone().unwrap_or_else(|| "1,1,1".into()),
            buffers: self.buffers.clone(),
            dumps: self.buffers.iter().filter_map(place).collect(),
            oracle: self.oracle,
            deny: None,
            immediates: self.immediates.clone(),
            perturb: None,
            races: None,
            steps: Some(steps),
            stats: true,
            front: self.front()?,
        };
        run::main(&args, &SAID)
    }

    /// What the second picture shows.
    fn heat(&self) -> Result<Option<HeatBy>, Failure> {
        let Some(name) = &self.heat else { return Ok(None) };
        let names = HeatBy::value_variants().iter().filter_map(|by| Some((*by, by.to_possible_value()?)));
        let list: Vec<_> = names.map(|(by, v)| (by, v.get_name().to_string())).collect();
        match list.iter().find(|l| l.1 == *name) {
            Some((by, _)) => Ok(Some(*by)),
            None => {
                let names: Vec<&str> = list.iter().map(|l| l.1.as_str()).collect();
                Err(Failure::Usage(format!("heat is by {}, not by `{name}`", names.join(", "))))
            }
        }
    }

    /// Draws; `heat` gets the bytes of the picture of costs, where one is asked for and was drawn.
    fn render(&self, server: &Server, heat: &mut Option<Vec<u8>>) -> Result<(), Failure> {
        self.checked_buffers()?;
        let by = self.heat()?;
        let scene = self.scene(server)?;
        let front = self.front()?;
        // One text with both stages is a file to be read more than once.
        let pair = self.lang == "wgsl" && self.source.contains("@vertex") && self.source.contains("@fragment");
        let own = if pair && front.entry.is_none() { Some(Kept::new(&self.source)?) } else { None };
        let folder = by.map(|_| Kept::folder()).transpose()?;
        let warm = folder.as_ref().map(|k| k.0.join("heat.png"));
        let has_moment = own.is_none() && scene.as_ref().is_none_or(moment::is_told);
        let size = self.size.clone().or_else(|| scene.is_none().then(|| "320x180".into()));
        if let Some([w, h]) = size.as_deref().and_then(|s| gpucc_scene::alone::pair::<u64>(s, 'x'))
            && w.saturating_mul(h) > PIXELS
        {
            return Err(Failure::Usage(format!("a picture of the page has {PIXELS} pixels at most")));
        }
        if let Some(target) = &self.target
            && targets::list(target, true)?.len() > 1
        {
            return Err(Failure::Usage("a picture is drawn in one place".into()));
        }
        let front = if own.is_some() { Front { lang: None, ..front } } else { front };
        let stage = if self.lang == "glsl" { Some(StageArg::Fs) } else { front.stage };
        let args = Render {
            inputs: vec![own.as_ref().map_or_else(|| PathBuf::from("-"), |k| k.0.join("shader.wgsl"))],
            init: false,
            target: self.target.clone(),
            output: Some("-".into()),
            dumps: Vec::new(),
            oracle: self.oracle.then_some(OracleArg::Lowered),
            deny: None,
            size,
            diff: None,
            heat: warm.clone(),
            heat_by: by,
            pixel: None,
            sheet: None,
            frames: None,
            fps: None,
            time: self.time.clone().filter(|_| has_moment),
            mouse: self.mouse.clone().filter(|_| has_moment),
            immediates: self.immediates.clone(),
            channels: Vec::new(),
            toy_buffers: Vec::new(),
            common: None,
            skip: None,
            code: Vec::new(),
            seed: None,
            steps: Some(server.steps),
            perturb: None,
            stats: false,
            front: Front { stage, ..front },
        };
        let done = render::main(&args, &SAID);
        // A picture that differs from the oracle's has its costs too.
        *heat = warm.and_then(|path| std::fs::read(path).ok());
        done
    }
}

/// The files that a scene names.
fn named_files(scene: &Scene) -> Vec<&str> {
    let shaders = scene.shaders.iter().filter_map(|(_, s)| match s {
        Shader::File(name) => Some(name.as_str()),
        _ => None,
    });
    let fills = scene.textures.iter().flat_map(|(_, t)| &t.contents).filter_map(|c| match &c.fill {
        Fill::Data(Data::File(name)) => Some(name.as_str()),
        _ => None,
    });
    let buffers = scene.buffers.iter().flat_map(|(_, b)| &b.data).filter_map(|d| match d {
        Data::File(name) => Some(name.as_str()),
        _ => None,
    });
    shaders.chain(fills).chain(buffers).collect()
}

/// A folder for files of one request, gone at the end.
struct Kept(PathBuf);

impl Kept {
    /// A folder with nothing in it.
    fn folder() -> Result<Kept, Failure> {
        static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        let n = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("gpucc-serve-{}-{n}", std::process::id()));
        let io = |e: std::io::Error| Failure::Io(format!("cannot write `{}`: {e}", folder.display()));
        std::fs::create_dir(&folder).map_err(io)?;
        Ok(Kept(folder))
    }

    /// A folder with the text.
    fn new(text: &str) -> Result<Kept, Failure> {
        let kept = Kept::folder()?;
        let path = kept.0.join("shader.wgsl");
        let io = |e: std::io::Error| Failure::Io(format!("cannot write `{}`: {e}", path.display()));
        std::fs::write(&path, text).map_err(io)?;
        Ok(kept)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What came of a command.
#[derive(Default)]
struct Done {
    code: u8,
    messages: Vec<Value>,
    output: Vec<u8>,
    page: Option<Value>,
}

/// Runs a command on a text, whatever becomes of it.
fn done(source: &str, command: impl FnOnce() -> Result<Option<Value>, Failure>) -> Done {
    files::kept::begin(source.as_bytes().to_vec());
    let result = gpucc::guarded("the command", || Ok(command()));
    let streams = files::kept::end();
    let mut done = Done { output: streams.output, ..Done::default() };
    let said = String::from_utf8_lossy(&streams.said).into_owned();
    let own = |line: &str| json!({"severity": "note", "code": "", "message": line, "line": null, "column": null});
    done.messages.extend(said.lines().map(|l| serde_json::from_str(l).unwrap_or_else(|_| own(l))));
    match result.unwrap_or_else(|bug| Err(Failure::Bug(bug.to_string()))) {
        Ok(page) => done.page = page,
        Err(f) => {
            done.code = f.code();
            done.messages.extend(f.kind().map(|(code, _)| f.json(code)));
        }
    }
    if done.messages.len() > MESSAGES {
        let more = done.messages.len() - MESSAGES;
        done.messages.truncate(MESSAGES);
        done.messages.push(own(&format!("and {more} messages more")));
    }
    // The page does not tell where a text lay meanwhile.
    for m in &mut done.messages {
        if let Some(file) = m["file"].as_str().filter(|f| f.contains("gpucc-serve-")) {
            m["file"] = Path::new(file).file_name().map_or(Value::Null, |n| json!(n.to_string_lossy()));
        }
    }
    done
}

/// Output as text, its beginning where it is long.
fn text(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(&output[..output.len().min(OUTPUT)]).into_owned();
    if output.len() > OUTPUT { text + "\n..." } else { text }
}

impl Work {
    /// Does the work, and gives the reply.
    pub fn answer(&self, server: &Server, request: &Request) -> Reply {
        match self {
            Work::Compile(target) => match Compilation::of(request) {
                Ok(asked) => compile(server, *target, asked, request.header("accept").unwrap_or_default()),
                Err(e) => wrong(&e),
            },
            work => match serde_json::from_slice(&request.body) {
                Ok(asked) => reply(&work.ask(server, &asked)),
                Err(e) => wrong(&e),
            },
        }
    }

    fn ask(&self, server: &Server, asked: &Asked) -> Value {
        let mut heat = None;
        let done = done(&asked.source, || match self {
            Work::Run => asked.run(server.steps).map(|()| None),
            Work::Render => asked.render(server, &mut heat).map(|()| None),
            Work::Explain | Work::Compile(_) => asked.explain(server).map(Some),
        });
        let mut out = json!({"code": done.code, "messages": done.messages});
        if matches!(self, Work::Render) {
            out["heat"] = heat.map_or(Value::Null, |bytes| BASE64_STANDARD.encode(bytes).into());
        }
        match self {
            Work::Run => out["output"] = text(&done.output).into(),
            Work::Render if done.output.is_empty() => out["picture"] = Value::Null,
            Work::Render => out["picture"] = BASE64_STANDARD.encode(&done.output).into(),
            Work::Explain | Work::Compile(_) => out["page"] = done.page.unwrap_or_default(),
        }
        out
    }
}

fn wrong(e: &serde_json::Error) -> Reply {
    Reply { status: 400, ..reply(&json!({"error": format!("the body is not as expected: {e}")})) }
}

/// A listing as Compiler Explorer has it.
fn compile(server: &Server, target: Target, given: Compilation, accept: &str) -> Reply {
    let lang = match given.lang.as_deref() {
        None | Some("wgsl") => "wgsl",
        Some(other) => other,
    };
    let asked = Asked {
        source: given.source,
        lang: lang.into(),
        arguments: given.options.arguments,
        target: Some(target.to_string()),
        ..Asked::default()
    };
    let done = done(&asked.source, || asked.explain(server).map(Some));
    let page = done.page.unwrap_or_default();
    let columns: Vec<&Value> = page["columns"].as_array().into_iter().flatten().collect();
    let ok = columns.iter().all(|c| c["status"] == "ok") && !columns.is_empty();
    let mut asm = Vec::new();
    for c in columns.iter().filter(|c| c["status"] == "ok") {
        asm.push(json!({"text": format!("{}: ; {}", c["entry"].as_str().unwrap_or_default(), c["stage"].as_str().unwrap_or_default()), "source": null, "labels": []}));
        for i in c["instructions"].as_array().into_iter().flatten() {
            let text = i["text"].as_str().unwrap_or_default();
            let text = if i["address"].is_null() { text.to_string() } else { format!("        {text}") };
            let source =
                if i["line"] == 0 { Value::Null } else { json!({"file": null, "line": i["line"], "mainsource": true}) };
            asm.push(json!({"text": text, "source": source, "labels": []}));
        }
    }
    let said = |m: &Value| {
        let (severity, message) =
            (m["severity"].as_str().unwrap_or_default(), m["message"].as_str().unwrap_or_default());
        let place = match (m["line"].as_u64(), m["column"].as_u64()) {
            (Some(line), Some(column)) => format!("<source>:{line}:{column}: "),
            _ => String::new(),
        };
        let level = match severity {
            "note" => 1,
            "warning" => 2,
            _ => 3,
        };
        json!({"text": format!("{place}{severity}: {message}"),
            "tag": {"line": m["line"], "column": m["column"], "text": message, "severity": level}})
    };
    let stderr: Vec<Value> = done.messages.iter().map(said).collect();
    if !accept.contains("application/json") {
        let lines = asm.iter().chain(&stderr).filter_map(|l| l["text"].as_str());
        return Reply::text(200, lines.map(|l| format!("{l}\n")).collect::<String>());
    }
    let code = if done.code == 0 && !ok { 1 } else { i32::from(done.code) };
    reply(&json!({"code": code, "okToCache": true, "timedOut": false, "stdout": [], "stderr": stderr, "asm": asm,
        "labelDefinitions": {}, "languageId": lang, "compilationOptions": asked.arguments.split_whitespace().collect::<Vec<_>>()}))
}
