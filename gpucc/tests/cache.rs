//! Keys and the cache on disk.

use std::process::Command;

use gpucc::cache::{Cache, Folder, Key, cached};
use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{Module, Options, Target};

const TEXT: &str = "override n: u32 = 3;
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() { o[0] = n; }
@compute @workgroup_size(2) fn other() { o[1] = n; }";

fn load(text: &str, front: &FrontOptions) -> Module {
    frontend::load(text.as_bytes(), Lang::Wgsl, front).expect("a shader").module
}

fn options(target: &str) -> Options {
    Options::new(Target::parse(target).expect("a target"))
}

/// Whatever decides a byte of a container is in the key, and nothing else.
#[test]
fn keys_are_of_everything_that_decides() {
    let plain = FrontOptions::default();
    let module = load(TEXT, &plain);
    let key = Key::of(&module, "main", &options("gcn:gfx7"));
    assert_eq!(key, Key::of(&load(TEXT, &plain), "main", &options("gcn:gfx7")));
    assert_eq!(key.to_string().len(), 64);
    let overridden = FrontOptions { overrides: vec![("n".into(), 4.0)], ..plain.clone() };
    let trusted = FrontOptions { robust: false, ..plain.clone() };
    let mut verified = options("gcn:gfx7");
    verified.codegen.verify = true;
    assert_eq!(key, Key::of(&module, "main", &verified), "a check changes no code");
    let others = [
        Key::of(&module, "other", &options("gcn:gfx7")),
        Key::of(&module, "main", &options("gcn:gfx8")),
        Key::of(&module, "main", &options("tesla")),
        Key::of(&module, "main", &options("gcn:gfx7").opt(1)),
        Key::of(&load(TEXT, &overridden), "main", &options("gcn:gfx7")),
        Key::of(&load(TEXT, &trusted), "main", &options("gcn:gfx7")),
        // Lines and names are in a container too.
        Key::of(&load(&format!("\n{TEXT}"), &plain), "main", &options("gcn:gfx7")),
        Key::of(&load(&TEXT.replace("o:", "p:").replace("o[", "p["), &plain), "main", &options("gcn:gfx7")),
    ];
    for (i, a) in others.iter().enumerate() {
        assert!(*a != key && others[..i].iter().all(|b| b != a), "{i}");
    }
}

/// The folder of the second process, and what it does there.
const FOLDER: &str = "GPUCC_TEST_CACHE";

#[test]
fn a_folder_survives_two_processes_and_a_crash() {
    let module = load(TEXT, &FrontOptions::default());
    let all = ["gcn:gfx6", "gcn:gfx7", "gcn:gfx8", "tesla", "valhall", "vivante:gc7000"];
    let work = |cache: &Folder| -> Vec<Vec<u8>> {
        all.iter().map(|t| cached(cache, &module, "main", &options(t)).expect("code")).collect()
    };
    if let Ok(path) = std::env::var(FOLDER) {
        let cache = Folder::new(path).expect("a folder");
        (0..20).for_each(|_| {
            work(&cache);
        });
        return;
    }
    let path = std::env::temp_dir().join(format!("gpucc-cache-{}", std::process::id()));
    let cache = Folder::new(&path).expect("a folder");
    let own = std::env::current_exe().expect("this test");
    let child = || {
        let mut c = Command::new(&own);
        c.args(["--exact", "cache::a_folder_survives_two_processes_and_a_crash"]).env(FOLDER, &path);
        c.stdout(std::process::Stdio::null()).spawn().expect("it starts")
    };
    let mut children = [child(), child()];
    // One of them is killed at any point of its work.
    let mut killed = child();
    std::thread::sleep(std::time::Duration::from_millis(30));
    killed.kill().and_then(|()| killed.wait()).expect("it ends");
    let want: Vec<Vec<u8>> =
        all.iter().map(|t| gpucc::compile_entry(&module, "main", &options(t)).expect("code").bytes()).collect();
    for _ in 0..20 {
        assert_eq!(work(&cache), want);
    }
    for c in &mut children {
        assert!(c.wait().expect("it ends").success());
    }
    assert_eq!(work(&cache), want);
    // A file that was cut or spoiled is not taken, and is replaced.
    let key = Key::of(&module, "main", &options("tesla"));
    let whole = std::fs::read(cache.file(&key)).expect("the file");
    for bad in [&whole[..whole.len() / 2], &[], &[0; 100][..]] {
        std::fs::write(cache.file(&key), bad).expect("a file");
        assert!(cache.get(&key).is_none());
        assert_eq!(cached(&cache, &module, "main", &options("tesla")).expect("code"), want[3]);
        assert_eq!(std::fs::read(cache.file(&key)).expect("the file"), whole);
    }
    std::fs::remove_dir_all(path).expect("the folder goes");
}
