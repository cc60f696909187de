//! Tests of `ir/opt/src/selection.rs`.

use std::collections::BTreeSet;

use crate::testing::parse;
use gpucc_ir::{Form, Mode, Op, Refusal, Stage, TexWhat, Unsupported};
use gpucc_opt::caps::*;
use gpucc_opt::selection::*;
use gpucc_opt::support::{self, Chip};

const CHIP: Chip<'_> = Chip { family: "x", generation: "y", unsupported: &[] };
/// The least of textures and stages, and what then is not written.
const MINIMAL: Caps = Caps {
    scalar: true,
    tex: TexCaps::MINIMAL,
    sampler: SamplerCaps::MINIMAL,
    fetch: FetchCaps::MINIMAL,
    io: IoCaps::MINIMAL,
    ..Caps::FULL
};

#[test]
fn each_case_is_a_module_that_keeps_the_contract() {
    for caps in [
        Caps::FULL,
        Caps { scalar: true, ..Caps::FULL },
        Caps { narrow: false, halves: false, ..Caps::FULL },
        Caps { narrow: false, scalar: true, ..Caps::FULL },
        MINIMAL,
    ] {
        let list = cases(|_| caps, &CHIP);
        let lines: usize = list.iter().map(|c| c.text.lines().count()).sum();
        assert!(lines > 40_000, "{lines} lines in {} modules", list.len());
        for case in list {
            let m = parse(&case.text);
            let checked = check(&m, &caps).and_then(|()| {
                support::check(&m, &CHIP, &caps, case.pipeline.as_ref(), &gpucc_opt::BindingFacts::UNKNOWN)
            });
            assert!(checked.is_ok(), "{}: {checked:?}\n{}", case.name, case.text);
        }
    }
}

#[test]
fn each_op_has_a_case() {
    let all: BTreeSet<String> = [Caps { subgroup: 32, ..Caps::FULL }, MINIMAL]
        .iter()
        .flat_map(|caps| cases(|_| *caps, &CHIP))
        .flat_map(|c| c.name.split([' ', '.', ',']).map(str::to_owned).collect::<Vec<_>>())
        .collect();
    // But for those that other widths or whole functions are about, and those that `lower_subgroups` always writes.
    for op in Op::ALL.iter().filter(|o| !o.is_terminator()) {
        let other =
            matches!(op, Op::F2F | Op::SExt | Op::ZExt | Op::Trunc | Op::VarInit | Op::Call | Op::Any | Op::Reduce);
        assert!(all.contains(op.name()) != other, "`{op}`");
    }
}

/// The cases of a target name each question, each mode and each form that it may get, in each stage that has it.
#[test]
fn cases_walk_stages_modes_forms_and_descriptors() {
    let count = |caps: Caps, text: &str, stage: Stage| {
        let of = |c: &&Case| c.text.contains(&format!("\"main\" {stage}")) && c.text.contains(text);
        cases(|_| caps, &CHIP).iter().filter(of).count()
    };
    for stage in [Stage::Compute, Stage::Vertex, Stage::Fragment] {
        for what in TexWhat::ALL {
            let there = count(Caps::FULL, &format!(" {what} "), stage) > 0;
            assert!(there || (*what == TexWhat::Lod && stage != Stage::Fragment), "{what} in {stage}");
        }
    }
    for (caps, modes) in [(Caps::FULL, [Mode::Perspective, Mode::Linear, Mode::Flat]), (MINIMAL, [Mode::OverW; 3])] {
        for mode in modes {
            assert!(count(caps, &format!("location 3 {mode} "), Stage::Fragment) > 0, "{mode}");
        }
    }
    for form in Form::ALL.iter().filter(|f| **f != Form::Plain) {
        assert!(count(MINIMAL, &format!(" {form} "), Stage::Fragment) > 0, "{form}");
        assert_eq!(count(Caps::FULL, &format!(" {form} "), Stage::Fragment), 0, "{form}");
    }
}

/// A chip whose list names something is not asked for it.
#[test]
fn what_is_refused_has_no_case() {
    const LIST: &[Unsupported] = &[
        Unsupported::all(Refusal::Stage, "no drawing").in_stages(&[Stage::Vertex]),
        Unsupported::all(Refusal::StorageTextures, "in compute alone").in_stages(&[Stage::Fragment]),
        Unsupported::all(Refusal::CubeArrays, "none"),
        Unsupported::all(Refusal::SampleShading, "none"),
    ];
    let chip = Chip { unsupported: LIST, ..CHIP };
    let list = cases(|_| Caps::FULL, &chip);
    let any = |text: &str, stage: &str| list.iter().any(|c| c.text.contains(text) && c.text.contains(stage));
    assert!(!any("", "\"main\" vertex") && any("", "\"main\" fragment"));
    assert!(!any("image_store", "\"main\" fragment") && any("image_store", "\"main\" compute"));
    assert!(!any("texture cube array", "") && any("texture cube float", ""));
    assert!(!any(" sample f32", "") && !any("sample_index", "") && any(" centroid f32", ""));
}

