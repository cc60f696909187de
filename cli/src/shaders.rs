//! Which shaders a report is of, and the names that its rows have for them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::{Failure, input};

/// A shader and its name in the report: the path relative to the folder given, with `/` between its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shader {
    /// Where it is read, or `-`.
    pub path: PathBuf,
    /// Its name in the report.
    pub name: String,
}

/// One that was found: where it is read, the folder that really holds it and its name there, how many parts of all that
/// are its name.
struct Found {
    path: PathBuf,
    real: PathBuf,
    parts: usize,
}

/// Bytes of a file in which a scene says what it is.
const SCENE_BYTES: u64 = 4096;

fn known_ending(path: &Path) -> bool {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    ["wgsl", "wesl", "spv", "glsl", "vert", "frag", "comp", "gir"]
        .iter()
        .any(|known| ending.eq_ignore_ascii_case(known))
}

/// Whether a file is a scene: of the many files in TOML and JSON those that say so at their beginning.
fn is_scene(path: &Path) -> bool {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    let mut start = Vec::new();
    ["toml", "json"].contains(&ending.as_str())
        && fs::File::open(path).and_then(|f| f.take(SCENE_BYTES).read_to_end(&mut start)).is_ok()
        && says_scene(&String::from_utf8_lossy(&start))
}

fn says_scene(text: &str) -> bool {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    text.contains("format=\"scene-1\"") || text.contains("\"format\":\"scene-1\"")
}

/// The last `parts` parts of a path.
fn tail(path: &Path, parts: usize) -> String {
    let all: Vec<_> = path.components().map(|c| c.as_os_str().to_string_lossy()).collect();
    all[all.len().saturating_sub(parts)..].join("/")
}

/// The shaders below a folder. Below one with a root of modules no other file with the ending .wesl is a program. Every real folder is read once, under its own place before any link to it: links that go
/// round in circles end.
fn walk(root: &Path, out: &mut Vec<Found>, problems: &mut Vec<Failure>) {
    let mut seen = BTreeSet::new();
    // Real folders first; then links to folders, by name.
    let mut folders = vec![(root.to_path_buf(), (0, false))];
    let mut links: BTreeMap<PathBuf, (usize, bool)> = BTreeMap::new();
    while let Some((folder, (depth, modules))) = folders.pop().or_else(|| links.pop_first()) {
        let root = input::root(&folder);
        let modules = modules || root != folder;
        let problem = |e: std::io::Error| Failure::Io(format!("cannot read `{}`: {e}", folder.display()));
        let (real, list) = match fs::canonicalize(&folder).and_then(|real| Ok((real, fs::read_dir(&folder)?))) {
            Ok(both) => both,
            Err(e) => {
                problems.push(problem(e));
                continue;
            }
        };
        if !seen.insert(real.clone()) {
            continue;
        }
        for item in list {
            let (item, kind) = match item.and_then(|i| i.file_type().map(|k| (i, k))) {
                Ok(both) => both,
                Err(e) => {
                    problems.push(problem(e));
                    continue;
                }
            };
            let path = item.path();
            if kind.is_symlink() && path.is_dir() {
                links.insert(path, (depth + 1, modules));
            } else if kind.is_dir() {
                folders.push((path, (depth + 1, modules)));
            } else if fs::metadata(&path).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
                // It may wait for somebody at its other end, or never end.
                if known_ending(&path) {
                    problems.push(Failure::Io(format!("`{}` is no regular file: it is not read", path.display())));
                }
            } else if (known_ending(&path) || is_scene(&path)) && !(modules && input::is_wesl(&path) && path != root) {
                let real = path.file_name().map_or_else(|| path.clone(), |n| real.join(n));
                out.push(Found { real, path, parts: depth + 1 });
            }
        }
    }
}

