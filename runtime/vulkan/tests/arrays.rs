//! Arrays of descriptors: at numbers that differ from lane to lane, without a size, with elements that are open, written after they were bound.

use ash::vk;
use vk::DescriptorBindingFlags as Flags;

use crate::kit::{Gpu, Mapped, Program, entry, newer_devices, spirv};
use crate::programs::parts::{Made, Of, Pipe, TEXTURE, fill, image, pass, passed, pipeline, sampler, texels, words};

/// Bytes of each buffer.
const BYTES: usize = 64;

/// The binding of the array.
const ARRAY: u32 = 2;

/// A layout with a buffer at binding 0, two samplers at binding 1 and the array, and a set with so many elements.
struct Sets {
    layout: vk::PipelineLayout,
    set: vk::DescriptorSet,
    ty: vk::DescriptorType,
}

impl Sets {
    fn new(gpu: &Gpu, ty: vk::DescriptorType, count: u32, flags: Flags, elements: Option<u32>) -> Sets {
        let one = |binding, ty, count| {
            let own = vk::DescriptorSetLayoutBinding::default().binding(binding).descriptor_type(ty);
            own.descriptor_count(count).stage_flags(vk::ShaderStageFlags::ALL)
        };
        let bindings = [
            one(0, vk::DescriptorType::STORAGE_BUFFER, 1),
            one(1, vk::DescriptorType::SAMPLER, 2),
            one(ARRAY, ty, count),
        ];
        let all = [Flags::empty(), Flags::empty(), flags];
        let mut flags = vk::DescriptorSetLayoutBindingFlagsCreateInfo::default().binding_flags(&all);
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings).push_next(&mut flags);
        let size = |ty, descriptor_count| vk::DescriptorPoolSize { ty, descriptor_count };
        let taken = elements.unwrap_or(count);
        let sizes =
            [size(vk::DescriptorType::STORAGE_BUFFER, 1), size(vk::DescriptorType::SAMPLER, 2), size(ty, taken)];
        let d = &gpu.device;
        unsafe {
            let layout = d.create_descriptor_set_layout(&info, None).expect("a layout");
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
            let pool = d.create_descriptor_pool(&info, None).expect("a pool");
            let (layouts, counts) = ([layout], [taken]);
            let mut counts = vk::DescriptorSetVariableDescriptorCountAllocateInfo::default().descriptor_counts(&counts);
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
            let set = d.allocate_descriptor_sets(&info.push_next(&mut counts)).expect("a set")[0];
            Sets { layout: gpu.layout(&layouts, 0), set, ty }
        }
    }

    fn buffer(&self, gpu: &Gpu, binding: u32, element: u32, buffer: Mapped) {
        let info = [vk::DescriptorBufferInfo { buffer: buffer.buffer, offset: 0, range: vk::WHOLE_SIZE }];
        let ty = if binding == 0 { vk::DescriptorType::STORAGE_BUFFER } else { self.ty };
        let write = vk::WriteDescriptorSet::default().dst_set(self.set).dst_binding(binding).descriptor_type(ty);
        unsafe { gpu.device.update_descriptor_sets(&[write.dst_array_element(element).buffer_info(&info)], &[]) };
    }

    fn view(&self, gpu: &Gpu, element: u32, image_view: vk::ImageView) {
        let info =
            [vk::DescriptorImageInfo { image_view, image_layout: vk::ImageLayout::GENERAL, ..Default::default() }];
        let write = vk::WriteDescriptorSet::default().dst_set(self.set).dst_binding(ARRAY).descriptor_type(self.ty);
        unsafe { gpu.device.update_descriptor_sets(&[write.dst_array_element(element).image_info(&info)], &[]) };
    }

    fn sampler(&self, gpu: &Gpu, element: u32, sampler: vk::Sampler) {
        let info = [vk::DescriptorImageInfo { sampler, ..Default::default() }];
        let write = vk::WriteDescriptorSet::default().dst_set(self.set).dst_binding(1).dst_array_element(element);
        let write = write.descriptor_type(vk::DescriptorType::SAMPLER).image_info(&info);
        unsafe { gpu.device.update_descriptor_sets(&[write], &[]) };
    }

    fn run(&self, gpu: &Gpu, text: &str) {
        self.run_words(gpu, &spirv(text));
    }

    fn run_words(&self, gpu: &Gpu, words: &[u32]) {
        self.program(gpu, words).run(gpu, 1);
    }

    fn program(&self, gpu: &Gpu, words: &[u32]) -> Program {
        let pipeline = gpu.compute(words, self.layout, &[]).expect("a pipeline");
        Program { pipeline, layout: self.layout, set: self.set }
    }
}

