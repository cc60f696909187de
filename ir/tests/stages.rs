//! Entry points of all stages: text, rules, and what their lanes share.

use gpucc_ir::analysis::Uniformity;
use gpucc_ir::text::{module_text, parse_module};
use gpucc_ir::verify::verify_module;
use gpucc_ir::{Interface, Module, Stage, StageInfo, Value};

fn module(text: &str) -> Module {
    parse_module(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

const EMPTY: &str = "func0 \"main\" {\nblock0:\n  ret\n}\n";

#[test]
fn entries_keep_what_their_stage_asks() {
    let text = format!(
        "module robust on\nentry \"main\" compute func0 size 8,4,1\nentry \"main\" vertex func0 @3..7\n\
         entry \"main\" fragment func0 early_depth\nentry \"other\" fragment func0\n\n{EMPTY}"
    );
    let m = module(&text);
    assert_eq!(module_text(&m), text);
    verify_module(&m).unwrap_or_else(|e| panic!("{}", e[0]));
    let sizes: Vec<_> = m.entries.iter().map(|e| e.workgroup_size()).collect();
    assert_eq!(sizes, [Some([8, 4, 1]), None, None, None]);
    assert_eq!(
        m.entry_at("main", Stage::Fragment).map(|e| e.stage.clone()),
        Some(StageInfo::Fragment { io: Interface::default(), early_depth: true })
    );
    assert_eq!(
        m.entry_at("other", Stage::Fragment).map(|e| e.stage.clone()),
        Some(StageInfo::Fragment { io: Interface::default(), early_depth: false })
    );
    assert_eq!(m.entry_at("other", Stage::Compute), None);
    assert!(
        parse_module(&text.replace("vertex func0", "vertex func0 size 1,1,1")).is_err(),
        "vertices have no workgroup"
    );
}

#[test]
fn two_entries_of_one_stage_have_two_names() {
    let twice = "entry \"main\" vertex func0\n";
    let said = verify_module(&module(&format!("module robust on\n{twice}{twice}\n{EMPTY}"))).expect_err("a finding");
    assert!(said[0].to_string().contains("two vertex entries `main`"), "{}", said[0]);
}

/// Two resources of one place would be memory that passes think apart. Entries of their own may share it, and a texture
/// and its sampler.
#[test]
fn an_entry_has_one_resource_at_a_binding() {
    let text = |second: &str, kind: &str| {
        format!(
            "module robust on\nres0 \"a\" group 0 binding 0 storage_rw size 4 stride 4\nres1 \"b\" group 0 binding {kind}\n\
             entry \"one\" compute func0 size 1,1,1\nentry \"two\" compute func1 size 1,1,1\n\
             func0 \"one\" {{\nblock0:\n  store 1:i32, res0[0] align 4\n{second}  ret\n}}\n\
             func1 \"two\" {{\nblock0:\n  store 1:i32, res1[0] align 4\n  ret\n}}\n"
        )
    };
    let both = "  store 1:i32, res1[0] align 4\n";
    let same = "0 storage_rw size 4 stride 4";
    let found = verify_module(&module(&text(both, same))).expect_err("a finding");
    assert!(found[0].to_string().contains("res0 and res1 are both group 0 binding 0"), "{}", found[0]);
    assert_eq!(found.len(), 1);
    for (second, kind) in [("", same), (both, "1 storage_rw size 4 stride 4")] {
        verify_module(&module(&text(second, kind))).unwrap_or_else(|e| panic!("{}", e[0]));
    }
}

/// Nothing is written through a texture or a sampler: a pass may ask for one a second time, with another descriptor. A
/// texture, a sampler and a buffer at one place are three descriptors, as SPIR-V allows.
#[test]
fn descriptors_of_one_place() {
    let text = |more: &str| {
        format!(
            "module robust on\nres0 \"t\" group 0 binding 0 texture 2d float\n\
             res1 \"t\" group 0 binding 0 texture 2d float variant high\nres2 \"s\" group 0 binding 0 sampler\n\
             res3 \"s\" group 0 binding 0 sampler variant nearest\nres4 \"b\" group 0 binding 0 storage_rw size 4 stride 4\n\
             entry \"main\" compute func0 size 1,1,1\nfunc0 \"main\" {{\nblock0:\n\
             \x20 v0: f32x2 = splat 0.5:f32\n\
             \x20 v1: f32x4 = tex v0, 0.0:f32, tex res0 sampler res2 sample 2d level\n\
             \x20 v2: f32x4 = tex v0, 0.0:f32, tex res1 sampler res3 sample 2d level\n{more}  ret\n}}\n"
        )
    };
    for more in ["", "  store 1:i32, res4[0] align 4\n"] {
        verify_module(&module(&text(more))).unwrap_or_else(|e| panic!("{}", e[0]));
    }
}

/// Values and barriers of compute, in a function that a fragment entry calls.
#[test]
fn what_a_stage_lacks_is_found() {
    let text = |stage: &str, line: &str| {
        format!(
            "module robust on\nentry \"main\" {stage}\n\nfunc0 \"callee\" {{\nblock0:\n  {line}\n  ret\n}}\n\n\
             func1 \"main\" {{\nblock0:\n  call func0\n  ret\n}}\n"
        )
    };
    for (line, known) in [
        ("v0: i32x3 = sysval workgroup_id", false),
        ("v0: i32 = sysval local_invocation_index", false),
        ("barrier workgroup", false),
        ("barrier none acquire device storage", true),
        ("v0: i32 = sysval subgroup_invocation_id", true),
    ] {
        assert!(verify_module(&module(&text("compute func1 size 1,1,1", line))).is_ok(), "{line}");
        for stage in ["vertex", "fragment"] {
            let found = verify_module(&module(&text(&format!("{stage} func1"), line)));
            assert_eq!(found.is_ok(), known, "{stage}: {line}");
            assert!(found.err().is_none_or(|f| f[0].to_string().contains("callee: stage")), "{stage}: {line}");
        }
    }
}

/// A workgroup of one has nothing divergent. Pixels have: here by the number of the lane, later by what is interpolated.
#[test]
fn only_a_workgroup_of_one_is_alone() {
    let text = |entry: &str| {
        format!(
            "module robust on\nentry \"main\" {entry}\n\nfunc0 \"main\" {{\nblock0:\n  v0: i32 = sysval subgroup_invocation_id\n  \
             v1: b1 = icmp.eq v0, 3:i32\n  br v1, block1, block2 merge block2\nblock1:\n  jump block2\nblock2:\n  ret\n}}\n"
        )
    };
    for (entry, divergent) in [
        ("compute func0 size 1,1,1", false),
        ("compute func0 size 2,1,1", true),
        ("vertex func0", true),
        ("fragment func0", true),
    ] {
        let m = module(&text(entry));
        verify_module(&m).unwrap_or_else(|e| panic!("{}", e[0]));
        let f = m.funcs.values().next().expect("a function");
        let u = Uniformity::new(&m, f);
        assert_eq!(u.is_divergent(Value(1)), divergent, "{entry}");
    }
}

/// Helpers run up to the last derivative, and compute what feeds it; a value that is only stored is none of theirs.
#[test]
fn who_needs_helpers() {
    let m = module(
        "module robust on\nres0 \"b\" group 0 binding 0 storage_rw size 64 stride 0\nentry \"fs\" fragment func0 {\n  \
         in0 \"a\" location 0 f32\n  out0 \"\" location 0 f32\n}\nfunc0 \"fs\" -> f32 {\nblock0:\n  v0: f32 = input in0\n  \
         v1: f32 = fadd v0, 1.0:f32\n  v2: f32 = fmul v0, 2.0:f32\n  store v2, res0[0] align 4\n  v3: b1 = fcmp.olt v0, 0.5:f32\n  \
         br v3, block1, block2 merge block2\nblock1:\n  v4: f32 = derivative v1, x fine\n  store v4, res0[4] align 4\n  jump block2\n\
         block2:\n  v5: f32 = fadd v2, v2\n  ret v5\n}\n",
    );
    let f = &m.funcs[m.entries[0].func];
    let h = gpucc_ir::analysis::Helpers::new(f);
    assert!(h.any(f));
    let at: Vec<_> = f.layout.iter().map(|&b| (h.last(b).is_some(), h.behind(b))).collect();
    assert_eq!(at, [(false, true), (true, false), (false, false)]);
    let computed: Vec<bool> =
        f.insts_in_order().filter_map(|(_, i)| f.insts[i].results.first()).map(|v| h.computes(v)).collect();
    // v0, v1, and the condition v3 that leads there; not v2, v4, v5.
    assert_eq!(computed, [true, true, false, true, false, false]);
}
