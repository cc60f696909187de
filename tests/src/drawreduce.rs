//! A random draw that fails somewhere becomes small by itself, for a person to read.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use gpucc_glsl::{Source, compile};
use gpucc_kit::exec::On;
use gpucc_reduce::scene::Scene;
use gpucc_reduce::text::Options;
use gpucc_reduce::{Check, Limits, Subject, reduce};
use serde_json::{Value, json};

use crate::pairs::{Part, compare, ready};
use crate::randdraw::{Output, Pair};

/// The bytes of each output.
type Drawn = Vec<Vec<u8>>;

/// A failure that shall stay.
struct Fault<'p> {
    pair: &'p Pair,
    on: On,
    level: u8,
    /// The beginning of what is said; none where pictures differ.
    said: Option<String>,
    /// Modules of texts that were asked about, none of those that glslang does not take.
    modules: Mutex<BTreeMap<String, Option<Vec<u8>>>>,
    /// Candidates that may still be asked about. A count and no time, so that a slow machine finds the same.
    left: AtomicUsize,
    /// True once none is left.
    stop: AtomicBool,
}

/// The words of a message that do not change with the names and numbers in it.
fn beginning(message: &str) -> String {
    let words = message.split_whitespace().filter(|w| !w.contains(|c: char| c.is_ascii_digit() || c == '`'));
    words.take(6).collect::<Vec<_>>().join(" ")
}

impl Fault<'_> {
    fn module(&self, stage: &'static str, text: &str) -> Option<Vec<u8>> {
        let known = self.modules.lock().ok()?.get(text).cloned();
        if let Some(known) = known {
            return known;
        }
        let made = compile("vulkan1.1", &[Source { stage, text: text.into() }]).ok()??.pop()?.ok();
        self.modules.lock().ok()?.insert(text.into(), made.clone());
        made
    }

    /// What a scene with texts in it draws on the oracle and in the place; the second may fail.
    fn drawn(&self, whole: &Value) -> Option<(Vec<Output>, Drawn, Result<Drawn, String>)> {
        let mut scene = whole.clone();
        let shaders = scene.as_object_mut()?.remove("shaders")?;
        let mut parts: Vec<Part> = Vec::new();
        for (name, s) in shaders.as_object()? {
            let (key, text) = s.as_object()?.iter().next()?;
            let stage = if key == "glsl_vert" { "vert" } else { "frag" };
            parts.push((name.clone(), "spv", self.module(stage, text.as_str()?)?));
        }
        let mut outputs = Vec::new();
        for o in scene["outputs"].as_array()? {
            // One of another size is not compared with the pixels that are open.
            if scene["textures"][o["texture"].as_str()?]["size"] != json!(self.pair.size) {
                return None;
            }
            let own = self.pair.outputs.iter().find(|p| o["name"] == p.name)?;
            outputs.push(Output { name: own.name.clone(), compare: own.compare.clone() });
        }
        let done = gpucc::guarded("reduce", || {
            let Ok(r) = ready(&scene, parts) else { return Ok(None) };
            let Ok(want) = r.draw(On::Interp, 0, self.pair.seed) else { return Ok(None) };
            // A picture that depends on nothing but the level is not the fault that is looked for.
            let place = gpucc::guarded("reduce", || Ok(r.draw(self.on, self.level, self.pair.seed)));
            let got = match place {
                Ok(Ok(got)) => Ok(got),
                Ok(Err(f)) => Err(f.to_string()),
                Err(bug) => Err(bug.to_string()),
            };
            Ok(Some((want, got)))
        });
        let (want, got) = done.ok()??;
        Some((outputs, want, got))
    }

    fn is_there(&self, whole: &Value) -> bool {
        let Some((outputs, want, got)) = self.drawn(whole) else { return false };
        match (&self.said, got) {
            (None, Ok(got)) => !outputs.is_empty() && compare(&outputs, &self.pair.open, &want, &got).is_err(),
            (Some(said), Err(e)) => beginning(&e) == *said,
            _ => false,
        }
    }
}

impl Check for Fault<'_> {
    fn holds(&self, candidate: &[u8], _slot: usize) -> bool {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.stop.store(true, Ordering::Relaxed);
        }
        serde_json::from_slice(candidate).is_ok_and(|v| self.is_there(&v))
    }
}

/// The smallest scene with the fault among so many candidates: its texts, then its state. None where the fault is not there by itself.
pub fn reduced(pair: &Pair, on: On, level: u8, candidates: usize) -> Option<String> {
    let shaders = pair.shaders.iter().map(|(name, ending, text)| {
        let key = format!("glsl_{ending}");
        (name.to_string(), json!({key: text}))
    });
    let mut whole = pair.scene.clone();
    whole["shaders"] = Value::Object(shaders.collect());
    let left = AtomicUsize::new(candidates.max(1));
    let mut fault =
        Fault { pair, on, level, said: None, modules: Mutex::default(), left, stop: AtomicBool::new(false) };
    if let (_, _, Err(e)) = fault.drawn(&whole)? {
        fault.said = Some(beginning(&e));
    }
    if !fault.is_there(&whole) {
        return None;
    }
    let subject = Scene::new(&whole.to_string(), Options::default()).ok()?;
    let limits = Limits { until: None, jobs: 1, stop: &fault.stop };
    let (best, _) = reduce(subject, &fault, &limits, &mut |_| {});
    let mut best: Value = serde_json::from_slice(&best.bytes()).ok()?;
    let texts = best.as_object_mut()?.remove("shaders")?;
    let mut out = String::new();
    for (name, s) in texts.as_object()? {
        for (key, text) in s.as_object()? {
            let ending = key.trim_start_matches("glsl_");
            out += &format!("// {name}.{ending}\n{}\n", text.as_str().unwrap_or(""));
        }
    }
    Some(out + &serde_json::to_string_pretty(&best).unwrap_or_default())
}