/// The features that the tests below are about, of a device.
fn features(gpu: &Gpu) -> vk::PhysicalDeviceDescriptorIndexingFeatures<'static> {
    let mut own = vk::PhysicalDeviceDescriptorIndexingFeatures::default();
    let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut own);
    unsafe { gpu.instance.get_physical_device_features2(gpu.physical, &mut all) };
    own
}

/// Limits of a device: storage buffers, uniform buffers and textures of a stage.
fn limits(gpu: &Gpu) -> [u32; 3] {
    let l = unsafe { gpu.instance.get_physical_device_properties(gpu.physical) }.limits;
    [
        l.max_per_stage_descriptor_storage_buffers,
        l.max_per_stage_descriptor_uniform_buffers,
        l.max_per_stage_descriptor_sampled_images,
    ]
}

/// The module with its first structure as a block: naga does not say so of uniform buffers in an array.
fn with_block(mut words: Vec<u32>) -> Vec<u32> {
    const MEMBER_DECORATE: u32 = 72;
    let mut at = 5;
    while words[at] & 0xffff != MEMBER_DECORATE {
        at += words[at] as usize >> 16;
    }
    let block = [3 << 16 | 71, words[at + 1], 2];
    words.splice(at..at, block);
    words
}

/// The numbers of elements that the eight lanes choose.
const CHOSEN: [u32; 8] = [1, 0, 3, 3, 2, 1, 0, 2];

/// Each lane writes to and reads from the buffer that its number says.
#[test]
fn lanes_choose_buffers() {
    let text = "
        enable wgpu_binding_array;
        struct S { v: array<u32, 16> }
        @group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @group(0) @binding(2) var<storage, read_write> b: binding_array<S, 4>;
        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) l: u32) {
            let k = o[l];
            b[k].v[l] = 100u * k + l;
            o[l] = b[k].v[15];
        }";
    for (target, gpu) in newer_devices() {
        assert_eq!(features(&gpu).shader_storage_buffer_array_non_uniform_indexing, vk::TRUE, "{target}");
        let sets = Sets::new(&gpu, vk::DescriptorType::STORAGE_BUFFER, 4, Flags::empty(), None);
        let (out, all) = (gpu.buffer(32), [(); 4].map(|()| gpu.buffer(BYTES)));
        out.write(&CHOSEN);
        sets.buffer(&gpu, 0, 0, out);
        for (k, b) in (0..).zip(&all) {
            b.write(&[[7; 15].as_slice(), &[1000 + k]].concat());
            sets.buffer(&gpu, ARRAY, k, *b);
        }
        sets.run(&gpu, text);
        assert_eq!(out.words(), CHOSEN.map(|k| 1000 + k), "{target}");
        for (k, b) in (0..).zip(&all) {
            let want = |l: usize| if CHOSEN.get(l) == Some(&k) { 100 * k + l as u32 } else { 7 };
            assert_eq!(b.words()[..15], (0..15).map(want).collect::<Vec<_>>(), "{target}, buffer {k}");
        }
    }
}

/// The same of uniform buffers, in an array without a size whose layout has more elements than eight: the last ones are chosen, and those between
/// are open.
#[test]
fn lanes_choose_uniform_buffers_of_an_array_without_a_size() {
    let text = "
        enable wgpu_binding_array;
        struct S { v: vec4u }
        @group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @group(0) @binding(2) var<uniform> b: binding_array<S>;
        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) l: u32) {
            o[l] = b[o[l]].v.y + b[LAST].v.z;
        }";
    for (target, gpu) in newer_devices() {
        let f = features(&gpu);
        let has = [
            f.shader_uniform_buffer_array_non_uniform_indexing,
            f.runtime_descriptor_array,
            f.descriptor_binding_partially_bound,
        ];
        assert_eq!(has, [vk::TRUE; 3], "{target}");
        let count = limits(&gpu)[1].min(12);
        assert!(count > 8, "{target}: {count}");
        let sets = Sets::new(&gpu, vk::DescriptorType::UNIFORM_BUFFER, count, Flags::PARTIALLY_BOUND, None);
        let out = gpu.buffer(32);
        let places = [0, 2, count - 2, count - 1];
        out.write(&CHOSEN.map(|k| places[k as usize]));
        sets.buffer(&gpu, 0, 0, out);
        for (k, place) in (0..).zip(places) {
            let b = gpu.buffer(BYTES);
            b.write(&[1, 100 + k, 2000 + k, 4]);
            sets.buffer(&gpu, ARRAY, place, b);
        }
        sets.run_words(&gpu, &with_block(spirv(&text.replace("LAST", &format!("{}u", count - 1)))));
        assert_eq!(out.words(), CHOSEN.map(|k| 100 + k + 2003), "{target}");
    }
}

