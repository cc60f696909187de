//! Tests of the comparisons of `--oracle`: it compares everything that a program's own text decides, and reports what it leaves out.

use std::time::{Duration, Instant};

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{Options, Target};
use gpucc_ir::Refusal;
use gpucc_machines::{Compared, Verdict, judge};
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::{exec, predict};

/// Runs a shader on a machine, changes a word of the second buffer if asked, and asks the oracle.
fn judged(
    source: &str,
    before: &Dispatch,
    target: Target,
    perturb: Option<u64>,
    change: Option<usize>,
) -> Result<Compared, Verdict> {
    let loaded = frontend::load(source.as_bytes(), Lang::Wgsl, &FrontOptions::default()).expect("a shader");
    let artifact = gpucc::compile_entry(&loaded.module, "main", &Options::new(target)).expect("code");
    let options = RunOptions { perturb, ..RunOptions::default() };
    let mut d = before.clone();
    gpucc_machines::run(artifact.container(), Some("main"), &mut d, &options).expect("it runs");
    if let Some(word) = change {
        let n = d.index_of(0, 1).expect("the second buffer");
        d.buffers[n].bytes[word * 4] ^= 0x40;
    }
    let place = (target.family(), target.generation_index());
    judge((&loaded.module, &artifact.outputs()[0].ir), "main", place, before, &d, &options)
}

fn targets() -> Vec<Target> {
    exec::targets("all:all")
}

const STRAYS: &str = "
    @group(0) @binding(0) var<storage, read> a: array<u32>;
    @group(0) @binding(1) var<storage, read_write> o: array<u32>;
    @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
        o[i] = i * 3u + 1u;
        o[4u + i] = a[i + 100u * (i & 1u)];
    }";

/// An access out of bounds leaves out the words that it decides, and no others.
#[test]
fn a_stray_access_switches_nothing_off() {
    let before = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[5, 6, 7, 8]).with_u32(0, 1, &[0; 8]);
    for target in targets() {
        let whole = judged(STRAYS, &before, target, None, None).unwrap_or_else(|v| panic!("{target}: {v}"));
        assert_eq!((whole.exact, whole.strayed, whole.bytes), (true, 2, 32), "{target}");
        // Under the machine's profile every word counts: the code says where its accesses go.
        for word in 0..8 {
            let found = judged(STRAYS, &before, target, None, Some(word));
            assert!(matches!(found, Err(Verdict::Profile(_))), "{target} word {word}");
        }
        // Against the plain oracle those count that no stray access decides.
        for word in 0..8 {
            let found = judged(STRAYS, &before, target, Some(1), Some(word));
            let open = word == 5 || word == 7;
            assert_eq!(found.is_ok(), open, "{target} word {word}");
        }
    }
}

/// Stores that go astray, in every place that the language lets them go.
#[test]
fn stray_stores() {
    let source = "
        @group(0) @binding(0) var<storage, read> a: array<u32>;
        @group(0) @binding(1) var<storage, read_write> o: array<u32>;
        @compute @workgroup_size(1) fn main() {
            o[a[0] + 3u] = 77u;
            o[1] = 5u;
        }";
    let before = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[50]).with_u32(0, 1, &[0; 8]);
    for target in targets() {
        let found = judged(source, &before, target, None, None).unwrap_or_else(|v| panic!("{target}: {v}"));
        assert!(found.exact && found.strayed > 0 && !found.is_whole(), "{target}: {found}");
    }
}

/// Random programs whose right code was called wrong, in `judged/` by the seeds that once gave them. Of the first four the order of invocations decides a word, but of subgroups
/// of one lane it never does. Of the fifth rounding and an access out of bounds decide it together, behind a `min`; of the last
/// a conversion to an integer hides how far its float may be off.
#[test]
fn right_code_is_not_called_wrong() {
    let programs = [
        ("20299", "vivante:gc2000"),
        ("21166", "vivante:gc3000"),
        ("21293", "vivante:gc2000"),
        ("21533", "vivante:gc7000"),
        ("20406", "tesla:nv84"),
        ("21280", "valhall:v9"),
    ];
    for (seed, target) in programs {
        let target = exec::targets(target)[0];
        let path = gpucc_tests::shared::workspace().join(format!("tests/tests/judged/{seed}.wgsl"));
        let source = std::fs::read(path).expect("a program");
        let loaded = frontend::load(&source, Lang::Wgsl, &FrontOptions::default()).expect("a shader");
        let artifact = gpucc::compile_entry(&loaded.module, "main", &Options::new(target)).expect("code");
        let done = gpucc_verify::verify(&loaded.module, &artifact, target, &gpucc_verify::InputOverrides::default());
        let left = done.unwrap_or_else(|d| panic!("seed {seed}: {d}"));
        assert!(left.is_empty(), "seed {seed}: {}", left[0]);
    }
}

