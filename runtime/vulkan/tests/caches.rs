//! Pipeline caches: what is kept, what is found, and data that is not theirs.

use ash::vk;
use gpucc::cache::{Cache as _, Key};
use gpucc_vulkan::cache::{Cache, MOST};
use vk::{PipelineCreateFlags as Flags, PipelineCreationFeedbackFlags as Said};

use crate::build;
use crate::kit::{Gpu, Program, TARGETS, spirv};

const KEPT_ONLY: Flags = Flags::FAIL_ON_PIPELINE_COMPILE_REQUIRED;

const TEXT: &str = "
    @group(0) @binding(0) var<storage, read_write> a: array<u32>;
    @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) { a[id.x] = id.x * FACTOR + 5u; }";

/// A pipeline whose code is made with a factor, what is said of it and of its stage.
fn make(
    d: &ash::Device,
    (cache, flags): (vk::PipelineCache, Flags),
    layout: vk::PipelineLayout,
    factor: u32,
) -> (Result<vk::Pipeline, vk::Result>, [vk::PipelineCreationFeedback; 2]) {
    let code = spirv(&TEXT.replace("FACTOR", &format!("{factor}u")));
    let info = vk::ShaderModuleCreateInfo::default().code(&code);
    let module = unsafe { d.create_shader_module(&info, None).expect("a module") };
    let stage = vk::PipelineShaderStageCreateInfo::default().stage(vk::ShaderStageFlags::COMPUTE);
    let stage = stage.module(module).name(c"main");
    let (mut whole, mut stages) = (vk::PipelineCreationFeedback::default(), [vk::PipelineCreationFeedback::default()]);
    let mut said = vk::PipelineCreationFeedbackCreateInfo::default()
        .pipeline_creation_feedback(&mut whole)
        .pipeline_stage_creation_feedbacks(&mut stages);
    let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout).flags(flags).push_next(&mut said);
    let made = unsafe { d.create_compute_pipelines(cache, &[info], None) };
    unsafe { d.destroy_shader_module(module, None) };
    (made.map(|p| p[0]).map_err(|e| e.1), [whole, stages[0]])
}

fn cache(d: &ash::Device, data: &[u8]) -> vk::PipelineCache {
    let info = vk::PipelineCacheCreateInfo::default().initial_data(data);
    unsafe { d.create_pipeline_cache(&info, None).expect("a cache") }
}

fn data(d: &ash::Device, cache: vk::PipelineCache) -> Vec<u8> {
    unsafe { d.get_pipeline_cache_data(cache).expect("its data") }
}

/// A device with what its pipelines are made of.
fn parts(k: usize) -> (Gpu, vk::PipelineLayout, vk::DescriptorSet, crate::kit::Mapped) {
    let gpu = Gpu::with(&crate::kit::entry(), k, true);
    let buffer = gpu.buffer(32);
    let (sets, set) = gpu.set(&[(buffer.buffer, 0, vk::WHOLE_SIZE)]);
    let of = gpu.layout(&[sets], 0);
    (gpu, of, set, buffer)
}

/// The second device has the data of the first one's cache: it compiles nothing, says so, and computes the same. What the interpreter runs is
/// never compiled.
#[test]
fn the_second_pipeline_is_not_compiled() {
    for (k, target) in TARGETS.iter().enumerate() {
        let is_machine = *target != "interp";
        let mut kept = Vec::new();
        for round in 0..2 {
            let (gpu, of, set, buffer) = parts(k);
            let d = &gpu.device;
            let own = cache(d, &kept);
            let flags = if round == 0 { Flags::empty() } else { KEPT_ONLY };
            for factor in [3, 7] {
                let (made, said) = make(d, (own, flags), of, factor);
                let hit = if round == 1 && is_machine { Said::APPLICATION_PIPELINE_CACHE_HIT } else { Said::empty() };
                assert_eq!(said.map(|s| s.flags), [Said::VALID | hit; 2], "{target}, round {round}");
                let pipeline = made.expect("a pipeline");
                Program { pipeline, layout: of, set }.run(&gpu, 2);
                let want: Vec<u32> = (0..8).map(|n| n * factor + 5).collect();
                assert_eq!(buffer.words(), want, "{target}, round {round}");
            }
            let found = data(d, own);
            assert!(round == 0 || found == kept, "{target}");
            // Another factor is other code.
            let (made, said) = make(d, (own, KEPT_ONLY), of, 9);
            assert_eq!(made.err(), is_machine.then_some(vk::Result::PIPELINE_COMPILE_REQUIRED), "{target}");
            assert_eq!(said[0].flags.contains(Said::VALID), !is_machine, "{target}");
            kept = found;
        }
    }
}

