//! Messages: to standard error, and to the application's messengers.

use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use ash::vk;

use crate::settings::{Level, Settings};

/// A function of the application that takes messages. The border makes one of a callback.
pub type Sink = Box<dyn Fn(&Message<'_>) + Send + Sync>;

/// A message of the driver for who listens.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// How grave it is.
    pub level: Level,
    /// Whether a rule of Vulkan's was broken.
    pub misuse: bool,
    /// The function that it is about.
    pub function: &'a str,
    /// The fault in one sentence.
    pub text: &'a str,
}

/// A messenger of an instance.
struct Messenger {
    instance: u64,
    number: u64,
    levels: vk::DebugUtilsMessageSeverityFlagsEXT,
    kinds: vk::DebugUtilsMessageTypeFlagsEXT,
    sink: std::sync::Arc<Sink>,
}

static MESSENGERS: Mutex<(u64, Vec<Messenger>)> = Mutex::new((0, Vec::new()));

/// Adds a messenger to an instance; gives its handle.
pub fn listen(
    instance: u64,
    levels: vk::DebugUtilsMessageSeverityFlagsEXT,
    kinds: vk::DebugUtilsMessageTypeFlagsEXT,
    sink: Sink,
) -> u64 {
    let mut all = MESSENGERS.lock().unwrap_or_else(PoisonError::into_inner);
    all.0 += 1;
    let number = all.0;
    all.1.push(Messenger { instance, number, levels, kinds, sink: std::sync::Arc::new(sink) });
    number
}

/// Takes a messenger away, or with 0 all of an instance.
pub fn silence(instance: u64, number: u64) {
    let mut all = MESSENGERS.lock().unwrap_or_else(PoisonError::into_inner);
    all.1.retain(|m| m.instance != instance || number != 0 && m.number != number);
}

/// Says a message for an instance: on standard error by the settings, and to its messengers.
pub fn say(instance: u64, message: &Message<'_>) {
    if message.level <= Settings::get().level {
        let word = match message.level {
            Level::Error => "error",
            Level::Warn => "warning",
            Level::Info => "info",
        };
        // Where standard error is closed nobody can be told.
        let _ = writeln!(std::io::stderr(), "gpucc vulkan: {word}: {}: {}", message.function, message.text);
    }
    let level = match message.level {
        Level::Error => vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
        Level::Warn => vk::DebugUtilsMessageSeverityFlagsEXT::WARNING,
        Level::Info => vk::DebugUtilsMessageSeverityFlagsEXT::INFO,
    };
    let kind = match message.misuse {
        true => vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION,
        false => vk::DebugUtilsMessageTypeFlagsEXT::GENERAL,
    };
    // A callback may call Vulkan: it runs without the lock.
    let sinks: Vec<_> = {
        let all = MESSENGERS.lock().unwrap_or_else(PoisonError::into_inner);
        let wants = |m: &&Messenger| m.instance == instance && m.levels.contains(level) && m.kinds.contains(kind);
        all.1.iter().filter(wants).map(|m| m.sink.clone()).collect()
    };
    sinks.iter().for_each(|sink| sink(message));
}

/// Says a sentence about a function.
pub fn tell(instance: u64, level: Level, function: &str, text: &str) {
    say(instance, &Message { level, misuse: false, function, text });
}

/// The words of a panic.
pub fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default()
}

/// Writes a line to the file of verdicts, if there is one: a lost device or a difference, for who started the program.
pub fn verdict(text: &str) {
    append(Settings::get().verdicts.as_deref(), text);
}

/// Writes a line to the file of comparisons, if there is one: `match`, or `not compared` with the reason.
pub fn compared(text: &str) {
    append(Settings::get().compared.as_deref(), text);
}

fn append(path: Option<&Path>, text: &str) {
    let Some(path) = path else { return };
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    if let Ok(mut file) = file {
        // The program goes on where the line is lost.
        let _ = writeln!(file, "{}", text.replace('\n', " "));
    }
}