/// The shaders of the paths given, by name. A path that cannot be read becomes a problem and does not stop the others.
pub fn find(paths: &[PathBuf], problems: &mut Vec<Failure>) -> Vec<Shader> {
    let mut found = Vec::new();
    let mut list = Vec::new();
    for path in paths {
        if path == Path::new("-") {
            list.push(Shader { path: path.clone(), name: "<stdin>".into() });
            continue;
        }
        // A file keeps the name it is given by: the link, not what it leads to.
        let place = fs::metadata(path).and_then(|meta| {
            if meta.is_dir() {
                return Ok((fs::canonicalize(path)?, true));
            }
            let name = path.file_name().ok_or(std::io::ErrorKind::InvalidInput)?;
            let folder = path.parent().filter(|p| *p != Path::new("")).unwrap_or(Path::new("."));
            Ok((fs::canonicalize(folder)?.join(name), false))
        });
        match place {
            Ok((_, true)) => {
                let before = found.len();
                walk(path, &mut found, problems);
                if found.len() == before {
                    problems.push(Failure::Io(format!("there is no shader below `{}`", path.display())));
                }
            }
            Ok((real, false)) => found.push(Found { path: path.clone(), real, parts: 1 }),
            Err(e) => problems.push(Failure::Io(format!("cannot read `{}`: {e}", path.display()))),
        }
    }
    found.sort_by(|a, b| a.real.cmp(&b.real).then(b.parts.cmp(&a.parts)));
    found.dedup_by(|a, b| a.real == b.real);
    // Different files of one name, of several folders given, get as many folders before it as tell them apart.
    loop {
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        for f in &found {
            *names.entry(tail(&f.real, f.parts)).or_default() += 1;
        }
        let mut again = false;
        for f in &mut found {
            if names[&tail(&f.real, f.parts)] > 1 && f.parts < f.real.components().count() {
                f.parts += 1;
                again = true;
            }
        }
        if !again {
            break;
        }
    }
    list.extend(found.into_iter().map(|f| Shader { name: tail(&f.real, f.parts), path: f.path }));
    list.sort_by(|a, b| a.name.cmp(&b.name));
    list.dedup();
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of a test, gone at its end.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str, files: &[&str]) -> Scratch {
            let dir = std::env::temp_dir().join(format!("gpucc-shaders-{}-{name}", std::process::id()));
            for f in files {
                let path = dir.join(f);
                fs::create_dir_all(path.parent().expect("a folder")).expect("a folder is made");
                fs::write(path, "").expect("a file is written");
            }
            Scratch(dir)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn names(paths: &[PathBuf]) -> Vec<String> {
        find(paths, &mut Vec::new()).into_iter().map(|s| s.name).collect()
    }

    #[test]
    fn relative_to_the_folder_given() {
        let s = Scratch::new("relative", &["a.wgsl", "sub/b.comp", "sub/readme.txt"]);
        for written in ["", ".", "./", "sub/.."] {
            assert_eq!(names(&[s.0.join(written)]), ["a.wgsl", "sub/b.comp"], "{written}");
        }
        assert_eq!(names(&[s.0.join("sub")]), ["b.comp"]);
        assert_eq!(names(&[s.0.join("sub/b.comp")]), ["b.comp"]);
        assert_eq!(names(&[s.0.clone(), s.0.join("sub/b.comp"), s.0.join("./a.wgsl")]), ["a.wgsl", "sub/b.comp"]);
    }

    #[test]
    fn one_name_in_several_folders() {
        let s = Scratch::new("twice", &["x/k/a.wgsl", "y/k/a.wgsl", "y/k/b.wgsl"]);
        let all = [s.0.join("x/k"), s.0.join("y/k")];
        assert_eq!(names(&all), ["b.wgsl", "x/k/a.wgsl", "y/k/a.wgsl"]);
    }

    #[cfg(unix)]
    #[test]
    fn circles_of_links_end() {
        use std::os::unix::fs::symlink;
        let s = Scratch::new("circle", &["real/a.wgsl", "b.wgsl"]);
        symlink("..", s.0.join("real/up")).expect("a link");
        symlink("real", s.0.join("again")).expect("a link");
        symlink("self.wgsl", s.0.join("self.wgsl")).expect("a link");
        // A link to itself is a shader that cannot be read: whoever reads it says so.
        assert_eq!(names(std::slice::from_ref(&s.0)), ["b.wgsl", "real/a.wgsl", "self.wgsl"]);
    }

    #[test]
    fn what_is_not_there_is_told() {
        let s = Scratch::new("missing", &["a.wgsl", "empty/readme.txt"]);
        let mut problems = Vec::new();
        let list = find(&[s.0.join("no.wgsl"), s.0.join("a.wgsl"), s.0.join("empty")], &mut problems);
        assert_eq!(list.len(), 1);
        assert_eq!(problems.len(), 2, "{problems:?}");
    }
}