/// Another call of the same device finds the code too, and so does a cache that the first one was merged into.
#[test]
fn caches_are_merged() {
    let (gpu, of, ..) = parts(0);
    let d = &gpu.device;
    let all = [cache(d, &[]), cache(d, &[]), cache(d, &[])];
    for (k, c) in all.iter().enumerate() {
        make(d, (*c, Flags::empty()), of, k as u32 + 2).0.expect("a pipeline");
    }
    unsafe { d.merge_pipeline_caches(all[0], &all[1..]).expect("a cache of all") };
    for factor in 2..5 {
        make(d, (all[0], KEPT_ONLY), of, factor).0.expect("it is kept");
    }
    assert!(make(d, (all[1], KEPT_ONLY), of, 4).0.is_err());
    let whole = data(d, all[0]);
    // A part of the data is data, whatever room it has: whole entries.
    let mut found = Vec::new();
    for room in (0..=whole.len()).step_by(7).chain([whole.len()]) {
        let (mut bytes, mut size) = (vec![0xa5u8; whole.len() + 8], room);
        let get = d.fp_v1_0().get_pipeline_cache_data;
        let code = unsafe { get(d.handle(), all[0], &raw mut size, bytes.as_mut_ptr().cast()) };
        let is_whole = room == whole.len();
        assert_eq!(code, if is_whole { vk::Result::SUCCESS } else { vk::Result::INCOMPLETE });
        assert!(size <= room && bytes[size..].iter().all(|b| *b == 0xa5) && bytes[..size] == whole[..size]);
        let part = cache(d, &bytes[..size]);
        let has = (2..5).filter(|&f| make(d, (part, KEPT_ONLY), of, f).0.is_ok()).count();
        found.push(has);
    }
    assert!(found.is_sorted() && found.last() == Some(&3), "{found:?}");
    found.dedup();
    assert_eq!(found, [0, 1, 2, 3]);
}

/// Data of which a byte is another one, or that ends early, is no data: the code that it had is not found, and nothing else happens.
#[test]
fn damaged_data_does_no_harm() {
    for (k, target) in TARGETS.iter().enumerate().take(4) {
        let (gpu, of, ..) = parts(k);
        let d = &gpu.device;
        let own = cache(d, &[]);
        make(d, (own, Flags::empty()), of, 3).0.expect("a pipeline");
        let whole = data(d, own);
        assert!(whole.len() > 300, "{}", whole.len());
        let none = |data: &[u8], what: &str| {
            let c = cache(d, data);
            let made = make(d, (c, KEPT_ONLY), of, 3).0;
            assert_eq!(made, Err(vk::Result::PIPELINE_COMPILE_REQUIRED), "{target}: {what}");
            unsafe { d.destroy_pipeline_cache(c, None) };
        };
        // Header, line, key, size and hash, and of the code what the test has time for.
        for at in (0..250).chain((250..whole.len()).step_by(11)) {
            for change in [1, 0x80, 0xff] {
                let mut other = whole.clone();
                other[at] ^= change;
                none(&other, &format!("byte {at} with {change:#x}"));
            }
            none(&whole[..at], &format!("{at} bytes"));
        }
        // What follows the entries is not read.
        let more = cache(d, &[&whole[..], &[0xff; 100]].concat());
        make(d, (more, KEPT_ONLY), of, 3).0.expect("it is kept");
    }
}

/// Code under the right key and hash that is not that of the entry point is compiled anew: for another stage, entry or chip, or no container.
#[test]
fn code_of_something_else_is_not_taken() {
    let (gpu, of, ..) = parts(0);
    let d = &gpu.device;
    let own = cache(d, &[]);
    make(d, (own, Flags::empty()), of, 3).0.expect("a pipeline");
    let kept = gpucc_vulkan::handles::get(ash::vk::Handle::as_raw(d.handle()), own).expect("the cache");
    let whole = data(d, own);
    let at = whole.iter().position(|b| *b == b'\n').expect("a line") + 1;
    let key = Key(whole[at..at + 32].try_into().expect("a key"));
    let code = kept.get(&key).expect("its code");
    let chip = gpucc_vulkan::settings::chips("gcn").expect("a chip")[0];
    let with = |change: &dyn Fn(&mut gpucc_container::Container)| {
        let mut container = gpucc_container::Container::read(&code).expect("a container");
        change(&mut container);
        let other = Cache::default();
        other.put(&key, &container.write());
        make(d, (cache(d, &other.data(chip, usize::MAX).0), KEPT_ONLY), of, 3).0
    };
    assert!(with(&|_| ()).is_ok());
    let none = Err(vk::Result::PIPELINE_COMPILE_REQUIRED);
    assert_eq!(with(&|c| c.entries[0].name = "other".into()), none);
    assert_eq!(with(&|c| c.entries[0].stage = gpucc_container::Stage::Vertex), none);
    assert_eq!(with(&|c| c.generation = "gfx6".into()), none);
    assert_eq!(with(&|c| c.family = "tesla".into()), none);
    assert_eq!(with(&|c| c.entries.clear()), none);
    assert_eq!(with(&|c| c.entries.push(c.entries[0].clone())), none);
    let text = Cache::default();
    text.put(&key, b"no container");
    assert_eq!(make(d, (cache(d, &text.data(chip, usize::MAX).0), KEPT_ONLY), of, 3).0, none);
}

