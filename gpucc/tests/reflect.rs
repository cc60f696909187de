//! Tests of `gpucc/src/reflect.rs`: each fact is that of a program whose source says it.

use gpucc::container::{Access, Interpolation, IoPlace, ResourceKind, Sampling, Source, Stage};
use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::reflect::{Program, Reflection, Uses};
use gpucc::{Errors, Module, Options, Target};

const TARGETS: [&str; 4] = ["valhall", "tesla:nva3", "gcn:gfx7", "vivante:gc7000"];

fn load(text: &str) -> Module {
    let loaded = frontend::load(text.as_bytes(), Lang::Wgsl, &FrontOptions::default());
    loaded.unwrap_or_else(|list| panic!("{}", Errors(list).with_source(text))).module
}

fn reflect(text: &str, target: &str) -> Reflection {
    let options = Options::new(Target::parse(target).expect("a target"));
    let done = gpucc::compile(&load(text), &options).unwrap_or_else(|d| panic!("{target}: {d}"));
    let all = done.reflection();
    // Bytes say the same, but for the limiter.
    let read = gpucc::container::Container::read(&done.bytes()).expect("a container");
    let mut again = done.reflection();
    again.programs.iter_mut().flat_map(|p| &mut p.occupancy).for_each(|o| o.limited_by = None);
    assert_eq!(format!("{:?}", Reflection::of(&read)), format!("{again:?}"), "{target}");
    all
}

/// Everything of a program has a name of its family.
fn is_named(p: &Program, target: &str) {
    let places = p.preloads.iter().map(|l| &l.place).chain(p.inputs.iter().chain(&p.outputs).map(|s| &s.place));
    places.for_each(|at| assert!(!at.name.starts_with("file "), "{target}: {at:?}"));
    p.registers.iter().for_each(|r| assert!(!r.name.starts_with("file "), "{target}: {r:?}"));
    p.state.iter().for_each(|w| assert!(!w.name.contains("of space"), "{target}: {w:?}"));
    p.words.iter().for_each(|w| assert!(!w.name.starts_with("word "), "{target}: {w:?}"));
    let unnamed = |t: &str| t.contains("of the family") && !t.contains("row") || t.contains("table 6");
    p.preloads.iter().for_each(|l| assert!(!unnamed(&l.meaning), "{target}: {l:?}"));
}

#[test]
fn a_compute_program_says_what_a_launch_needs() {
    let text = "struct U { scale: f32, more: vec4f }
        @group(0) @binding(1) var<uniform> u: U;
        @group(1) @binding(2) var<storage, read_write> o: array<f32>;
        var<workgroup> tile: array<f32, 32>;
        @compute @workgroup_size(8, 4) fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) g: vec3u) {
            tile[i] = u.scale * f32(g.x);
            workgroupBarrier();
            o[i] = tile[31u - i];
        }";
    for target in TARGETS {
        let all = reflect(text, target);
        assert_eq!(format!("{}:{}", all.family, all.generation), Target::parse(target).expect("a target").to_string());
        let p = all.program("main").expect("the program");
        is_named(p, target);
        assert_eq!((p.stage, p.workgroup_size), (Stage::Compute, [8, 4, 1]), "{target}");
        assert!(p.shared_bytes >= 32 * 4 && p.scratch_bytes == 0, "{target}: {}", p.shared_bytes);
        assert!(p.uses.barriers && p.uses.side_effects && !p.uses.trusted && !p.uses.discard, "{target}");
        assert_eq!((p.spills, p.reloads), (Some(0), Some(0)), "{target}");
        assert!(p.code.0 == 0 && p.code.1 > 0 && p.registers[0].count > 0, "{target}");
        let of = |name: &str| p.bindings.iter().find(|b| b.name.as_deref() == Some(name)).expect("a binding");
        let (u, o) = (of("u"), of("o"));
        assert_eq!(
            (u.group, u.binding, u.kind, u.access, u.count, u.size),
            (0, 1, ResourceKind::Uniform, Access::Read, 1, 32)
        );
        assert_eq!((o.group, o.binding, o.kind, o.size), (1, 2, ResourceKind::Storage, 4), "{target}");
        // With bounds kept a store is one, whatever is around it.
        assert!(o.access != Access::Read && o.element == 0, "{target}: {:?}", o.access);
        assert!(p.inputs.is_empty() && p.outputs.is_empty() && p.immediates.is_none() && p.pipeline.is_none());
    }
    // What a SIMD and a lane hold at once, and why no more.
    for (target, unit, count, limited_by) in [("gcn:gfx7", "waves", 10, "none"), ("valhall", "threads", 2, "none")] {
        let all = reflect(text, target);
        let o = all.programs[0].occupancy.as_ref().expect("a number");
        assert_eq!((o.unit, o.count, o.limited_by), (unit, count, Some(limited_by)), "{target}");
    }
    assert!(reflect(text, "tesla").programs[0].occupancy.is_none());
}

