//! `gpucc run --immediates`: the data reaches the shader and the container, and what is missing is told.

use crate::common::{Scratch, expect};

const SHADER: &str = "struct P { n: u32, scale: f32, t: array<vec4<u32>, 2> }\nvar<immediate> p: P;\n\
    @group(0) @binding(0) var<storage, read_write> o: array<u32>;\n@compute @workgroup_size(4)\n\
    fn main(@builtin(local_invocation_index) i: u32) { o[i] = p.t[i % 2u].z + u32(f32(p.n) * p.scale); }\n";

#[test]
fn they_are_given_by_a_specification() {
    let s = Scratch::new("immediates");
    let shader = s.write("a.wgsl", SHADER);
    // n = 6, scale = 1.5; t[0].z = 30, t[1].z = 70.
    let data = "u32:6,1069547520,0,0,10,20,30,40,50,60,70,80";
    let run = ["run", &shader, "--buf", "0:0=zero:16", "--dump", "0:0=-", "--immediates"];
    let all = [&run[..], &[data, "--target", "interp,all:all", "--oracle"]].concat();
    let said = expect(&all, 0, "gcn:gfx8 0:0 = 39,79,39,79");
    assert_eq!(said.matches("0:0 = 39,79,39,79").count(), 13, "{said}");
    let words: Vec<u8> =
        [6, 1_069_547_520, 0, 0, 10, 20, 30, 40, 50, 60, 70, 80_u32].iter().flat_map(|w| w.to_le_bytes()).collect();
    let file = s.write("data", words);
    expect(&[&run[..], &[&file, "--target", "tesla"]].concat(), 0, "39,79,39,79");
    // The container alone, without the sections that may be missing.
    let bin = s.path("a.bin");
    expect(&[&shader, "--target", "valhall", "-o", &bin, "--verify"], 0, "");
    expect(&["run", &bin, "--buf", "0:0=zero:16", "--dump", "0:0=-", "--immediates", data], 0, "39,79,39,79");
    expect(&["inspect", &bin], 0, "`p`: immediate data, slot 0, at least 48 bytes");
    let json = expect(&["inspect", &bin, "--json"], 0, "\"kind\": \"immediates\"");
    assert!(json.contains("\"kind\": \"immediate\"") && json.contains("\"word\": 1"), "{json}");
    expect(&[&shader, "--target", "gcn", "--emit", "json", "-o", "-"], 0, "\"immediates\"");
}

#[test]
fn what_is_missing_is_told() {
    let s = Scratch::new("no-immediates");
    let shader = s.write("a.wgsl", SHADER);
    let bin = s.path("a.bin");
    expect(&[&shader, "--target", "gcn", "-o", &bin], 0, "");
    // The interpreter names the block, too.
    let none = "no immediate data is given, the program needs 48 bytes";
    let short = "immediate data has 4 bytes, the program needs 48";
    for file in [&shader, &bin] {
        let said = expect(&["run", file, "--buf", "0:0=zero:16"], 2, none);
        assert!(said.contains("; give it with --immediates SPEC"), "{said}");
        expect(&["run", file, "--buf", "0:0=zero:16", "--immediates", "u32:1"], 2, short);
    }
    expect(&["run", &shader, "--target", "interp", "--buf", "0:0=zero:16"], 2, none);
    expect(&["run", &shader, "--buf", "0:0=zero:16", "--immediates", "u32:x"], 2, "u32");
    let no_binding = "4294967295:0=zero:48";
    expect(&["run", &shader, "--buf", "0:0=zero:16", "--buf", no_binding], 2, "no buffer can be bound there");
}
