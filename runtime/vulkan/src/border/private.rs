//! Private data at objects, and the tools that watch a device: there are none.

use ash::vk;

use super::entry::{Alloc, entries};
use super::read::{fill, give};
use crate::handles;
use crate::private::Slot;

entries! {
    PFN_vkCreatePrivateDataSlot => fn create_private_data_slot(
        device: vk::Device, _info: *const vk::PrivateDataSlotCreateInfo<'_>, _a: Alloc<'_>, out: *mut vk::PrivateDataSlot,
    ) -> vk::Result {
        give(out, handles::add(handles::at(device)?.handle, Slot::default()))
    }
    PFN_vkSetPrivateData => fn set_private_data(
        device: vk::Device, ty: vk::ObjectType, object: u64, slot: vk::PrivateDataSlot, number: u64,
    ) -> vk::Result {
        handles::get(handles::at(device)?.handle, slot)?.set(ty, object, number);
        Ok(())
    }
    PFN_vkGetPrivateData => fn get_private_data(
        device: vk::Device, ty: vk::ObjectType, object: u64, slot: vk::PrivateDataSlot, out: *mut u64,
    ) {
        give(out, handles::get(handles::at(device)?.handle, slot)?.get(ty, object))
    }
    PFN_vkGetPhysicalDeviceToolProperties => fn get_physical_device_tool_properties(
        physical: vk::PhysicalDevice, n: *mut u32, out: *mut vk::PhysicalDeviceToolProperties<'_>,
    ) -> vk::Result {
        handles::at(physical)?;
        fill(&[], n, out)
    }
}
