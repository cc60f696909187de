//! The ends of objects of a device that hold nothing but memory.

use ash::vk;

use super::entry::{Alloc, entries};
use crate::handles;

/// Declares entry points that give an object of a device back: their types, names, and those of the objects.
macro_rules! destroys {
    ($($pfn:ident $name:ident $object:ident;)*) => {
        entries! { $(
            $pfn => fn $name(device: vk::Device, object: vk::$object, _a: Alloc<'_>) {
                handles::remove(handles::at(device)?.handle, object).map(drop)
            }
        )* }
    };
}

destroys! {
    PFN_vkDestroyShaderModule destroy_shader_module ShaderModule;
    PFN_vkDestroyPipelineCache destroy_pipeline_cache PipelineCache;
    PFN_vkDestroyPipeline destroy_pipeline Pipeline;
    PFN_vkDestroyRenderPass destroy_render_pass RenderPass;
    PFN_vkDestroyFramebuffer destroy_framebuffer Framebuffer;
    PFN_vkDestroyPrivateDataSlot destroy_private_data_slot PrivateDataSlot;
    PFN_vkDestroyBuffer destroy_buffer Buffer;
    PFN_vkDestroyBufferView destroy_buffer_view BufferView;
    PFN_vkDestroyImage destroy_image Image;
    PFN_vkDestroyImageView destroy_image_view ImageView;
    PFN_vkDestroySampler destroy_sampler Sampler;
    PFN_vkDestroyDescriptorSetLayout destroy_descriptor_set_layout DescriptorSetLayout;
    PFN_vkDestroyPipelineLayout destroy_pipeline_layout PipelineLayout;
    PFN_vkDestroyDescriptorUpdateTemplate destroy_descriptor_update_template DescriptorUpdateTemplate;
    PFN_vkDestroyFence destroy_fence Fence;
    PFN_vkDestroySemaphore destroy_semaphore Semaphore;
    PFN_vkDestroyEvent destroy_event Event;
    PFN_vkDestroyQueryPool destroy_query_pool QueryPool;
}
