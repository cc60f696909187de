//! The work of the fuzz targets on one input. `docs/fuzzing.md` says how to run them.
//!
//! A finding ends the process: a compiler bug, a result that differs from the oracle's, a file that does not read back as it was
//! written, a text that does not give its bytes back. A panic that leaves the library, a hang and memory without end are seen by
//! the fuzzer itself.

#[path = "border.rs"]
pub mod border;
#[path = "seeds.rs"]
pub mod seeds;

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{Class, CodegenOptions, Diagnostic, Options, Target};
use gpucc_container::Container;
use gpucc_machines::{Launch, MACHINES, Machine};
use gpucc_sim::{BoundBuffer, Dispatch, Races, RunOptions};
use gpucc_verify::InputOverrides;

/// Steps of a run whose result is judged.
const STEPS: u64 = 120_000;
/// Steps of a run that only must come to an end.
const FEW_STEPS: u64 = 20_000;
/// Most bytes of the buffers that a container is run with.
const MOST_BYTES: u64 = 1 << 16;

/// Ends the process with what was found.
fn finding(text: &str) -> ! {
    eprintln!("finding: {text}");
    std::process::abort()
}

/// A number that depends on every byte (FNV-1a): the choices of a run come from the input alone.
fn hash(data: &[u8]) -> u64 {
    data.iter().fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Diagnostics of what was refused: none of them may be a compiler bug.
fn check(list: &[Diagnostic]) {
    if let Some(d) = list.iter().find(|d| d.class == Class::Internal) {
        finding(&format!("{d}"));
    }
}

/// Loads a shader, compiles it for one target, reads the container back, assembles the listing, and runs a third of them beside
/// the oracle.
pub fn shader(data: &[u8], lang: Lang) {
    let choice = hash(data);
    let options = FrontOptions { robust: choice & 1 == 0, ..FrontOptions::default() };
    let loaded = match frontend::load(data, lang, &options) {
        Ok(loaded) => loaded,
        Err(list) => return check(&list),
    };
    let targets = Target::parse_list("all:all").expect("all targets");
    let target = targets[(choice >> 8) as usize % targets.len()];
    let codegen = CodegenOptions {
        opt_level: (choice >> 1) as u8 % 4,
        verify: choice & 8 == 0,
        tight: choice & 0x70 == 0,
        ..CodegenOptions::default()
    };
    let artifact = match gpucc::compile(&loaded.module, &Options { target, codegen }) {
        Ok(artifact) => artifact,
        Err(d) => return check(&[d]),
    };
    let bytes = artifact.bytes();
    if Container::read(&bytes).ok().as_ref() != Some(artifact.container()) {
        finding(&format!("{target}: the container does not read back"));
    }
    if choice & 0x80 == 0 {
        let machine = gpucc_machines::find(target.family()).expect("a machine for each family");
        let entries = artifact.container().entries.iter();
        for entry in entries.flat_map(|e| e.parts()).map(|p| p.1) {
            let stages = entry.stage.bit();
            let text =
                (machine.disassemble)(&entry.code, target.generation_index(), stages, &gpucc_isa::Notes::default());
            let again = (machine.assemble)(&text.text, target.generation_index(), stages, false);
            if text.bad_words > 0 || again.as_deref() != Ok(&entry.code) {
                finding(&format!("{target}: the listing of `{}` does not give its code back", entry.name));
            }
        }
    }
    if choice >> 32 & 1 == 0
        && let Err(d) =
            gpucc_verify::verify_within(&loaded.module, &artifact, target, &InputOverrides::default(), STEPS)
    {
        finding(&d.to_string());
    }
}

/// Buffers for every resource of a container, and a small grid.
fn dispatch(container: &Container, choice: u64) -> Dispatch {
    let mut d = Dispatch::new([1 + (choice & 1) as u32, 1, 1]);
    let mut left = MOST_BYTES;
    for r in container.entries.iter().flat_map(|e| &e.resources) {
        if d.index_of(r.group, r.binding).is_some() {
            continue;
        }
        let size = u64::from(r.min_size).saturating_add(64).min(left);
        left -= size;
        let bytes = (0..size).map(|i| (i * 7) as u8 & 0x0f).collect();
        d.buffers.push(BoundBuffer { group: r.group, binding: r.binding, bytes, writable: true });
    }
    d
}

/// Reads a container, writes it, reads it again, prints its code and runs each entry.
pub fn container(data: &[u8]) {
    let Ok(read) = Container::read(data) else { return };
    if Container::read(&read.write()).as_ref() != Ok(&read) {
        finding("the container does not read back as it was written");
    }
    let Some(machine) = gpucc_machines::find(&read.family) else { return };
    let Some(generation) = machine.generations.iter().position(|g| *g == read.generation) else { return };
    let choice = hash(data);
    for e in read.entries.iter().take(4) {
        let stages = e.stage.bit();
        for (_, part) in e.parts() {
            (machine.disassemble)(&part.code, generation, stages, &gpucc_isa::Notes::default());
        }
        let races = if choice & 2 == 0 { Races::Trap } else { Races::Report };
        let perturb = (choice & 4 == 0).then_some(choice >> 8);
        let options = RunOptions { step_limit: FEW_STEPS, races, perturb, ..RunOptions::default() };
        // A trap is an answer.
        let _ = gpucc_machines::run(&read, Some(&e.name), &mut dispatch(&read, choice), &options);
    }
}

/// The machine, its generation and program type that the first two bytes choose; the rest is code or text.
pub fn chosen(data: &[u8]) -> Option<(&'static Machine, usize, u8, &[u8])> {
    let (&[a, b], rest) = data.split_first_chunk::<2>()?;
    let machine = &MACHINES[usize::from(a) % MACHINES.len()];
    let stages = [gpucc_isa::stage::CS, gpucc_isa::stage::VS, gpucc_isa::stage::FS][usize::from(a >> 2) % 3];
    Some((machine, usize::from(b) % machine.generations.len(), stages, rest))
}

/// Disassembles code; what is instructions from the first word to the last must assemble to the same bytes.
pub fn words(data: &[u8]) {
    let Some((machine, generation, stages, code)) = chosen(data) else { return };
    let listing = (machine.disassemble)(code, generation, stages, &gpucc_isa::Notes::default());
    if listing.bad_words > 0 {
        return;
    }
    let again = (machine.assemble)(&listing.text, generation, stages, false);
    if again.as_deref() != Ok(code) {
        let said = match again {
            Ok(bytes) => format!("assembles to {bytes:02x?}"),
            Err(list) => format!("is refused: {:?}", list.iter().map(|e| (e.line, &e.message)).collect::<Vec<_>>()),
        };
        let place = format!("{} {} stages {stages}", machine.family, machine.generations[generation]);
        finding(&format!("{place}: code {code:02x?}\n{}\n{said}", listing.text));
    }
}

/// Assembles a listing; the text of what comes out must assemble to the same bytes.
pub fn listing(data: &[u8]) {
    let Some((machine, generation, stages, text)) = chosen(data) else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    for long in [false, true] {
        let Ok(code) = (machine.assemble)(text, generation, stages, long) else { continue };
        let own = (machine.disassemble)(&code, generation, stages, &gpucc_isa::Notes::default());
        // Data in a listing need not be instructions.
        if own.bad_words > 0 {
            continue;
        }
        let again = (machine.assemble)(&own.text, generation, stages, false);
        if again.as_deref() != Ok(&code) {
            let place = format!("{} {} stages {stages}", machine.family, machine.generations[generation]);
            finding(&format!("{place}: {text}\nassembles to {code:02x?}, whose text is\n{}", own.text));
        }
    }
}

/// Reads a launch description and runs it.
pub fn launch(data: &[u8]) {
    let Ok(launch) = Launch::read(data) else { return };
    let options = RunOptions { step_limit: FEW_STEPS, ..RunOptions::default() };
    let _ = launch.run(&mut launch.dispatch.clone(), &options);
}
