//! Scenes: draws, passes, bindings, state, sizes, and the shaders inside.

use serde_json::Value;

use std::collections::BTreeSet;

use crate::smaller::smaller;
use crate::text::{Language, Options, Text, TextEdit};
use crate::{Subject, Weight};

/// A scene as TOML or JSON.
#[derive(Clone, Debug)]
pub struct Scene {
    tree: Value,
    toml: bool,
    options: Options,
}

/// A step to a part of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(usize),
}

/// A change of a part of the tree.
#[derive(Clone, Debug)]
pub struct SceneEdit {
    path: Vec<Step>,
    what: Change,
}

#[derive(Clone, Debug)]
enum Change {
    Gone,
    Number(Value),
    /// A change of the shader that stands there.
    Text(Language, TextEdit),
    /// A change of parts that agree with each other; the path is empty.
    Whole(fn(&mut Value, Options)),
}

/// What one part alone cannot lose.
const WHOLE: [fn(&mut Value, Options); 5] = [without_last, without_samples, without_depth, small, needed];

/// The members of an object, or of an array.
fn members(v: Option<&mut Value>) -> Vec<&mut Value> {
    match v {
        Some(Value::Object(m)) => m.values_mut().collect(),
        Some(Value::Array(a)) => a.iter_mut().collect(),
        _ => Vec::new(),
    }
}

fn remove(v: &mut Value, key: &str) {
    if let Value::Object(m) = v {
        m.shift_remove(key);
    }
}

/// One sample everywhere: what would be resolved is drawn to its target.
fn without_samples(tree: &mut Value, _: Options) {
    members(tree.get_mut("textures")).into_iter().for_each(|t| remove(t, "sampleCount"));
    members(tree.get_mut("pipelines")).into_iter().for_each(|p| remove(p, "multisample"));
    for pass in members(tree.get_mut("passes")) {
        for a in members(pass.get_mut("colorAttachments")) {
            let target = a.get("resolveTarget").and_then(Value::as_object).cloned();
            remove(a, "resolveTarget");
            if let (Value::Object(a), Some(target)) = (a, target) {
                a.extend(target);
            }
        }
    }
}

/// No depth and no stencil.
fn without_depth(tree: &mut Value, _: Options) {
    members(tree.get_mut("pipelines")).into_iter().for_each(|p| remove(p, "depthStencil"));
    members(tree.get_mut("passes")).into_iter().for_each(|p| remove(p, "depthStencilAttachment"));
}

/// The texture of the first target of a pass.
fn target(pass: &Value) -> Option<String> {
    Some(pass.get("colorAttachments")?.get(0)?.get("texture")?.as_str()?.into())
}

/// The last pass goes: what the one in front of it draws is shown, in the format and the size of what was.
fn without_last(tree: &mut Value, _: Options) {
    let passes = tree.get("passes").and_then(Value::as_array).cloned().unwrap_or_default();
    let [.., before, last] = &passes[..] else { return };
    let (Some(from), Some(to)) = (target(last), target(before)) else { return };
    let texture = |tree: &Value, name: &str, key: &str| tree.get("textures")?.get(name)?.get(key).cloned();
    let formats = (texture(tree, &to, "format"), texture(tree, &from, "format"));
    let size = texture(tree, &from, "size");
    if let Some(Value::Array(a)) = tree.get_mut("passes") {
        a.pop();
    }
    if let Some(Value::Object(t)) = tree.get_mut("textures").and_then(|t| t.get_mut(&to)) {
        t.extend(formats.1.clone().map(|f| ("format".into(), f)));
        t.extend(size.map(|s| ("size".into(), s)));
    }
    for p in members(tree.get_mut("pipelines")) {
        for t in members(p.get_mut("fragment").and_then(|f| f.get_mut("targets"))) {
            if let (true, Some(f), Value::Object(t)) = (t.get("format") == formats.0.as_ref(), formats.1.clone(), t) {
                t.insert("format".into(), f);
            }
        }
    }
    for o in members(tree.get_mut("outputs")) {
        if let (true, Value::Object(o)) = (o.get("texture").and_then(Value::as_str) == Some(&from), o) {
            o.insert("texture".into(), to.clone().into());
        }
    }
}

