//! A small program of Vulkan: an instance, a device, buffers that are mapped, one submit.

use std::sync::Once;

use ash::vk;
use gpucc_vulkan::border::vk_icdGetInstanceProcAddr;

/// The targets of the tests.
pub const TARGETS: [&str; 5] = ["gcn", "valhall", "tesla", "vivante", "interp"];

/// A device of each target, with the target's name.
pub fn devices() -> impl Iterator<Item = (&'static str, Gpu)> {
    TARGETS.into_iter().enumerate().map(|(k, target)| (target, Gpu::new(k)))
}

/// The same of Vulkan 1.2 with extensions that became 1.3.
pub fn newer_devices() -> impl Iterator<Item = (&'static str, Gpu)> {
    TARGETS.into_iter().enumerate().map(|(k, target)| (target, Gpu::with(&entry(), k, true)))
}

/// The entry points that need no instance.
pub fn entry() -> ash::Entry {
    static ONCE: Once = Once::new();
    // SAFETY: every test comes through here before it calls the driver, which alone reads the variable.
    ONCE.call_once(|| unsafe { std::env::set_var("GPUCC_VULKAN_TARGETS", TARGETS.join(",")) });
    let get_instance_proc_addr = vk_icdGetInstanceProcAddr;
    // SAFETY: the driver's own function.
    unsafe { ash::Entry::from_static_fn(ash::StaticFn { get_instance_proc_addr }) }
}

/// The entry points of another driver or of the loader, by the path of its library.
pub fn foreign(library: &std::ffi::OsStr) -> ash::Entry {
    use std::ffi::{CString, c_char, c_int, c_void};
    unsafe extern "C" {
        fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
        fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    }
    let name = CString::new(library.to_string_lossy().as_bytes()).expect("a name");
    // SAFETY: both are texts; the library stays loaded, and its function has the type that Vulkan gives it.
    unsafe {
        let library = dlopen(name.as_ptr(), 2);
        assert!(!library.is_null(), "{name:?} is no library");
        let find = |name: &std::ffi::CStr| Some(dlsym(library, name.as_ptr())).filter(|f| !f.is_null());
        let f = find(c"vk_icdGetInstanceProcAddr").or_else(|| find(c"vkGetInstanceProcAddr")).expect("the function");
        let get_instance_proc_addr = std::mem::transmute::<*mut c_void, vk::PFN_vkGetInstanceProcAddr>(f);
        ash::Entry::from_static_fn(ash::StaticFn { get_instance_proc_addr })
    }
}

/// A device with its queue.
pub struct Gpu {
    pub instance: ash::Instance,
    pub physical: vk::PhysicalDevice,
    pub device: ash::Device,
    pub queue: vk::Queue,
    pub pool: vk::CommandPool,
    /// The cache of all pipelines and how they may be made.
    pub making: std::cell::Cell<(vk::PipelineCache, vk::PipelineCreateFlags)>,
}

/// A buffer that is mapped for good.
#[derive(Clone, Copy)]
pub struct Mapped {
    pub buffer: vk::Buffer,
    pub at: *mut u8,
    pub size: usize,
}

impl Mapped {
    pub fn words(&self) -> Vec<u32> {
        // SAFETY: so many bytes are mapped, and nothing runs.
        let bytes = unsafe { std::slice::from_raw_parts(self.at, self.size) };
        bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
    }

    pub fn write(&self, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        assert!(bytes.len() <= self.size);
        // SAFETY: as above.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.at, bytes.len()) };
    }
}

impl Gpu {
    pub fn new(k: usize) -> Gpu {
        Gpu::of(&entry(), k)
    }

    /// The same of a driver or loader.
    pub fn of(entry: &ash::Entry, k: usize) -> Gpu {
        Gpu::with(entry, k, false)
    }

