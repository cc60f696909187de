//! Scene files: TOML for people, JSON for machines, the same schema.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use crate::model::Texture;
use crate::picture::Picture;
use crate::{Scene, SceneError, limits};

/// A scene with the place it was read from.
#[derive(Clone, Debug)]
pub struct SceneFile {
    /// The scene that the file holds.
    pub scene: Scene,
    /// Name of its file, for messages.
    pub name: String,
    /// The folder that files named in it are relative to.
    pub folder: PathBuf,
    /// Its text, for the lines of errors; nothing if nobody wrote one.
    pub text: Option<(String, Language)>,
}

impl SceneFile {
    /// An error of this scene with the name of the file, and line and column of the field.
    pub fn locate(&self, e: SceneError) -> SceneError {
        let e = if e.file.is_empty() { e.of(&self.name) } else { e };
        match &self.text {
            Some((text, language)) if e.place.is_none() && e.file == self.name => {
                SceneError { place: language.place(text, &e.field), ..e }
            }
            _ => e,
        }
    }

    /// The same with the sizes of textures that their pictures have. Of a file only the head is read.
    ///
    /// # Errors
    /// A file that cannot be read or does not begin like a PNG file.
    pub fn sized(mut self) -> Result<SceneFile, SceneError> {
        let mut sizes = Vec::new();
        for (k, (name, t)) in self.scene.textures.iter().enumerate() {
            if let Some((n, picture)) = t.picture().filter(|_| t.size == Texture::OF_PICTURE) {
                let field = if t.contents.len() > 1 { format!("contents[{n}]") } else { "contents".into() };
                let head = head(&self.folder.join(picture), Picture::HEAD)
                    .map_err(|e| SceneError::io("", format!("the file `{picture}` cannot be read ({e})")));
                let size = head.and_then(|h| Picture::size(&h).map_err(|m| SceneError::new("", m)));
                let wrong = |e| SceneError { field: format!("textures.{name}.{field}.file"), ..e };
                sizes.push((k, size.map_err(|e| self.locate(wrong(e)))?));
            }
        }
        for (k, [w, h]) in sizes {
            if let Some(t) = self.scene.textures.at_mut(k) {
                t.size = [w, h, 1];
            }
        }
        Ok(self)
    }
}

/// The longest text in which fields are looked for.
const PLACED: usize = 16 << 20;

/// How a scene is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// TOML.
    Toml,
    /// JSON.
    Json,
}

impl Language {
    /// Line and column of a field; none in a text so long that looking for it would take longer than people wait.
    fn place(self, text: &str, field: &str) -> Option<(u32, u32)> {
        match self {
            _ if text.len() > PLACED => None,
            Language::Toml => crate::place::of_toml(text, field),
            Language::Json => crate::place::of_json(text, field),
        }
    }

    /// The language of a file by the ending of its name.
    pub fn of(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()? {
            "toml" => Some(Language::Toml),
            "json" => Some(Language::Json),
            _ => None,
        }
    }
}

/// Reads a scene file; the language is decided by its ending.
///
/// # Errors
/// A file that cannot be read or is no scene, in one sentence that names file and field.
pub fn open(path: &Path) -> Result<SceneFile, SceneError> {
    let name = path.display().to_string();
    let Some(language) = Language::of(path) else {
        return Err(SceneError::new("", "a scene ends in `.toml` or `.json`").of(&name));
    };
    let bytes = read_bounded(path, limits::FILE_BYTES).map_err(|e| e.of(&name))?;
    let text = String::from_utf8(bytes).map_err(|_| SceneError::new("", "the file is not UTF-8").of(&name))?;
    let scene = parse(&text, language).map_err(|e| e.of(&name))?;
    let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
    SceneFile { scene, name, folder, text: Some((text, language)) }.sized()
}

