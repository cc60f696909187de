//! Devices and their queue: one thread that runs what is submitted, in order.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use ash::vk::{self, Handle};

use crate::command::Command;
use crate::exec::Exec;
use crate::fail::{Done, Fail};
use crate::handles::{self, handles};
use crate::log;
use crate::settings::Chip;
use crate::shared::Shared;
use crate::sync::{self, Fence, Semaphore};

/// Stack of the thread that runs shaders.
const STACK: usize = 64 << 20;

/// Work for the queue.
#[derive(Default)]
pub struct Job {
    /// Semaphores to wait for, and up to which number.
    pub waits: Vec<(Arc<Semaphore>, u64)>,
    /// Lists of commands, in their order.
    pub lists: Vec<Arc<Vec<Command>>>,
    /// Semaphores to signal, and with which number.
    pub signals: Vec<(Arc<Semaphore>, u64)>,
    /// The fence to signal.
    pub fence: Option<Arc<Fence>>,
}

/// A device with its one queue.
#[derive(Debug)]
pub struct Device {
    /// Its handle, which owns its objects.
    pub handle: u64,
    /// What its thread knows too.
    pub shared: Arc<Shared>,
    sender: Mutex<Option<Sender<Job>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    queue: Mutex<vk::Queue>,
}

/// The queue of a device.
#[derive(Debug)]
pub struct Queue {
    /// The device that it belongs to.
    pub device: Arc<Device>,
}

handles! { dispatchable
    vk::Device => Device, "device";
    vk::Queue => Queue, "queue";
}

impl Device {
    /// Makes a device with its queue.
    ///
    /// # Errors
    /// There is no thread for it.
    pub fn open(chip: Chip, instance: u64) -> Done<vk::Device> {
        let shared = Arc::new(Shared::new(chip, instance));
        let (sender, receiver) = channel();
        let own = shared.clone();
        let thread = std::thread::Builder::new().name("gpucc queue".into()).stack_size(STACK);
        let thread = thread.spawn(move || serve(&own, &receiver));
        let thread = thread.map_err(|e| Fail::new(vk::Result::ERROR_OUT_OF_HOST_MEMORY, format!("no thread: {e}")))?;
        let handle = handles::open(|handle: vk::Device| Device {
            handle: handle.as_raw(),
            shared,
            sender: Mutex::new(Some(sender)),
            thread: Mutex::new(Some(thread)),
            queue: Mutex::new(vk::Queue::null()),
        });
        let device = handles::at(handle)?;
        let queue = handles::open(|_| Queue { device: device.clone() });
        *device.queue.lock().unwrap_or_else(PoisonError::into_inner) = queue;
        Ok(handle)
    }

    /// Where its programs run.
    pub fn chip(&self) -> Chip {
        self.shared.chip
    }

    /// The handle of its queue.
    pub fn queue(&self) -> vk::Queue {
        *self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives work to the queue.
    ///
    /// # Errors
    /// The device is lost.
    pub fn submit(&self, job: Job) -> Done {
        self.shared.alive()?;
        let gone = || Fail::new(vk::Result::ERROR_DEVICE_LOST, "the device was destroyed");
        let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        self.shared.jobs[0].fetch_add(1, Ordering::SeqCst);
        sender.as_ref().ok_or_else(gone)?.send(job).map_err(|_| gone())
    }

    /// Waits until all work is done.
    ///
    /// # Errors
    /// The device is lost.
    pub fn wait_idle(&self) -> Done {
        let [sent, done] = &self.shared.jobs;
        sync::wait(u64::MAX, || sent.load(Ordering::SeqCst) == done.load(Ordering::SeqCst) || self.shared.is_lost());
        self.shared.alive()
    }

    /// Waits for a condition; says whether it came true in time.
    ///
    /// # Errors
    /// The device is lost before.
    pub fn wait(&self, nanoseconds: u64, mut ready: impl FnMut() -> bool) -> Done<bool> {
        let mut came = false;
        sync::wait(nanoseconds, || {
            came = ready();
            came || self.shared.is_lost()
        });
        if came { Ok(true) } else { self.shared.alive().map(|()| false) }
    }

    /// Ends its thread, and waits for that.
    pub fn close(&self) {
        sync::ring(|| self.shared.stop.store(true, Ordering::SeqCst));
        drop(self.sender.lock().unwrap_or_else(PoisonError::into_inner).take());
        if let Some(thread) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // A thread that panicked has nothing left to end.
            let _ = thread.join();
        }
        handles::close(self.queue());
    }
}

/// The thread of a queue.
fn serve(shared: &Shared, jobs: &Receiver<Job>) {
    while let Ok(job) = jobs.recv() {
        let run = || one(shared, &job);
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        match done {
            Ok(Ok(())) => {}
            Ok(Err(fail)) => shared.lose(&fail.text),
            Err(panic) => shared.lose(&format!("a bug of the driver: {}", log::panic_text(&*panic))),
        }
        sync::ring(|| {
            shared.jobs[1].fetch_add(1, Ordering::SeqCst);
        });
    }
}

/// Runs a job. Of a lost device nothing is signalled any more.
fn one(shared: &Shared, job: &Job) -> Done {
    for (semaphore, value) in &job.waits {
        let reached = || match semaphore.timeline {
            true => semaphore.signal.value() >= *value,
            false => semaphore.signal.value() != 0,
        };
        sync::wait(u64::MAX, || reached() || shared.stop.load(Ordering::SeqCst) || shared.is_lost());
        if !semaphore.timeline {
            semaphore.signal.set(0);
        }
    }
    if shared.is_lost() || shared.stop.load(Ordering::SeqCst) {
        return Ok(());
    }
    for list in &job.lists {
        shared.copies().begin();
        Exec::new(shared).run(list)?;
    }
    for (semaphore, value) in &job.signals {
        semaphore.signal.set(*value);
    }
    if let Some(fence) = &job.fence {
        fence.0.set(1);
    }
    Ok(())
}