/// Textures of at most 8 x 8 texels.
fn small(tree: &mut Value, _: Options) {
    for t in members(tree.get_mut("textures")) {
        for n in members(t.get_mut("size")).into_iter().take(2) {
            if n.as_u64().is_some_and(|n| n > 8) {
                *n = 8.into();
            }
        }
    }
}

/// Each word that stands as a value, at any depth.
fn words<'v>(v: &'v Value, out: &mut BTreeSet<&'v str>) {
    match v {
        Value::String(s) => {
            out.insert(s);
        }
        Value::Array(a) => a.iter().for_each(|v| words(v, out)),
        Value::Object(m) => m.values().for_each(|v| words(v, out)),
        _ => {}
    }
}

/// Pipelines that no draw names, then resources and shaders that nothing names, then what of the shaders no pipeline needs.
fn needed(tree: &mut Value, options: Options) {
    const USERS: [(&str, &[&str]); 2] =
        [("pipelines", &["passes"]), ("", &["passes", "pipelines", "outputs", "views", "bundles"])];
    for (of, users) in USERS {
        let mut names = BTreeSet::new();
        let parts: Vec<Value> = users.iter().filter_map(|&k| tree.get(k)).cloned().collect();
        parts.iter().for_each(|p| words(p, &mut names));
        let Value::Object(top) = &mut *tree else { return };
        let kinds: &[&str] =
            if of.is_empty() { &["textures", "samplers", "buffers", "shaders"] } else { &["pipelines"] };
        for kind in kinds {
            if let Some(Value::Object(m)) = top.get_mut(*kind) {
                m.retain(|k, _| names.contains(k.as_str()));
            }
        }
    }
    let pipelines = tree.get("pipelines").cloned().unwrap_or_default();
    let mut uses = Vec::new();
    stages(&pipelines, &mut uses);
    let Some(Value::Object(shaders)) = tree.get_mut("shaders") else { return };
    for (name, shader) in shaders {
        let own = uses.iter().filter(|(of, _)| of == name);
        // A stage without a name takes the only entry that fits.
        let Some(names) = own.map(|(_, entry)| *entry).collect::<Option<BTreeSet<&str>>>() else { continue };
        if let Some(Value::String(text)) = shader.get_mut("wgsl") {
            *text = Text::new(text.as_str(), Language::Wgsl, options).of_entries(&names).source().into();
        }
    }
}

/// The shaders that stages of pipelines name, with their entries.
fn stages<'v>(v: &'v Value, out: &mut Vec<(&'v str, Option<&'v str>)>) {
    match v {
        Value::Object(m) => {
            if let Some(shader) = m.get("shader").and_then(Value::as_str) {
                out.push((shader, m.get("entryPoint").and_then(Value::as_str)));
            }
            m.values().for_each(|v| stages(v, out));
        }
        Value::Array(a) => a.iter().for_each(|v| stages(v, out)),
        _ => {}
    }
}

/// Passes, and draws of each.
fn drawn(path: &[Step]) -> bool {
    let is = |step: Option<&Step>, name: &str| matches!(step, Some(Step::Key(k)) if k == name);
    let last = matches!(path.last(), Some(Step::Index(_)));
    is(path.first(), "passes") && last && (path.len() == 2 || path.len() == 4 && is(path.get(2), "draws"))
}

impl Scene {
    /// Reads a scene.
    ///
    /// # Errors
    /// The text is neither JSON nor TOML.
    pub fn new(source: &str, options: Options) -> Result<Scene, String> {
        if source.trim_start().starts_with('{') {
            let tree = serde_json::from_str(source).map_err(|e| e.to_string())?;
            return Ok(Scene { tree, toml: false, options });
        }
        let tree = toml::from_str(source).map_err(|e| e.to_string())?;
        Ok(Scene { tree, toml: true, options })
    }