/// A set says how many elements it has; what is beyond is open.
#[test]
fn sets_say_how_many_elements_they_have() {
    let text = "
        enable wgpu_binding_array;
        struct S { v: array<u32, 16> }
        @group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @group(0) @binding(2) var<storage, read> b: binding_array<S>;
        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) l: u32) { o[l] = b[o[l]].v[l]; }";
    for (target, gpu) in newer_devices() {
        assert_eq!(features(&gpu).descriptor_binding_variable_descriptor_count, vk::TRUE, "{target}");
        let most = (limits(&gpu)[0] - 1).min(12);
        let sets = Sets::new(&gpu, vk::DescriptorType::STORAGE_BUFFER, most, Flags::VARIABLE_DESCRIPTOR_COUNT, Some(4));
        let out = gpu.buffer(32);
        out.write(&CHOSEN);
        sets.buffer(&gpu, 0, 0, out);
        for k in 0..4 {
            let b = gpu.buffer(BYTES);
            b.write(&(0..16).map(|l| 100 * k + l).collect::<Vec<_>>());
            sets.buffer(&gpu, ARRAY, k, b);
        }
        sets.run(&gpu, text);
        let want: Vec<u32> = (0..).zip(CHOSEN).map(|(l, k)| 100 * k + l).collect();
        assert_eq!(out.words(), want, "{target}");
    }
}

/// Each lane fetches from the texture that its number says, of an array without a size in which four elements are bound, and writes to an image
/// that it chooses.
#[test]
fn lanes_choose_textures_and_images() {
    let text = "
        enable wgpu_binding_array;
        @group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @group(0) @binding(2) var t: binding_array<texture_2d<u32>>;
        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) l: u32) {
            let c = textureLoad(t[o[l]], vec2u(l % 4u, l / 4u), 0);
            o[l] = c.x + 256u * c.y;
        }";
    let stores = "
        enable wgpu_binding_array;
        @group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @group(0) @binding(2) var t: binding_array<texture_storage_2d<rgba8uint, write>, 4>;
        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) l: u32) {
            let k = o[l];
            textureStore(t[k], vec2u(l % 4u, l / 4u), vec4u(k, l, 3u, 4u));
        }";
    for (target, gpu) in newer_devices() {
        let f = features(&gpu);
        assert_eq!(f.shader_sampled_image_array_non_uniform_indexing, vk::TRUE, "{target}");
        let count = limits(&gpu)[2].min(16);
        let sets = Sets::new(&gpu, vk::DescriptorType::SAMPLED_IMAGE, count, Flags::PARTIALLY_BOUND, None);
        let out = gpu.buffer(32);
        let places = [0, 3, count - 2, count - 1];
        let of = Of { size: [4, 2, 1], format: vk::Format::R8G8B8A8_UINT, usage: TEXTURE, ..Of::default() };
        out.write(&CHOSEN.map(|k| places[k as usize]));
        sets.buffer(&gpu, 0, 0, out);
        for (k, place) in (0u8..).zip(places) {
            let p = image(&gpu, of);
            fill(&gpu, &p, 0, |x, y, _| [k + 10, (x + 4 * y) as u8, 9, 9]);
            sets.view(&gpu, place, p.view);
        }
        sets.run(&gpu, text);
        let want: Vec<u32> = (0..).zip(CHOSEN).map(|(l, k)| k + 10 + 256 * l).collect();
        assert_eq!(out.words(), want, "{target}");
        assert_eq!(f.shader_storage_image_array_non_uniform_indexing, vk::TRUE, "{target}");
        let sets = Sets::new(&gpu, vk::DescriptorType::STORAGE_IMAGE, 4, Flags::empty(), None);
        out.write(&CHOSEN);
        sets.buffer(&gpu, 0, 0, out);
        let usage = TEXTURE | vk::ImageUsageFlags::STORAGE;
        let all = [(); 4].map(|()| image(&gpu, Of { usage, ..of }));
        for (k, p) in (0..).zip(&all) {
            fill(&gpu, p, 0, |_, _, _| [5; 4]);
            sets.view(&gpu, k, p.view);
        }
        sets.run(&gpu, stores);
        for (k, p) in (0u32..).zip(&all) {
            let stored = |l: u32| u32::from_le_bytes([k as u8, l as u8, 3, 4]);
            let want = |l: u32| if CHOSEN[l as usize] == k { stored(l) } else { 0x0505_0505 };
            assert_eq!(texels(&gpu, p), (0..8).map(want).collect::<Vec<_>>(), "{target}, image {k}");
        }
    }
}