#[test]
fn what_a_target_lacks_breaks_it() {
    let body = |text: &str| {
        parse(&format!("entry \"main\" compute func0 size 1,1,1\nfunc0 \"f\" {{\nblock0:\n{text}  ret\n}}\n"))
    };
    let vector = body("  v1: f32x2 = load res0[0] align 8\n  v2: f32x2 = fadd v1, v1\n  store v2, res1[0] align 8\n");
    assert!(check(&vector, &Caps::FULL).is_ok());
    assert!(check(&vector, &Caps { scalar: true, ..Caps::FULL }).is_err());
    let field = body("  v1: i32 = load res0[0] align 4\n  v2: i32 = ubfe v1, 3:i32, v1\n  store v2, res1[0] align 4\n");
    let expand = gpucc_opt::OpSet::of(&[Op::UBitExtract]);
    assert!(check(&field, &Caps { expand, bit_field: true, ..Caps::FULL }).is_err());
    let known =
        body("  v1: i32 = load res0[0] align 4\n  v2: i32 = ubfe v1, 3:i32, 4:i32\n  store v2, res1[0] align 4\n");
    assert!(check(&known, &Caps { expand, bit_field: true, ..Caps::FULL }).is_ok());
    assert!(check(&known, &Caps { expand, ..Caps::FULL }).is_err());
}

/// A texture instruction, an input, an output or a value of the launch in a form that the target does not have is a bug.
#[test]
fn forms_that_a_target_lacks_break_it() {
    let fragment = |interface: &str, ty: &str, body: &str| {
        parse(&format!(
            "entry \"main\" fragment func0 {{\n{interface}}}\nfunc0 \"f\" -> {ty} {{\nblock0:\n{body}  ret v1\n}}\n"
        ))
    };
    let input = |mode: &str| {
        let slots = format!("  in0 \"\" location 0 {mode} center f32\n  out0 \"\" location 0 f32\n");
        fragment(&slots, "f32", "  v1: f32 = input in0\n")
    };
    let has = |f: fn(&mut IoCaps)| {
        let mut caps = Caps::FULL;
        f(&mut caps.io);
        caps
    };
    assert!(check(&input("perspective"), &Caps::FULL).is_ok());
    assert!(check(&input("perspective"), &has(|c| c.perspective = false)).is_err());
    assert!(check(&input("linear"), &has(|c| c.linear = false)).is_err());
    assert!(check(&input("over_w"), &Caps::FULL).is_err());
    let packed = fragment("  out0 \"\" location 0 half16 i32x2\n", "i32x2", "  v1: i32x2 = compose 1:i32, 2:i32\n");
    assert!(check(&packed, &Caps::FULL).is_err());
    assert!(check(&packed, &has(|c| c.packed_colours = true)).is_ok());
    let place = fragment("  out0 \"\" location 0 f32x4\n", "f32x4", "  v1: f32x4 = sysval frag_coord\n");
    assert!(check(&place, &Caps::FULL).is_ok());
    assert!(check(&place, &has(|c| c.frag_coord = false)).is_err());
    let vertex = "entry \"main\" vertex func0 {\n  out0 \"\" position f32x4\n}\nfunc0 \"f\" -> f32x4 {\nblock0:\n  \
                  v1: f32x4 = splat 1.0:f32\n  ret v1\n}\n";
    assert!(check(&parse(vertex), &Caps::FULL).is_ok());
    assert!(check(&parse(vertex), &has(|c| c.window_positions = true)).is_err());
    assert!(check(&parse(vertex), &has(|c| c.negative_depth = true)).is_err());

    let texture = |kind: &str, line: &str| {
        parse(&format!(
            "module robust off\nres0 \"o\" group 0 binding 1 storage_rw size 4 stride 4\n\
             res1 \"t\" group 0 binding 2 texture {kind}\nres2 \"s\" group 0 binding 3 sampler\n\
             entry \"main\" compute func0 size 1,1,1\nfunc0 \"f\" {{\nblock0:\n  v2: f32x2 = splat 0.5:f32\n  v3: f32x3 = splat 0.5:f32\n  \
             v4: i32x2 = splat 1:i32\n  {line}\n  \
             store v1, res0[0] align 4\n  ret\n}}\n"
        ))
    };
    let sample = |kind: &str, coords: &str, rest: &str| {
        texture(kind, &format!("v1: f32x4 = tex {coords}, tex res1 sampler res2 {rest}"))
    };
    let (two, three) = ("v2", "v3");
    let tex = |f: fn(&mut Caps)| {
        let mut caps = Caps::FULL;
        f(&mut caps);
        caps
    };
    let layered = sample("2d array float", &format!("{two}, 1:i32"), "sample 2d layer signed");
    assert!(check(&layered, &Caps::FULL).is_ok());
    assert!(check(&layered, &tex(|c| c.tex.layer = LayerForm::Float)).is_err());
    assert!(check(&layered, &tex(|c| c.tex.layer = LayerForm::Small)).is_err());
    let cube = sample("cube float", three, "sample cube");
    assert!(check(&cube, &tex(|c| c.tex.cube = gpucc_ir::TexCube::Faced)).is_err());
    let gather = sample("2d float", two, "gather 2d component 1");
    assert!(check(&gather, &tex(|c| c.tex.gather = Gathers::First)).is_err());
    assert!(check(&sample("2d float", two, "gather 2d"), &tex(|c| c.tex.gather = Gathers::First)).is_ok());
    let fetch = texture("2d float", "v1: f32x4 = tex v4, tex res1 fetch 2d offset 1 0 0");
    assert!(check(&fetch, &Caps::FULL).is_ok());
    assert!(check(&fetch, &tex(|c| c.fetch.offset = false)).is_err());
    assert!(check(&fetch, &tex(|c| c.fetch.fetch = false)).is_err());
}