    fn paths(&self) -> Vec<(Vec<Step>, &Value)> {
        fn walk<'v>(v: &'v Value, path: &mut Vec<Step>, out: &mut Vec<(Vec<Step>, &'v Value)>) {
            if !path.is_empty() {
                out.push((path.clone(), v));
            }
            match v {
                Value::Object(m) => m.iter().for_each(|(k, v)| {
                    path.push(Step::Key(k.clone()));
                    walk(v, path, out);
                    path.pop();
                }),
                Value::Array(a) => a.iter().enumerate().for_each(|(k, v)| {
                    path.push(Step::Index(k));
                    walk(v, path, out);
                    path.pop();
                }),
                _ => {}
            }
        }
        let mut out = Vec::new();
        walk(&self.tree, &mut Vec::new(), &mut out);
        out
    }
}

fn at<'v>(v: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    path.iter().try_fold(v, |v, step| match step {
        Step::Key(k) => v.get_mut(k),
        Step::Index(k) => v.get_mut(*k),
    })
}

/// The language of a shader that is the value of this key.
fn language(path: &[Step]) -> Option<Language> {
    match path.last()? {
        Step::Key(k) if k == "wgsl" => Some(Language::Wgsl),
        Step::Key(k) if k.starts_with("glsl") => Some(Language::Glsl),
        _ => None,
    }
}

/// Columns that a line has at most, where what it says can be told in several.
const WIDTH: usize = 140;

/// The tree as TOML in few lines: what fits stands on one, texts of several lines stay such.
fn shown(tree: &Value) -> Option<String> {
    let mut out = String::new();
    let top = tree.as_object()?;
    let is_long = |k: &str, v: &Value| {
        v.as_array().is_some_and(|a| !a.is_empty() && a.iter().all(Value::is_object))
            && inline(v).is_none_or(|t| k.len() + 3 + t.len() > WIDTH || has_lines(v))
    };
    for (k, v) in top.iter().filter(|(k, v)| !is_long(k, v)) {
        written(&key(k), v, &mut out)?;
    }
    // Tables under a header of their own come last: what follows a header belongs to it.
    for (k, v) in top.iter().filter(|(k, v)| is_long(k, v)) {
        for table in v.as_array()? {
            out += &format!("[[{}]]\n", key(k));
            for (k, v) in table.as_object()? {
                written(&key(k), v, &mut out)?;
            }
        }
    }
    Some(out)
}

/// A value on one line.
fn inline(v: &Value) -> Option<String> {
    toml::Value::try_from(v).ok().map(|v| v.to_string())
}

/// A key, between quotation marks where it is no plain word.
fn key(k: &str) -> String {
    let is_plain = !k.is_empty() && k.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if is_plain { k.into() } else { serde_json::Value::from(k).to_string() }
}

fn has_lines(v: &Value) -> bool {
    match v {
        Value::String(s) => s.contains('\n'),
        Value::Array(a) => a.iter().any(has_lines),
        Value::Object(m) => m.values().any(has_lines),
        _ => false,
    }
}

/// A value under the words that lead to it.
fn written(path: &str, v: &Value, out: &mut String) -> Option<()> {
    let whole = if has_lines(v) { None } else { Some(inline(v)?) };
    match (v, whole) {
        (_, Some(text)) if path.len() + 3 + text.len() <= WIDTH => *out += &format!("{path} = {text}\n"),
        (Value::Object(m), _) if !m.is_empty() => {
            for (k, v) in m {
                written(&format!("{path}.{}", key(k)), v, out)?;
            }
        }
        (Value::Array(a), _) if !a.is_empty() => {
            *out += &format!("{path} = [\n");
            for v in a {
                *out += &format!("    {},\n", inline(v)?);
            }
            *out += "]\n";
        }
        (Value::String(s), _) if s.contains('\n') && !s.contains("\'\'\'") && !s.contains(is_control) => {
            *out += &format!("{path} = \'\'\'\n{s}\'\'\'\n");
        }
        _ => *out += &format!("{path} = {}\n", inline(v)?),
    }
    Some(())
}

/// A character that no literal text of TOML may hold.
fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
}

/// How many steps deep parts are tried; the first passes try the largest.
const DEPTHS: usize = 6;