/// What another device wrote is ignored.
#[test]
fn data_of_another_device_is_ignored() {
    let first = {
        let (gpu, of, ..) = parts(0);
        let own = cache(&gpu.device, &[]);
        make(&gpu.device, (own, Flags::empty()), of, 3).0.expect("a pipeline");
        data(&gpu.device, own)
    };
    for (k, target) in TARGETS.iter().enumerate().skip(1) {
        let gpu = Gpu::new(k);
        assert_eq!(data(&gpu.device, cache(&gpu.device, &first)).len(), 32, "{target}");
    }
}

/// Threads use one cache: each finds what it put there, and what the others did.
#[test]
fn threads_share_a_cache() {
    let (gpu, of, ..) = parts(0);
    let (d, own) = (&gpu.device, cache(&gpu.device, &[]));
    std::thread::scope(|s| {
        for k in 0..4 {
            s.spawn(move || {
                for factor in k..k + 6 {
                    make(d, (own, Flags::empty()), of, factor).0.expect("a pipeline");
                    make(d, (own, KEPT_ONLY), of, factor).0.expect("it is kept");
                    let both = cache(d, &data(d, own));
                    unsafe { d.merge_pipeline_caches(own, &[both]).expect("a cache of both") };
                }
            });
        }
    });
    for factor in 0..9 {
        make(d, (own, KEPT_ONLY), of, factor).0.expect("it is kept");
    }
}

/// A cache takes so many bytes and no more.
#[test]
fn a_full_cache_takes_no_more() {
    let cache = Cache::default();
    let empty = cache.size();
    cache.put(&Key([1; 32]), &[0; 1000]);
    let one = cache.size();
    cache.put(&Key([2; 32]), &vec![0; MOST - 1000]);
    assert!(one > empty + 1000 && cache.size() == one && cache.get(&Key([2; 32])).is_none());
    cache.put(&Key([3; 32]), &[0; 1000]);
    assert!(cache.size() > one && cache.get(&Key([3; 32])).is_some());
}

/// Specialisation constants are part of what code depends on.
#[test]
fn constants_tell_code_apart() {
    let code = include_bytes!("../../../tests/spirv/spec.spv");
    let code: Vec<u32> = code.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
    for (k, target) in TARGETS[..4].iter().enumerate() {
        let gpu = Gpu::new(k);
        let buffers = [(); 2].map(|()| gpu.buffer(256));
        let (sets, _) = gpu.set(&buffers.map(|b| (b.buffer, 0, vk::WHOLE_SIZE)));
        let (layout, own) = (gpu.layout(&[sets], 0), cache(&gpu.device, &[]));
        let values = |last: f32| [(0, 3), (1, 2), (2, 1), (3, last.to_bits())];
        gpu.making.set((own, Flags::empty()));
        gpu.compute(&code, layout, &values(1.0)).expect("a pipeline");
        gpu.making.set((own, KEPT_ONLY));
        gpu.compute(&code, layout, &values(1.0)).expect("it is kept");
        let other = gpu.compute(&code, layout, &values(2.0));
        assert_eq!(other, Err(vk::Result::PIPELINE_COMPILE_REQUIRED), "{target}");
    }
}

/// The number of a build's sources is that of names and contents, and of nothing else in the folders.
#[test]
fn builds_of_other_sources_have_another_number() {
    let root = std::env::temp_dir().join(format!("gpucc-sources-{}", std::process::id()));
    let write = |place: &str, text: &str| {
        let path = root.join(place);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    let number = || build::number(&root, &mut |_| {}).expect("a number");
    write("ir/src/lib.rs", "one");
    write("backend-of-a-chip/src/lib.rs", "two");
    let first = number();
    assert_eq!(number(), first);
    for (place, text) in
        [("ir/tests/all.rs", "a"), ("docs/page.rs", "a"), ("ir/src/notes.txt", "a"), ("cli/src/main.rs", "a")]
    {
        write(place, text);
        assert_eq!(number(), first, "{place}");
    }
    let mut all = vec![first];
    for (place, text) in
        [("ir/src/lib.rs", "three"), ("ir/src/more.rs", ""), ("Cargo.lock", "a"), ("gpucc/Cargo.toml", "")]
    {
        write(place, text);
        assert!(!all.contains(&number()), "{place}");
        all.push(number());
    }
    std::fs::remove_dir_all(root).expect("it is gone");
}
