//! The text that the page begins with.

use std::path::{Path, PathBuf};

use gpucc::frontend::Lang;
use gpucc_scene::read::Language;

use crate::args::{Front, LangArg};
use crate::{Failure, files, input};

/// The text that the page begins with.
pub struct Start {
    pub(super) name: String,
    pub(super) lang: &'static str,
    pub(super) text: String,
    /// The file, looked at again when the page asks.
    pub(super) path: Option<PathBuf>,
    /// Whether scenes may name files: those beside the one that the command line names.
    pub(super) has_folder: bool,
}

/// A picture that moves, and what can be changed in it.
const EXAMPLE: &str = include_str!("example.wgsl");

/// Languages of the page by name.
pub(super) const LANGUAGES: [(&str, Option<LangArg>); 7] = [
    ("wgsl", Some(LangArg::Wgsl)),
    ("frag", Some(LangArg::Frag)),
    ("vert", Some(LangArg::Vert)),
    ("comp", Some(LangArg::Comp)),
    ("glsl", Some(LangArg::Glsl)),
    ("gir", Some(LangArg::Gir)),
    ("scene", None),
];

impl Start {
    /// Reads the file that the command line names. The folder of a scene becomes that of the process, for the files that it names.
    ///
    /// # Errors
    /// A file that cannot be read, is no text, or is of no language that is edited as text.
    pub fn read(path: Option<&Path>) -> Result<Start, Failure> {
        let Some(path) = path else {
            return Ok(Start {
                name: "example.wgsl".into(),
                lang: "wgsl",
                text: EXAMPLE.into(),
                path: None,
                has_folder: false,
            });
        };
        let is_scene = Language::of(path).is_some();
        let lang = match is_scene {
            true => "scene",
            false => match input::language(path, &Front::default())? {
                Lang::Wgsl => "wgsl",
                Lang::GlslFragment => "frag",
                Lang::GlslVertex => "vert",
                Lang::GlslCompute => "comp",
                Lang::Gir => "gir",
                _ => {
                    let text = format!("`{}` is binary: the page edits text", path.display());
                    return Err(Failure::Usage(text));
                }
            },
        };
        let text = String::from_utf8(files::read(path)?)
            .map_err(|_| Failure::Input(format!("`{}` is not UTF-8 text", path.display())))?;
        if text.len() > super::http::BODY / 2 {
            let most = super::http::BODY >> 11;
            return Err(Failure::Input(format!("`{}` is longer than {most} KiB", path.display())));
        }
        let whole = std::fs::canonicalize(path).ok();
        let folder = path.parent().filter(|f| is_scene && !f.as_os_str().is_empty());
        if let Some(folder) = folder {
            std::env::set_current_dir(folder)
                .map_err(|e| Failure::Io(format!("cannot work in `{}`: {e}", folder.display())))?;
        }
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Start { name, lang, text, path: whole, has_folder: is_scene })
    }

    /// The text of the file as it is now; nothing where it is gone or too long.
    pub(super) fn again(&self) -> Option<String> {
        let path = self.path.as_deref()?;
        let is_short = std::fs::metadata(path).ok()?.len() <= super::http::BODY as u64 / 2;
        is_short.then(|| std::fs::read_to_string(path).ok())?
    }
}