/// Lanes sample textures that they choose by samplers that they choose, in a dispatch and in a draw.
#[test]
fn lanes_choose_textures_and_samplers() {
    let text = "
        enable wgpu_binding_array;
        @group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @group(0) @binding(1) var s: binding_array<sampler, 2>;
        @group(0) @binding(2) var t: binding_array<texture_2d<f32>, 4>;
        fn seen(k: u32, l: u32) -> vec4f { return textureSampleLevel(t[k], s[l % 2u], vec2f(1.125, 0.25), 0.0); }
        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) l: u32) {
            o[l] = pack4x8unorm(seen(o[l], l));
        }
        @vertex fn vs(@builtin(vertex_index) k: u32) -> @builtin(position) vec4f {
            return vec4f(f32(k & 1u) * 4.0 - 1.0, f32(k >> 1u) * 4.0 - 1.0, 0.5, 1.0);
        }
        @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
            return seen((CHOSEN >> (2u * u32(p.x))) & 3u, u32(p.x));
        }";
    let chosen = CHOSEN.iter().rev().fold(0, |all, k| all << 2 | k);
    let text = &text.replace("CHOSEN", &format!("{chosen}u"));
    for (name, gpu) in newer_devices() {
        let sets = Sets::new(&gpu, vk::DescriptorType::SAMPLED_IMAGE, 4, Flags::empty(), None);
        let out = words(&gpu, &CHOSEN);
        sets.buffer(&gpu, 0, 0, out);
        let of = Of { size: [4, 2, 1], usage: TEXTURE, ..Of::default() };
        for k in 0..4 {
            let p = image(&gpu, of);
            fill(&gpu, &p, 0, |x, y, _| [k as u8 + 10, x as u8, y as u8, 9]);
            sets.view(&gpu, k, p.view);
        }
        let wraps = [vk::SamplerAddressMode::REPEAT, vk::SamplerAddressMode::CLAMP_TO_EDGE];
        for (k, wrap) in (0..).zip(wraps) {
            sets.sampler(&gpu, k, sampler(&gpu, vk::Filter::NEAREST, wrap));
        }
        // A coordinate of 1.125 is the first texel of four where it repeats, and the last one where it is clamped.
        let want: Vec<u32> =
            (0..).zip(CHOSEN).map(|(l, k)| u32::from_le_bytes([k as u8 + 10, l % 2 * 3, 0, 9])).collect();
        let size = [8, 1, 1];
        let target = image(&gpu, Of { size, ..Of::default() });
        let pass = pass(&gpu, &[(target, [0.0; 4])], None, None);
        let pipeline = pipeline(&gpu, &Pipe { text, ..Pipe::default() }, sets.layout, pass.pass);
        let made = Made { pipeline, layout: sets.layout, set: Some(sets.set) };
        assert_eq!(passed(&gpu, &target, &pass, |d, c| made.draw(d, c, 3, 1)), want, "{name}, a draw");
        sets.run(&gpu, text);
        assert_eq!(out.words(), want, "{name}, a dispatch");
    }
}

