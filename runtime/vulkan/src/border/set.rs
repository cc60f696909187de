//! Descriptor sets.

use std::ffi::c_void;
use std::sync::Arc;

use ash::vk;

use super::entry::{Alloc, entries};
use super::read::{chained, give, given, list};
use crate::fail::{Done, Fail};
use crate::handles;
use crate::set::{Binding, Layout, PipelineLayout, Pool, Set, Slot, Template};

/// The bindings of a layout, each with its flags.
///
/// # Safety
/// The structure keeps Vulkan's rules.
pub(super) unsafe fn bindings<'a>(
    i: &'a vk::DescriptorSetLayoutCreateInfo<'_>,
) -> Done<impl Iterator<Item = (&'a vk::DescriptorSetLayoutBinding<'a>, vk::DescriptorBindingFlags)>> {
    // SAFETY: the caller's promise.
    let (all, flags) = unsafe {
        let own = chained::<vk::DescriptorSetLayoutBindingFlagsCreateInfo<'_>>(i.p_next);
        let flags = own.map_or(Ok(&[][..]), |f| list(f.p_binding_flags, f.binding_count))?;
        (list(i.p_bindings.cast::<vk::DescriptorSetLayoutBinding<'a>>(), i.binding_count)?, flags)
    };
    Ok(all.iter().zip(flags.iter().copied().chain(std::iter::repeat(vk::DescriptorBindingFlags::empty()))))
}

/// A layout.
///
/// # Safety
/// The structure keeps Vulkan's rules.
unsafe fn layout(owner: u64, i: &vk::DescriptorSetLayoutCreateInfo<'_>) -> Done<Layout> {
    let mut all = Vec::new();
    // SAFETY: the caller's promise.
    for (b, flags) in unsafe { bindings(i) }? {
        use vk::DescriptorBindingFlags as F;
        use vk::DescriptorType as T;
        let (partial, variable) = (flags.contains(F::PARTIALLY_BOUND), flags.contains(F::VARIABLE_DESCRIPTOR_COUNT));
        let has_samplers = matches!(b.descriptor_type, T::SAMPLER | T::COMBINED_IMAGE_SAMPLER);
        let mut fixed = Vec::new();
        if has_samplers && !b.p_immutable_samplers.is_null() {
            // SAFETY: the caller's promise.
            for &s in unsafe { list(b.p_immutable_samplers, b.descriptor_count) }? {
                fixed.push(handles::get(owner, s)?);
            }
        }
        let (number, ty, count) = (b.binding, b.descriptor_type, b.descriptor_count);
        all.push(Binding { number, ty, count, fixed, partial, variable });
    }
    all.sort_by_key(|b| b.number);
    Ok(Layout { bindings: all })
}

/// One descriptor of a write.
///
/// # Safety
/// The pointers of the write keep Vulkan's rules for its type.
unsafe fn slot(owner: u64, w: &vk::WriteDescriptorSet<'_>, k: usize) -> Done<Slot> {
    use vk::DescriptorType as T;
    // SAFETY: the caller's promise, here and below.
    let image = || unsafe { given(w.p_image_info.wrapping_add(k)) };
    let buffer = || unsafe { given(w.p_buffer_info.wrapping_add(k)) };
    Ok(match w.descriptor_type {
        ty @ (T::UNIFORM_BUFFER | T::STORAGE_BUFFER | T::UNIFORM_BUFFER_DYNAMIC | T::STORAGE_BUFFER_DYNAMIC) => {
            let b = buffer()?;
            let dynamic = matches!(ty, T::UNIFORM_BUFFER_DYNAMIC | T::STORAGE_BUFFER_DYNAMIC);
            Slot::Buffer { buffer: handles::get(owner, b.buffer)?, offset: b.offset, range: b.range, dynamic }
        }
        T::UNIFORM_TEXEL_BUFFER | T::STORAGE_TEXEL_BUFFER => {
            let view = unsafe { given(w.p_texel_buffer_view.wrapping_add(k)) }?;
            let v = handles::get(owner, *view)?;
            Slot::Buffer { buffer: v.buffer.clone(), offset: v.offset, range: v.range, dynamic: false }
        }
        // An immutable sampler stays whatever the handle is.
        T::SAMPLER => Slot::Image(None, handles::get(owner, image()?.sampler).ok()),
        T::COMBINED_IMAGE_SAMPLER => {
            let i = image()?;
            Slot::Image(handles::get_some(owner, i.image_view)?, handles::get(owner, i.sampler).ok())
        }
        T::SAMPLED_IMAGE | T::STORAGE_IMAGE | T::INPUT_ATTACHMENT => {
            Slot::Image(handles::get_some(owner, image()?.image_view)?, None)
        }
        other => return Err(Fail::lacks(format!("descriptors of type {} are not there", other.as_raw()))),
    })
}

/// Writes a set by a template.
///
/// # Safety
/// The data have the descriptors where the template says.
unsafe fn by_template(owner: u64, set: &Set, template: &Template, data: *const c_void) -> Done {
    if data.is_null() {
        return Err(Fail::misuse("the data of a template are null"));
    }
    for e in &template.entries {
        if e.descriptor_type == vk::DescriptorType::INLINE_UNIFORM_BLOCK {
            // SAFETY: the caller's promise.
            let bytes = unsafe { list(data.cast::<u8>().add(e.offset), e.descriptor_count)? };
            set.write_block(e.dst_binding, e.dst_array_element, bytes)?;
            continue;
        }
        for k in 0..e.descriptor_count {
            // SAFETY: the caller's promise.
            let p = unsafe { data.cast::<u8>().add(e.offset + k as usize * e.stride) };
            let w = vk::WriteDescriptorSet {
                descriptor_type: e.descriptor_type,
                descriptor_count: 1,
                p_buffer_info: p.cast(),
                p_image_info: p.cast(),
                p_texel_buffer_view: p.cast(),
                ..Default::default()
            };
            // SAFETY: the pointer of the type is one to such a structure.
            let slot = unsafe { slot(owner, &w, 0) }?;
            set.write(e.dst_binding, e.dst_array_element + k, vec![slot])?;
        }
    }
    Ok(())
}

fn empty(owner: u64, pool: vk::DescriptorPool) -> Done {
    let pool = handles::get(owner, pool)?;
    for s in pool.empty() {
        handles::remove(owner, s)?;
    }
    Ok(())
}

entries! {
    PFN_vkCreateDescriptorSetLayout => fn create_descriptor_set_layout(
        device: vk::Device, info: *const vk::DescriptorSetLayoutCreateInfo<'_>, _a: Alloc<'_>,
        out: *mut vk::DescriptorSetLayout,
    ) -> vk::Result {
        let owner = handles::at(device)?.handle;
        give(out, handles::add(owner, layout(owner, given(info)?)?))
    }
    PFN_vkCreatePipelineLayout => fn create_pipeline_layout(
        device: vk::Device, info: *const vk::PipelineLayoutCreateInfo<'_>, _a: Alloc<'_>, out: *mut vk::PipelineLayout,
    ) -> vk::Result {
        let owner = handles::at(device)?.handle;
        let i = given(info)?;
        let mut sets = Vec::new();
        for &s in list(i.p_set_layouts, i.set_layout_count)? {
            sets.push(handles::get_some(owner, s)?);
        }
        for r in list(i.p_push_constant_ranges, i.push_constant_range_count)? {
            if r.offset.saturating_add(r.size) > crate::physical::limits::PUSH {
                return Err(Fail::misuse("push constants beyond maxPushConstantsSize"));
            }
        }
        give(out, handles::add(owner, PipelineLayout { sets }))
    }
    PFN_vkCreateDescriptorPool => fn create_descriptor_pool(
        device: vk::Device, info: *const vk::DescriptorPoolCreateInfo<'_>, _a: Alloc<'_>, out: *mut vk::DescriptorPool,
    ) -> vk::Result {
        let i = given(info)?;
        let pool = Pool::new(i.max_sets, list(i.p_pool_sizes, i.pool_size_count)?);
        give(out, handles::add(handles::at(device)?.handle, pool))
    }
    PFN_vkDestroyDescriptorPool => fn destroy_descriptor_pool(device: vk::Device, pool: vk::DescriptorPool, _a: Alloc<'_>) {
        let owner = handles::at(device)?.handle;
        if vk::Handle::is_null(pool) {
            return Ok(());
        }
        empty(owner, pool)?;
        handles::remove(owner, pool).map(drop)
    }
    PFN_vkResetDescriptorPool => fn reset_descriptor_pool(
        device: vk::Device, pool: vk::DescriptorPool, _flags: vk::DescriptorPoolResetFlags,
    ) -> vk::Result {
        empty(handles::at(device)?.handle, pool)
    }
    PFN_vkAllocateDescriptorSets => fn allocate_descriptor_sets(
        device: vk::Device, info: *const vk::DescriptorSetAllocateInfo<'_>, out: *mut vk::DescriptorSet,
    ) -> vk::Result {
        let owner = handles::at(device)?.handle;
        let i = given(info)?;
        let pool = handles::get(owner, i.descriptor_pool)?;
        let layouts = list(i.p_set_layouts, i.descriptor_set_count)?;
        let counts = chained::<vk::DescriptorSetVariableDescriptorCountAllocateInfo<'_>>(i.p_next);
        let counts = counts.map_or(Ok(&[][..]), |c| list(c.p_descriptor_counts, c.descriptor_set_count))?;
        // A set that says nothing has no such element.
        let of = |(k, l): (usize, vk::DescriptorSetLayout)| {
            handles::get(owner, l)?.with_elements(counts.get(k).copied().unwrap_or(0))
        };
        let layouts = layouts.iter().copied().enumerate().map(of).collect::<Done<Vec<Arc<Layout>>>>()?;
        let mut made = Vec::new();
        let all = layouts.iter().try_for_each(|layout| {
            made.push(pool.take(layout, || handles::add(owner, Set::new(layout.clone())))?);
            Ok(())
        });
        if all.is_err() {
            for set in made.drain(..) {
                pool.give(set);
                handles::remove(owner, set)?;
            }
        }
        for k in 0..layouts.len() {
            give(out.wrapping_add(k), made.get(k).copied().unwrap_or_default())?;
        }
        all
    }
    PFN_vkFreeDescriptorSets => fn free_descriptor_sets(
        device: vk::Device, pool: vk::DescriptorPool, n: u32, sets: *const vk::DescriptorSet,
    ) -> vk::Result {
        let owner = handles::at(device)?.handle;
        let pool = handles::get(owner, pool)?;
        for &s in list(sets, n)? {
            handles::remove(owner, s)?;
            pool.give(s);
        }
        Ok(())
    }
    PFN_vkUpdateDescriptorSets => fn update_descriptor_sets(
        device: vk::Device, n: u32, writes: *const vk::WriteDescriptorSet<'_>, m: u32,
        copies: *const vk::CopyDescriptorSet<'_>,
    ) {
        let owner = handles::at(device)?.handle;
        for w in list(writes, n)? {
            let set = handles::get(owner, w.dst_set)?;
            if w.descriptor_type == vk::DescriptorType::INLINE_UNIFORM_BLOCK {
                let block = chained::<vk::WriteDescriptorSetInlineUniformBlock<'_>>(w.p_next);
                let block = block.ok_or_else(|| Fail::misuse("a write of a uniform block without its bytes"))?;
                set.write_block(w.dst_binding, w.dst_array_element, list(block.p_data.cast::<u8>(), block.data_size)?)?;
                continue;
            }
            let slots = (0..w.descriptor_count as usize).map(|k| slot(owner, w, k)).collect::<Done<Vec<Slot>>>()?;
            set.write(w.dst_binding, w.dst_array_element, slots)?;
        }
        for c in list(copies, m)? {
            let (from, to) = (handles::get(owner, c.src_set)?, handles::get(owner, c.dst_set)?);
            if let Some(bytes) = from.read_block(c.src_binding, c.src_array_element, c.descriptor_count)? {
                to.write_block(c.dst_binding, c.dst_array_element, &bytes)?;
                continue;
            }
            let slots = from.read(c.src_binding, c.src_array_element, c.descriptor_count as usize)?;
            for (k, slot) in (0..).zip(slots) {
                if let Some(slot) = slot {
                    to.write(c.dst_binding, c.dst_array_element + k, vec![slot])?;
                }
            }
        }
        Ok(())
    }
    PFN_vkCreateDescriptorUpdateTemplate => fn create_descriptor_update_template(
        device: vk::Device, info: *const vk::DescriptorUpdateTemplateCreateInfo<'_>, _a: Alloc<'_>,
        out: *mut vk::DescriptorUpdateTemplate,
    ) -> vk::Result {
        let i = given(info)?;
        let entries = list(i.p_descriptor_update_entries, i.descriptor_update_entry_count)?.to_vec();
        give(out, handles::add(handles::at(device)?.handle, Template { entries }))
    }
    PFN_vkUpdateDescriptorSetWithTemplate => fn update_descriptor_set_with_template(
        device: vk::Device, set: vk::DescriptorSet, template: vk::DescriptorUpdateTemplate, data: *const c_void,
    ) {
        let owner = handles::at(device)?.handle;
        by_template(owner, &*handles::get(owner, set)?, &*handles::get(owner, template)?, data)
    }
}
