//! Wrong modules: what a compiler may do wrong with quads and images is noticed by the comparison of cases. A scene is drawn with
//! its modules as the passes make them, and passes; then one thing is exchanged in a module, and it must fail.

use std::path::Path;

use gpucc_ir::{Attr, Block, Builder, Edge, FloatCc, Function, Inst, Op, SecondaryMap, Type, Value};
use gpucc_opt::{Caps, Options, prepare};
use gpucc_render::{Lowering, Place, PreparedScene};
use gpucc_scene::cases::{self, Body, Case, Expected};
use gpucc_scene::compare::Compare;
use gpucc_scene::read;
use gpucc_tests::cases::Verdict;
use gpucc_tests::{gfx, shared};

/// A triangle over the pixels of the upper left with x + y < 7: its hypotenuse goes through the centres of those with x + y = 7,
/// and is no edge that covers them. Level k of the texture is red 50 (k + 1); `uv` moves by two texels a pixel, so level 1 is read.
const SCENE: &str = include_str!("gfx_mutants.toml");

/// The scene with a fragment shader, and the colour of each pixel that the triangle covers.
fn case(id: &str, body: &str, colour: impl Fn(usize, usize) -> [u8; 4]) -> Case {
    let scene = read::parse(&SCENE.replace("BODY", body), read::Language::Toml).expect("a scene");
    let pixel = |k: usize| if k % 8 + k / 8 < 7 { colour(k % 8, k / 8) } else { [0; 4] };
    let bytes = (0..64).flat_map(pixel).collect();
    let expect = vec![Expected { name: "picture".into(), bytes, compare: Compare::exact() }];
    Case { id: id.into(), group: "mutants".into(), requires: Vec::new(), body: Body::Scene(Box::new(scene)), expect }
}

/// The case with its modules as the passes of level 0 make them: one function, variables are values, branches as written.
fn prepared(case: &Case) -> PreparedScene {
    let mut ready = gfx::ready(case, Path::new("")).unwrap_or_else(|v| panic!("{}: {v:?}", case.id));
    for e in &mut ready.shaders.entries {
        let options = Options { level: 0, ..Options::default() };
        e.module = prepare(&e.module, &e.name, &Caps::FULL, &options).unwrap_or_else(|d| panic!("{}: {d}", case.id)).0;
    }
    ready
}

/// Changes the functions of the fragment stages; says whether one has changed.
fn change(ready: &mut PreparedScene, mut change: impl FnMut(&mut Function) -> bool) -> bool {
    let mut any = false;
    for e in ready.shaders.entries.iter_mut().filter(|e| e.stage == gpucc_ir::Stage::Fragment) {
        let func = e.point().func;
        any |= change(&mut e.module.funcs[func]);
    }
    any
}

fn verdict(case: &Case, ready: &PreparedScene) -> Verdict {
    gfx::draw(case, ready, Place::Oracle(Lowering::Source), Some(1))
}

/// The case passes as it is, and fails with the change.
fn notices(case: &Case, wrong: impl FnMut(&mut Function) -> bool) {
    let mut ready = prepared(case);
    let v = verdict(case, &ready);
    assert!(matches!(v, Verdict::Passed), "{}: {v:?}", case.id);
    assert!(change(&mut ready, wrong), "{}: nothing was changed", case.id);
    let v = verdict(case, &ready);
    assert!(matches!(v, Verdict::Failed(_)), "{}: {v:?}", case.id);
}

fn find(f: &Function, mut is: impl FnMut(&Function, Inst) -> bool) -> Option<(Block, usize)> {
    f.layout.iter().find_map(|&b| Some((b, f.blocks[b].insts.iter().position(|&i| is(f, i))?)))
}

/// Moves the first sample to the first arm of the branch that ends its block.
fn sample_into_arm(f: &mut Function) -> bool {
    let Some((block, at)) = find(f, |f, i| f.insts[i].op == Op::Sample) else { return false };
    if f.insts[f.terminator(block)].op != Op::Br {
        return false;
    }
    let arm = f.succs(block)[0];
    let sample = f.blocks[block].insts.remove(at);
    f.blocks[arm].insts.insert(0, sample);
    true
}