/// A set that is written between the recording and the submit has what was written last.
#[test]
fn sets_are_written_after_they_were_bound() {
    const HEAD: &str = "
        struct S { v: array<u32, 16> }
        struct U { v: array<vec4u, 4> }
        @group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @group(0) @binding(2) var";
    const MAIN: &str = "@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) l: u32)";
    let kinds = [
        (vk::DescriptorType::STORAGE_BUFFER, "<storage, read> b: S;", "o[l] = b.v[l];"),
        (vk::DescriptorType::UNIFORM_BUFFER, "<uniform> b: U;", "o[l] = b.v[l / 4u][l % 4u];"),
        (vk::DescriptorType::SAMPLED_IMAGE, " t: texture_2d<u32>;", "o[l] = 100u * textureLoad(t, vec2u(), 0).x + l;"),
        (
            vk::DescriptorType::STORAGE_IMAGE,
            " t: texture_storage_2d<rgba8uint, write>;",
            "o[l] = 200u + l; textureStore(t, vec2u(l, 0u), vec4u(l));",
        ),
    ];
    for (target, gpu) in newer_devices() {
        let f = features(&gpu);
        let has = [
            f.descriptor_binding_storage_buffer_update_after_bind,
            f.descriptor_binding_uniform_buffer_update_after_bind,
            f.descriptor_binding_sampled_image_update_after_bind,
            f.descriptor_binding_storage_image_update_after_bind,
        ];
        assert_eq!(has, [vk::TRUE; 4], "{target}");
        for (ty, head, main) in &kinds {
            let sets = Sets::new(&gpu, *ty, 1, Flags::UPDATE_AFTER_BIND, None);
            let out = gpu.buffer(32);
            sets.buffer(&gpu, 0, 0, out);
            let buffers = [1, 2].map(|k| words(&gpu, &(0..16).map(|l| 100 * k + l).collect::<Vec<_>>()));
            let usage = TEXTURE | vk::ImageUsageFlags::STORAGE;
            let of = Of { size: [8, 1, 1], format: vk::Format::R8G8B8A8_UINT, usage, ..Of::default() };
            let pictures = [1, 2].map(|k| {
                let p = image(&gpu, of);
                fill(&gpu, &p, 0, |_, _, _| [k; 4]);
                p
            });
            let write = |k: usize| match *ty {
                vk::DescriptorType::STORAGE_BUFFER | vk::DescriptorType::UNIFORM_BUFFER => {
                    sets.buffer(&gpu, ARRAY, 0, buffers[k]);
                }
                _ => sets.view(&gpu, 0, pictures[k].view),
            };
            write(0);
            let text = format!("{HEAD}{head} {MAIN} {{ {main} }}");
            let program = sets.program(&gpu, &spirv(&text));
            gpu.run(|d, c| unsafe {
                program.bind(d, c);
                d.cmd_dispatch(c, 1, 1, 1);
                write(1);
            })
            .expect("it runs");
            assert_eq!(out.words(), (200..208).collect::<Vec<_>>(), "{target}, {ty:?}");
            let stored = *ty == vk::DescriptorType::STORAGE_IMAGE;
            assert_eq!(texels(&gpu, &pictures[0]), [0x0101_0101; 8], "{target}, {ty:?}");
            let want = |l: u32| if stored { 0x0101_0101 * l } else { 0x0202_0202 };
            assert_eq!(texels(&gpu, &pictures[1]), (0..8).map(want).collect::<Vec<_>>(), "{target}, {ty:?}");
        }
    }
}