fn logistic(steps: u32) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read> a: array<f32>;
        @group(0) @binding(1) var<storage, read_write> o: array<u32>;
        @compute @workgroup_size(1) fn main() {{
            var x = a[0];
            var high = 0u;
            for (var i = 0u; i < {steps}u; i++) {{ x = a[1] * x * (1.0 - x) / 1.0001; if x > 0.5 {{ high++; }} }}
            o[0] = bitcast<u32>(x); o[1] = high; o[2] = u32(x * 1.0e6); o[3] = {steps}u;
        }}"
    )
}

/// A chaotic iteration is no alarm and no long wait, and what does not depend on it is compared all the same.
#[test]
fn chaos_is_not_an_alarm() {
    for (steps, sampled) in [(3000, true), (1_000_000, false)] {
        let source = logistic(steps);
        let before = Dispatch::new([1, 1, 1]).with_f32(0, 0, &[0.3, 3.9]).with_u32(0, 1, &[0; 4]);
        for target in exec::targets("all") {
            let start = Instant::now();
            let found =
                judged(&source, &before, target, None, None).unwrap_or_else(|v| panic!("{target} {steps}: {v}"));
            assert!(found.exact, "{target}");
            assert!(start.elapsed() < Duration::from_secs(60), "{target} {steps}: {:?}", start.elapsed());
            if sampled {
                assert_eq!(found.unsampled, 0, "{target}: {found}");
                let wrong = judged(&source, &before, target, Some(3), Some(3));
                assert!(matches!(wrong, Err(Verdict::Accuracy(_))), "{target}");
            }
        }
    }
}

#[test]
fn says_what_it_compared() {
    let whole = Compared { buffers: 2, bytes: 48, exact: true, ..Compared::default() };
    assert_eq!(
        whole.to_string(),
        "oracle: match (2 buffers, 48 bytes; bit-exact under the machine's numeric profile, within WGSL accuracy of the source)"
    );
    assert!(whole.is_whole());
    // Nothing is no match, and neither is what leaves out more than a tenth of the words that changed.
    assert_eq!(Compared::default().to_string(), "oracle: not compared: the program writes no buffer");
    let most = Compared { changed: 10, ordered: 1, left: 1, unseen: 1, ..whole };
    assert!(most.to_string().starts_with("oracle: match (2 buffers"), "{most}");
    let more = Compared { changed: 9, ..most };
    assert_eq!(
        more.to_string(),
        "oracle: not compared: 1 of 9 values left out (12 %): 1 word that depend on the order of invocations"
    );
    let part = Compared { exact: false, strayed: 3, chaotic: 1, raced: 2, ..whole };
    assert_eq!(
        part.to_string(),
        "oracle: match (2 buffers, 48 bytes; approximations were moved, so not bit-exact; within WGSL accuracy of the source); not \
         compared with the source: 3 words that depend on accesses out of bounds, 1 word whose every digit depends on rounding; not \
         compared at all: 2 words that redirected accesses race for"
    );
}

/// A variable that nobody wrote decides the way: garbage to the oracle, mostly 0 to a machine. Neither is wrong.
const UNWRITTEN: &str = r#"module robust on
res0 "out" group 0 binding 0 storage_rw size 4 stride 4
entry "main" compute func0 size 1,1,1

func0 "main" {
  local0 "unwritten" size 4 align 4
block0:
  v0: i32 = load local0[0] align 4 {in_bounds}
  v1: b1 = icmp.ult v0, 7:i32
  br v1, block2, block1 merge block1
block2:
  store 5:i32, res0[0] align 4
  jump block1
block1:
  ret
}
"#;

/// The same as an index into a buffer of vectors.
const UNWRITTEN_INDEX: &str = r#"module robust on
res0 "out" group 0 binding 0 storage_rw size 256 stride 0
entry "main" compute func0 size 1,1,1

func0 "main" {
  local0 "unwritten" size 4 align 4
block0:
  v0: i32 = load local0[0] align 4 {in_bounds}
  v1: i32 = umin v0, 15:i32
  v2: i32 = imul v1, 4:i32
  store [1, 2, 3, 4]:i32x4, res0[0 + v2] align 16 {in_bounds}
  ret
}
"#;

/// An out-of-bounds load with an index that breaks the promise of alignment.
const STRAY_INDEX: &str = r#"module robust on
res0 "a" group 0 binding 0 storage_ro size 4 stride 4
res1 "out" group 0 binding 1 storage_rw size 256 stride 4
entry "main" compute func0 size 1,1,1

