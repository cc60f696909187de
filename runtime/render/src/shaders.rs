//! The shaders of a scene, lowered: each entry point that a pipeline names, once for each set of constants.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use gpucc::frontend::{self, Alone, FrontOptions, Lang, Modules, wesl};
use gpucc::glsl::{self, Glsl};
use gpucc_ir::{Class, Diagnostic, EntryPoint, Module, Refusal, ResourceKind, Stage, TexClass};
use gpucc_opt::{BindingFacts, PipelineContext, reads_distances, share_distances};
use gpucc_scene::model::{Binding, Body, Dimension, Names, Pipeline, Shader};

use gpucc_scene::{Scene, SceneError, SceneFile};

use crate::error::{Failure, Source};
use crate::surroundings::{self, Surroundings};
use crate::used::{InScene, Used};

/// An entry point with all that a pipeline has fixed.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The module, with this entry point alone.
    pub module: Module,
    /// Name of the entry point.
    pub name: String,
    /// Stage of the entry point.
    pub stage: Stage,
    /// The source that messages about it name.
    pub source: usize,
    /// The bindings it uses, by group and binding.
    pub used: Vec<Used>,
    /// The render pipeline around it.
    pub context: Option<Box<PipelineContext>>,
    /// The resources that are bound for it.
    pub bound: BindingFacts,
}

impl Entry {
    /// The entry point.
    ///
    /// # Panics
    /// Never: it was found when the entry was made.
    pub fn point(&self) -> &EntryPoint {
        &self.module.entries[0]
    }
}

/// Numbers of the entry points of a pipeline, in [`Shaders::entries`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stages {
    /// The entry of a compute pipeline.
    Compute(usize),
    /// The entries of a render pipeline.
    Render {
        /// Vertex entry.
        vertex: usize,
        /// Fragment entry.
        fragment: Option<usize>,
    },
}

impl Stages {
    /// All entry points of the pipeline, vertex first.
    pub fn all(self) -> impl Iterator<Item = usize> {
        let (first, second) = match self {
            Stages::Compute(e) => (e, None),
            Stages::Render { vertex, fragment } => (vertex, fragment),
        };
        std::iter::once(first).chain(second)
    }
}

/// How the shaders of a scene are read, besides what the scene says.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// Options of the front end. The entry point, name and folder of each shader are the scene's; of overrides those of the scene come first.
    pub front: FrontOptions,
    /// Features of `@if` that are on, in WESL.
    pub features: BTreeSet<String>,
}

/// The shaders of a scene.
#[derive(Debug, Default)]
pub struct Shaders {
    /// Entry points, each once for each pipeline that is not like another.
    pub entries: Vec<Entry>,
    /// The source that they were made of.
    pub sources: Vec<Source>,
    /// Entry points of each pipeline, in the order of names.
    pub pipelines: Vec<Stages>,
}

impl Shaders {
    /// Lowers what the pipelines of a scene name.
    ///
    /// # Errors
    /// A file that cannot be read, an entry point or a constant that does not exist, what the compiler says of a shader.
    pub fn load(file: &SceneFile) -> Result<Shaders, Failure> {
        Shaders::read(file, &Reading::default())
    }

    /// As [`Shaders::load`], with options from outside of the scene.
    ///
    /// # Errors
    /// As [`Shaders::load`]; an override that no shader has.
    pub fn read(file: &SceneFile, reading: &Reading) -> Result<Shaders, Failure> {
        let mut loader = Loader {
            file,
            reading,
            out: Shaders::default(),
            sources: BTreeMap::new(),
            lowered: BTreeMap::new(),
            set: BTreeSet::new(),
        };
        let mut pipelines = Vec::new();
        for (name, p) in file.scene.pipelines.iter() {
            let field = format!("pipelines.{name}");
            pipelines.push(match p {
                Pipeline::Compute(s) => {
                    let wanted = (s.shader.as_str(), s.entry_point.as_deref(), &s.constants);
                    Stages::Compute(loader.entry(&format!("{field}.compute"), Stage::Compute, wanted, None)?)
                }
                Pipeline::Render(r) => {
                    let v = &r.vertex;
                    let wanted = (v.shader.as_str(), v.entry_point.as_deref(), &v.constants);
                    let vertex = loader.entry(&format!("{field}.vertex"), Stage::Vertex, wanted, None)?;
                    let fragment = match &r.fragment {
                        Some(f) => {
                            let wanted = (f.shader.as_str(), f.entry_point.as_deref(), &f.constants);
                            Some(loader.entry(
                                &format!("{field}.fragment"),
                                Stage::Fragment,
                                wanted,
                                Some(&v.shader),
                            )?)
                        }
                        None => None,
                    };
                    let fragment = fragment.map(|f| loader.with_distances(vertex, f));
                    match fragment {
                        Some([vertex, fragment]) => Stages::Render { vertex, fragment: Some(fragment) },
                        None => Stages::Render { vertex, fragment: None },
                    }
                }
            });
        }
        if let Some((name, _)) = reading.front.overrides.iter().find(|o| !loader.set.contains(&o.0)) {
            return Err(loader.wrong("shaders".into(), format!("no shader has an override `{name}`")));
        }
        let mut out = Shaders { pipelines, ..loader.out };
        out.surround(&file.scene);
        Ok(out)
    }
}

