//! Shaders that are too big for a chip: refused with what they need, what there is, where, and what would help; never half compiled.

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{Options, Target};
use gpucc_ir::{Class, Diagnostic};
use gpucc_tests::exec;

/// Compiles at every level; the results in order.
fn compile(target: &str, wgsl: &str) -> Vec<Result<usize, Diagnostic>> {
    let loaded = frontend::load(wgsl.as_bytes(), Lang::Wgsl, &FrontOptions::default()).expect("a valid shader");
    let target = Target::parse(target).expect("a target");
    let levels = [0, 1, 2, 3].into_iter();
    levels.map(|o| gpucc::compile(&loaded.module, &Options::new(target).opt(o)).map(|a| a.code().len())).collect()
}

/// Every level refuses it with this code; the message has these words, the primary place is this piece of the source.
#[track_caller]
fn refused(target: &str, wgsl: &str, code: &str, words: &[&str], place: Option<&str>) {
    for (level, result) in compile(target, wgsl).into_iter().enumerate() {
        let d = match result {
            Err(d) => d,
            Ok(n) => panic!("{target} -O{level} compiles it to {n} bytes"),
        };
        assert_eq!((d.class, d.code), (Class::Unsupported, code), "{target} -O{level}: {d}");
        assert!(d.message.contains(target), "{d}");
        for w in words {
            assert!(d.message.contains(w), "{target} -O{level} does not say `{w}`: {d}");
        }
        let span = d.labels.iter().map(|l| l.span).find(|s| s.is_known()).expect("a place in the source");
        let text = &wgsl[span.start as usize..span.end as usize];
        assert!(place.is_none_or(|p| text.contains(p)), "{target} -O{level} points at `{text}`");
        assert!(d.notes.iter().any(|n| n.contains("would help")), "{target} -O{level} does not help: {d:?}");
    }
}

fn workgroup_array(words: u32) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
         var<workgroup> few: array<u32, 64>;
         var<workgroup> many: array<u32, {words}>;
         @compute @workgroup_size(64) fn big(@builtin(local_invocation_index) l: u32) {{
             many[l] = o[l];
             few[l] = l;
             workgroupBarrier();
             o[l] = many[63u - l] + few[63u - l];
         }}"
    )
}

#[test]
fn workgroup_memory() {
    // 256 bytes beside it: references valhall 9, tesla 7.6, gcn 2.
    for (target, limit) in
        [("valhall:v9", 32768), ("valhall:v10", 32768), ("gcn:gfx6", 32768), ("gcn:gfx7", 65536), ("gcn:gfx8", 65536)]
    {
        let needs = (limit + 256 + 4).to_string();
        let has = limit.to_string();
        refused(target, &workgroup_array(limit / 4 + 1), "workgroup-memory", &[&has, &needs], Some("many"));
        for fits in compile(target, &workgroup_array(limit / 4 - 64)) {
            assert!(fits.is_ok(), "{target}: {fits:?}");
        }
    }
    // Parameters lie in the same 16 KiB.
    for target in ["tesla:nv50", "tesla:nv84", "tesla:nva0", "tesla:nva3"] {
        refused(target, &workgroup_array(4033), "workgroup-memory", &["16388"], Some("many"));
        for fits in compile(target, &workgroup_array(3900)) {
            assert!(fits.is_ok(), "{target}: {fits:?}");
        }
    }
    // The convention for Vivante puts what does not fit the chip into a buffer.
    for fits in compile("vivante:gc3000", &workgroup_array(40_000)) {
        assert!(fits.is_ok(), "{fits:?}");
    }
}

/// Values that are all needed at the end, and come from where they cannot be taken again.
fn alive(n: u32) -> String {
    let mut text = "@group(0) @binding(0) var<storage, read_write> o: array<vec4<f32>>;
         @compute @workgroup_size(64) fn big(@builtin(global_invocation_id) id: vec3<u32>) {\n"
        .to_string();
    for i in 0..n {
        text += &format!("let v{i} = o[id.x + {i}u];\n");
    }
    for i in 0..n {
        text += &format!("o[id.x * {n}u + {i}u] = v{i} * v{};\n", (i * 7 + 3) % n);
    }
    text + "}"
}

/// Where registers run out there is memory for them; gc2000 has no immediate offsets to reach it (docs/support.md).
#[test]
fn registers() {
    refused("vivante:gc2000", &alive(80), "out-of-registers", &["64 vec4", "needs"], None);
    for target in ["valhall:v10", "tesla:nva3", "gcn:gfx8", "vivante:gc3000", "vivante:gc7000"] {
        for done in compile(target, &alive(100)) {
            assert!(done.is_ok(), "{target}: {done:?}");
        }
    }
}

/// Spilling begins again from the whole function a few times at most: also where there is nowhere to spill to before a backend
/// has prepared memory, and where the code has several orders to choose from.
#[test]
fn spilling_is_no_search() {
    let loaded = frontend::load(alive(100).as_bytes(), Lang::Wgsl, &FrontOptions::default()).expect("a valid shader");
    for target in exec::targets("all:all") {
        let mut o = Options::new(target);
        o.codegen.time_passes = true;
        let Ok(a) = gpucc::compile(&loaded.module, &o) else {
            assert_eq!(target.to_string(), "vivante:gc2000");
            continue;
        };
        let tries = a.outputs()[0].times.iter().filter(|t| t.pass == "spilling").count();
        assert!((1..=5).contains(&tries), "{target}: {tries}");
    }
}

#[test]
fn private_memory() {
    let wgsl = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
         @compute @workgroup_size(64) fn big(@builtin(global_invocation_id) id: vec3<u32>) {
             var huge: array<u32, 60000>;
             for (var i = 0u; i < o[0]; i++) { huge[o[i] % 60000u] = i; }
             o[id.x] = huge[o[id.x] % 60000u];
         }";
    for target in ["valhall:v10", "tesla:nva3"] {
        refused(target, wgsl, "private-memory", &["240"], Some("huge"));
    }
}

#[test]
fn instructions() {
    let mut wgsl = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
         @compute @workgroup_size(64) fn big(@builtin(global_invocation_id) id: vec3<u32>) {
             var x = o[id.x];\n"
        .to_string();
    for i in 0..300 {
        wgsl += &format!("x = (x ^ {}u) * (x >> {}u) + o[x & 63u];\n", i * 77 + 1, 1 + i % 31);
    }
    wgsl += "o[id.x] = x; }";
    refused("vivante:gc2000", &wgsl, "program-size", &["512", "needs"], Some("big"));
    for fits in compile("vivante:gc3000", &wgsl) {
        assert!(fits.is_ok(), "{fits:?}");
    }
}

#[test]
fn invocations() {
    let wgsl = |n: u32| {
        format!(
            "@group(0) @binding(0) var<storage, read_write> o: array<u32>; @compute @workgroup_size({n}) fn big(@builtin(local_invocation_index) l: u32) {{ o[l] = l; }}"
        )
    };
    for (target, limit) in [("valhall:v10", 1024), ("tesla:nva3", 512), ("gcn:gfx8", 1024), ("vivante:gc3000", 1024)] {
        refused(target, &wgsl(limit * 2), "workgroup-size", &[&limit.to_string()], Some("big"));
        assert!(compile(target, &wgsl(limit)).iter().all(Result::is_ok), "{target}");
    }
}
