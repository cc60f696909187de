//! Seeds of each target: what the repository and the shared folder hold, each file named by its contents.

use std::path::{Path, PathBuf};

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{CodegenOptions, Options, Target};
use gpucc_machines::MACHINES;

/// Largest seed in bytes.
const MOST: usize = 12_000;

/// Every file under a folder with that ending, sorted.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut list = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == ending) {
                list.push(path);
            }
        }
    }
    list.sort();
    list
}

struct Out(PathBuf);

impl Out {
    fn put(&self, target: &str, bytes: &[u8]) {
        if bytes.is_empty() || bytes.len() > MOST {
            return;
        }
        let name = bytes
            .iter()
            .fold(0xcbf2_9ce4_8422_2325_u64, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3));
        let folder = self.0.join(target);
        std::fs::create_dir_all(&folder).expect("the folder of seeds can be made");
        std::fs::write(folder.join(format!("{name:016x}")), bytes).expect("a seed can be written");
    }
}

/// The products of a shader: its IR, and for a few targets its container, its code and its listing.
fn derived(out: &Out, bytes: &[u8], lang: Lang, turn: usize) {
    let Ok(loaded) = frontend::load(bytes, lang, &FrontOptions::default()) else { return };
    // As `border::call` reads them.
    let level = (turn % 4) as u8;
    let language = u8::from(lang == Lang::Spirv);
    let head = |call: u8| [call, 255, 0, language, level, 0, 0, 0, turn as u8, (turn % 6) as u8, 16, 16, 3, 0, 64, 1];
    out.put("capi", &[&head(0)[..], bytes].concat());
    if lang != Lang::Gir {
        out.put("gir", gpucc_ir::text::module_text(&loaded.module).as_bytes());
    }
    let targets = Target::parse_list("all:all").expect("all targets");
    for k in 0..3 {
        let target = targets[(turn + 5 * k) % targets.len()];
        let codegen = CodegenOptions { opt_level: (turn % 3) as u8, ..CodegenOptions::default() };
        let Ok(artifact) = gpucc::compile(&loaded.module, &Options { target, codegen }) else { continue };
        let made = artifact.bytes();
        out.put("container", &made);
        out.put("capi", &[&head([2, 4][k & 1])[..], &made].concat());
        let Some(family) = MACHINES.iter().position(|m| m.family == target.family()) else { continue };
        for e in &artifact.container().entries {
            let (stage, bits) = match e.stage {
                gpucc_container::Stage::Compute => (0, gpucc_isa::stage::CS),
                gpucc_container::Stage::Vertex => (1, gpucc_isa::stage::VS),
                gpucc_container::Stage::Fragment => (2, gpucc_isa::stage::FS),
            };
            // As `chosen` reads them.
            let head = [(family + 4 * stage) as u8, target.generation_index() as u8];
            out.put("words", &[&head[..], &e.code].concat());
            let notes = gpucc_isa::Notes::default();
            let text = (MACHINES[family].disassemble)(&e.code, target.generation_index(), bits, &notes).text;
            out.put("listing", &[&head[..], text.as_bytes()].concat());
        }
    }
}

/// A shader as naga writes it in SPIR-V.
fn spirv(out: &Out, source: &str, turn: usize) {
    use naga::back::spv;
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    // One in three: the words are alike.
    if !turn.is_multiple_of(3) {
        return;
    }
    let Ok(module) = naga::front::wgsl::parse_str(source) else { return };
    let Ok(info) = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module) else { return };
    let Ok(code) = spv::write_vec(&module, &info, &spv::Options::default(), None) else { return };
    out.put("spirv", &code.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>());
}

/// Fills `corpus/TARGET` in the folder of the fuzz targets.
pub fn fill(here: &Path) {
    let shared = std::env::var_os("GPUCC_SHARED").map_or_else(|| here.join("../../shared"), PathBuf::from);
    let out = Out(here.join("corpus"));
    let mut turn = 0;
    for folder in [here.join("../examples"), here.join("../tests"), shared.join("corpus")] {
        for (ending, target, lang) in
            [("wgsl", "wgsl", Lang::Wgsl), ("spv", "spirv", Lang::Spirv), ("gir", "gir", Lang::Gir)]
        {
            for path in files(&folder, ending) {
                let Ok(bytes) = std::fs::read(&path) else { continue };
                out.put(target, &bytes);
                if lang == Lang::Wgsl {
                    spirv(&out, &String::from_utf8_lossy(&bytes), turn);
                }
                derived(&out, &bytes, lang, turn);
                turn += 1;
            }
        }
    }
    for path in files(&shared.join("conformance"), "json") {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let Ok(mut set) = serde_json::from_str::<serde_json::Value>(&text) else { continue };
        let serde_json::Value::Array(cases) = set["cases"].take() else { continue };
        // Many cases differ in a number.
        for case in cases.iter().step_by(9) {
            if let Some(source) = case.get("wgsl").and_then(|w| w.as_str()) {
                out.put("wgsl", source.as_bytes());
                spirv(&out, source, turn);
                derived(&out, source.as_bytes(), Lang::Wgsl, turn);
                turn += 1;
            }
        }
    }
    for folder in [here.join("../examples/scenes"), here.join("../tests/gfx")] {
        for path in files(&folder, "toml") {
            let Ok(text) = std::fs::read(&path) else { continue };
            turn += 1;
            let head = [3, 255, 0, 0, 0, 0, 0, 0, 0, (turn % 6) as u8, 0, 0, 0, 0, 0, 0];
            out.put("capi", &[&head[..], &text].concat());
        }
    }
    for path in files(&shared.join("foreign"), "jsonl") {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        text.lines().step_by(4).for_each(|line| out.put("launch", line.as_bytes()));
    }
}