func0 "main" {
block0:
  v0: i32 = load res0[256] align 4
  store v0, res1[64 + v0] align 4
  ret
}
"#;

#[test]
fn bytes_that_nobody_wrote_decide_nothing() {
    for (text, target) in
        [UNWRITTEN, UNWRITTEN_INDEX, STRAY_INDEX].into_iter().flat_map(|t| targets().into_iter().map(move |g| (t, g)))
    {
        let loaded = frontend::load(text.as_bytes(), Lang::Gir, &FrontOptions::default()).expect("a module");
        let artifact = gpucc::compile_entry(&loaded.module, "main", &Options::new(target)).expect("code");
        let done = gpucc_verify::verify(&loaded.module, &artifact, target, &gpucc_verify::InputOverrides::default());
        done.unwrap_or_else(|d| panic!("{d}"));
    }
}

/// Of these what is left open is the sign of a zero, which of two like operands comes out, or where a texture is read at NaN.
const OPEN_ZEROS: &[&str] = &[
    "o[l.x] = bitcast<u32>(clamp(x, 0.0, 1.0));",
    "o[l.x] = bitcast<u32>(saturate(x));",
    "o[l.x] = bitcast<u32>(max(0.0, -x));",
    "o[l.x] = bitcast<u32>(min(x, 0.0)) ^ 256u;",
    "o[l.x] = bitcast<u32>(min(-0.0, x)) + bitcast<u32>(max(x, -0.0));",
    "let v = clamp(vec3(x, -x, 0.0), vec3(0.0), vec3(1.0)); o[l.x] = bitcast<u32>(v.x) ^ bitcast<u32>(v.y);",
];

/// Seeds for a stage that draws nothing are tried within the steps of one run, all together: how many depends on what each takes.
#[test]
fn tries_to_draw_something_share_one_budget() {
    let fragment = |turns: u32| {
        format!(
            "@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {{
               var a = p.x;
               for (var k = 0u; k < {turns}u; k++) {{ a = a * 0.5 + 1.0; }}
               if a > -1.0 {{ discard; }}
               return vec4f(a);
             }}"
        )
    };
    let given = gpucc_verify::InputOverrides::default();
    for target in targets() {
        let tries = |turns: u32, steps: u64| {
            let source = fragment(turns);
            let loaded = frontend::load(source.as_bytes(), Lang::Wgsl, &FrontOptions::default()).expect("a shader");
            let artifact = gpucc::compile_entry(&loaded.module, "main", &Options::new(target)).expect("code");
            let all = gpucc_verify::verify_entries(&loaded.module, &artifact, target, &given, steps);
            let all = all.unwrap_or_else(|d| panic!("{d}"));
            let left = all[0].not_compared().expect("nothing is drawn");
            assert!(left.why.iter().all(|w| w.reason == gpucc_verify::Reason::Nothing), "{target}: {left}");
            all[0].tries
        };
        assert_eq!(tries(0, 20_000_000), 120, "{target}: all seeds are tried where a try costs little");
        // A try takes more than 9,600 steps: half of the 480 pixels take four a turn at least. A run fits into a million.
        let (few, more) = (tries(10, 1_000_000), tries(10, 4_000_000));
        assert!((1..=104).contains(&few) && few < more, "{target}: {few} and {more} tries");
    }
}

fn compared(source: &str, target: Target, given: &gpucc_verify::InputOverrides) -> Result<(), String> {
    let loaded = frontend::load(source.as_bytes(), Lang::Wgsl, &FrontOptions::default()).expect("a shader");
    let artifact = gpucc::compile_entry(&loaded.module, "main", &Options::new(target)).map_err(|d| d.to_string())?;
    let done = gpucc_verify::verify(&loaded.module, &artifact, target, given).map_err(|d| format!("{d}\n{source}"))?;
    match done.as_slice() {
        [] => Ok(()),
        [left, ..] => Err(format!("{target}: {left}\n{source}")),
    }
}

