//! Shaders that are too big for a chip: refused with what they need, what there is, where, and what would help; never half compiled.

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{Options, Target};
use gpucc_ir::{Class, Diagnostic};
use gpucc_tests::exec;
use rayon::prelude::*;

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

/// A shader that reads and writes `storage` buffers, reads `uniform` ones and `textures`.
fn bound(storage: u32, uniform: u32, textures: u32) -> String {
    let mut text = String::new();
    for k in 0..storage {
        text += &format!("@group({}) @binding({}) var<storage, read_write> s{k}: array<u32>;\n", k % 2, k / 2);
    }
    for k in 0..uniform {
        text += &format!("@group(2) @binding({k}) var<uniform> uni{k}: vec4u;\n");
    }
    for k in 0..textures {
        text += &format!("@group(3) @binding({k}) var t{k}: texture_2d<u32>;\n");
    }
    text += "@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {\n  var x = i;\n";
    (0..storage).for_each(|k| text += &format!("  x = x * 3u + s{k}[i];\n"));
    (0..uniform).for_each(|k| text += &format!("  x = x * 5u + uni{k}.x * uni{k}[i];\n"));
    (0..textures).for_each(|k| text += &format!("  x = x * 7u + textureLoad(t{k}, vec2(i, 0u), 0).x;\n"));
    (0..storage).for_each(|k| text += &format!("  s{k}[i] = x + arrayLength(&s{k}) + {k}u;\n"));
    text + "}\n"
}

/// GCN's descriptors are loaded where they are used: no number of buffers is too large for its registers.
#[test]
fn gcn_takes_many_buffers() {
    for target in exec::targets("gcn:gfx6,gcn:gfx7,gcn:gfx8") {
        for (storage, uniform) in [(12, 0), (25, 0), (64, 0), (1, 30), (40, 24)] {
            let module = exec::lower(&bound(storage, uniform, 0), "main", &[]).expect("a valid shader");
            let mut d = gpucc_sim::Dispatch::new([1, 1, 1]);
            for k in 0..storage {
                d = d.with_u32(k % 2, k / 2, &[k, 2 * k, 3, 4]);
            }
            for k in 0..uniform {
                d = d.with_u32(2, k, &[k, 1, 2, 3]);
            }
            for opt_level in [0, 2] {
                let codegen = gpucc::CodegenOptions { opt_level, ..Default::default() };
                let mut d = d.clone();
                let run = gpucc_sim::RunOptions::default();
                exec::run_judged(&module, "main", target, &codegen, &mut d, &run)
                    .unwrap_or_else(|e| panic!("{target} -O{opt_level}, {storage} and {uniform}: {e}"));
            }
        }
        for (storage, uniform, textures) in [(24, 0, 20), (20, 20, 20)] {
            for (level, done) in compile(&target.to_string(), &bound(storage, uniform, textures)).iter().enumerate() {
                assert!(done.is_ok(), "{target} -O{level}, {storage}, {uniform} and {textures}: {done:?}");
            }
        }
    }
}

/// A text with a number: `#` is it, and what stands in `[[` and `]]` comes so often, there with the number of each.
pub fn counted(text: &str, n: u32) -> String {
    let piece = |part: &str| (0..n).map(|k| part.replace('#', &k.to_string())).collect::<String>();
    let mut parts = text.split("[[");
    let mut out = parts.next().unwrap_or_default().replace('#', &n.to_string());
    for part in parts {
        let (each, rest) = part.split_once("]]").expect("an end");
        out += &(piece(each) + &rest.replace('#', &n.to_string()));
    }
    out
}

