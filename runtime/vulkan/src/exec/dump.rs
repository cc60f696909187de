//! Dispatches written as files that the command `gpucc run` takes, to be looked at or reduced.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use gpucc_container::IMMEDIATES;
use gpucc_sim::Dispatch;

use crate::log;
use crate::pipeline::{Program, Source};
use crate::settings::{Level, Settings};
use crate::shared::Shared;

/// Number of the next folder.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Opcodes of the instructions that a specialisation changes.
mod op {
    pub const DECORATE: u32 = 71;
    pub const SPEC_TRUE: u32 = 48;
    pub const SPEC_FALSE: u32 = 49;
    pub const SPEC: u32 = 50;
    pub const SPEC_ID: u32 = 1;
}

/// The SPIR-V with its specialisation constants as defaults, so that it needs none.
pub fn specialised(source: &Source) -> Vec<u8> {
    let word = |c: &[u8]| u32::from_le_bytes([c[0], c[1], c[2], c[3]]);
    let mut words: Vec<u32> = source.code.chunks_exact(4).map(word).collect();
    let mut ids: Vec<(u32, u64)> = Vec::new();
    let mut at = 5;
    while let Some(&first) = words.get(at) {
        let (n, code) = ((first >> 16) as usize, first & 0xffff);
        if n == 0 || at + n > words.len() {
            break;
        }
        let value = |id: u32| ids.iter().find(|i| i.0 == id).map(|i| i.1);
        match (code, n) {
            (op::DECORATE, 4) if words[at + 2] == op::SPEC_ID => {
                let given = source.constants.iter().find(|c| c.0 == words[at + 3]);
                ids.extend(given.map(|c| (words[at + 1], c.1)));
            }
            (op::SPEC_TRUE | op::SPEC_FALSE, 3) => {
                if let Some(v) = value(words[at + 2]) {
                    words[at] = first & !0xffff | if v != 0 { op::SPEC_TRUE } else { op::SPEC_FALSE };
                }
            }
            (op::SPEC, 4 | 5) => {
                if let Some(v) = value(words[at + 2]) {
                    words[at + 3] = v as u32;
                    if n == 5 {
                        words[at + 4] = (v >> 32) as u32;
                    }
                }
            }
            _ => {}
        }
        at += n;
    }
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// The command and its files.
fn write(folder: &Path, shared: &Shared, program: &Program, d: &Dispatch) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("shader.spv"), specialised(&program.source))?;
    let [x, y, z] = d.grid;
    let mut command = format!("gpucc run shader.spv --target {} --entry '{}'", shared.chip, program.source.entry);
    command += &format!(" --grid {x},{y},{z} --oracle");
    for b in &d.buffers {
        let (binding, element) = (b.binding & 0xffff, b.binding >> 16);
        let (name, option) = match ((b.group, b.binding), element) {
            (IMMEDIATES, _) => ("immediates.bin".into(), "--immediates immediates.bin".into()),
            (_, 0) => {
                let name = format!("{}.{binding}.bin", b.group);
                (name.clone(), format!("--buf {}:{binding}={name}", b.group))
            }
            (_, k) => {
                let name = format!("{}.{binding}.{k}.bin", b.group);
                (name.clone(), format!("--buf '{}:{binding}[{k}]={name}'", b.group))
            }
        };
        let name: String = name;
        std::fs::write(folder.join(name), &b.bytes)?;
        command += &format!(" {option}");
    }
    for (k, image) in d.images.iter().enumerate() {
        let [w, h, depth] = image.size;
        let name = format!("image-{k}-{}-{w}x{h}x{depth}.bin", image.format.name());
        std::fs::write(folder.join(name), &image.bytes)?;
    }
    let images = match d.images.is_empty() {
        true => "",
        // The command binds buffers alone.
        false => "# images are bound, which the command has no option for: their texels are beside this file\n",
    };
    std::fs::write(folder.join("command.sh"), format!("#!/bin/sh\n{images}{command}\n"))
}

/// Writes a dispatch, where the settings name a folder. What cannot be written is told, and the program goes on.
pub fn dispatch(shared: &Shared, program: &Program, d: &Dispatch) {
    let Some(folder) = next("dispatch") else { return };
    tell(shared, &folder, write(&folder, shared, program, d));
}

/// The folder of the next dispatch or draw, if there is to be one.
fn next(what: &str) -> Option<PathBuf> {
    let folder = Settings::get().dump.as_ref()?;
    let number = NEXT.fetch_add(1, Ordering::SeqCst);
    Some(folder.join(format!("{number:05}-{what}")))
}

fn tell(shared: &Shared, folder: &Path, done: std::io::Result<()>) {
    if let Err(e) = done {
        log::tell(shared.instance, Level::Error, "vkQueueSubmit", &format!("{}: {e}", folder.display()));
    }
}
