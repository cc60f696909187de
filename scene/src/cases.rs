//! Test cases: files of format `gfx-cases-1`, one case a line.

use std::io::BufRead;
use std::path::Path;

use serde::Deserialize;

use crate::compare::{Compare, Kind, Type};
use crate::contents::zlib64;
use crate::model::de;
use crate::{Scene, SceneError, limits, read};

/// A case: a program, and outcomes that it must have.
#[derive(Clone, Debug)]
pub struct Case {
    /// Name of the case, which no other one has.
    pub id: String,
    /// Name of the group that it is in.
    pub group: String,
    /// WebGPU features it needs.
    pub requires: Vec<String>,
    /// The program that is run.
    pub body: Body,
    /// The expected outcomes; all of them hold.
    pub expect: Vec<Expected>,
}

/// The program of a case.
#[derive(Clone, Debug)]
pub enum Body {
    /// A scene.
    Scene(Box<Scene>),
    /// A fragment shader alone.
    Shader {
        /// WGSL.
        text: String,
        /// Arguments of the command line.
        args: Vec<String>,
    },
}

/// An output that is expected.
#[derive(Clone, Debug)]
pub struct Expected {
    /// Name of the output.
    pub name: String,
    /// The bytes that the output must have.
    pub bytes: Vec<u8>,
    /// How they are compared.
    pub compare: Compare,
}

#[derive(Deserialize)]
struct RawCase {
    id: String,
    group: String,
    #[serde(default)]
    requires: Vec<String>,
    scene: Option<Box<Scene>>,
    shader: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    expect: Vec<RawExpected>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawExpected {
    name: String,
    zlib64: String,
    compare: RawCompare,
}

#[derive(Clone, Copy)]
enum KindName {
    Exact,
    Near,
    Range,
}

de::words! { KindName { "exact" Exact "near" Near "range" Range } }

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCompare {
    #[serde(deserialize_with = "de::word")]
    kind: KindName,
    mask: Option<String>,
    #[serde(default, deserialize_with = "de::maybe_word")]
    r#type: Option<Type>,
    #[serde(default)]
    abs: f64,
    #[serde(default)]
    rel: f64,
    lo: Option<String>,
    hi: Option<String>,
    pixel: Option<usize>,
    #[serde(default)]
    share: f64,
}

impl RawCompare {
    fn whole(self) -> Result<Compare, String> {
        let unpack = |text: &Option<String>, key: &str| {
            let text = text.as_ref().ok_or_else(|| format!("`{key}` is missing"))?;
            zlib64(text, limits::RESOURCE_BYTES)
        };
        let ty = self.r#type.ok_or_else(|| "`type` is missing".to_string());
        let kind = match self.kind {
            KindName::Exact => {
                Kind::Exact { mask: self.mask.is_some().then(|| unpack(&self.mask, "mask")).transpose()? }
            }
            KindName::Near => Kind::Near { ty: ty?, abs: self.abs, rel: self.rel },
            KindName::Range => Kind::Range { ty: ty?, lo: unpack(&self.lo, "lo")?, hi: unpack(&self.hi, "hi")? },
        };
        Ok(Compare { kind, pixel: self.pixel.unwrap_or(1), share: self.share })
    }
}

/// A case from its line, with or without the comma at the end.
///
/// # Errors
/// A line that is no case; the error names the field.
pub fn parse(line: &str) -> Result<Case, SceneError> {
    let line = line.trim();
    let raw: RawCase = read::json(line.strip_suffix(',').unwrap_or(line))?;
    let body = match (raw.scene, raw.shader) {
        (Some(scene), None) => Body::Scene(scene),
        (None, Some(text)) => Body::Shader { text, args: raw.args },
        _ => return Err(SceneError::new(raw.id, "exactly one of `scene`, `shader` is expected")),
    };
    let expect = raw.expect.into_iter().enumerate().map(|(k, e)| {
        let fail = |m: String| SceneError::new(format!("{}: expect[{k}]", raw.id), m);
        let bytes = zlib64(&e.zlib64, limits::RESOURCE_BYTES).map_err(fail)?;
        Ok(Expected { name: e.name, bytes, compare: e.compare.whole().map_err(fail)? })
    });
    let expect = expect.collect::<Result<Vec<_>, SceneError>>()?;
    Ok(Case { id: raw.id, group: raw.group, requires: raw.requires, body, expect })
}

/// The cases of a file, read one by one.
pub struct Cases<R> {
    lines: std::io::Lines<R>,
    name: String,
    /// Number of the line that was read last.
    number: u32,
    is_done: bool,
}

/// The cases of a file.
///
/// # Errors
/// A file that cannot be read or is of another format.
pub fn open(path: &Path) -> Result<Cases<std::io::BufReader<std::fs::File>>, SceneError> {
    let name = path.display().to_string();
    let file = std::fs::File::open(path).map_err(|e| SceneError::io("", e.to_string()).of(&name))?;
    Cases::new(std::io::BufReader::new(file), &name)
}

impl<R: BufRead> Cases<R> {
    /// The cases of a text; `name` is what errors call it.
    ///
    /// # Errors
    /// A text of another format.
    pub fn new(reader: R, name: &str) -> Result<Cases<R>, SceneError> {
        let mut lines = reader.lines();
        let head = lines.next().unwrap_or(Ok(String::new())).map_err(|e| SceneError::io("", e.to_string()).of(name))?;
        if !head.contains("\"gfx-cases-1\"") {
            return Err(SceneError::new("format", "the file is not of format gfx-cases-1").of(name));
        }
        Ok(Cases { lines, name: name.into(), number: 1, is_done: false })
    }
}

impl<R: BufRead> Iterator for Cases<R> {
    type Item = Result<Case, SceneError>;
    fn next(&mut self) -> Option<Self::Item> {
        while !self.is_done {
            self.number += 1;
            let line = match self.lines.next()? {
                Ok(line) => line,
                Err(e) => {
                    self.is_done = true;
                    return Some(Err(SceneError::io("", e.to_string()).of(&self.name)));
                }
            };
            match line.trim() {
                "]}" => self.is_done = true,
                "" => {}
                case => {
                    // A case is a line: its own lines are none of the file.
                    let margin = (line.len() - line.trim_start().len()) as u32;
                    let here = |(_, column)| (self.number, margin + column);
                    return Some(parse(case).map_err(|e| SceneError { place: e.place.map(here), ..e.of(&self.name) }));
                }
            }
        }
        None
    }
}