#[test]
fn signs_of_zero_are_judged_as_the_ir_says() {
    // Ordinary values beside them: a comparison that is open in more than a tenth is none.
    let given = |words: &[u32]| {
        let mut words = words.to_vec();
        words.extend((0..56u32).map(|k| (1.5 + k as f32).to_bits()));
        let mut d = Dispatch::new([1; 3]).with_u32(0, 0, &words);
        gpucc_verify::InputOverrides {
            grid: Some([1; 3]),
            buffers: std::mem::take(&mut d.buffers),
            ..gpucc_verify::InputOverrides::default()
        }
    };
    let zeros = given(&[0x8000_0000, 0, 0x3f80_0000, 0x3f00_0000, 0xbf00_0000, 0x4000_0000, 0x8000_0000, 0x3e80_0000]);
    // Denormals may be zeros, so of these all may be left out.
    let denormals = given(&[0x8000_0000, 0, 1, 0x8000_0001, 0x007f_ffff, 0x8070_0000, 2, 0]);
    let (mut wrong, mut left, mut all) = (Vec::new(), 0, 0);
    for body in OPEN_ZEROS {
        let source = format!(
            "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
            @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) l: vec3<u32>) {{
                let x = bitcast<f32>(o[l.x]);
                {body}
            }}"
        );
        // Where a minimum is a zero for most words its sign is open in most.
        let (open, other): (Vec<String>, Vec<String>) = targets()
            .into_iter()
            .filter_map(|t| compared(&source, t, &zeros).err())
            .partition(|why| why.contains("more than a tenth of the result is open"));
        left += open.len();
        all += targets().len();
        wrong.extend(other);
        let other = targets().into_iter().filter_map(|t| compared(&source, t, &denormals).err());
        wrong.extend(other.filter(|why| !why.contains("not compared")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(4 * left < all, "{left} of {all} were not compared");
}

#[test]
fn a_nan_direction_has_no_face() {
    let source = "
        @group(0) @binding(0) var<storage, read_write> o: array<vec4<f32>, 64>;
        @group(0) @binding(1) var t: texture_cube<f32>;
        @group(0) @binding(2) var s: sampler;
        @group(0) @binding(3) var<storage, read> n: array<u32, 64>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
            o[i] = textureSampleLevel(t, s, vec3(bitcast<f32>(n[i]), 0.5, 0.25), 0.0);
        }";
    let words = [0x7fc0_0000, 0x3f80_0000, 0x7fc0_0001, 0xbf80_0000, 0, 0x8000_0000, 0xffc0_0000, 0x3f00_0000];
    // Ordinary directions beside them: a comparison that is open in more than a tenth is none.
    let words: Vec<u32> = words.into_iter().chain((0..56u32).map(|k| (0.03 * k as f32 - 0.8).to_bits())).collect();
    let mut d = Dispatch::new([1; 3]).with_u32(0, 3, &words);
    let given = gpucc_verify::InputOverrides {
        grid: Some([1; 3]),
        buffers: std::mem::take(&mut d.buffers),
        ..gpucc_verify::InputOverrides::default()
    };
    let seams = |t: gpucc::Target| predict::documented(exec::on(t), Refusal::CubeEdges);
    let all = crate::draws::drawing::with_row().into_iter().filter(|(d, t)| d.held.pictures && !seams(*t));
    let wrong: Vec<String> = all.map(|x| x.1).filter_map(|t| compared(source, t, &given).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Texels are chosen at places with eight bits of fraction, and levels of cubes come from directions as the chip has them.
#[test]
fn no_rule_says_exactly_where_a_texture_is_read() {
    let gather = "textureGather(t, s, p.xy / p.w * vec2(0.5, -0.5) + 0.5)";
    let cube = "textureSample(t, s, normalize(p.xyz - vec3(1.5, 1.5, 0.7)))";
    let mut wrong = Vec::new();
    for (texture, read) in [("texture_depth_2d", gather), ("texture_cube<f32>", cube)] {
        let source = format!(
            "@group(0) @binding(0) var t: {texture};
            @group(0) @binding(1) var s: sampler;
            @fragment fn main(@location(0) p: vec4<f32>) -> @location(0) vec4<f32> {{ return {read}; }}"
        );
        let seams = |t: gpucc::Target| read == cube && predict::documented(exec::on(t), Refusal::CubeEdges);
        let targets = crate::draws::drawing::pictures("all:all").into_iter().filter(|&t| !seams(t));
        wrong.extend(targets.filter_map(|t| compared(&source, t, &gpucc_verify::InputOverrides::default()).err()));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Buffers that end in halves: the last word is whole.
#[test]
fn what_ends_in_a_half_is_compared() {
    let types = ["vec3<f16>", "array<f16, 7>", "mat2x3<f16>", "S", "array<vec3<f16>, 3>", "f16"];
    let mut wrong = Vec::new();
    for ty in types {
        let source = format!(
            "enable f16;
            struct S {{ x: f32, y: f16 }}
            @group(0) @binding(0) var<storage, read_write> a: {ty};
            @group(0) @binding(1) var<storage, read> b: {ty};
            @compute @workgroup_size(1) fn main() {{ a = b; }}"
        );
        let given = gpucc_verify::InputOverrides::default();
        let all = targets().into_iter().filter_map(|t| compared(&source, t, &given).err());
        // GC2000 refuses stores of less than a word.
        wrong.extend(all.filter(|why| !why.starts_with("error[atomics]")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
