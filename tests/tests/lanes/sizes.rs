//! Sizes of subgroups that a shader or who compiles it asks for: a chip that has them takes them, others refuse them by their code, and the
//! oracle has the size that is asked for.

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{CodegenOptions, Options, Target};
use gpucc_glsl::need;
use gpucc_ir::{Module, Refusal, Subgroups};
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::exec::{self, On};

use crate::sources::spirv::lowered;

/// Lanes of the subgroups of a family.
fn lanes(target: Target) -> u32 {
    match target.family() {
        "gcn" => 64,
        "tesla" => 32,
        "valhall" => 16,
        "vivante" => 4,
        other => panic!("lanes of {other}"),
    }
}

const SOURCE: &str = "enable subgroups;
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_size) n: u32) {
  o[i] = n * 1000u + subgroupAdd(1u);
}";

fn load(size: Option<u32>) -> Result<Module, String> {
    let options = FrontOptions { subgroup_size: size, ..FrontOptions::default() };
    frontend::load(SOURCE.as_bytes(), Lang::Wgsl, &options).map(|l| l.module).map_err(|l| l[0].to_string())
}

/// The first word of a run.
fn word(module: &Module, on: On) -> u32 {
    let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 64]);
    exec::run(module, "main", on, &CodegenOptions::default(), &mut d, &RunOptions::default())
        .unwrap_or_else(|p| panic!("{on}: {p}"));
    d.words(0, 0).unwrap_or_default()[0]
}

/// Whether a target takes a module, which it refuses by this code alone.
fn taken(module: &Module, target: Target) -> bool {
    match gpucc::compile(module, &Options::new(target)) {
        Ok(_) => true,
        Err(d) => {
            assert_eq!(d.refusal(), Some(Refusal::SubgroupSize), "{target}: {d}");
            let text = d.to_string();
            assert!(text.contains(&format!("has subgroups of {} lanes", lanes(target))), "{text}");
            false
        }
    }
}

#[test]
fn the_option_asks_for_a_size() {
    let targets = exec::targets("all:all");
    for n in [1, 4, 8, 16, 32, 64, 128] {
        let module = load(Some(n)).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(word(&module, On::Interp), n * 1000 + n.min(64), "the oracle with subgroups of {n}");
        for &target in &targets {
            assert_eq!(taken(&module, target), n == lanes(target), "{target} with subgroups of {n}");
            if n == lanes(target) {
                assert_eq!(word(&module, exec::on(target)), n * 1001, "{target}");
            }
        }
    }
    for n in [0, 129] {
        assert!(load(Some(n)).is_err_and(|e| e.contains("1 to 128 lanes")), "{n}");
    }
    assert_eq!(word(&load(None).unwrap_or_else(|e| panic!("{e}")), On::Interp), 32_032);
}

/// SPIR-V of a compute entry of 128 invocations with a mode.
fn spirv(name: &str, mode: &str) -> Vec<u8> {
    let text = format!(
        "OpCapability Shader\nOpCapability SubgroupDispatch\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\" %size\n\
         OpExecutionMode %main LocalSize 128 1 1\n{mode}\nOpDecorate %s Block\nOpMemberDecorate %s 0 Offset 0\nOpDecorate %o DescriptorSet 0\n\
         OpDecorate %o Binding 0\nOpDecorate %size BuiltIn SubgroupSize\nOpDecorate %spec SpecId 7\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n\
         %uint = OpTypeInt 32 0\n%zero = OpConstant %uint 0\n%spec = OpSpecConstant %uint 8\n%s = OpTypeStruct %uint\n\
         %ps = OpTypePointer StorageBuffer %s\n%pu = OpTypePointer StorageBuffer %uint\n%pi = OpTypePointer Input %uint\n\
         %o = OpVariable %ps StorageBuffer\n%size = OpVariable %pi Input\n%main = OpFunction %void None %fn\n%b = OpLabel\n\
         %n = OpLoad %uint %size\n%at = OpAccessChain %pu %o %zero\nOpStore %at %n\nOpReturn\nOpFunctionEnd\n"
    );
    gpucc_glsl::assembled(&format!("size_{name}"), "spv1.3", &text)
}