pub const VERTEX_OUTPUTS: &str = "struct V { @builtin(position) p: vec4f, [[@location(#) a#: vec4f, ]] }
    @vertex fn main(@builtin(vertex_index) i: u32) -> V { var v: V; [[v.a# = vec4f(f32(i + #u)); ]] return v; }";
const FRAGMENT_INPUTS: &str = "struct V { [[@location(#) a#: vec4f, ]] }
    @fragment fn main(v: V) -> @location(0) vec4f { return [[v.a# + ]] vec4f(); }";
const COLOUR_TARGETS: &str = "struct O { [[@location(#) a#: vec4f, ]] }
    @fragment fn main(@builtin(position) p: vec4f) -> O { var o: O; [[o.a# = p * #.0; ]] return o; }";
const IN_GROUP: &str = "@group(#) @binding(0) var<storage, read_write> o: array<u32>;
    @compute @workgroup_size(1) fn main() { o[0] = 1u; }";
const INVOCATIONS: &str = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
    @compute @workgroup_size(#) fn main(@builtin(local_invocation_index) i: u32) { o[i] = i; }";
const TEXTURES: &str = "[[@group(0) @binding(#) var t#: texture_2d<f32>; ]] @group(1) @binding(0) var<storage, read_write> o: array<vec4f>;
    @compute @workgroup_size(1) fn main() { [[o[#] = textureLoad(t#, vec2(#), 0); ]] }";
const SAMPLERS: &str =
    "[[@group(0) @binding(#) var s#: sampler; ]] @group(1) @binding(0) var<storage, read_write> o: array<vec4f>;
    @group(1) @binding(1) var t: texture_2d<f32>;
    @compute @workgroup_size(1) fn main() { [[o[#] = textureSampleLevel(t, s#, vec2(0.5), 0.0); ]] }";
const IMAGES: &str = "[[@group(0) @binding(#) var t#: texture_storage_2d<rgba8unorm, write>; ]]
    @compute @workgroup_size(1) fn main() { [[textureStore(t#, vec2(#), vec4f(0.5)); ]] }";
const IMMEDIATES: &str =
    "struct S { [[m#: u32, ]] } var<immediate> p: S; @group(0) @binding(0) var<storage, read_write> o: array<u32>;
    @compute @workgroup_size(1) fn main() { [[o[#] = p.m#; ]] }";
const ATTRIBUTES: &str = "struct V { [[@location(#) a#: vec4f, ]] }
    @vertex fn main(v: V) -> @builtin(position) vec4f { return [[v.a# + ]] vec4f(); }";
const STATICS: &str =
    "[[var<workgroup> w#: array<u32, 64>; ]] @group(0) @binding(0) var<storage, read_write> o: array<u32>;
    @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
    [[w#[i] = i; ]] workgroupBarrier(); [[o[i] += w#[63u - i]; ]] }";

/// The program with a number of something.
#[derive(Clone, Copy)]
enum Source {
    Text(&'static str),
    /// Storage buffers.
    Storage,
    Uniform,
    /// Textures beside a storage buffer.
    Textures,
}

impl Source {
    fn with(self, n: u32) -> String {
        match self {
            Source::Text(text) => counted(text, n),
            Source::Storage => bound(n, 0, 0),
            Source::Uniform => bound(1, n, 0),
            Source::Textures => bound(1, 0, n),
        }
    }
}

/// The limits of a chip: as many compile, one more and very many more are refused with the number and by the code.
struct Most {
    targets: &'static str,
    code: &'static str,
    most: u32,
    source: Source,
}

use Source::Text;

const MOST: &[Most] = &[
    Most { targets: "gcn:gfx6,gcn:gfx7,gcn:gfx8", code: "varyings", most: 32, source: Text(VERTEX_OUTPUTS) },
    Most { targets: "gcn:gfx6,gcn:gfx7,gcn:gfx8", code: "varyings", most: 32, source: Text(FRAGMENT_INPUTS) },
    Most { targets: "gcn:gfx6,gcn:gfx7,gcn:gfx8", code: "stage-inputs", most: 8, source: Text(COLOUR_TARGETS) },
    Most { targets: "gcn:gfx6,gcn:gfx7,gcn:gfx8", code: "bind-group", most: 65_533, source: Text(IN_GROUP) },
    Most { targets: "valhall:v9,valhall:v10", code: "bind-group", most: 58, source: Text(IN_GROUP) },
    Most { targets: "tesla:all", code: "too-many-buffers", most: 15, source: Source::Storage },
    Most { targets: "tesla:all", code: "too-many-buffers", most: 13, source: Source::Uniform },
    Most { targets: "tesla:all", code: "texture-units", most: 16, source: Source::Textures },
    Most { targets: "tesla:nv50,tesla:nva3", code: "workgroup-size", most: 512, source: Text(INVOCATIONS) },
    Most { targets: "valhall,gcn,vivante", code: "workgroup-size", most: 1024, source: Text(INVOCATIONS) },
];

#[test]
fn one_more_than_a_chip_has() {
    for row in MOST {
        for target in exec::targets(row.targets) {
            for n in [row.most, row.most + 1, row.most.saturating_mul(3)] {
                let source = row.source.with(n);
                let loaded = frontend::load(source.as_bytes(), Lang::Wgsl, &FrontOptions::default());
                for level in [0, 2] {
                    let place = format!("{n} of `{}` on {target} at level {level}", row.code);
                    let done = match &loaded {
                        Ok(l) => gpucc::compile(&l.module, &Options::new(target).opt(level)).map(|_| ()),
                        Err(list) => Err(list[0].clone()),
                    };
                    match done {
                        Ok(()) => assert_eq!(n, row.most, "{place} compiles"),
                        Err(d) => {
                            assert!(n > row.most, "{place}: {d}");
                            assert_eq!((d.class, d.code), (Class::Unsupported, row.code), "{place}: {d}");
                            assert!(d.message.contains(&row.most.to_string()), "{place}: {d}");
                        }
                    }
                }
            }
        }
    }
}

/// Whatever there is more and more of: where it ends it ends by a code that has the number, and stays refused from there on.
#[test]
fn any_number_of_things_compiles_or_is_refused_with_the_number() {
    /// The counts, and their programs.
    type Kind = (&'static str, Source);
    let kinds: [Kind; 8] = [
        ("textures", Text(TEXTURES)),
        ("samplers", Text(SAMPLERS)),
        ("storage textures", Text(IMAGES)),
        ("immediates", Text(IMMEDIATES)),
        ("attributes", Text(ATTRIBUTES)),
        ("workgroup variables", Text(STATICS)),
        ("storage buffers", Source::Storage),
        ("uniform buffers", Source::Uniform),
    ];
    const MOST_OF: u32 = 300;
    let all: Vec<(&Kind, Target)> =
        kinds.iter().flat_map(|k| exec::targets("all:all").into_iter().map(move |t| (k, t))).collect();
    let one = |(&(name, source), target): (&Kind, Target)| -> Vec<String> {
        let refused = |n: u32| {
            let text = source.with(n);
            let loaded = frontend::load(text.as_bytes(), Lang::Wgsl, &FrontOptions::default());
            let done = match &loaded {
                Ok(l) => gpucc::compile(&l.module, &Options::new(target).opt(0)).map(drop),
                Err(list) => Err(list[0].clone()),
            };
            done.err()
        };
        let place = |n: u32, d: &Diagnostic| format!("{n} {name} on {target}: {d}");
        let (mut fits, mut wrong) = (0, Vec::new());
        let Some(mut last) = refused(MOST_OF) else { return wrong };
        let mut fails = MOST_OF;
        while fits + 1 < fails {
            let n = fits.midpoint(fails);
            match refused(n) {
                None => fits = n,
                Some(d) => (fails, last) = (n, d),
            }
        }
        if last.class != Class::Unsupported {
            wrong.push(place(fails, &last));
        }
        // Of the kind itself or of what it takes; nothing of the kind at all is no number.
        let said = last.message.replace(&target.to_string(), "");
        if fits > 0 && !said.contains(|c: char| c.is_ascii_digit()) {
            wrong.push(format!("{fits} fit: {}", place(fails, &last)));
        }
        wrong
    };
    let wrong: Vec<String> = all.into_par_iter().flat_map_iter(one).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
