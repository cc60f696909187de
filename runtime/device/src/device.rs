//! A device and its queue: a worker thread that runs lists in the order in which they were submitted.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::command::CommandList;
use crate::error::{Error, Lost};
use crate::exec::Exec;
use crate::options::{Options, Report};
use crate::timeline::{Timeline, Waited};

/// How often a wait looks whether the device is to stop.
const LOOK: Duration = Duration::from_millis(20);

/// Work for the queue.
#[derive(Clone, Debug, Default)]
pub struct Submission {
    /// Values that are waited for before the first list.
    pub waits: Vec<(Timeline, u64)>,
    /// The lists, in their order.
    pub lists: Vec<Arc<CommandList>>,
    /// Values that are signalled behind the last list.
    pub signals: Vec<(Timeline, u64)>,
}

/// What the worker and the owner share.
#[derive(Debug)]
struct Shared {
    options: Options,
    stop: AtomicBool,
    /// Taken while a list runs.
    running: Mutex<()>,
    lost: Mutex<Option<Lost>>,
    /// Counts of the lists that the queue ran.
    total: Mutex<Report>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Runs a list, after those that run.
    fn run(&self, list: &CommandList, tick: &mut dyn FnMut()) -> Result<Report, Lost> {
        let _one = locked(&self.running);
        if let Some(lost) = &*locked(&self.lost) {
            return Err(lost.clone());
        }
        let mut exec = Exec::new(&self.options, &self.stop);
        let result = exec.run(list, tick);
        let report = exec.report;
        result.map(|()| report).inspect_err(|lost| self.lose(lost.clone()))
    }

    /// Keeps the first reason.
    fn lose(&self, lost: Lost) {
        locked(&self.lost).get_or_insert(lost);
    }

    fn work(&self, queue: &Receiver<Submission>) {
        for s in queue {
            let result = self.submission(&s);
            if let Err(lost) = result {
                self.lose(lost);
            }
            let lost = locked(&self.lost).is_some();
            for (timeline, value) in &s.signals {
                if lost { timeline.lose() } else { timeline.signal(*value) }
            }
        }
    }

    fn submission(&self, s: &Submission) -> Result<(), Lost> {
        for (timeline, value) in &s.waits {
            while timeline.wait(*value, Some(LOOK)) != Waited::Reached {
                if self.stop.load(Ordering::Relaxed) {
                    return Err(Lost::new("the device was stopped"));
                }
            }
        }
        for list in &s.lists {
            let report = self.run(list, &mut || {})?;
            locked(&self.total).add(report);
        }
        Ok(())
    }
}

/// A device with one queue. When it is dropped, it is stopped.
#[derive(Debug)]
pub struct Device {
    shared: Arc<Shared>,
    queue: Option<Sender<Submission>>,
    worker: Option<JoinHandle<()>>,
}

impl Device {
    /// A device whose queue waits for work.
    ///
    /// # Errors
    /// [`Error::Memory`] if the host has no thread for it.
    pub fn new(options: Options) -> Result<Device, Error> {
        let shared = Arc::new(Shared {
            options,
            stop: AtomicBool::new(false),
            running: Mutex::new(()),
            lost: Mutex::new(None),
            total: Mutex::new(Report::default()),
        });
        let (sender, receiver) = channel();
        let own = shared.clone();
        let worker = std::thread::Builder::new().name("gpucc queue".into()).spawn(move || own.work(&receiver));
        let worker = worker.map_err(|e| Error::Memory(format!("there is no thread for a queue: {e}")))?;
        Ok(Device { shared, queue: Some(sender), worker: Some(worker) })
    }

    /// How commands run on it.
    pub fn options(&self) -> &Options {
        &self.shared.options
    }

    /// Gives work to the queue and returns at once.
    ///
    /// # Errors
    /// Why the device is lost.
    pub fn submit(&self, work: Submission) -> Result<(), Lost> {
        if let Some(lost) = self.lost() {
            return Err(lost);
        }
        match self.queue.as_ref().map(|q| q.send(work)) {
            Some(Ok(())) => Ok(()),
            _ => Err(Lost::new("the queue has ended")),
        }
    }

    /// Gives one list to the queue and waits until it has run.
    ///
    /// # Errors
    /// Why the device is lost.
    pub fn submit_and_wait(&self, list: Arc<CommandList>) -> Result<(), Lost> {
        self.submit(Submission { lists: vec![list], ..Submission::default() })?;
        self.wait_idle()
    }

    /// Waits until everything that was submitted has run.
    ///
    /// # Errors
    /// Why the device is lost.
    pub fn wait_idle(&self) -> Result<(), Lost> {
        let done = Timeline::new(0);
        self.submit(Submission { signals: vec![(done.clone(), 1)], ..Submission::default() })?;
        match done.wait(1, None) {
            Waited::Reached => Ok(()),
            _ => Err(self.lost().unwrap_or_else(|| Lost::new("the queue has ended"))),
        }
    }

    /// Runs a list on the caller's thread, after what the queue runs at the moment, and gives its counts. `tick` is called after each
    /// dispatch and draw.
    ///
    /// # Errors
    /// Why the device is lost.
    pub fn run(&self, list: &CommandList, tick: &mut dyn FnMut()) -> Result<Report, Lost> {
        self.shared.run(list, tick)
    }

    /// Why it is lost, if it is.
    pub fn lost(&self) -> Option<Lost> {
        locked(&self.shared.lost).clone()
    }

    /// Ends what runs as soon as it can, and the device with it.
    pub fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }

    /// Calls `f` with the counts of all lists that the queue has run.
    pub fn counts<T>(&self, f: impl FnOnce(&Report) -> T) -> T {
        f(&locked(&self.shared.total))
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        self.stop();
        self.queue = None;
        if let Some(worker) = self.worker.take() {
            // A worker that panicked said so itself.
            let _ = worker.join();
        }
    }
}
