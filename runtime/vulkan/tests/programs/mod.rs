//! Small programs in the style of public examples, whose pictures another driver drew.
//!
//! The pictures lie in `tests/pictures`. `GPUCC_WRITE_PICTURES=LIBRARY` draws them anew with the driver of that library, which was Mesa's lavapipe.

mod basic;
mod newer;
pub mod parts;
mod passes;

use std::path::PathBuf;

use ash::vk;

use crate::kit::{Gpu, TARGETS, entry, foreign};

/// Programs use what came after Vulkan 1.1.
fn gpu(entry: &ash::Entry, k: usize) -> Gpu {
    Gpu::with(entry, k, true)
}

/// A program: its name, the greatest difference of a component, the pixels that may differ by more (on edges, whose rules leave a choice), and
/// what it does.
type Program = (&'static str, u8, usize, fn(&Gpu) -> Vec<u32>);

const PROGRAMS: &[Program] = &[
    ("triangle", 2, 0, basic::triangle),
    ("indexed", 2, 0, basic::indexed),
    ("far", 1, 0, basic::far),
    ("textured", 4, 0, basic::textured),
    ("blended", 2, 0, basic::blended),
    ("instances", 1, 0, basic::instances),
    ("pushed", 1, 0, basic::pushed),
    ("offsets", 1, 0, basic::offsets),
    ("strips", 1, 0, basic::strips),
    ("lines", 1, 0, basic::lines),
    ("layers", 1, 0, basic::layers),
    ("volume", 2, 0, basic::volume),
    ("viewports", 2, 0, basic::viewports),
    ("indirect", 1, 0, basic::indirect),
    ("exchanged", 1, 0, basic::exchanged),
    ("cube", 1, 0, passes::cube),
    ("crossing", 1, 0, passes::crossing),
    ("stencil", 1, 0, passes::stencil),
    ("samples", 1, 0, passes::samples),
    ("blurred", 2, 0, passes::blurred),
    // Normals are rounded to 8 bits in between: a code of each component is 4 of the light.
    ("deferred", 4, 0, passes::deferred),
    ("shadow", 1, 0, passes::shadow),
    // Pixels on the seam of two faces, whose choice Vulkan leaves open.
    ("skybox", 1, 24, passes::skybox),
    ("fractal", 1, 0, passes::fractal),
    ("particles", 1, 0, passes::particles),
    ("secondary", 1, 0, passes::secondary),
    ("queries", 1, 0, passes::queries),
    ("moved", 1, 0, passes::moved),
    ("biased", 1, 0, passes::biased),
    ("rendering", 1, 0, newer::rendering),
    ("views", 1, 0, newer::views),
    ("numbered", 1, 0, newer::numbered),
    ("linear", 0, 0, newer::linear),
    ("late", 1, 0, newer::late),
];

/// Columns of a picture.
const SIZE: u32 = parts::SIZE;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/pictures").join(format!("{name}.png"))
}

fn write(path: &std::path::Path, picture: &[u32]) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let file = std::fs::File::create(path).expect("a file");
    let mut encoder = png::Encoder::new(file, SIZE, picture.len() as u32 / SIZE);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let bytes: Vec<u8> = picture.iter().flat_map(|w| w.to_le_bytes()).collect();
    encoder.write_header().and_then(|mut w| w.write_image_data(&bytes)).expect("a picture");
}

/// The pixels of a picture.
pub fn read(path: &std::path::Path) -> Vec<u32> {
    let file = std::fs::File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("a picture");
    let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut bytes).expect("pixels");
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

/// Pixels whose components differ by more, and the greatest difference.
fn differing(a: &[u32], b: &[u32], most: u8) -> (usize, u8) {
    assert_eq!(a.len(), b.len());
    let apart = |(x, y): (&u32, &u32)| {
        let pairs = x.to_le_bytes().into_iter().zip(y.to_le_bytes());
        pairs.map(|(x, y)| x.abs_diff(y)).max().unwrap_or(0)
    };
    let all: Vec<u8> = a.iter().zip(b).map(apart).collect();
    (all.iter().filter(|d| **d > most).count(), all.iter().copied().max().unwrap_or(0))
}

/// The driver in this process, or the one that the loader finds where `GPUCC_VULKAN_BY` names the loader's library.
fn by() -> ash::Entry {
    let own = entry();
    std::env::var_os("GPUCC_VULKAN_BY").map_or(own, |library| foreign(&library))
}

/// Every program draws on every device what the other driver drew.
#[test]
fn pictures_are_those_of_another_driver() {
    if let Some(library) = std::env::var_os("GPUCC_WRITE_PICTURES") {
        let entry = foreign(&library);
        for (name, _, _, run) in PROGRAMS {
            write(&path(name), &run(&gpu(&entry, 0)));
        }
        return;
    }
    let mut wrong = Vec::new();
    for (k, target) in TARGETS.iter().enumerate() {
        let gpu = gpu(&by(), k);
        for (name, most, pixels, run) in PROGRAMS {
            let (want, got) = (read(&path(name)), run(&gpu));
            let (n, greatest) = differing(&got, &want, *most);
            if n > *pixels {
                wrong.push(format!("{target}: {name}: {n} pixels, by at most {greatest}"));
                let folder = std::env::temp_dir().join("gpucc-vulkan-pictures");
                write(&folder.join(format!("{name}.{target}.png")), &got);
            }
        }
        // Layers complain of a device that ends before its objects, which here live as long as the process.
        std::mem::forget(gpu);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Programs whose pipelines come from a cache in a test: shaders of both stages, samplers, targets, samples, state that commands set, views.
const KEPT: [&str; 9] =
    ["indexed", "textured", "blended", "exchanged", "stencil", "samples", "particles", "views", "late"];

/// A second device draws the same by code from the data of the first one's cache, and compiles nothing.
#[test]
fn pictures_are_the_same_by_code_from_a_cache() {
    for (k, target) in TARGETS.iter().enumerate() {
        let draw = |data: &[u8], flags| unsafe {
            let gpu = gpu(&entry(), k);
            let info = vk::PipelineCacheCreateInfo::default().initial_data(data);
            let cache = gpu.device.create_pipeline_cache(&info, None).expect("a cache");
            gpu.making.set((cache, flags));
            let programs = PROGRAMS.iter().filter(|p| KEPT.contains(&p.0));
            let pictures: Vec<_> = programs.map(|p| (p.0, (p.3)(&gpu))).collect();
            (pictures, gpu.device.get_pipeline_cache_data(cache).expect("its data"))
        };
        let (pictures, data) = draw(&[], vk::PipelineCreateFlags::empty());
        assert_eq!(pictures.len(), KEPT.len());
        let (again, same) = draw(&data, vk::PipelineCreateFlags::FAIL_ON_PIPELINE_COMPILE_REQUIRED);
        for (a, b) in pictures.iter().zip(&again) {
            assert_eq!(a, b, "{target}");
        }
        assert!(data == same, "{target}: something was compiled");
        assert_eq!(*target == "interp", data.len() == 32, "{target}: {} bytes", data.len());
    }
}

/// A call that breaks a rule, for the test of the layers: it does nothing elsewhere.
#[test]
fn a_buffer_without_bytes() {
    if std::env::var_os("GPUCC_VULKAN_WRONG").is_none() {
        return;
    }
    let gpu = gpu(&by(), 0);
    // The answer is open: the layer's message counts.
    let _ = unsafe { gpu.device.create_buffer(&ash::vk::BufferCreateInfo::default(), None) };
}