/// The first bytes of a file.
fn head(path: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The bytes of a file, an error if there are more than `most`.
pub(crate) fn read_bounded(path: &Path, most: u64) -> Result<Vec<u8>, SceneError> {
    let fail = |e: std::io::Error| SceneError::io("", e.to_string());
    let mut bytes = Vec::new();
    std::fs::File::open(path).map_err(fail)?.take(most + 1).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > most {
        return Err(SceneError::new("", format!("the file `{}` has more than {most} bytes", path.display())));
    }
    Ok(bytes)
}

/// A scene from its text.
///
/// # Errors
/// A text that is no scene; the error names the field, its line and column, and no file.
pub fn parse(text: &str, language: Language) -> Result<Scene, SceneError> {
    if text.trim().is_empty() {
        return Err(SceneError::new("", "the scene is empty"));
    }
    let scene = match language {
        Language::Json => json(text),
        Language::Toml => toml(text),
    };
    scene.and_then(has_sizes).map_err(|e| match e.place {
        None => SceneError { place: language.place(text, &e.field), ..e },
        Some(_) => e,
    })
}

/// That each texture has a size, or a picture that says it.
fn has_sizes(scene: Scene) -> Result<Scene, SceneError> {
    let lacks = |t: &Texture| t.size == Texture::OF_PICTURE && t.picture().is_none();
    if let Some((name, _)) = scene.textures.iter().find(|(_, t)| lacks(t)) {
        return Err(SceneError::new(
            format!("textures.{name}"),
            "missing field `size`: without it a PNG file in `contents` must fill level 0, which has one layer then",
        ));
    }
    Ok(scene)
}

/// Anything from JSON, with the path of the field in errors.
pub(crate) fn json<T: DeserializeOwned>(text: &str) -> Result<T, SceneError> {
    let mut d = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut d).map_err(|e| {
        let field = path(e.path());
        let e = e.into_inner();
        json_error(&field, &e)
    })?;
    d.end().map_err(|e| json_error("", &e))?;
    Ok(value)
}

fn json_error(field: &str, e: &serde_json::Error) -> SceneError {
    let text = e.to_string();
    let place = format!(" at line {} column {}", e.line(), e.column());
    let message = text.strip_suffix(&place).unwrap_or(&text);
    if e.is_data() {
        SceneError::new(field, plain(field, message))
    } else {
        SceneError { place: Some((e.line() as u32, e.column() as u32)), ..SceneError::new(field, message) }
    }
}

/// A message of the readers in words of scenes: those of Rust say nothing to who writes one.
fn plain(field: &str, message: &str) -> String {
    if message == "missing field `format`" && field.is_empty() {
        return format!("{message}: a scene begins with `format = \"scene-1\"`");
    }
    let Some(rest) = message.strip_prefix("invalid type: ") else { return message.into() };
    let (given, expected) = rest.rsplit_once(", expected ").unwrap_or((rest, ""));
    let given = match given {
        "map" => "a table",
        "sequence" => "a list",
        other => other,
    };
    let expected = match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0 on",
        "i8" | "i16" | "i32" | "i64" => "a whole number",
        "f32" | "f64" => "a number",
        "a map" => "a table",
        "a sequence" => "a list",
        "a string" => "a text",
        "a table or a hole" => "a table, or an empty one",
        e if e.starts_with("struct ") => "a table",
        e if e.starts_with("tuple ") || e.starts_with("an array ") => "a list",
        e => e,
    };
    format!("invalid type: {given}, expected {expected}")
}

fn toml(text: &str) -> Result<Scene, SceneError> {
    let d = toml::Deserializer::parse(text).map_err(|e| toml_error("", text, &e))?;
    serde_path_to_error::deserialize(d).map_err(|e| {
        let field = path(e.path());
        toml_error(&field, text, e.inner())
    })
}

fn toml_error(field: &str, text: &str, e: &toml::de::Error) -> SceneError {
    let message = plain(field, &e.message().trim().replace('\n', ", "));
    let place = e.span().filter(|s| s.start > 0 || field.is_empty()).and_then(|s| crate::place::of_byte(text, s.start));
    SceneError { place, ..SceneError::new(field, message) }
}

/// The path of a field; empty for the whole. A step that is not known, as before the first key of a table, is left out.
fn path(p: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    let mut out = String::new();
    for step in p.iter() {
        let dot = if out.is_empty() { "" } else { "." };
        match step {
            Segment::Seq { index } => out += &format!("[{index}]"),
            Segment::Map { key } => out += &format!("{dot}{key}"),
            Segment::Enum { variant } => out += &format!("{dot}{variant}"),
            Segment::Unknown => {}
        }
    }
    out
}