#[test]
fn subgroups_are_as_wide_as_those_of_the_chip() {
    let text = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @compute @workgroup_size(1) fn main() { o[0] = 1u; }";
    for (target, lanes) in [("valhall", 16), ("tesla", 32), ("gcn", 64)] {
        assert_eq!(reflect(text, target).programs[0].subgroup_size, lanes, "{target}");
    }
}

#[test]
fn push_words_say_which_ones_are_read() {
    let text = "struct P { a: u32, b: u32, c: u32, d: u32 }
        var<immediate> p: P;
        @group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @compute @workgroup_size(1) fn main() { o[0] = p.b + p.d; }";
    for target in ["valhall", "gcn:gfx7", "vivante:gc7000"] {
        let all = reflect(text, target);
        let p = all.programs[0].immediates.as_ref().expect("a block");
        assert_eq!((p.name.as_deref(), p.size, &p.words[..]), (Some("p"), 16, &[1, 3][..]), "{target}");
        let computed = all.programs[0].steps.iter().flat_map(|s| s.step.operands.iter().copied());
        let sources = all.programs[0].preloads.iter().map(|l| l.source).chain(computed);
        assert_eq!(sources.filter(|s| matches!(s, Source::Immediate(1 | 3))).count(), 2, "{target}");
        assert!(all.programs[0].bindings.iter().all(|b| b.kind != ResourceKind::Immediates));
    }
    // There it is a constant space.
    let tesla = reflect(text, "tesla");
    let p = tesla.programs[0].immediates.as_ref().expect("a block");
    assert_eq!((p.size, p.in_memory), (16, false));
}

#[test]
fn stages_say_inputs_outputs_and_state() {
    let text = "struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f, @location(2) @interpolate(flat) k: u32,
            @location(3) @interpolate(linear, centroid) c: f32 }
        @group(0) @binding(0) var t: texture_2d<f32>;
        @group(0) @binding(1) var s: sampler;
        @vertex fn vs(@location(0) at: vec2f, @location(1) n: vec3f, @builtin(instance_index) i: u32) -> V {
            return V(vec4f(at, n.x, 1), n.yz, i, n.z);
        }
        @fragment fn fs(v: V) -> @location(0) vec4f { return textureSample(t, s, v.uv) * f32(v.k) * v.c; }";
    for target in ["tesla:nva3", "gcn:gfx7", "vivante:gc7000"] {
        let all = reflect(text, target);
        all.programs.iter().for_each(|p| is_named(p, target));
        let (vs, fs) = (all.program("vs").expect("vs"), all.program("fs").expect("fs"));
        assert_eq!((vs.stage, fs.stage, vs.entry_index, fs.entry_index), (Stage::Vertex, Stage::Fragment, 0, 1));
        let location = |number| IoPlace::Location { number, blend_src: 0 };
        let at =
            |list: &[gpucc::reflect::Slot]| list.iter().map(|s| (s.at, s.components, s.is_integer)).collect::<Vec<_>>();
        assert_eq!(at(&vs.inputs), [(location(0), 3, false), (location(1), 7, false)], "{target}");
        let mut given = at(&vs.outputs);
        given.sort_by_key(|o| o.0 != IoPlace::Position);
        let varyings = [(location(0), 3, false), (location(2), 1, true), (location(3), 1, false)];
        assert_eq!(given[0], (IoPlace::Position, 15, false), "{target}");
        assert_eq!(given[1..], varyings, "{target}");
        let read: Vec<_> = fs.inputs.iter().filter(|s| s.at != IoPlace::Position).collect();
        let how: Vec<_> = read.iter().map(|s| (s.at, s.interpolation, s.sampling)).collect();
        let want = [
            (location(0), Interpolation::Perspective, Sampling::Center),
            (location(2), Interpolation::Flat, Sampling::Center),
            (location(3), Interpolation::Linear, Sampling::Centroid),
        ];
        assert_eq!(how, want, "{target}");
        assert_eq!(at(&fs.outputs), [(location(0), 15, false)], "{target}");
        assert!(fs.uses.helpers && !vs.uses.helpers, "{target}");
        assert!(!fs.state.is_empty() && fs.pipeline.is_some(), "{target}");
        let kinds: Vec<_> = fs.bindings.iter().map(|b| b.kind).collect();
        assert!(
            kinds.contains(&ResourceKind::Texture) && kinds.contains(&ResourceKind::Sampler),
            "{target}: {kinds:?}"
        );
    }
}

