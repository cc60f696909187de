//! Dispatches written as files that the command `gpucc run` takes, to be looked at or reduced.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use gpucc_container::IMMEDIATES;
use gpucc_sim::Dispatch;

use super::scene::{self, Drawn, Fault};
use super::special::specialised;
use crate::log;
use crate::pipeline::Program;
use crate::settings::{Chip, Level, Settings};
use crate::shared::Shared;

/// Number of the next folder.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// The `gpucc run` command of a dispatch without images, and its files.
fn command(folder: &Path, shared: &Shared, program: &Program, d: &Dispatch) -> std::io::Result<String> {
    std::fs::write(folder.join("shader.spv"), specialised(&program.source))?;
    let [x, y, z] = d.grid;
    let mut command = format!("gpucc run shader.spv --target {} --entry '{}'", shared.chip, program.source.entry);
    command += &format!(" --grid {x},{y},{z} --races off --steps {}", Settings::get().steps);
    if matches!(shared.chip, Chip::Target(_)) {
        command += " --oracle";
    }
    for b in &d.buffers {
        let (binding, element) = (b.binding & 0xffff, b.binding >> 16);
        let place = if element > 0 { format!("{binding}[{element}]") } else { binding.to_string() };
        let name = match (b.group, b.binding) {
            IMMEDIATES => "immediates.bin".to_owned(),
            (group, _) => format!("buffer-{group}-{binding}-{element}.bin"),
        };
        std::fs::write(folder.join(&name), &b.bytes)?;
        command += &match (b.group, b.binding) {
            IMMEDIATES => format!(" --immediates {name}"),
            (group, _) => format!(" --buf '{group}:{place}={name}'"),
        };
        if b.writable {
            command += &format!(" --dump '{}:{place}={name}.out'", b.group);
        }
    }
    Ok(command)
}

/// The `gpucc render` command of a scene.
fn render(shared: &Shared, options: &str) -> String {
    let oracle = if matches!(shared.chip, Chip::Target(_)) { " --oracle" } else { "" };
    format!("gpucc render scene.json --target {}{oracle} {options}", shared.chip)
}

/// Makes a folder and the command in it. What cannot be written is told, and the program goes on.
fn put(shared: &Shared, what: &str, notes: &str, make: impl FnOnce(&Path) -> Result<String, Fault>) {
    let Some(folder) = next(what) else { return };
    let write = || -> Result<(), Fault> {
        std::fs::create_dir_all(&folder)?;
        let command = match make(&folder) {
            // The files that there are may help.
            Err(Fault::Wordless(text)) => format!("echo 'there is no command for this {what}: {text}' >&2\nexit 3"),
            other => other?,
        };
        let text = format!("#!/bin/sh\n{notes}cd \"$(dirname \"$0\")\" || exit 2\n{command}\n");
        Ok(std::fs::write(folder.join("command.sh"), text)?)
    };
    if let Err(Fault::Io(e)) = write() {
        log::tell(shared.instance, Level::Error, "vkQueueSubmit", &format!("{}: {e}", folder.display()));
    }
}

/// Writes a dispatch, where the settings name a folder.
pub fn dispatch(shared: &Shared, program: &Program, d: &Dispatch) {
    // Files have bytes of their own.
    let notes =
        if d.overlaps.is_empty() { "" } else { "# Some of the buffers lie in one memory, which the files do not.\n" };
    put(shared, "dispatch", notes, |folder| {
        scene::plain(&[program])?;
        match d.images.is_empty() && d.samplers.is_empty() {
            true => Ok(command(folder, shared, program, d)?),
            false => Ok(render(shared, &scene::dispatch(folder, program, d)?)),
        }
    });
}

/// Writes a draw, where the settings name a folder.
pub fn draw(shared: &Shared, d: &Drawn<'_>) {
    put(shared, "draw", "", |folder| Ok(render(shared, &scene::draw(folder, d)?)));
}

/// The folder of the next dispatch or draw, if there is to be one.
fn next(what: &str) -> Option<PathBuf> {
    let folder = Settings::get().dump.as_ref()?;
    let number = NEXT.fetch_add(1, Ordering::SeqCst);
    Some(folder.join(format!("{number:05}-{what}")))
}