    /// The same, perhaps of Vulkan 1.2 with some of the extensions that became 1.3.
    pub fn with(entry: &ash::Entry, k: usize, newer: bool) -> Gpu {
        let version = if newer { vk::API_VERSION_1_2 } else { vk::API_VERSION_1_1 };
        let app = vk::ApplicationInfo::default().api_version(version);
        // SAFETY: by Vulkan's rules, here and below.
        unsafe {
            let info = vk::InstanceCreateInfo::default().application_info(&app);
            let instance = entry.create_instance(&info, None).expect("an instance");
            let physical = instance.enumerate_physical_devices().expect("devices")[k];
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
            let names = [
                c"VK_KHR_dynamic_rendering",
                c"VK_KHR_synchronization2",
                c"VK_KHR_copy_commands2",
                c"VK_EXT_extended_dynamic_state",
                c"VK_EXT_extended_dynamic_state2",
            ]
            .map(std::ffi::CStr::as_ptr);
            let mut late = vk::PhysicalDeviceExtendedDynamicStateFeaturesEXT::default().extended_dynamic_state(true);
            let mut later = vk::PhysicalDeviceExtendedDynamicState2FeaturesEXT::default().extended_dynamic_state2(true);
            let mut rendering = vk::PhysicalDeviceDynamicRenderingFeatures::default().dynamic_rendering(true);
            let mut sync = vk::PhysicalDeviceSynchronization2Features::default().synchronization2(true);
            let one = vk::PhysicalDeviceVulkan11Features::default();
            let mut one = one.multiview(true).shader_draw_parameters(true);
            let mut two = vk::PhysicalDeviceVulkan12Features::default().timeline_semaphore(true);
            let several = vk::PhysicalDeviceFeatures { multi_draw_indirect: vk::TRUE, ..Default::default() };
            let mut info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
            if newer {
                info = info.enabled_features(&several).push_next(&mut one).push_next(&mut two);
                info = info.enabled_extension_names(&names);
                info = info.push_next(&mut rendering).push_next(&mut sync).push_next(&mut late).push_next(&mut later);
            }
            let device = instance.create_device(physical, &info, None).expect("a device");
            let queue = device.get_device_queue(0, 0);
            let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None).expect("a pool");
            Gpu { instance, physical, device, queue, pool, making: std::cell::Cell::default() }
        }
    }

    /// Memory of a type that is allowed and has these properties.
    pub fn memory(&self, need: vk::MemoryRequirements, flags: vk::MemoryPropertyFlags) -> vk::DeviceMemory {
        let all = unsafe { self.instance.get_physical_device_memory_properties(self.physical) };
        let fits = |k: &u32| {
            let own = all.memory_types[*k as usize].property_flags;
            need.memory_type_bits >> k & 1 == 1 && own.contains(flags)
        };
        let ty = (0..all.memory_type_count).find(fits).expect("a type of memory");
        let info = vk::MemoryAllocateInfo::default().allocation_size(need.size).memory_type_index(ty);
        unsafe { self.device.allocate_memory(&info, None).expect("memory") }
    }

    /// A format with a stencil that can be an attachment.
    pub fn stencil_format(&self) -> vk::Format {
        let all = [vk::Format::D24_UNORM_S8_UINT, vk::Format::D32_SFLOAT_S8_UINT, vk::Format::S8_UINT];
        let can = |f: &vk::Format| {
            let has = unsafe { self.instance.get_physical_device_format_properties(self.physical, *f) };
            has.optimal_tiling_features.contains(vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT)
        };
        all.into_iter().find(can).expect("a format")
    }

    pub fn name(&self) -> String {
        let p = unsafe { self.instance.get_physical_device_properties(self.physical) };
        p.device_name_as_c_str().expect("a name").to_string_lossy().into_owned()
    }

    pub fn buffer(&self, size: usize) -> Mapped {
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::UNIFORM_BUFFER
            | vk::BufferUsageFlags::VERTEX_BUFFER
            | vk::BufferUsageFlags::INDEX_BUFFER
            | vk::BufferUsageFlags::INDIRECT_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST;
        unsafe {
            let info = vk::BufferCreateInfo::default().size(size as u64).usage(usage);
            let buffer = self.device.create_buffer(&info, None).expect("a buffer");
            let need = self.device.get_buffer_memory_requirements(buffer);
            let coherent = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
            let memory = self.memory(need, coherent);
            self.device.bind_buffer_memory(buffer, memory, 0).expect("a binding");
            let flags = vk::MemoryMapFlags::empty();
            let at = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, flags).expect("an address").cast();
            Mapped { buffer, at, size }
        }
    }

    pub fn shader(&self, spirv: &[u32]) -> vk::ShaderModule {
        let info = vk::ShaderModuleCreateInfo::default().code(spirv);
        unsafe { self.device.create_shader_module(&info, None).expect("a module") }
    }

    /// A layout of storage buffers at bindings 0 to `n`, and its set with these ranges.
    pub fn set(&self, ranges: &[(vk::Buffer, u64, u64)]) -> (vk::DescriptorSetLayout, vk::DescriptorSet) {
        let ty = vk::DescriptorType::STORAGE_BUFFER;
        let bindings: Vec<_> = (0..ranges.len() as u32)
            .map(|k| {
                let stages = vk::ShaderStageFlags::ALL;
                vk::DescriptorSetLayoutBinding::default()
                    .binding(k)
                    .descriptor_type(ty)
                    .descriptor_count(1)
                    .stage_flags(stages)
            })
            .collect();
        unsafe {
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let layout = self.device.create_descriptor_set_layout(&info, None).expect("a layout");
            let sizes = [vk::DescriptorPoolSize::default().ty(ty).descriptor_count(8)];
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
            let pool = self.device.create_descriptor_pool(&info, None).expect("a pool");
            let layouts = [layout];
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
            let set = self.device.allocate_descriptor_sets(&info).expect("a set")[0];
            for (k, &(buffer, offset, range)) in ranges.iter().enumerate() {
                let info = [vk::DescriptorBufferInfo { buffer, offset, range }];
                let write = vk::WriteDescriptorSet::default().dst_set(set).dst_binding(k as u32).descriptor_type(ty);
                self.device.update_descriptor_sets(&[write.buffer_info(&info)], &[]);
            }
            (layout, set)
        }
    }

    pub fn layout(&self, sets: &[vk::DescriptorSetLayout], push: u32) -> vk::PipelineLayout {
        let ranges = [vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::ALL, offset: 0, size: push }];
        let mut info = vk::PipelineLayoutCreateInfo::default().set_layouts(sets);
        if push > 0 {
            info = info.push_constant_ranges(&ranges);
        }
        unsafe { self.device.create_pipeline_layout(&info, None).expect("a layout") }
    }

    /// A compute pipeline of `main`, with specialisation constants of four bytes.
    pub fn compute(
        &self,
        spirv: &[u32],
        layout: vk::PipelineLayout,
        values: &[(u32, u32)],
    ) -> Result<vk::Pipeline, vk::Result> {
        let entries: Vec<_> = (0u32..)
            .zip(values)
            .map(|(k, v)| vk::SpecializationMapEntry { constant_id: v.0, offset: k * 4, size: 4 })
            .collect();
        let data: Vec<u8> = values.iter().flat_map(|v| v.1.to_le_bytes()).collect();
        let special = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(self.shader(spirv))
            .name(c"main")
            .specialization_info(&special);
        let (cache, flags) = self.making.get();
        let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout).flags(flags);
        let made = unsafe { self.device.create_compute_pipelines(cache, &[info], None) };
        made.map(|p| p[0]).map_err(|e| e.1)
    }

    /// A compute pipeline of `main` with the layout of a set, and that set.
    pub fn program(
        &self,
        code: &[u32],
        (sets, set): (vk::DescriptorSetLayout, vk::DescriptorSet),
        push: u32,
    ) -> Program {
        let layout = self.layout(&[sets], push);
        Program { pipeline: self.compute(code, layout, &[]).expect("a pipeline"), layout, set }
    }

    /// Dispatches so many workgroups of `main` with a set.
    pub fn dispatch(&self, code: &[u32], set: (vk::DescriptorSetLayout, vk::DescriptorSet), workgroups: u32) {
        self.program(code, set, 0).run(self, workgroups);
    }

    /// Records, submits and waits.
    pub fn run(&self, record: impl FnOnce(&ash::Device, vk::CommandBuffer)) -> Result<(), vk::Result> {
        unsafe {
            let info = vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
            let c = self.device.allocate_command_buffers(&info)?[0];
            self.device.begin_command_buffer(c, &vk::CommandBufferBeginInfo::default())?;
            record(&self.device, c);
            self.device.end_command_buffer(c)?;
            let fence = self.device.create_fence(&vk::FenceCreateInfo::default(), None)?;
            let list = [c];
            let submit = [vk::SubmitInfo::default().command_buffers(&list)];
            self.device.queue_submit(self.queue, &submit, fence)?;
            let done = self.device.wait_for_fences(&[fence], true, 300_000_000_000);
            self.device.destroy_fence(fence, None);
            done
        }
    }
}

