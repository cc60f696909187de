//! Programs that others wrote, or that go through the loader. A test whose tool is not installed says so and is skipped.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use gpucc_vulkan::settings::Settings;

use crate::kit::{TARGETS, spirv};

/// A folder of a test, with the loader's manifest of the driver in it.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("vulkan-{name}"));
        std::fs::create_dir_all(&folder).expect("a folder");
        // The library is built beside the tests.
        let library = std::env::current_exe().expect("a path").with_file_name("libgpucc_vulkan.so");
        assert!(library.exists(), "{} is not there", library.display());
        let text = format!(
            "{{ \"file_format_version\": \"1.0.0\", \"ICD\": {{ \"library_path\": {library:?}, \"api_version\": \"1.3.0\" }} }}\n"
        );
        std::fs::write(folder.join("icd.json"), text).expect("a manifest");
        Place(folder)
    }

    /// A command that finds the driver alone, with these devices.
    fn command(&self, program: &str, targets: &str) -> Command {
        let mut c = Command::new(program);
        let icd = self.0.join("icd.json");
        c.env("VK_ICD_FILENAMES", &icd).env("VK_DRIVER_FILES", &icd).env("GPUCC_VULKAN_TARGETS", targets);
        // Without this the loader sorts devices by an order of its own.
        c.env("XDG_RUNTIME_DIR", &self.0).env("VK_LOADER_DISABLE_SELECT", "1");
        c
    }
}

/// The words of a compute shader in GLSL for a version of Vulkan, by the reference compiler.
pub fn glslang(name: &str, version: &str, text: &str) -> Vec<u32> {
    glslang_of("comp", name, version, text)
}

/// The same of the stage that glslang knows by this word.
pub fn glslang_of(stage: &str, name: &str, version: &str, text: &str) -> Vec<u32> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (from, to) = (folder.join(format!("vulkan-{name}.{stage}")), folder.join(format!("vulkan-{name}.spv")));
    std::fs::write(&from, text).expect("a file");
    let ran = Command::new("glslangValidator").args(["--target-env", version, "-o"]).arg(&to).arg(&from).output();
    let ran = ran.expect("glslangValidator");
    assert!(ran.status.success(), "{}", said(&ran));
    let bytes = std::fs::read(&to).expect("a module");
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

/// Whether a program is installed; says so if it is not.
pub fn has(program: &str, package: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|p| p.join(program).is_file());
    if !found {
        eprintln!("skipped: `{program}` is not installed ({package})");
    }
    found
}

fn said(o: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&o.stdout), String::from_utf8_lossy(&o.stderr))
}

#[test]
fn vulkaninfo_lists_the_devices_in_their_order() {
    if !has("vulkaninfo", "vulkan-tools") {
        return;
    }
    let place = Place::new("info");
    for targets in [TARGETS.join(","), "vivante,interp,gcn:gfx6".into()] {
        let ran = place.command("vulkaninfo", &targets).arg("--summary").output().expect("vulkaninfo");
        let text = said(&ran);
        assert!(ran.status.success(), "{text}");
        let names: Vec<&str> = text
            .lines()
            .filter(|l| l.trim_start().starts_with("deviceName"))
            .filter_map(|l| l.split('=').nth(1))
            .map(str::trim)
            .collect();
        let chips = Settings::read(|name| (name == "GPUCC_VULKAN_TARGETS").then(|| targets.clone())).chips;
        let want: Vec<String> = chips.iter().map(|c| format!("gpucc {c}")).collect();
        assert_eq!(names, want, "{text}");
    }
}

/// All that the tool asks is answered, without a complaint and without an error: features, properties, formats and queues.
#[test]
fn vulkaninfo_finds_all_of_the_devices_in_order() {
    if !has("vulkaninfo", "vulkan-tools") {
        return;
    }
    let place = Place::new("all");
    let ran = place.command("vulkaninfo", &TARGETS.join(",")).output().expect("vulkaninfo");
    let text = said(&ran);
    assert!(ran.status.success(), "{text}");
    let complaint = text.lines().find(|l| {
        let l = l.to_lowercase();
        l.contains("error") || l.contains("warning") || l.contains("failed")
    });
    assert_eq!(complaint, None);
    let versions =
        |which| text.lines().filter(|l| l.trim_start().starts_with("apiVersion") && l.contains(which)).count();
    assert_eq!((versions("1.3."), versions("1.2.")), (3, TARGETS.len() - 3), "{text}");
    for structure in ["VkPhysicalDeviceVulkan11Features", "VkPhysicalDeviceVulkan12Features"] {
        assert_eq!(text.matches(structure).count(), TARGETS.len(), "{structure}");
    }
}

/// Numbers of threads, squared and added up in workgroup memory.
const SHADER: &str = "
    var<workgroup> all: array<u32, 64>;
    @group(0) @binding(0) var<storage, read_write> sums: array<u32>;
    @group(1) @binding(3) var<uniform> factor: vec4u;
    @compute @workgroup_size(64) fn main(
        @builtin(local_invocation_index) k: u32, @builtin(workgroup_id) g: vec3u, @builtin(global_invocation_id) id: vec3u,
    ) {
        all[k] = id.x * id.x * factor.x + factor.y;
        workgroupBarrier();
        for (var n = 32u; n > 0u; n /= 2u) {
            if k < n { all[k] += all[k + n]; }
            workgroupBarrier();
        }
        if k == 0u { sums[g.x] = all[0]; }
    }";

