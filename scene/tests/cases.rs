//! Test cases of the conformance suite that need no shader.

use std::collections::BTreeMap;

use gpucc_scene::cases::{self, Body, Cases};
use gpucc_scene::{check, contents, output};

/// Every case is read, with every comparison; an output equals itself.
#[test]
fn every_case_is_read_checked_and_loaded() {
    let mut groups: BTreeMap<String, usize> = BTreeMap::new();
    for file in crate::shared::gfx() {
        for case in cases::open(&file).expect("the file is one of cases") {
            let case = case.unwrap_or_else(|e| panic!("{e}"));
            for e in &case.expect {
                // The bytes that were recorded pass a comparison with themselves.
                assert_eq!(e.compare.check(&e.bytes, &e.bytes), Ok(()), "{}: {}", case.id, e.name);
            }
            if let Body::Scene(scene) = &case.body {
                check::scene(scene).unwrap_or_else(|e| panic!("{}: {e}", case.id));
                let r = contents::load(scene, None).unwrap_or_else(|e| panic!("{}: {e}", case.id));
                check::loaded(scene, &r).unwrap_or_else(|e| panic!("{}: {e}", case.id));
                for o in &scene.outputs {
                    let bytes = output::bytes(scene, &r, o).unwrap_or_else(|e| panic!("{}: {e}", case.id));
                    let expected = case.expect.iter().find(|e| e.name == o.name).expect("an output that is expected");
                    assert_eq!(bytes.len(), expected.bytes.len(), "{}: {}", case.id, o.name);
                }
            }
            *groups.entry(case.group).or_default() += 1;
        }
    }
    let count: usize = groups.values().sum();
    assert!(count == 0 || (count, groups.len()) == (922, 29), "{groups:?}");
}

#[test]
fn the_group_of_generators_passes() {
    let Some(file) = crate::shared::gfx().into_iter().find(|p| p.ends_with("generator.json")) else { return };
    let mut passed = 0;
    for case in cases::open(&file).expect("the file is one of cases") {
        let case = case.expect("a case");
        let Body::Scene(scene) = &case.body else { panic!("{}", case.id) };
        let r = contents::load(scene, None).unwrap_or_else(|e| panic!("{}: {e}", case.id));
        for e in &case.expect {
            let o = scene.outputs.iter().find(|o| o.name == e.name).expect("an output");
            let got = output::bytes(scene, &r, o).expect("bytes");
            e.compare.check(&e.bytes, &got).unwrap_or_else(|d| panic!("{}: {}: {d}", case.id, e.name));
        }
        passed += 1;
    }
    assert_eq!(passed, 6);
}

#[test]
fn what_is_no_case_is_an_error() {
    assert!(Cases::new("{}".as_bytes(), "x").is_err_and(|e| e.to_string().starts_with("x: format: ")));
    let head = "{\"format\":\"gfx-cases-1\",\"group\":\"g\",\"count\":1,\"cases\":[\n";
    let one = |line: &str| {
        let text = format!("{head}{line},\n]}}\n");
        let list: Vec<_> = Cases::new(text.as_bytes(), "x").expect("a head").collect();
        assert_eq!(list.len(), 1);
        list.into_iter().next().expect("one").expect_err(line).to_string()
    };
    let scene = r#""id":"i","group":"g","scene":{"format":"scene-1"}"#;
    let expect = |compare: &str| {
        one(&format!(
            r#"{{{scene},"expect":[{{"name":"o","zlib64":"eNpjYMAOWLCIsTHQHwAABXgACw==","compare":{compare}}}]}}"#
        ))
    };
    let said = one("{");
    assert!(said.starts_with("x:2:") && said.contains(": EOF while parsing"), "{said}");
    assert_eq!(one(r#"{"id":"i","group":"g","expect":[]}"#), "x: i: exactly one of `scene`, `shader` is expected");
    assert!(expect(r#"{"kind":"close"}"#).starts_with("x: expect[0].compare.kind: unknown word `close`"));
    assert_eq!(expect(r#"{"kind":"near"}"#), "x: i: expect[0]: `type` is missing");
    assert_eq!(expect(r#"{"kind":"range","type":"u8"}"#), "x: i: expect[0]: `lo` is missing");
    assert!(expect(r#"{"kind":"exact","mask":"?"}"#).starts_with("x: i: expect[0]: the text is not base64"));
}