/// Elements that a list does not use are written while it waits to be run.
#[test]
fn unused_elements_are_written_while_a_list_is_pending() {
    let text = "
        enable wgpu_binding_array;
        struct S { v: array<u32, 16> }
        @group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @group(0) @binding(2) var<storage, read> b: binding_array<S, 3>;
        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) l: u32) { o[l] = b[o[l]].v[l]; }";
    for (target, gpu) in newer_devices() {
        assert_eq!(features(&gpu).descriptor_binding_update_unused_while_pending, vk::TRUE, "{target}");
        let flags = Flags::PARTIALLY_BOUND | Flags::UPDATE_UNUSED_WHILE_PENDING;
        let sets = Sets::new(&gpu, vk::DescriptorType::STORAGE_BUFFER, 3, flags, None);
        let out = words(&gpu, &[0, 1, 1, 0, 0, 1, 0, 1]);
        sets.buffer(&gpu, 0, 0, out);
        let all = [1, 2, 3, 4].map(|k| words(&gpu, &(0..16).map(|l| 100 * k + l).collect::<Vec<_>>()));
        (0..).zip(&all[..2]).for_each(|(k, b)| sets.buffer(&gpu, ARRAY, k, *b));
        let program = sets.program(&gpu, &spirv(text));
        let d = &gpu.device;
        unsafe {
            let info = vk::CommandBufferAllocateInfo::default().command_pool(gpu.pool).command_buffer_count(1);
            let c = d.allocate_command_buffers(&info).expect("a list")[0];
            d.begin_command_buffer(c, &vk::CommandBufferBeginInfo::default()).expect("its begin");
            program.bind(d, c);
            d.cmd_dispatch(c, 1, 1, 1);
            d.end_command_buffer(c).expect("its end");
            let mut counts = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
            let info = vk::SemaphoreCreateInfo::default().push_next(&mut counts);
            let semaphore = d.create_semaphore(&info, None).expect("a semaphore");
            let (lists, semaphores, stages) = ([c], [semaphore], [vk::PipelineStageFlags::ALL_COMMANDS]);
            let mut values = vk::TimelineSemaphoreSubmitInfo::default().wait_semaphore_values(&[1]);
            let submit = vk::SubmitInfo::default().command_buffers(&lists).wait_semaphores(&semaphores);
            let submit = submit.wait_dst_stage_mask(&stages).push_next(&mut values);
            d.queue_submit(gpu.queue, &[submit], vk::Fence::null()).expect("a submission");
            sets.buffer(&gpu, ARRAY, 2, all[2]);
            d.signal_semaphore(&vk::SemaphoreSignalInfo::default().semaphore(semaphore).value(1)).expect("a signal");
            sets.buffer(&gpu, ARRAY, 2, all[3]);
            d.queue_wait_idle(gpu.queue).expect("its end");
            d.destroy_semaphore(semaphore, None);
        }
        assert_eq!(out.words(), [100, 201, 202, 103, 104, 205, 106, 207], "{target}");
        out.write(&[2; 8]);
        program.run(&gpu, 1);
        assert_eq!(out.words(), (400..408).collect::<Vec<_>>(), "{target}");
    }
}

/// Layouts say how many elements a set may say that it has, and a set of more is refused.
#[test]
fn a_set_has_no_more_elements_than_its_layout() {
    for (target, gpu) in newer_devices() {
        let [storage, uniform, textures] = limits(&gpu);
        let kinds = [
            (vk::DescriptorType::STORAGE_BUFFER, storage),
            (vk::DescriptorType::UNIFORM_BUFFER, uniform),
            (vk::DescriptorType::SAMPLED_IMAGE, textures),
        ];
        for ((ty, most), variable) in kinds.iter().flat_map(|k| [(k, true), (k, false)]) {
            let binding = vk::DescriptorSetLayoutBinding::default().descriptor_type(*ty).descriptor_count(2);
            let bindings = [binding.stage_flags(vk::ShaderStageFlags::COMPUTE)];
            let flags = [if variable { Flags::VARIABLE_DESCRIPTOR_COUNT } else { Flags::empty() }];
            let mut flags = vk::DescriptorSetLayoutBindingFlagsCreateInfo::default().binding_flags(&flags);
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings).push_next(&mut flags);
            let mut own = vk::DescriptorSetVariableDescriptorCountLayoutSupport::default();
            let mut support = vk::DescriptorSetLayoutSupport::default().push_next(&mut own);
            unsafe { gpu.device.get_descriptor_set_layout_support(&info, &mut support) };
            assert_eq!(support.supported, vk::TRUE, "{target}, {ty:?}");
            let want = if variable { *most } else { 0 };
            assert_eq!(own.max_variable_descriptor_count, want, "{target}, {ty:?}");
            unsafe {
                let layouts = [gpu.device.create_descriptor_set_layout(&info, None).expect("a layout")];
                let sizes = [vk::DescriptorPoolSize { ty: *ty, descriptor_count: 8 }];
                let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
                let pool = gpu.device.create_descriptor_pool(&info, None).expect("a pool");
                let mut counts =
                    vk::DescriptorSetVariableDescriptorCountAllocateInfo::default().descriptor_counts(&[3]);
                let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
                let made = gpu.device.allocate_descriptor_sets(&info.push_next(&mut counts)).map(drop);
                let want = if variable { Err(vk::Result::ERROR_VALIDATION_FAILED_EXT) } else { Ok(()) };
                assert_eq!(made, want, "{target}, {ty:?}");
            }
        }
    }
}