/// A program in C, built by the system's compiler against the system's loader, on each device and on another driver if there is one.
#[test]
fn a_program_in_c_computes_what_others_do() {
    if !has("cc", "gcc") || !Path::new("/usr/include/vulkan/vulkan.h").exists() {
        eprintln!("skipped: a C compiler or `vulkan/vulkan.h` (libvulkan-dev) is not installed");
        return;
    }
    let place = Place::new("c");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tools/run.c");
    let program = place.0.join("run");
    let built =
        Command::new("cc").arg("-O1").arg("-Wall").arg(&source).arg("-lvulkan").arg("-o").arg(&program).output();
    let built = built.expect("a compiler");
    assert!(built.status.success(), "{}", said(&built));
    let code: Vec<u8> = spirv(SHADER).iter().flat_map(|w| w.to_le_bytes()).collect();
    std::fs::write(place.0.join("shader.spv"), code).expect("a file");
    let words = |list: &[u32]| list.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
    std::fs::write(place.0.join("factor"), words(&[3, 5, 0, 0])).expect("a file");
    let want: Vec<u32> = (0..4u32).map(|g| (g * 64..g * 64 + 64).map(|n| n * n * 3 + 5).sum()).collect();
    let mut places: Vec<(String, Command)> = Vec::new();
    for target in TARGETS {
        places.push((target.into(), place.command(&program.to_string_lossy(), target)));
    }
    let other = Path::new("/usr/share/vulkan/icd.d/lvp_icd.x86_64.json");
    if other.exists() {
        let mut c = Command::new(&program);
        c.env("VK_ICD_FILENAMES", other).env("XDG_RUNTIME_DIR", &place.0);
        places.push(("lavapipe".into(), c));
    } else {
        eprintln!("skipped: lavapipe is not installed (mesa-vulkan-drivers)");
    }
    for (name, mut command) in places {
        std::fs::write(place.0.join("sums"), words(&[0; 4])).expect("a file");
        let args = ["shader.spv", "main", "4,1,1", "0:0:s:sums", "1:3:u:factor"];
        let ran = command.current_dir(&place.0).args(args).output().expect("the program");
        assert!(ran.status.success(), "{name}: {}", said(&ran));
        assert_eq!(std::fs::read(place.0.join("sums")).expect("a file"), words(&want), "{name}");
    }
}

/// Each dispatch and draw of the other tests is done again by the oracle, which finds no difference.
#[test]
fn the_oracle_finds_no_difference() {
    let place = Place::new("oracle");
    let verdicts = place.0.join("verdicts");
    // It may not be there.
    let _ = std::fs::remove_file(&verdicts);
    let compared = place.0.join("compared");
    let _ = std::fs::remove_file(&compared);
    let own = std::env::current_exe().expect("a path");
    let mut command = Command::new(own);
    command
        .args(["compute::", "programs::", "render::", "needs::", "statistics::", "--nocapture"])
        .env("GPUCC_VULKAN_COMPARED", &compared);
    let ran =
        command.env("GPUCC_VULKAN_ORACLE", "1").env("GPUCC_VULKAN_VERDICTS", &verdicts).output().expect("the tests");
    let text = said(&ran);
    assert!(ran.status.success(), "{text}");
    let lines = std::fs::read_to_string(&compared).unwrap_or_default();
    let agree = lines.lines().filter(|l| l.starts_with("match")).count();
    assert!(agree > 100, "{agree} dispatches and draws were compared");
    // Two leave something out, both on Vivante: those of `render::fragments_that_see_each_other_run_in_any_order` and
    // `compute::invocations_that_store_to_images_run_in_any_order`.
    let open: Vec<&str> =
        lines.lines().filter(|l| l.contains("that change with the order of invocations, or")).collect();
    assert_eq!(open.len(), 2, "{open:?}");
    assert_eq!(std::fs::read_to_string(&verdicts).unwrap_or_default(), "");
}

/// What the layer asks and the driver does not have: the size of points in vertices, which naga does not write and which is 1 then.
const OPEN: [&str; 1] = ["VUID-VkGraphicsPipelineCreateInfo-Vertex-07722"];

/// The small programs through the loader and Khronos' validation layer, which finds no error.
#[test]
fn the_validation_layer_finds_no_error() {
    let layer = "VK_LAYER_KHRONOS_validation";
    let manifest = Path::new("/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json");
    let loader = ["/usr/lib/x86_64-linux-gnu/libvulkan.so.1", "/usr/lib64/libvulkan.so.1", "/usr/lib/libvulkan.so.1"];
    let loader = loader.into_iter().find(|p| Path::new(p).exists());
    let (Some(loader), true) = (loader, manifest.exists()) else {
        eprintln!("skipped: the loader (libvulkan1) or {layer} (vulkan-validationlayers) is not installed");
        return;
    };
    let place = Place::new("layers");
    let own = std::env::current_exe().expect("a path");
    let mut command = place.command(&own.to_string_lossy(), &TARGETS.join(","));
    command.args(["--exact", "programs::pictures_are_those_of_another_driver", "--nocapture"]);
    let ran = command.env("VK_INSTANCE_LAYERS", layer).env("GPUCC_VULKAN_BY", loader).output().expect("the tests");
    let text = said(&ran);
    assert!(ran.status.success(), "{text}");
    let is_told = |l: &str| l.contains("Validation Error") || l.contains("VUID-");
    let error = text.lines().find(|l| is_told(l) && !OPEN.iter().any(|o| l.contains(o)));
    assert_eq!(error, None, "{text}");
    assert!(text.contains("1 passed"), "{text}");
    // The layer is there: it finds what is wrong.
    let mut command = place.command(&own.to_string_lossy(), "interp");
    command.args(["--exact", "programs::a_buffer_without_bytes", "--nocapture"]).env("GPUCC_VULKAN_WRONG", "1");
    let ran = command.env("VK_INSTANCE_LAYERS", layer).env("GPUCC_VULKAN_BY", loader).output().expect("the tests");
    assert!(said(&ran).contains("VUID-VkBufferCreateInfo-size"), "{}", said(&ran));
}