/// Zero in place of all inputs where the triangle of [`SCENE`] does not cover the pixel.
fn zero_helpers(f: &mut Function) -> bool {
    let inputs: Vec<(Block, Inst)> =
        f.insts_in_order().filter(|(_, i)| matches!(f.insts[*i].attr, Attr::Input(_))).collect();
    for &(block, i) in &inputs {
        let at = f.blocks[block].insts.iter().position(|&x| x == i).expect("it stands there");
        let v = f.insts[i].result();
        let zero = f.zero(f.ty(v));
        let mut b = Builder::before(f, block, at + 1);
        let p = b.sysval(gpucc_ir::Sysval::FragCoord);
        let (x, y) = (b.extract(p, 0), b.extract(p, 1));
        let (sum, eight) = (b.fadd(x, y), b.func.fconst(Type::F32, 8.0));
        let helps = b.fcmp(FloatCc::Oge, sum, eight);
        let chosen = b.select(helps, zero, v);
        let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::with_default(None);
        map[v] = Some(chosen);
        f.replace_uses(&map);
        let select = f.def_inst(chosen).expect("it was just made");
        f.insts[select].args[2] = v;
    }
    !inputs.is_empty()
}

/// Exchanges the first image store with the first load behind it.
fn exchange_store_and_load(f: &mut Function) -> bool {
    let Some((block, store)) = find(f, |f, i| f.insts[i].op == Op::ImageStore) else { return false };
    let list = &mut f.blocks[block].insts;
    let Some(load) = (store..list.len()).find(|&k| f.insts[list[k]].op == Op::ImageLoad) else { return false };
    let store = list.remove(store);
    list.insert(load, store);
    true
}

/// Does the first sample or derivative of the entry block twice, for the two colours of a checkerboard of pixels.
fn split_quads(f: &mut Function) -> bool {
    let block = f.entry();
    let at = f.blocks[block].insts.iter().position(|&i| matches!(f.insts[i].op, Op::Sample | Op::Derivative));
    let Some(at) = at.filter(|_| f.blocks[block].header.is_none()) else { return false };
    let mut rest: Vec<Inst> = f.blocks[block].insts.drain(at..).collect();
    let one = rest.remove(0);
    let (v, data) = (f.insts[one].result(), f.insts[one].clone());
    let ty = f.ty(v);
    let [left, right, end] = [0; 3].map(|_| f.add_block());
    let joined = f.add_param(end, ty);
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::with_default(None);
    map[v] = Some(joined);
    f.blocks[end].insts.extend(rest);
    f.replace_uses(&map);
    let mut b = Builder::new(f, block);
    let p = b.sysval(gpucc_ir::Sysval::FragCoord);
    let [x, y] = [0, 1].map(|k| b.extract(p, k));
    let [x, y] = [x, y].map(|v| b.f2u(v, Type::I32));
    let x = b.xor(x, y);
    let bit = b.func.iconst(Type::I32, 1);
    let odd = b.and(x, bit);
    let zero = b.func.zero(Type::I32);
    let odd = b.icmp(gpucc_ir::IntCc::Ne, odd, zero);
    b.br(odd, Edge::to(left), Edge::to(right), Some(end));
    for arm in [left, right] {
        let copy = f.make_inst(data.clone(), &[ty]);
        f.blocks[arm].insts.push(copy);
        let v = f.insts[copy].result();
        Builder::new(f, arm).jump(end, &[v]);
    }
    // The new blocks stand behind the entry.
    f.layout.truncate(f.layout.len() - 3);
    let place = f.layout.iter().position(|&b| b == block).map_or(1, |k| k + 1);
    f.layout.splice(place..place, [left, right, end]);
    true
}

const SAMPLED: [u8; 4] = [100, 0, 0, 255];

#[test]
fn a_sample_that_leaves_its_quad_is_noticed() {
    let body = "@fragment fn fs(v: V) -> @location(0) vec4<f32> {
        let c = textureSample(t, s, v.uv);
        var out = vec4<f32>(0.0, 1.0, 0.0, 1.0);
        if ((u32(v.p.x) + u32(v.p.y)) & 1u) == 0u { out = c; }
        return out;
    }";
    let colour = |x: usize, y: usize| if (x + y).is_multiple_of(2) { SAMPLED } else { [0, 255, 0, 255] };
    notices(&case("a checkerboard of samples", body, colour), sample_into_arm);
}

#[test]
fn helpers_that_are_cut_are_noticed() {
    let body = "@fragment fn fs(v: V) -> @location(0) vec4<f32> {
        let c = textureSample(t, s, v.uv);
        var out = vec4<f32>(0.0, 1.0, 0.0, 1.0);
        if u32(v.p.x) + u32(v.p.y) < 7u { out = c; }
        return out;
    }";
    notices(&case("samples of the triangle alone", body, |_, _| SAMPLED), sample_into_arm);
}