impl Shaders {
    /// Whether an entry point uses what is bound by a binding of a scene.
    pub fn reads(&self, binding: &Binding) -> bool {
        self.entries.iter().flat_map(|e| &e.used).any(|u| u.is_bound_by(binding))
    }

    /// Whether what an entry point uses is what a binding of a scene binds.
    pub fn binds(&self, used: &Used, binding: &Binding) -> bool {
        used.is_bound_by(binding)
    }

    /// Gives entry points what is known of their pipelines: one that several pipelines name becomes several.
    fn surround(&mut self, scene: &Scene) {
        let plain = self.entries.len();
        let mut copies: Vec<Vec<usize>> = vec![Vec::new(); plain];
        for (number, (name, pipeline)) in scene.pipelines.iter().enumerate() {
            let Some(stages) = self.pipelines.get(number).copied() else { continue };
            let point = |e: usize| (&self.entries[e].module, self.entries[e].point());
            let with = |e: usize, other: Option<usize>| (e, surroundings::of(scene, name, pipeline, other.map(point)));
            let found = match stages {
                Stages::Compute(e) => [Some(with(e, None)), None],
                Stages::Render { vertex, fragment } => {
                    [Some(with(vertex, fragment)), fragment.map(|f| with(f, Some(vertex)))]
                }
            };
            let [first, second] = found.map(|f| f.map(|(e, s)| self.copy(e, s, &mut copies[e])));
            self.pipelines[number] = match (stages, first) {
                (Stages::Compute(_), Some(e)) => Stages::Compute(e),
                (Stages::Render { .. }, Some(vertex)) => Stages::Render { vertex, fragment: second },
                (stages, None) => stages,
            };
        }
    }

    /// The number of an entry point with these surroundings, of which there are copies.
    fn copy(&mut self, entry: usize, surroundings: Surroundings, copies: &mut Vec<usize>) -> usize {
        let Surroundings { context, bound } = surroundings;
        let same = |&&k: &&usize| {
            let e = &self.entries[k];
            e.context.as_deref() == context.as_ref() && e.bound == bound
        };
        if let Some(&k) = copies.iter().find(same) {
            return k;
        }
        let k = if copies.is_empty() { entry } else { self.entries.len() };
        if !copies.is_empty() {
            let copy = self.entries[entry].clone();
            self.entries.push(copy);
        }
        self.entries[k].context = context.map(Box::new);
        self.entries[k].bound = bound;
        copies.push(k);
        k
    }
}

/// A shader as text or bytes with its constants: the bits of their values, so that they have an order.
type Key = (usize, Vec<(String, u64)>);

/// An entry point as the frontend gave it; once taken, its number.
struct Lowered {
    name: String,
    stage: String,
    result: Option<Result<Module, Vec<Diagnostic>>>,
    entry: Option<usize>,
}

/// Stands between the names of a fragment and a vertex shader that are linked; no name has it.
const BETWEEN: char = '\n';

struct Loader<'a> {
    file: &'a SceneFile,
    reading: &'a Reading,
    out: Shaders,
    /// Numbers of sources by name of the shader.
    sources: BTreeMap<String, usize>,
    lowered: BTreeMap<Key, Vec<Lowered>>,
    /// Overrides from outside that some shader has.
    set: BTreeSet<String>,
}

