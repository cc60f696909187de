//! Handles that name nothing, or something else.

use ash::vk::{self, Handle};

use crate::kit::Gpu;

#[test]
fn a_destroyed_or_foreign_handle_is_an_error() {
    let (one, two) = (Gpu::new(0), Gpu::new(0));
    let d = &one.device;
    let wrong = Err(vk::Result::ERROR_VALIDATION_FAILED_EXT);
    // SAFETY: the driver looks handles up before it uses them.
    unsafe {
        let fence = d.create_fence(&vk::FenceCreateInfo::default(), None).expect("a fence");
        assert_eq!(d.reset_fences(&[fence]), Ok(()));
        assert_eq!(two.device.reset_fences(&[fence]), wrong, "of another device");
        d.destroy_fence(fence, None);
        assert_eq!(d.reset_fences(&[fence]), wrong, "destroyed");
        let again = d.create_fence(&vk::FenceCreateInfo::default(), None).expect("a fence");
        assert_eq!(d.reset_fences(&[fence]), wrong, "destroyed, though its place is used again");
        assert_eq!(d.reset_fences(&[again]), Ok(()));
        assert_eq!(d.reset_fences(&[vk::Fence::null()]), wrong, "null");
        assert_eq!(d.reset_fences(&[vk::Fence::from_raw(0xdead_beef)]), wrong, "any number");
        let event = d.create_event(&vk::EventCreateInfo::default(), None).expect("an event");
        assert_eq!(d.reset_fences(&[vk::Fence::from_raw(event.as_raw())]), wrong, "of another kind");
        // Twice destroyed, and null, are nothing.
        d.destroy_fence(fence, None);
        d.destroy_fence(vk::Fence::null(), None);
    }
}

#[test]
fn a_command_with_a_wrong_handle_fails_the_recording() {
    let gpu = Gpu::new(0);
    let gone = gpu.buffer(64);
    unsafe { gpu.device.destroy_buffer(gone.buffer, None) };
    let done = gpu.run(|d, c| unsafe { d.cmd_fill_buffer(c, gone.buffer, 0, 64, 1) });
    assert_eq!(done, Err(vk::Result::ERROR_VALIDATION_FAILED_EXT));
}
