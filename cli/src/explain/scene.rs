//! A scene that is given as an input.

use std::path::Path;

use gpucc_scene::read::{self, Language};
use gpucc_scene::{SceneFile, check};

use crate::{Failure, files};

/// The scene that an input is.
///
/// # Errors
/// A file that cannot be read, or is no scene.
pub fn scene(path: &Path) -> Result<SceneFile, Failure> {
    let file = if path == Path::new("-") {
        let text = String::from_utf8_lossy(&files::read(path)?).into_owned();
        let language = if text.trim_start().starts_with('{') { Language::Json } else { Language::Toml };
        let name = "<stdin>".to_string();
        let scene = read::parse(&text, language).map_err(|e| e.of(&name));
        scene.and_then(|scene| {
            SceneFile { scene, name, folder: std::path::PathBuf::new(), text: Some((text, language)) }.sized()
        })
    } else {
        read::open(path)
    };
    let checked = file.and_then(|f| check::scene(&f.scene).map_err(|e| f.locate(e)).map(|()| f));
    checked.map_err(|e| if e.is_io { Failure::Io(e.to_string()) } else { Failure::Scene(e) })
}
