//! Fences, semaphores, events and queries.

use ash::vk;
use std::ffi::c_void;
use std::sync::Arc;

use super::entry::{Alloc, entries};
use super::read::{chained, give, given, list};
use crate::fail::{Done, Fail};
use crate::handles;
use crate::query::{self, Queries};
use crate::sync::{Event, Fence, Semaphore, Signal};

/// Waits for fences of a device.
fn wait_fences(device: vk::Device, fences: &[vk::Fence], all: bool, nanoseconds: u64) -> Done<vk::Result> {
    let device = handles::at(device)?;
    let list: Vec<Arc<Fence>> = fences.iter().map(|&f| handles::get(device.handle, f)).collect::<Done<_>>()?;
    let is_set = |f: &Arc<Fence>| f.0.value() != 0;
    let came = device.wait(nanoseconds, || if all { list.iter().all(is_set) } else { list.iter().any(is_set) })?;
    Ok(if came { vk::Result::SUCCESS } else { vk::Result::TIMEOUT })
}

entries! {
    PFN_vkCreateFence => fn create_fence(
        device: vk::Device, info: *const vk::FenceCreateInfo<'_>, _a: Alloc<'_>, out: *mut vk::Fence,
    ) -> vk::Result {
        let set = given(info)?.flags.contains(vk::FenceCreateFlags::SIGNALED);
        give(out, handles::add(handles::at(device)?.handle, Fence(Signal::new(u64::from(set)))))
    }
    PFN_vkResetFences => fn reset_fences(device: vk::Device, n: u32, fences: *const vk::Fence) -> vk::Result {
        let owner = handles::at(device)?.handle;
        for &f in list(fences, n)? {
            handles::get(owner, f)?.0.set(0);
        }
        Ok(())
    }
    PFN_vkGetFenceStatus => fn get_fence_status(device: vk::Device, fence: vk::Fence) -> vk::Result {
        let device = handles::at(device)?;
        if handles::get(device.handle, fence)?.0.value() != 0 {
            return Ok(vk::Result::SUCCESS);
        }
        device.shared.alive().map(|()| vk::Result::NOT_READY)
    }
    PFN_vkWaitForFences => fn wait_for_fences(
        device: vk::Device, n: u32, fences: *const vk::Fence, all: vk::Bool32, timeout: u64,
    ) -> vk::Result {
        wait_fences(device, list(fences, n)?, all == vk::TRUE, timeout)
    }
    PFN_vkCreateSemaphore => fn create_semaphore(
        device: vk::Device, info: *const vk::SemaphoreCreateInfo<'_>, _a: Alloc<'_>, out: *mut vk::Semaphore,
    ) -> vk::Result {
        let ty = chained::<vk::SemaphoreTypeCreateInfo<'_>>(given(info)?.p_next);
        let ty = ty.filter(|t| t.semaphore_type == vk::SemaphoreType::TIMELINE);
        let (signal, timeline) = (Signal::new(ty.map_or(0, |t| t.initial_value)), ty.is_some());
        give(out, handles::add(handles::at(device)?.handle, Semaphore { signal, timeline }))
    }
    PFN_vkGetSemaphoreCounterValue => fn get_semaphore_counter_value(
        device: vk::Device, semaphore: vk::Semaphore, out: *mut u64,
    ) -> vk::Result {
        let device = handles::at(device)?;
        device.shared.alive()?;
        give(out, handles::get(device.handle, semaphore)?.signal.value())
    }
    PFN_vkWaitSemaphores => fn wait_semaphores(
        device: vk::Device, info: *const vk::SemaphoreWaitInfo<'_>, timeout: u64,
    ) -> vk::Result {
        let device = handles::at(device)?;
        let i = given(info)?;
        let values = list(i.p_values, i.semaphore_count)?;
        let mut waits = Vec::new();
        for (&s, &v) in list(i.p_semaphores, i.semaphore_count)?.iter().zip(values) {
            waits.push((handles::get(device.handle, s)?, v));
        }
        let is_set = |w: &(Arc<Semaphore>, u64)| w.0.signal.value() >= w.1;
        let any = i.flags.contains(vk::SemaphoreWaitFlags::ANY);
        let came = device.wait(timeout, || if any { waits.iter().any(is_set) } else { waits.iter().all(is_set) })?;
        Ok(if came { vk::Result::SUCCESS } else { vk::Result::TIMEOUT })
    }
    PFN_vkSignalSemaphore => fn signal_semaphore(device: vk::Device, info: *const vk::SemaphoreSignalInfo<'_>) -> vk::Result {
        let i = given(info)?;
        handles::get(handles::at(device)?.handle, i.semaphore)?.signal.set(i.value);
        Ok(())
    }
    PFN_vkCreateEvent => fn create_event(
        device: vk::Device, _info: *const vk::EventCreateInfo<'_>, _a: Alloc<'_>, out: *mut vk::Event,
    ) -> vk::Result {
        give(out, handles::add(handles::at(device)?.handle, Event(Signal::new(0))))
    }
    PFN_vkGetEventStatus => fn get_event_status(device: vk::Device, event: vk::Event) -> vk::Result {
        let device = handles::at(device)?;
        device.shared.alive()?;
        let set = handles::get(device.handle, event)?.0.value() != 0;
        Ok(if set { vk::Result::EVENT_SET } else { vk::Result::EVENT_RESET })
    }
    PFN_vkSetEvent => fn set_event(device: vk::Device, event: vk::Event) -> vk::Result {
        handles::get(handles::at(device)?.handle, event)?.0.set(1);
        Ok(())
    }
    PFN_vkResetEvent => fn reset_event(device: vk::Device, event: vk::Event) -> vk::Result {
        handles::get(handles::at(device)?.handle, event)?.0.set(0);
        Ok(())
    }
    PFN_vkCreateQueryPool => fn create_query_pool(
        device: vk::Device, info: *const vk::QueryPoolCreateInfo<'_>, _a: Alloc<'_>, out: *mut vk::QueryPool,
    ) -> vk::Result {
        let i = given(info)?;
        let statistics = match i.query_type {
            vk::QueryType::OCCLUSION | vk::QueryType::TIMESTAMP => vk::QueryPipelineStatisticFlags::empty(),
            vk::QueryType::PIPELINE_STATISTICS => i.pipeline_statistics,
            other => return Err(Fail::lacks(format!("queries of type {} are not there", other.as_raw()))),
        };
        if i.query_type == vk::QueryType::PIPELINE_STATISTICS && statistics.is_empty() {
            return Err(Fail::misuse("a pool of statistics that counts nothing"));
        }
        if statistics.as_raw() >> query::STATISTICS != 0 {
            return Err(Fail::lacks(format!("statistics {:#x} are not there", statistics.as_raw())));
        }
        if i.query_count > query::MOST_WORDS / statistics.as_raw().count_ones().max(1) {
            return Err(Fail::memory(format!("{} queries in a pool", i.query_count)));
        }
        give(out, handles::add(handles::at(device)?.handle, Queries::new(i.query_type, statistics, i.query_count)))
    }
    PFN_vkResetQueryPool => fn reset_query_pool(device: vk::Device, pool: vk::QueryPool, first: u32, n: u32) {
        handles::get(handles::at(device)?.handle, pool)?.reset(first, n);
        Ok(())
    }
    PFN_vkGetQueryPoolResults => fn get_query_pool_results(
        device: vk::Device, pool: vk::QueryPool, first: u32, n: u32, size: usize, out: *mut c_void, stride: vk::DeviceSize,
        flags: vk::QueryResultFlags,
    ) -> vk::Result {
        let device = handles::at(device)?;
        let pool = handles::get(device.handle, pool)?;
        if out.is_null() {
            return Err(Fail::misuse("a pointer to results is null"));
        }
        if flags.contains(vk::QueryResultFlags::WAIT) {
            device.wait(u64::MAX, || pool.are_there(first, n))?;
        }
        let missing = pool.results((first, n), flags, |k, from, bytes| {
            let at = u64::from(k).saturating_mul(stride).saturating_add(from);
            if usize::try_from(at).is_ok_and(|at| at.checked_add(bytes.len()).is_some_and(|end| end <= size)) {
                // SAFETY: the application has room for `size` bytes.
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), out.cast::<u8>().add(at as usize), bytes.len());
            }
        });
        let partial = vk::QueryResultFlags::PARTIAL | vk::QueryResultFlags::WITH_AVAILABILITY;
        device.shared.alive()?;
        Ok(if missing && !flags.intersects(partial) { vk::Result::NOT_READY } else { vk::Result::SUCCESS })
    }
}
