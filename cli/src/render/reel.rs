//! Where pictures go: a file, an animated file, or a folder with a file for each.

use std::path::{Path, PathBuf};

use gpucc_scene::Picture;
use gpucc_scene::picture::Film;

use crate::args::Render;
use crate::{Failure, files};

/// How many pictures a file gets.
#[derive(Clone, Copy)]
pub struct Length {
    /// Pictures; `None` for the one of a command without `--frames`.
    pub frames: Option<u32>,
    /// Frames that are drawn before the first picture.
    pub skipped: u32,
    /// Pictures in a second.
    pub in_second: u16,
}

impl Length {
    /// What the command line says.
    pub fn of(args: &Render) -> Length {
        // One picture stands at the time that `--time` would say of it.
        let usual = if args.frames.is_some() { 30 } else { 60 };
        Length { frames: args.frames, skipped: args.skip.unwrap_or(0), in_second: args.fps.unwrap_or(usual) }
    }

    /// Number of pictures, 1 for a still one.
    pub fn count(self) -> u32 {
        self.frames.unwrap_or(1)
    }

    /// Frames that are drawn.
    pub fn drawn(self) -> u32 {
        self.skipped + self.count()
    }

    /// Whether a path is that of a folder: with several pictures all that is neither `.png` nor `-`, a device or a pipe.
    pub fn is_folder(self, path: &Path) -> bool {
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        let is_file = path == Path::new("-") || path.exists() && !path.is_dir();
        self.frames.is_some() && !is_file && !ending.eq_ignore_ascii_case("png")
    }
}

enum Held {
    Nothing,
    File(Vec<u8>),
    Film(Box<Film>),
}

/// The pictures of one path.
pub struct Reel {
    path: PathBuf,
    length: Length,
    /// Pictures that came.
    pictures: u32,
    held: Held,
}

/// The name of a picture in a folder.
fn name(k: u32) -> String {
    format!("{k:04}.png")
}

impl Reel {
    /// A reel to a path that was checked.
    pub fn new(path: PathBuf, length: Length) -> Reel {
        Reel { path, length, pictures: 0, held: Held::Nothing }
    }

    /// The path that it goes to.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a picture. One of a folder is written at once, so that a long run that is stopped has left something.
    ///
    /// # Errors
    /// An I/O failure.
    pub fn push(&mut self, picture: &Picture) -> Result<(), Failure> {
        let io = |text: String| Failure::Io(format!("cannot write `{}`: {text}", self.path.display()));
        if self.length.is_folder(&self.path) {
            std::fs::create_dir_all(&self.path).map_err(|e| io(e.to_string()))?;
            files::write(&self.path.join(name(self.pictures)), &picture.to_png())?;
        } else if let (Some(frames @ 2..), 0) = (self.length.frames, self.pictures) {
            let film = Film::new([picture.width, picture.height], frames, self.length.in_second);
            self.held = Held::Film(Box::new(film.map_err(io)?));
        }
        match &mut self.held {
            Held::Film(film) => film.push(picture).map_err(io)?,
            held if !self.length.is_folder(&self.path) => *held = Held::File(picture.to_png()),
            _ => {}
        }
        self.pictures += 1;
        Ok(())
    }

    /// Writes the file once all pictures came; a film that lacks some is not written.
    ///
    /// # Errors
    /// An I/O failure.
    pub fn finish(self) -> Result<(), Failure> {
        let bytes = match self.held {
            Held::Nothing => return Ok(()),
            Held::File(bytes) => bytes,
            Held::Film(_) if self.pictures < self.length.count() => return Ok(()),
            Held::Film(film) => {
                film.finish().map_err(|text| Failure::Io(format!("cannot write `{}`: {text}", self.path.display())))?
            }
        };
        files::write(&self.path, &bytes)
    }
}

/// The path to be checked of what goes to a path: of a folder its first file.
///
/// # Errors
/// A path that cannot be written, a folder that holds an input under a name that is written.
pub fn checked(path: &Path, length: Length, inputs: &[PathBuf]) -> Result<PathBuf, Failure> {
    if !length.is_folder(path) {
        files::can_be_written(path)?;
        return Ok(path.to_path_buf());
    }
    if !path.is_dir() {
        files::can_be_written(path)?;
    }
    for input in inputs {
        let folder = input.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let number = input.file_stem().and_then(|n| n.to_str()).and_then(|n| n.parse().ok());
        let is_named = number.is_some_and(|n| n < length.count() && input.file_name() == Some(name(n).as_ref()));
        if is_named && same_file::is_same_file(folder, path).unwrap_or(false) {
            let (folder, input) = (path.display(), input.display());
            return Err(Failure::Usage(format!("`{folder}` holds the input `{input}`: it is not overwritten")));
        }
    }
    Ok(path.join(name(0)))
}