#[test]
fn helpers_with_wrong_inputs_are_noticed() {
    let body = "@fragment fn fs(v: V) -> @location(0) vec4<f32> { return textureSample(t, s, v.uv); }";
    notices(&case("a sample with helpers' inputs", body, |_, _| SAMPLED), zero_helpers);
    // A quarter of a texture coordinate a pixel: 0.25 * 0.8 is 51 codes.
    let body = "@fragment fn fs(v: V) -> @location(0) vec4<f32> {
        return vec4<f32>(dpdx(v.uv.x) * 0.8, dpdy(v.uv.y) * 1.6, abs(dpdx(v.uv.y)), 1.0);
    }";
    notices(&case("derivatives with helpers' inputs", body, |_, _| [51, 102, 0, 255]), zero_helpers);
}

#[test]
fn a_store_behind_a_load_of_its_image_is_noticed() {
    let body = "@group(0) @binding(2) var image: texture_storage_2d<r32uint, read_write>;
    @fragment fn fs(v: V) -> @location(0) vec4<f32> {
        let at = vec2<u32>(v.p.xy);
        textureStore(image, at, vec4<u32>(at.x * 8u + at.y));
        let got = textureLoad(image, at).x;
        return vec4<f32>(f32(got) / 255.0, 0.0, 0.0, 1.0);
    }";
    let case = case("a store and a load", body, |x, y| [(x * 8 + y) as u8, 0, 0, 255]);
    notices(&case, exchange_store_and_load);
}

/// A public case that gives the same bytes when its quads are taken apart; what is written in it instead of what, so that it shows;
/// and what its red is then. A lane whose neighbour is off reads 0, and all four answers are 0 or hang on no such lane.
struct Blind {
    id: &'static str,
    from: &'static str,
    to: &'static str,
    red: fn(f32) -> f32,
}

const BLIND: [Blind; 4] = [
    // The derivative itself is 0.
    Blind { id: "derivative/dpdx/1#A", from: "0.0 * p.x", to: "0.5 * p.x", red: |_| 0.5 },
    // The longer gradient chooses the level; without that of x an equal one of y is left. A shorter one of y changes nothing.
    Blind { id: "implicit-lod/2d/grad-of-dpdx#A", from: "dpdy(uv))", to: "dpdy(uv) * 0.25)", red: |r| r },
    // Comparisons that hold nowhere: with the opposite one they hold everywhere.
    Blind { id: "implicit-lod/depth-2d/clamp#A", from: "\"greater\"", to: "\"less-equal\"", red: |r| 1.0 - r },
    Blind { id: "implicit-lod/depth-cube/plain#A", from: "\"less\"", to: "\"greater-equal\"", red: |r| 1.0 - r },
];

/// The cases that are blind say it when they are asked in another way.
#[test]
fn blind_cases_notice_it_when_they_are_asked_otherwise() {
    let Some(folder) = shared::find("conformance/gfx") else { return };
    for b in &BLIND {
        let group = b.id.split('/').next().unwrap_or_default();
        let text = std::fs::read_to_string(folder.join(format!("{group}.json"))).expect("a file of cases");
        let named = format!("\"{}\"", b.id);
        let line = text.lines().find(|l| l.contains(&named)).unwrap_or_else(|| panic!("no {}", b.id));
        assert_eq!(line.matches(b.from).count(), 1, "{}", b.id);
        let mut case = cases::parse(&line.replace(b.from, b.to)).unwrap_or_else(|e| panic!("{e}"));
        // Pixels are four floats.
        for e in &mut case.expect {
            for pixel in e.bytes.chunks_exact_mut(16) {
                let red = f32::from_le_bytes([pixel[0], pixel[1], pixel[2], pixel[3]]);
                pixel[..4].copy_from_slice(&(b.red)(red).to_le_bytes());
            }
        }
        notices(&case, split_quads);
    }
}

/// Public cases with implicit levels and derivatives, with quads taken apart: all others fail.
#[test]
fn public_cases_notice_quads_taken_apart() {
    let Some(folder) = shared::find("conformance/gfx") else { return };
    let (mut noticed, mut missed) = (0, Vec::new());
    for group in ["implicit-lod", "derivative"] {
        for case in gfx::read(&folder.join(format!("{group}.json"))).expect("a file of cases") {
            let mut ready = prepared(&case);
            if !change(&mut ready, split_quads) {
                continue;
            }
            match verdict(&case, &ready) {
                Verdict::Failed(_) => noticed += 1,
                Verdict::Passed if BLIND.iter().any(|b| b.id == case.id) => {}
                v => missed.push(format!("{}: {v:?}", case.id)),
            }
        }
    }
    assert!(missed.is_empty(), "not noticed:\n{}", missed.join("\n"));
    assert!(noticed >= 45, "only {noticed} cases were changed");
}
