//! The runners say what they take.

use std::process::Command;

/// A set of nothing is no success.
#[test]
fn an_empty_set_is_told() {
    let folder = std::env::temp_dir().join(format!("gpucc-runners-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("none")).expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("a file");
        path.display().to_string()
    };
    let lines = write("lines", "\n\n");
    let cases = write("cases.json", r#"{"format": "cts-cases-1", "cases": []}"#);
    let none = folder.join("none").display().to_string();
    let runs: [(&str, &[&str]); 5] = [
        (env!("CARGO_BIN_EXE_vectors"), &["--target", "gcn", &lines]),
        (env!("CARGO_BIN_EXE_foreign"), &[&lines]),
        (env!("CARGO_BIN_EXE_conformance"), &["--on", "interp", "--opt", "2", &cases]),
        (env!("CARGO_BIN_EXE_conformance"), &["--on", "interp", "--opt", "2", &none]),
        (env!("CARGO_BIN_EXE_randprog"), &["--on", "gcn", "--count", "0"]),
    ];
    let codes: Vec<String> = runs
        .iter()
        .map(|(path, args)| {
            let o = Command::new(path).args(*args).output().expect("the runner starts");
            format!("{args:?}: {:?}: {}", o.status.code(), String::from_utf8_lossy(&o.stderr))
        })
        .collect();
    std::fs::remove_dir_all(&folder).expect("the folder goes");
    assert!(codes.iter().all(|c| c.contains("Some(2): error: nothing was compared")), "{codes:#?}");
}

#[test]
fn help_says_how_to_call_them() {
    let runners = [
        ("conformance", env!("CARGO_BIN_EXE_conformance")),
        ("foreign", env!("CARGO_BIN_EXE_foreign")),
        ("randprog", env!("CARGO_BIN_EXE_randprog")),
        ("scaling", env!("CARGO_BIN_EXE_scaling")),
        ("vectors", env!("CARGO_BIN_EXE_vectors")),
    ];
    for (name, path) in runners {
        let o = Command::new(path).arg("--help").output().expect("the runner starts");
        let said = String::from_utf8_lossy(&o.stdout) + String::from_utf8_lossy(&o.stderr);
        assert_eq!(o.status.code(), Some(0), "{name}: {said}");
        assert!(said.contains(&format!("Usage: {name} ")), "{name}: {said}");
        let o = Command::new(path).arg("--no-such-option").output().expect("the runner starts");
        assert_eq!(o.status.code(), Some(2), "{name}");
    }
}
