//! What `cargo cinstall` puts where a program in C looks for it: the library with its soname, the static one, `gpucc.pc` and the header. A
//! program is compiled with what pkg-config says of them, both ways.

use std::path::Path;
use std::process::Command;

use crate::{run, workspace};

/// What a command prints; nothing where it is not installed.
fn said(program: &str, args: &[&str]) -> Option<String> {
    let done = Command::new(program).args(args).output().ok()?;
    done.status.success().then(|| String::from_utf8_lossy(&done.stdout).into_owned())
}

/// Builds and installs into a folder, the compiler's quickest way: what is built is no matter here.
fn install(prefix: &Path) {
    let target = workspace().join("target/cinstall");
    let done = Command::new(env!("CARGO"))
        .current_dir(workspace())
        .args(["cinstall", "--profile", "dev", "-p", "gpucc-capi", "--offline", "--libdir", "lib", "--prefix"])
        .arg(prefix)
        .arg("--target-dir")
        .arg(target)
        .env("CARGO_PROFILE_DEV_DEBUG", "false")
        .env("CARGO_INCREMENTAL", "0")
        .output()
        .expect("cargo starts");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn an_installed_library_is_found_by_pkg_config() {
    if said(env!("CARGO"), &["cinstall", "--version"]).is_none() {
        eprintln!("skipped: cargo-c is not installed");
        return;
    }
    let prefix = std::env::temp_dir().join(format!("gpucc-installed-{}", std::process::id()));
    install(&prefix);
    let lib = prefix.join("lib");
    let version = env!("CARGO_PKG_VERSION");
    let numbers: Vec<&str> = version.split('.').collect();
    let soname = format!("libgpucc.so.{}.{}", numbers[0], numbers[1]);
    for name in ["libgpucc.so", &soname, &format!("libgpucc.so.{version}"), "libgpucc.a", "pkgconfig/gpucc.pc"] {
        assert!(lib.join(name).exists(), "{name} is missing");
    }
    let installed = std::fs::read(prefix.join("include/gpucc.h")).expect("the header");
    let own = std::fs::read(workspace().join("capi/include/gpucc.h")).expect("the header");
    assert!(installed == own, "the header is another one");
    let library = lib.join("libgpucc.so");
    let library = library.to_str().expect("a plain path");
    if let Some(dynamic) = said("readelf", &["-d", library]) {
        assert!(dynamic.contains(&format!("soname: [{soname}]")), "{dynamic}");
    }
    // Nothing but what the header declares is for others.
    if let Some(symbols) = said("nm", &["-D", "--defined-only", library]) {
        let mut names: Vec<&str> = symbols.lines().filter_map(|l| l.split_whitespace().nth(2)).collect();
        names.retain(|n| !n.starts_with('_'));
        names.sort_unstable();
        let declared = crate::header::header();
        assert_eq!(names, declared.functions.keys().collect::<Vec<_>>());
    }
    let pkg_config = |args: &[&str]| {
        let mut pkg = Command::new("pkg-config");
        let done = pkg.env("PKG_CONFIG_PATH", lib.join("pkgconfig")).args(args).arg("gpucc").output().ok()?;
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        Some(String::from_utf8_lossy(&done.stdout).trim().to_string())
    };
    let Some(said_version) = pkg_config(&["--modversion"]) else {
        eprintln!("skipped: pkg-config is not installed");
        return;
    };
    assert_eq!(said_version, version);
    let program = prefix.join("run");
    for kind in ["dynamic", "static"] {
        let mut flags = pkg_config(&["--cflags", "--libs"]).expect("flags");
        if kind == "static" {
            let more = pkg_config(&["--static", "--libs-only-l"]).expect("flags").replace("-lgpucc", "");
            flags = format!("{} -I{} {more}", lib.join("libgpucc.a").display(), prefix.join("include").display());
        }
        let mut cc = Command::new("cc");
        cc.current_dir(workspace()).args(["-std=c99", "-Wall", "-Wextra", "-Werror", "capi/examples/run.c", "-o"]);
        cc.arg(&program).args(flags.split_whitespace()).arg(format!("-Wl,-rpath,{}", lib.display()));
        let done = cc.output().expect("cc starts");
        assert!(done.status.success(), "{kind}: {}", String::from_utf8_lossy(&done.stderr));
        let (code, out, err) = run(&program, &["examples/vecadd.wgsl", "gcn:gfx6"]);
        assert_eq!((code, &*out), (Some(0), "11\n22\n33\n44\n"), "{kind}: {err}");
    }
    std::fs::remove_dir_all(prefix).expect("the folder goes");
}