/// A compute pipeline with its layout and a set.
#[derive(Clone, Copy)]
pub struct Program {
    pub pipeline: vk::Pipeline,
    pub layout: vk::PipelineLayout,
    pub set: vk::DescriptorSet,
}

impl Program {
    pub fn bind(&self, d: &ash::Device, c: vk::CommandBuffer) {
        let point = vk::PipelineBindPoint::COMPUTE;
        unsafe {
            d.cmd_bind_pipeline(c, point, self.pipeline);
            d.cmd_bind_descriptor_sets(c, point, self.layout, 0, &[self.set], &[]);
        }
    }

    /// Dispatches so many workgroups; what became of them.
    pub fn submit(&self, gpu: &Gpu, workgroups: u32) -> Result<(), vk::Result> {
        gpu.run(|d, c| {
            self.bind(d, c);
            unsafe { d.cmd_dispatch(c, workgroups, 1, 1) };
        })
    }

    /// Dispatches so many workgroups.
    pub fn run(&self, gpu: &Gpu, workgroups: u32) {
        self.submit(gpu, workgroups).expect("it runs");
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        unsafe {
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

/// SPIR-V of a shader in WGSL, by naga, with clip space as Vulkan has it.
pub fn spirv(wgsl: &str) -> Vec<u32> {
    let module = naga::front::wgsl::parse_str(wgsl).expect("WGSL");
    let all = naga::valid::Capabilities::all();
    let info = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), all).validate(&module).expect("valid");
    let mut options = naga::back::spv::Options::default();
    options.flags.remove(naga::back::spv::WriterFlags::ADJUST_COORDINATE_SPACE);
    naga::back::spv::write_vec(&module, &info, &options, None).expect("SPIR-V")
}
