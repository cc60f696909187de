//! Caches of what was compiled: a key of everything that it depends on, and where artifacts are kept.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use gpucc::cache::{Folder, cached};
//! # let target = gpucc::Target::parse("gcn")?;
//! # let (module, options) = (gpucc::Module::new(), gpucc::Options::new(target));
//! let cache = Folder::new("cache")?;
//! let container: Vec<u8> = cached(&cache, &module, "main", &options)?;
//! # Ok(()) }
//! ```

use std::fmt;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use gpucc_container::Container;
use gpucc_ir::{Diagnostic, Module, Stage};
use sha2::{Digest, Sha256};

use crate::variant::reduced_options;
use crate::{Options, compile_entry};

/// A key: a hash of everything that a container depends on. It is the same on every machine, and another one for each version of the library.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub [u8; 32]);

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A hasher of the standard library's kind over SHA-256. Numbers go in as 64 bits, so that those of machines with other words are the same.
#[derive(Default)]
struct Wide(Sha256);

/// Methods of a hasher that add a number as 64 bits.
macro_rules! wide {
    ($($method:ident $type:ty;)*) => {
        $(fn $method(&mut self, n: $type) {
            self.0.update((n as u64).to_le_bytes());
        })*
    };
}

impl Hasher for Wide {
    fn finish(&self) -> u64 {
        let all = self.0.clone().finalize();
        all.iter().take(8).fold(0, |n, b| n << 8 | u64::from(*b))
    }
    fn write(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }
    wide! {
        write_u8 u8; write_u16 u16; write_u32 u32; write_u64 u64; write_usize usize;
        write_i8 i8; write_i16 i16; write_i32 i32; write_i64 i64; write_isize isize;
    }
}

impl Key {
    /// The key of an entry point that is compiled with these options: of its module with names and places of the source, the target, the
    /// other stage and the state of its pipeline, and the version of the library. It is known before anything is compiled.
    pub fn of(module: &Module, entry: &str, options: &Options) -> Key {
        let mut hash = Wide::default();
        (env!("CARGO_PKG_VERSION"), gpucc_container::VERSION_MAJOR, gpucc_container::VERSION_MINOR).hash(&mut hash);
        (options.target.family(), options.target.generation(), entry).hash(&mut hash);
        module.hash(&mut hash);
        module.declared.hash(&mut hash);
        module.hash_lines(&mut hash);
        options.codegen.choices().hash(&mut hash);
        let mut key = [0; 32];
        key.copy_from_slice(&hash.0.finalize());
        Key(key)
    }

    /// As [`Key::of`], of the pieces of the pipeline's state alone that the program depends on ([`variant`](crate::variant)): states that differ in
    /// others have one key. The artifacts of one key have the same code, words and interface, and say different states.
    pub fn of_variant(module: &Module, entry: &str, options: &Options) -> Key {
        let stage = module.entries.iter().find(|e| e.name == entry).map_or(Stage::Compute, |e| e.stage.kind());
        Key::of(module, entry, &reduced_options(options, stage))
    }

    /// The key of bytes and what they are read with: for who wants to save the front end too. `how` is everything that decides the module, in
    /// any form that is always the same.
    pub fn of_source(source: &[u8], how: &[u8], entry: &str, options: &Options) -> Key {
        let mut hash = Wide::default();
        (env!("CARGO_PKG_VERSION"), gpucc_container::VERSION_MAJOR, gpucc_container::VERSION_MINOR).hash(&mut hash);
        (options.target.family(), options.target.generation(), entry, source, how).hash(&mut hash);
        options.codegen.choices().hash(&mut hash);
        let mut key = [0; 32];
        key.copy_from_slice(&hash.0.finalize());
        Key(key)
    }
}

/// Where artifacts are kept. What it gives is checked by who asks, so a cache may lose or spoil whatever it likes.
pub trait Cache {
    /// The bytes of a key, if they are there.
    fn get(&self, key: &Key) -> Option<Vec<u8>>;
    /// Keeps the bytes of a key, if it can.
    fn put(&self, key: &Key, bytes: &[u8]);
}

/// A folder with a file for each key. Several processes may use it at once, and it outlives a crash of any of them: a file is written under
/// a name of its own and then renamed, and its first bytes are a hash of the others.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
}

/// Numbers the files that this process writes.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

impl Folder {
    /// A folder, made where there is none.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn new(path: impl Into<PathBuf>) -> io::Result<Folder> {
        let path = path.into();
        std::fs::create_dir_all(&path)?;
        Ok(Folder { path })
    }

    /// The file of a key.
    pub fn file(&self, key: &Key) -> PathBuf {
        self.path.join(format!("{key}.gpucc"))
    }

    fn write(&self, to: &Path, bytes: &[u8]) -> io::Result<()> {
        let n = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let own = self.path.join(format!("{}.{n}.part", std::process::id()));
        let mut all = Sha256::digest(bytes).to_vec();
        all.extend_from_slice(bytes);
        // Whoever reads sees all of a file or none of it. What a crash leaves under the other name nobody reads.
        std::fs::write(&own, all).and_then(|()| std::fs::rename(&own, to)).inspect_err(|_| {
            let _ = std::fs::remove_file(&own);
        })
    }
}

impl Cache for Folder {
    fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let all = std::fs::read(self.file(key)).ok()?;
        let (hash, bytes) = all.split_at_checked(32)?;
        (Sha256::digest(bytes)[..] == *hash).then(|| bytes.to_vec())
    }

    fn put(&self, key: &Key, bytes: &[u8]) {
        // A cache that cannot be written is one that keeps nothing.
        let _ = self.write(&self.file(key), bytes);
    }
}

/// The container of an entry point, from a cache or compiled and put there.
///
/// # Errors
/// As [`compile_entry`].
pub fn cached(cache: &dyn Cache, module: &Module, entry: &str, options: &Options) -> Result<Vec<u8>, Diagnostic> {
    let key = Key::of(module, entry, options);
    if let Some(bytes) = cache.get(&key).filter(|b| Container::read(b).is_ok()) {
        return Ok(bytes);
    }
    let bytes = compile_entry(module, entry, options)?.bytes();
    cache.put(&key, &bytes);
    Ok(bytes)
}
