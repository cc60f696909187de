//! The runners say what they take.

use std::process::Command;

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
        assert!(said.starts_with(&format!("usage: {name} ")), "{name}: {said}");
        let o = Command::new(path).arg("--no-such-option").output().expect("the runner starts");
        assert_eq!(o.status.code(), Some(2), "{name}");
    }
}