impl Loader<'_> {
    fn wrong(&self, field: String, message: String) -> Failure {
        self.file.locate(SceneError::new(field, message)).into()
    }

    fn source(&mut self, name: &str) -> Result<usize, Failure> {
        if let Some(&k) = self.sources.get(name) {
            return Ok(k);
        }
        let bytes = self.file.shader(name)?;
        let (shown, lang) = match self.file.scene.shaders.get(name) {
            Some(Shader::File(path)) => (self.file.folder.join(path).display().to_string(), language(path)),
            Some(Shader::Made(made)) => (made.name.clone(), language(&format!("x.{}", made.ending))),
            _ if self.file.name.is_empty() => (format!("shaders.{name}"), Lang::Wgsl),
            _ => (format!("{}: shaders.{name}", self.file.name), Lang::Wgsl),
        };
        if glsl::is_glsl(lang) {
            let folder = Path::new(&shown).parent().map(Path::to_path_buf);
            let toy = match self.file.scene.shaders.get(name) {
                Some(Shader::Made(made)) => made.body.as_ref().map(toy).unwrap_or_default(),
                _ => glsl::Toy::default(),
            };
            let around = glsl::Around { name: shown.clone(), folder, toy, ..self.reading.front.around.clone() };
            let options = FrontOptions { around, ..self.reading.front.clone() };
            let glsl = Glsl::read(&bytes, lang, &options);
            self.out.sources.push(Source { name: shown, bytes, lang, glsl: Some(Arc::new(glsl)), modules: None });
            let k = self.out.sources.len() - 1;
            self.sources.insert(name.into(), k);
            return Ok(k);
        }
        let modules = match self.file.scene.shaders.get(name) {
            Some(Shader::File(path)) if is_wesl(path) => Some(Arc::new(self.modules(name, path, &shown, &bytes)?)),
            _ => None,
        };
        let bytes = modules.as_ref().map_or(bytes, |m| m.text().as_bytes().to_vec());
        self.out.sources.push(Source { name: shown, bytes, lang, glsl: None, modules });
        let k = self.out.sources.len() - 1;
        self.sources.insert(name.into(), k);
        Ok(k)
    }

    /// A root module of WESL with all that it imports: files below the folder of the root.
    fn modules(&self, shader: &str, path: &str, shown: &str, bytes: &[u8]) -> Result<Modules, Failure> {
        let field = format!("shaders.{shader}.file");
        let text = |name: &str, bytes: Vec<u8>| {
            String::from_utf8(bytes).map_err(|_| self.wrong(field.clone(), format!("`{name}` is not UTF-8 text")))
        };
        let root = wesl::File { name: shown.into(), text: text(path, bytes.to_vec())? };
        let folder = path.rfind('/').map_or("", |end| &path[..=end]);
        let mut failed = None;
        let mut read = |module: &[String]| {
            ["wesl", "wgsl"].into_iter().find_map(|ending| {
                let path = format!("{folder}{}.{ending}", module.join("/"));
                let name = self.file.folder.join(&path).display().to_string();
                let read = self.file.imported(shader, &path)?.map_err(Failure::from);
                match read.and_then(|bytes| text(&path, bytes)) {
                    Ok(text) => Some(wesl::File { name, text }),
                    Err(failure) => {
                        failed.get_or_insert(failure);
                        None
                    }
                }
            })
        };
        let modules = Modules::link(root, &mut wesl::Outside { read: &mut read, features: &self.reading.features });
        failed.map_or(Ok(modules), Err)
    }

    /// The numbers of a vertex and a fragment entry point. Of those where the second reads clip distances of the first they are new ones.
    fn with_distances(&mut self, vertex: usize, fragment: usize) -> [usize; 2] {
        let entries = &mut self.out.entries;
        if !reads_distances(&entries[fragment].module, &entries[fragment].name) {
            return [vertex, fragment];
        }
        let (mut v, mut f) = (entries[vertex].clone(), entries[fragment].clone());
        share_distances((&mut v.module, &v.name), (&mut f.module, &f.name));
        entries.extend([v, f]);
        [entries.len() - 2, entries.len() - 1]
    }

    /// The source of a fragment shader in a pipeline with a vertex shader: GLSL that chooses no places has those of the other.
    fn linked(&mut self, fragment: &str, vertex: &str) -> Result<usize, Failure> {
        let (f, v) = (self.source(fragment)?, self.source(vertex)?);
        let key = format!("{fragment}{BETWEEN}{vertex}");
        if let Some(&k) = self.sources.get(&key) {
            return Ok(k);
        }
        let own = |k: usize| self.out.sources[k].glsl.as_ref();
        let linked = own(f).zip(own(v)).and_then(|(f, v)| f.linked(v));
        let k = match linked {
            Some(glsl) => {
                let source = Source { glsl: Some(Arc::new(glsl)), ..self.out.sources[f].clone() };
                self.out.sources.push(source);
                self.out.sources.len() - 1
            }
            None => f,
        };
        self.sources.insert(key, k);
        Ok(k)
    }

    /// The number of an entry point; `field` is that of the stage in the scene.
    fn entry(
        &mut self,
        field: &str,
        stage: Stage,
        (shader, name, constants): (&str, Option<&str>, &Names<f64>),
        vertex: Option<&str>,
    ) -> Result<usize, Failure> {
        let source = match vertex {
            Some(vertex) => self.linked(shader, vertex)?,
            None => self.source(shader)?,
        };
        let bits = constants.iter().map(|(n, v)| (n.to_string(), v.to_bits())).collect();
        let key: Key = (source, bits);
        if !self.lowered.contains_key(&key) {
            let list = self.lower(field, source, constants)?;
            self.lowered.insert(key.clone(), list);
        }
        let list = self.lowered.get_mut(&key).map(Vec::as_mut_slice).unwrap_or_default();
        let of_stage: Vec<usize> = (0..list.len()).filter(|&k| list[k].stage == stage.name()).collect();
        let names: Vec<String> = of_stage.iter().map(|&k| format!("`{}`", list[k].name)).collect();
        let key = format!("{field}.entryPoint");
        let shown = stage.name();
        let at = match (name, of_stage.as_slice()) {
            (_, []) => return Err(self.wrong(key, format!("the shader `{shader}` has no {shown} entry point"))),
            (None, [one]) => *one,
            (None, _) => {
                let message = format!(
                    "the shader `{shader}` has several {shown} entry points: choose one of {}",
                    names.join(", ")
                );
                return Err(self.wrong(key, message));
            }
            (Some(n), all) => match all.iter().find(|&&k| list[k].name == n) {
                Some(&k) => k,
                None => {
                    let message = format!(
                        "the shader `{shader}` has no {shown} entry point `{n}`; available: {}",
                        names.join(", ")
                    );
                    return Err(self.wrong(key, message));
                }
            },
        };
        if let Some(done) = list[at].entry {
            return Ok(done);
        }
        let name = list[at].name.clone();
        let mut module = match list[at].result.take() {
            Some(Ok(m)) => m,
            Some(Err(said)) => return Err(self.failed(field, source, constants, said)),
            None => return Err(self.wrong(key, format!("the entry point `{name}` was lost"))),
        };
        // One name may stand for entry points of two stages.
        module.entries.retain(|e| e.name == name && e.stage.kind() == stage);
        if module.entries.len() != 1 {
            return Err(self.wrong(key, format!("there are several {shown} entry points `{name}`")));
        }
        let used = Used::of(&module);
        if let Some(d) = clash(&used) {
            return Err(self.failed(field, source, constants, vec![d.note(format!("this is about `{name}`"))]));
        }
        self.out.entries.push(Entry { module, name, stage, source, used, context: None, bound: BindingFacts::UNKNOWN });
        let number = self.out.entries.len() - 1;
        list_entry(&mut self.lowered, source, constants, at, number);
        Ok(number)
    }

    fn lower(&mut self, field: &str, source: usize, constants: &Names<f64>) -> Result<Vec<Lowered>, Failure> {
        let own: Vec<(String, f64)> = constants.iter().map(|(n, v)| (n.to_string(), *v)).collect();
        let mut outer = self.reading.front.overrides.clone();
        outer.retain(|o| own.iter().all(|c| c.0 != o.0));
        let name = self.sources.iter().find(|s| *s.1 == source).map_or("", |s| s.0);
        let name = name.split(BETWEEN).next().unwrap_or(name);
        let mut formats = self.reading.front.formats.clone();
        formats.extend(surroundings::image_formats(&self.file.scene, name));
        let mut options = FrontOptions { formats, entry: None, ..self.reading.front.clone() };
        let s = &self.out.sources[source];
        let each = loop {
            options.overrides = own.iter().chain(&outer).cloned().collect();
            let each = match (&s.modules, &s.glsl) {
                (Some(modules), _) => modules.load_each(&options),
                (None, Some(glsl)) => glsl.load_each(&options),
                (None, None) => frontend::load_each(&s.bytes, s.lang, &options),
            };
            // One from outside may be of another shader.
            let lacks = lacking(&each, &outer);
            match lacks {
                Some(at) => outer.remove(at),
                None => break each,
            };
        };
        self.set.extend(outer.into_iter().map(|o| o.0));
        match each {
            Err(list) => Err(self.failed(field, source, constants, list)),
            Ok(list) => Ok(list
                .into_iter()
                .map(|(name, result)| Lowered {
                    name: name.name,
                    stage: name.stage.into(),
                    result: Some(result.map(|l| l.module)),
                    entry: None,
                })
                .collect()),
        }
    }

    /// A failure of the frontend; a constant that does not exist is an error of the scene.
    fn failed(&self, field: &str, source: usize, constants: &Names<f64>, list: Vec<Diagnostic>) -> Failure {
        if let [d] = list.as_slice()
            && d.code == "override"
            && d.class == Class::Invalid
        {
            let named = constants.iter().find(|(n, _)| d.message.contains(&format!("`{n}`")));
            let key = named.map_or_else(|| format!("{field}.constants"), |(n, _)| format!("{field}.constants.{n}"));
            let message = std::iter::once(d.message.as_str()).chain(d.notes.iter().map(String::as_str));
            return self.wrong(key, message.collect::<Vec<_>>().join("; "));
        }
        Failure::Shader { source: Box::new(self.out.sources[source].clone()), list }
    }
}