impl Subject for Scene {
    type Edit = SceneEdit;
    const PASSES: usize = DEPTHS + 3 + Text::PASSES;

    fn edits(&self, pass: usize) -> Vec<SceneEdit> {
        let paths = self.paths();
        let gone = |p: Vec<Step>| SceneEdit { path: p, what: Change::Gone };
        if pass == 0 {
            let edit = |w| SceneEdit { path: Vec::new(), what: Change::Whole(w) };
            return WHOLE.into_iter().map(edit).collect();
        }
        if pass == 1 {
            return paths.into_iter().map(|p| p.0).filter(|p| drawn(p)).map(gone).collect();
        }
        let pass = pass - 2;
        if pass < DEPTHS {
            let deep = |p: &Vec<Step>| p.len() == pass + 1 || pass + 1 == DEPTHS && p.len() > pass;
            return paths.into_iter().map(|p| p.0).filter(deep).map(gone).collect();
        }
        if pass == DEPTHS {
            let mut out = Vec::new();
            for (path, v) in paths {
                let Some(n) = v.as_u64() else { continue };
                let smaller = smaller(n);
                for (k, &m) in smaller.iter().enumerate() {
                    if m < n && !smaller[..k].contains(&m) {
                        out.push(SceneEdit { path: path.clone(), what: Change::Number(m.into()) });
                    }
                }
            }
            return out;
        }
        let mut out = Vec::new();
        for (path, v) in paths {
            let (Some(text), Some(language)) = (v.as_str(), language(&path)) else { continue };
            let text = Text::new(text, language, self.options);
            let edit = |e| SceneEdit { path: path.clone(), what: Change::Text(language, e) };
            out.extend(text.edits(pass - DEPTHS - 1).into_iter().map(edit));
        }
        out
    }

    fn apply(&self, edits: &[SceneEdit]) -> Option<Scene> {
        let mut s = self.clone();
        // The last first, so that indices stay what they were; edits of one shader together.
        let mut k = edits.len();
        while k > 0 {
            let mut from = k - 1;
            let e = &edits[from];
            match &e.what {
                Change::Text(language, _) => {
                    while from > 0 && edits[from - 1].path == e.path {
                        from -= 1;
                    }
                    let list: Vec<TextEdit> = edits[from..k]
                        .iter()
                        .filter_map(|e| match &e.what {
                            Change::Text(_, t) => Some(t.clone()),
                            _ => None,
                        })
                        .collect();
                    let v = at(&mut s.tree, &e.path)?;
                    let text = Text::new(v.as_str()?, *language, self.options).apply(&list)?;
                    *v = Value::String(text.tidy().source().to_string());
                }
                Change::Whole(change) => change(&mut s.tree, self.options),
                Change::Number(n) => *at(&mut s.tree, &e.path)? = n.clone(),
                Change::Gone => {
                    let (last, parent) = e.path.split_last()?;
                    match (at(&mut s.tree, parent)?, last) {
                        (Value::Object(m), Step::Key(k)) => {
                            m.shift_remove(k);
                        }
                        (Value::Array(a), Step::Index(k)) if *k < a.len() => {
                            a.remove(*k);
                        }
                        _ => {}
                    }
                }
            }
            k = from;
        }
        Some(s)
    }

    fn bytes(&self) -> Vec<u8> {
        let json = || serde_json::to_string_pretty(&self.tree).unwrap_or_default();
        if self.toml { shown(&self.tree).unwrap_or_else(json) } else { json() }.into_bytes()
    }

    fn weight(&self) -> Weight {
        let (mut parts, mut tokens, mut value) = (0u64, 0u64, 0u64);
        for (path, v) in self.paths() {
            parts += 1;
            value = value.saturating_add(v.as_u64().unwrap_or(0));
            if let (Some(text), Some(language)) = (v.as_str(), language(&path)) {
                let w = Text::new(text, language, self.options).weight();
                tokens += w[0];
                value = value.saturating_add(w[1]).saturating_add(w[2]);
            }
        }
        [parts + tokens, value, self.bytes().len() as u64]
    }
}