/// Modes of SPIR-V: a size, and numbers of subgroups of 128 invocations.
#[test]
fn modes_of_spirv_ask_for_sizes() {
    need!("spirv-as");
    let modes = [
        ("16", "OpExecutionMode %main SubgroupSize 16", 16),
        ("64", "OpExecutionMode %main SubgroupSize 64", 64),
        ("count4", "OpExecutionMode %main SubgroupsPerWorkgroup 4", 32),
        ("count32", "OpExecutionMode %main SubgroupsPerWorkgroup 32", 4),
        ("spec", "OpExecutionModeId %main SubgroupsPerWorkgroupId %spec", 16),
        ("both", "OpExecutionMode %main SubgroupSize 64\nOpExecutionMode %main SubgroupsPerWorkgroup 2", 64),
    ];
    for (name, mode, n) in modes {
        let module = lowered(&spirv(name, mode));
        assert_eq!(word(&module, On::Interp), n, "{mode}");
        for target in exec::targets("all:all") {
            assert_eq!(taken(&module, target), n == lanes(target), "{target}: {mode}");
        }
    }
    // A specialisation constant, and a size beside the option's.
    let bytes = spirv("spec", "OpExecutionModeId %main SubgroupsPerWorkgroupId %spec");
    let options = FrontOptions { overrides: vec![("7".into(), 2.0)], ..FrontOptions::default() };
    let module = frontend::load(&bytes, Lang::Spirv, &options).unwrap_or_else(|l| panic!("{}", l[0])).module;
    assert_eq!(module.entries[0].subgroups(), Subgroups { size: None, count: Some(2) });
    let bytes = spirv("16", "OpExecutionMode %main SubgroupSize 16");
    for (asked, right) in [(16, true), (64, false)] {
        let options = FrontOptions { subgroup_size: Some(asked), ..FrontOptions::default() };
        assert_eq!(frontend::load(&bytes, Lang::Spirv, &options).is_ok(), right, "{asked}");
    }
    // None of these can be.
    for (name, mode) in [
        ("none", "OpExecutionMode %main SubgroupSize 0"),
        ("no", "OpExecutionMode %main SubgroupsPerWorkgroup 0"),
        ("large", "OpExecutionMode %main SubgroupSize 256"),
    ] {
        let refused = frontend::load(&spirv(name, mode), Lang::Spirv, &FrontOptions::default());
        let code = refused.map(|_| ()).map_err(|l| l[0].refusal());
        assert_eq!(code, Err((name == "large").then_some(Refusal::SubgroupSize)), "{mode}");
    }
}

/// The text form keeps it, and says no to what there cannot be.
#[test]
fn the_text_form_has_it() {
    let text = |asked: &str| {
        format!(
            "module robust on\nentry \"main\" compute func0 size 64,1,1{asked}\n\nfunc0 \"main\" {{\nblock0:\n  ret\n}}\n"
        )
    };
    for asked in ["", " subgroup 16", " subgroups 4", " subgroup 16 subgroups 4"] {
        let loaded = frontend::load(text(asked).as_bytes(), Lang::Gir, &FrontOptions::default());
        let module = loaded.unwrap_or_else(|l| panic!("{}", l[0])).module;
        assert!(module.to_string().contains(&format!("size 64,1,1{asked}\n")), "{module}");
    }
    for asked in [" subgroup 0", " subgroup 129", " subgroups 0"] {
        assert!(frontend::load(text(asked).as_bytes(), Lang::Gir, &FrontOptions::default()).is_err(), "{asked}");
    }
    // No size makes three subgroups of 64 invocations.
    let loaded = frontend::load(text(" subgroups 3").as_bytes(), Lang::Gir, &FrontOptions::default());
    let module = loaded.unwrap_or_else(|l| panic!("{}", l[0])).module;
    let mut d = Dispatch::new([1; 3]);
    assert!(
        exec::run(&module, "main", On::Interp, &CodegenOptions::default(), &mut d, &RunOptions::default()).is_err()
    );
}