#[test]
fn fragment_programs_say_what_decides_fixed_function() {
    let none = Uses::default();
    for (body, want) in [
        (
            "@fragment fn f(@location(0) a: f32) -> @location(0) vec4f { if a < 0.5 { discard; } return vec4f(a); }",
            Uses { discard: true, ..none },
        ),
        ("@fragment fn f(@location(0) a: f32) -> @builtin(frag_depth) f32 { return a; }", Uses { depth: true, ..none }),
        (
            "struct O { @location(0) c: vec4f, @builtin(sample_mask) m: u32 }
            @fragment fn f(@location(0) a: f32) -> O { return O(vec4f(a), 1u); }",
            Uses { sample_mask: true, ..none },
        ),
        (
            "@fragment fn f(@location(0) @interpolate(perspective, sample) a: f32) -> @location(0) vec4f { return vec4f(a); }",
            Uses { sample_shading: true, ..none },
        ),
        (
            "@fragment fn f(@location(0) a: f32) -> @location(0) vec4f { return vec4f(dpdx(a)); }",
            Uses { helpers: true, ..none },
        ),
        (
            "@group(0) @binding(0) var<storage, read_write> o: array<f32>;
            @fragment fn f(@location(0) a: f32) -> @location(0) vec4f { o[0] = a; return vec4f(a); }",
            Uses { side_effects: true, ..none },
        ),
        ("@fragment fn f(@location(0) a: f32) -> @location(0) vec4f { return vec4f(a); }", none),
    ] {
        for target in ["gcn:gfx7", "valhall"] {
            assert_eq!(reflect(body, target).programs[0].uses, want, "{target}: {body}");
        }
    }
}

/// Masks, counts and values that are read, by hand from the source.
#[test]
fn programs_say_masks_counts_and_what_they_read() {
    let text = "struct V { @builtin(position) p: vec4f, @location(1) a: vec4f, @location(4) @interpolate(flat) k: u32, @location(6) @interpolate(linear) l: f32 }
        @group(1) @binding(3) var t: texture_2d<f32>;
        @group(1) @binding(4) var other: texture_2d<f32>;
        @group(2) @binding(5) var s: sampler;
        @group(0) @binding(6) var<uniform> u: vec4f;
        @vertex fn vs(@location(0) p: vec4f, @location(3) q: vec4f, @builtin(instance_index) i: u32) -> V { return V(p, q, i, q.x); }
        @fragment fn fs(v: V, @builtin(front_facing) front: bool, @builtin(sample_index) n: u32) -> @location(0) vec4f {
            let both = textureSample(t, s, v.a.xy) + textureSample(other, s, v.a.zw);
            return select(both, u, front) * f32(v.k + n) * v.l * v.p.z;
        }";
    for target in ["valhall", "tesla:nva3", "gcn:gfx7", "gcn:gfx8"] {
        let all = reflect(text, target);
        let (vs, fs) = (all.program("vs").expect("vs"), all.program("fs").expect("fs"));
        assert_eq!((vs.input_mask(), vs.output_mask(), fs.input_mask()), (0b1001, 0b101_0010, 0b101_0010), "{target}");
        assert_eq!((vs.flat_mask(), fs.flat_mask(), fs.packed_mask()), (0, 1 << 4, 0), "{target}");
        assert_eq!((vs.group_mask(), fs.group_mask(), fs.clip_mask()), (0, 0b111, 0), "{target}");
        let c = fs.counts();
        assert_eq!((c.uniform_buffers, c.textures, c.samplers, c.inputs, c.outputs), (1, 2, 1, 3, 1), "{target}");
        assert_eq!((fs.texture_mask().count_ones(), fs.sampler_mask().count_ones()), (2, 1), "{target}");
        let slots = fs.bindings.iter().filter(|b| b.kind == ResourceKind::Texture).map(|b| 1u64 << b.slot);
        assert_eq!(slots.fold(0, |m, b| m | b), fs.texture_mask(), "{target}");
        assert!(fs.reads_value("front_facing") && fs.reads_value("sample_index"), "{target}: {:?}", fs.reads);
        assert!(fs.reads.iter().any(|r| r == "frag_coord" || r == "frag_z"), "{target}: {:?}", fs.reads);
        assert!(
            vs.reads.iter().any(|r| r.ends_with("instance_index")) && !vs.reads_value("vertex_index"),
            "{:?}",
            vs.reads
        );
        assert!(fs.uses.sample_shading && !fs.may_merge_workgroups() && fs.barrier_count() == 0, "{target}");
        let (step, more) = if target.starts_with("valhall") {
            (128, 16)
        } else if target.starts_with("tesla") {
            (64, 0)
        } else {
            (256, 0)
        };
        let padded = fs.padded_code_bytes;
        assert!(
            padded % step == 0 && padded >= fs.code.1 + more && padded < fs.code.1 + more + step,
            "{target}: {padded}"
        );
        assert!(fs.statistics.iter().any(|(name, n)| name == "bytes" && *n >= u64::from(fs.code.1)), "{target}");
    }
    let merged = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) i: vec3u) { o[i.x] = i.x; }";
    let barrier = merged.replace("{ o", "{ storageBarrier(); o");
    for target in TARGETS {
        let all = reflect(merged, target);
        assert!(all.programs[0].may_merge_workgroups() && all.programs[0].barrier_count() == 0, "{target}");
        let all = reflect(&barrier, target);
        assert!(!all.programs[0].may_merge_workgroups() && all.programs[0].barrier_count() == 1, "{target}");
    }
}
