//! Code objects, as LLVM's tools read them. Without the tools the file is read back here alone.

use std::process::Command;

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{Options, Target, elf};

/// The output of one of LLVM's tools for a file; nothing where it is not installed.
fn tool(name: &str, args: &[&str], file: &std::path::Path) -> Option<String> {
    let out = [format!("{name}-14"), name.to_string()]
        .into_iter()
        .find_map(|program| Command::new(program).args(args).arg(file).output().ok())?;
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    assert!(out.status.success() && out.stderr.is_empty(), "{name} {args:?}: {}", text(&out.stderr));
    Some(text(&out.stdout))
}

fn write(text: &str, target: &str) -> (Vec<u8>, gpucc::container::Container) {
    let target = Target::parse(target).expect("a target");
    let module = frontend::load(text.as_bytes(), Lang::Wgsl, &FrontOptions::default()).expect("a shader").module;
    let done = gpucc::compile(&module, &Options::new(target)).expect("code");
    (elf::code_object(done.container(), target, "adds.wgsl").expect("a file"), done.container().clone())
}

const COMPUTE: &str = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(64) fn first(@builtin(global_invocation_id) g: vec3u) {
    o[g.x] = o[g.x] + 7u;
}
@compute @workgroup_size(1) fn second() {
    o[0] = 1u;
}
";

#[test]
fn llvm_reads_code_objects_of_compute() {
    for (target, machine) in [("gcn:gfx6", "0x20"), ("gcn:gfx7", "0x26"), ("gcn:gfx8", "0x2a")] {
        let (bytes, container) = write(COMPUTE, target);
        assert_eq!(bytes, write(COMPUTE, target).0, "the same bytes each time");
        let path = std::env::temp_dir().join(format!("gpucc-elf-{}-{machine}.o", std::process::id()));
        std::fs::write(&path, &bytes).expect("a file");
        if let Some(text) = tool("llvm-readelf", &["-h", "-S", "-s", "--hex-dump=.AMDGPU.config"], &path) {
            let flags = text.lines().find_map(|l| l.trim().strip_prefix("Flags:")).map(|f| f.trim().to_lowercase());
            assert!(text.contains("EM_AMDGPU") && flags.is_some_and(|f| f.starts_with(machine)), "{text}");
            let symbol = |name: &str| {
                let line =
                    text.lines().find(|l| l.ends_with(&format!(" {name}"))).unwrap_or_else(|| panic!("{name}: {text}"));
                assert!(line.contains("FUNC") && line.contains("GLOBAL"), "{line}");
                let fields: Vec<&str> = line.split_whitespace().collect();
                (u64::from_str_radix(fields[1], 16).expect("a value"), fields[2].parse::<u64>().expect("a size"))
            };
            let [a, b] = ["first", "second"].map(symbol);
            assert_eq!((a.0, a.1), (0, container.entries[0].code.len() as u64));
            assert_eq!((b.0 % 256, b.1), (0, container.entries[1].code.len() as u64));
            // COMPUTE_PGM_RSRC1 is 0xb848: little-endian in the section, then its value.
            let word = container.entries[0].meta.family_words[0].swap_bytes();
            assert!(text.contains(&format!("48b80000 {word:08x}")), "{text}");
        }
        // LLVM reads code of gfx8 alone.
        if target == "gcn:gfx8"
            && let Some(text) = tool("llvm-objdump", &["-d", "-l"], &path)
        {
            assert!(text.contains("<first>:") && text.contains("s_endpgm") && text.contains("adds.wgsl:3"), "{text}");
        }
        if let Some(text) = tool("llvm-dwarfdump", &["--debug-line", "--debug-info", "--verify"], &path) {
            assert!(text.contains("No errors"), "{text}");
        }
        if let Some(text) = tool("llvm-dwarfdump", &["--debug-line", "--debug-info"], &path) {
            assert!(
                text.contains("DW_TAG_subprogram") && text.contains("\"second\"") && text.contains("adds.wgsl"),
                "{text}"
            );
            let rows = container.entries.iter().map(|e| e.lines.len()).sum::<usize>();
            assert!(text.lines().filter(|l| l.starts_with("0x0000")).count() >= rows, "{text}");
        }
        std::fs::remove_file(path).expect("the file goes");
    }
}

/// Both programs of a pipeline have as many words, and state of graphics is among them.
#[test]
fn programs_of_a_pipeline_have_words_of_their_own() {
    let text = "@vertex fn main_v(@location(0) p: vec4f) -> @builtin(position) vec4f { return p; }
        @fragment fn main_f() -> @location(0) vec4f { return vec4f(1, 0.5, 0.25, 1); }";
    let (bytes, container) = write(text, "gcn:gfx8");
    let find = |w: u32| bytes.windows(4).position(|b| b == w.to_le_bytes());
    for e in &container.entries {
        for w in &e.state {
            let at = find(w.register).unwrap_or_else(|| panic!("{:#x} of {}", w.register, e.name));
            assert_eq!(bytes[at + 4..at + 8], w.value.to_le_bytes(), "{:#x}", w.register);
        }
    }
}

#[test]
fn other_families_refuse() {
    for target in ["valhall", "tesla", "vivante:gc7000"] {
        let target = Target::parse(target).expect("a target");
        let module = frontend::load(COMPUTE.as_bytes(), Lang::Wgsl, &FrontOptions::default()).expect("a shader").module;
        let done = gpucc::compile_entry(&module, "second", &Options::new(target)).expect("code");
        let said = elf::code_object(done.container(), target, "x").expect_err("a refusal");
        assert_eq!(said.refusal(), Some(gpucc_ir::Refusal::Elf), "{target}");
    }
}