/// Refuses textures, or samplers, of different kinds at one place: a scene binds one of each there.
fn clash(used: &[Used]) -> Option<Diagnostic> {
    let kind = |u: &Used| match u.kind {
        ResourceKind::Texture { dim, arrayed, multisampled, class } => {
            let class = if class == TexClass::Depth { TexClass::Float } else { class };
            Some(ResourceKind::Texture { dim, arrayed, multisampled, class })
        }
        k @ ResourceKind::Sampler { .. } => Some(k),
        _ => None,
    };
    let place = |u: &Used| (u.group, u.binding, u.held());
    let differ = |a: &&Used, b: &Used| place(a) == place(b) && kind(a) != kind(b);
    let (k, a) = used.iter().enumerate().find(|(k, a)| used[k + 1..].iter().any(|b| differ(a, b)))?;
    let b = used[k + 1..].iter().find(|b| differ(&a, b))?;
    let message = format!("{} and {} are of different kinds at one group and binding", a.shown(), b.shown());
    Some(Diagnostic::unsupported(Refusal::BindingAliases, message))
}

/// The place of a body, in the words of the front end.
fn toy(body: &Body) -> glsl::Toy {
    let channel = |d: Dimension| match d {
        Dimension::Cube => glsl::Channel::Cube,
        Dimension::D3 => glsl::Channel::Volume,
        _ => glsl::Channel::Flat,
    };
    glsl::Toy { channels: body.channels.map(channel), is_buffer: body.is_buffer, common: body.common.clone() }
}