/// As many descriptors as limits allow a stage compile, of each type.
#[test]
fn limits_are_what_compiles() {
    for (target, gpu) in newer_devices() {
        let l = unsafe { gpu.instance.get_physical_device_properties(gpu.physical) }.limits;
        let kinds = [
            (
                l.max_per_stage_descriptor_storage_buffers - 1,
                "var<storage, read_write> rN: array<u32>;",
                "x = x * 3u + rN[x];",
            ),
            (l.max_per_stage_descriptor_uniform_buffers, "var<uniform> rN: vec4u;", "x = x * 3u + rN.x;"),
            (
                l.max_per_stage_descriptor_sampled_images,
                "var rN: texture_2d<u32>;",
                "x = x * 3u + textureLoad(rN, vec2u(), 0).x;",
            ),
            (
                l.max_per_stage_descriptor_samplers,
                "var rN: sampler;",
                "x = x * 3u + u32(textureSampleLevel(t, rN, vec2f(0.5), 0.0).x);",
            ),
            (
                l.max_per_stage_descriptor_storage_images,
                "var rN: texture_storage_2d<rgba8uint, write>;",
                "textureStore(rN, vec2u(), vec4u(x));",
            ),
        ];
        for (count, head, body) in kinds {
            let each = |text: &str, before: &dyn Fn(u32) -> String| {
                (0..count).map(|n| before(n) + &text.replace('N', &n.to_string())).collect::<String>()
            };
            let heads = each(head, &|n| format!("@group(1) @binding({n}) "));
            let text = format!(
                "@group(0) @binding(0) var<storage, read_write> o: array<u32>; @group(0) @binding(2) var t: texture_2d<f32>;
                {heads} @compute @workgroup_size(1) fn main() {{ var x = 0u; {} o[0] = x; }}",
                each(body, &|_| String::new())
            );
            let sets = Sets::new(&gpu, vk::DescriptorType::SAMPLED_IMAGE, 1, Flags::empty(), None);
            let made = gpu.compute(&spirv(&text), sets.layout, &[]).map(drop);
            assert_eq!(made, Ok(()), "{target}: {count} of `{head}`");
        }
    }
}

/// An array that is larger than anything does not hang, and takes no memory: it runs or is refused.
#[test]
fn an_array_of_a_billion_textures_does_no_harm() {
    let text = "
        enable wgpu_binding_array;
        @group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @group(0) @binding(2) var t: binding_array<texture_2d<u32>>;
        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) l: u32) {
            o[l] = textureLoad(t[o[l]], vec2u(), 0).x;
        }";
    for (target, gpu) in newer_devices() {
        let sets = Sets::new(&gpu, vk::DescriptorType::SAMPLED_IMAGE, 1_000_000_000, Flags::PARTIALLY_BOUND, None);
        let made = gpu.compute(&spirv(text), sets.layout, &[]).map(drop);
        assert_eq!(made, Err(vk::Result::ERROR_FEATURE_NOT_PRESENT), "{target}");
    }
}

/// An element that is open where the layout does not say that it may be is still named.
#[test]
fn an_open_element_is_a_fault_where_none_may_be() {
    let text = "
        enable wgpu_binding_array;
        struct S { v: array<u32, 16> }
        @group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @group(0) @binding(2) var<storage, read> b: binding_array<S, 3>;
        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) l: u32) { o[l] = b[o[l]].v[l]; }";
    let gpu = Gpu::with(&entry(), 0, true);
    let sets = Sets::new(&gpu, vk::DescriptorType::STORAGE_BUFFER, 3, Flags::empty(), None);
    let program = sets.program(&gpu, &spirv(text));
    sets.buffer(&gpu, 0, 0, gpu.buffer(32));
    sets.buffer(&gpu, ARRAY, 0, gpu.buffer(BYTES));
    assert_eq!(program.submit(&gpu, 1), Err(vk::Result::ERROR_DEVICE_LOST));
}