/// The language of a file, by its ending.
fn language(path: &str) -> Lang {
    let path = Path::new(path);
    let ending = |p: &Path| p.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).unwrap_or_default();
    let last = ending(path);
    // `x.frag.glsl` says its stage.
    let last = if last == "glsl" { ending(&path.with_extension("")) } else { last };
    match last.as_str() {
        "spv" => Lang::Spirv,
        "vert" => Lang::GlslVertex,
        "frag" => Lang::GlslFragment,
        "comp" => Lang::GlslCompute,
        _ => Lang::Wgsl,
    }
}

/// The override of a list that a shader says it has not.
fn lacking(each: &Result<Vec<Alone>, Vec<Diagnostic>>, list: &[(String, f64)]) -> Option<usize> {
    let said = match each {
        Err(said) => said.first(),
        Ok(each) => each.iter().find_map(|(_, done)| done.as_ref().err().and_then(|said| said.first())),
    };
    let said = said.filter(|d| d.code == "override" && d.message.starts_with("there is no override"))?;
    list.iter().position(|o| said.message.contains(&format!("`{}`", o.0)))
}

fn is_wesl(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|e| e.eq_ignore_ascii_case("wesl"))
}

/// Notes the number of an entry point that was taken.
fn list_entry(
    lowered: &mut BTreeMap<Key, Vec<Lowered>>,
    source: usize,
    constants: &Names<f64>,
    at: usize,
    number: usize,
) {
    let bits = constants.iter().map(|(n, v)| (n.to_string(), v.to_bits())).collect();
    if let Some(l) = lowered.get_mut(&(source, bits)).and_then(|list| list.get_mut(at)) {
        l.entry = Some(number);
    }
}
