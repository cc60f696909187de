//! `gpucc disasm` and `gpucc asm`.

use std::fmt::Write as _;
use std::path::Path;

use gpucc::listing::{entry, head, programs};
use gpucc_container::Container;
use gpucc_isa::{Notes, stage};
use gpucc_machines::{MACHINES, Machine};

use crate::args::{Asm, Disasm, MessageFormat, Messages, StageArg};
use crate::{Failure, files, targets};

/// The machine and generation that an option names.
fn machine(text: Option<&str>) -> Result<(&'static Machine, usize), Failure> {
    let known = || {
        let one = |m: &Machine| format!("{} ({})", m.family, m.generations.join(", "));
        MACHINES.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    let text = text.ok_or_else(|| Failure::Usage(format!("--target is missing; available: {}", known())))?;
    let (family, generation) = text.split_once(':').map_or((text, None), |(f, g)| (f, Some(g)));
    let m = gpucc_machines::find(family).ok_or_else(|| {
        Failure::Usage(format!("unknown target `{text}`; available: {}{}", known(), targets::meant(text)))
    })?;
    let index = match generation {
        None => m.default_generation,
        Some(g) => m.generations.iter().position(|n| *n == g).ok_or_else(|| {
            Failure::Usage(format!("unknown generation `{g}` of {family}; it has {}", m.generations.join(", ")))
        })?,
    };
    Ok((m, index))
}

/// Bits of a program type; without an option, `default`.
fn stages(arg: Option<StageArg>, default: u8) -> u8 {
    match arg {
        Some(StageArg::Vs) => stage::VS,
        Some(StageArg::Gs) => stage::GS,
        Some(StageArg::Fs) => stage::FS,
        Some(StageArg::Cs) => stage::CS,
        None => default,
    }
}

fn text(path: &Path) -> Result<String, Failure> {
    let bytes = files::read(path)?;
    String::from_utf8(files::unmarked(&bytes).to_vec()).map_err(|e| {
        Failure::Input(format!("`{}` is not UTF-8 text (byte {})", path.display(), e.utf8_error().valid_up_to()))
    })
}

/// One answer a line; exit 1 at the end if a line was refused.
fn words(input: &str, convert: impl Fn(&str) -> Result<String, String>) -> Result<(), Failure> {
    let mut out = String::new();
    let mut refused = 0;
    for line in input.lines() {
        match convert(line) {
            Ok(t) => out.push_str(&t),
            Err(e) => {
                refused += 1;
                let _ = write!(out, "error: {}", e.replace('\n', " "));
            }
        }
        out.push('\n');
    }
    files::stdout(out.as_bytes())?;
    match refused {
        0 => Ok(()),
        1 => Err(Failure::Input("1 line was refused".into())),
        n => Err(Failure::Input(format!("{n} lines were refused"))),
    }
}

/// `gpucc disasm FILE.bin | --raw FILE --target T | --words --target T -`.
///
/// # Errors
/// Usage, I/O, or input that does not decode.
pub fn disasm(a: &Disasm) -> Result<(), Failure> {
    if a.words {
        let (m, g) = machine(a.target.as_deref())?;
        let path = a.file.as_deref().unwrap_or(Path::new("-"));
        let bits = stages(a.stage, if m.has_stages { stage::CS } else { stage::ALL });
        return words(&text(path)?, |l| (m.disasm_line)(l, g, bits));
    }
    if let Some(raw) = &a.raw {
        let (m, g) = machine(a.target.as_deref())?;
        let code = files::read(raw)?;
        return listing((m.disassemble)(&code, g, stages(a.stage, stage::CS), &Notes::default()));
    }
    let path = a.file.as_deref().ok_or_else(|| Failure::Usage("disasm needs a container, --raw or --words".into()))?;
    let bytes = files::read(path)?;
    let container = Container::read(&bytes)
        .map_err(|e| Failure::Input(format!("`{}` is not a gpucc container: {e}", path.display())))?;
    let target = format!("{}:{}", container.family, container.generation);
    // Words of the container are input, not usage.
    let (m, g) = machine(Some(&target))
        .map_err(|e| Failure::Input(format!("`{}` is a container for an {e}", path.display())))?;
    if let Some(wanted) = &a.target
        && *wanted != container.family
        && *wanted != target
    {
        return Err(Failure::Usage(format!("the container is for {target}, not {wanted}")));
    }
    if a.stage.is_some() {
        return Err(Failure::Usage("--stage is for --raw and --words: a container names the stages it has".into()));
    }
    files::stdout(head(&target, container.entries.iter(), None).as_bytes())?;
    let parts = programs(container.entries.iter());
    for (i, e) in parts.iter().enumerate() {
        let place = (i, parts.len());
        listing(entry(e, Some(&m.names), place, None, |notes| (m.disassemble)(&e.code, g, e.stage.bit(), notes)))?;
    }
    Ok(())
}

fn listing(l: gpucc_machines::Listing) -> Result<(), Failure> {
    files::stdout(l.text.as_bytes())?;
    match l.bad_words {
        0 => Ok(()),
        1 => Err(Failure::Input("1 word does not decode".into())),
        n => Err(Failure::Input(format!("{n} words do not decode"))),
    }
}

/// The target that the first line of a listing names.
fn listed_target(source: &str) -> Option<&str> {
    let line = source.lines().next().filter(|l| l.starts_with("; gpucc "))?;
    let text = line.split_once(", target ")?.1;
    Some(text.split_once(',').map_or(text, |t| t.0).trim())
}

/// The stage that the first line of a listing names.
fn listed_stage(source: &str) -> Option<u8> {
    let line = source.lines().next().filter(|l| l.starts_with("; gpucc "))?;
    let text = line.split_once(", stage ")?.1;
    match text.split_once(',').map_or(text, |t| t.0).trim() {
        "vertex" => Some(stage::VS),
        "fragment" => Some(stage::FS),
        _ => None,
    }
}

/// A container in which the code of one entry is replaced.
struct PatchedContainer {
    container: Container,
    entry: usize,
}

impl PatchedContainer {
    fn read(path: &Path, name: Option<&str>, (m, g): (&Machine, usize)) -> Result<PatchedContainer, Failure> {
        let shown = path.display();
        let container = Container::read(&files::read(path)?)
            .map_err(|e| Failure::Input(format!("`{shown}` is not a gpucc container: {e}")))?;
        if (container.family.as_str(), container.generation.as_str()) != (m.family, m.generations[g]) {
            let (own, of) = (&container.family, &container.generation);
            return Err(Failure::Usage(format!(
                "`{shown}` is for {own}:{of}, the listing for {}:{}",
                m.family, m.generations[g]
            )));
        }
        let names: Vec<&str> = container.entries.iter().map(|e| e.name.as_str()).collect();
        let entry = match (name, names.as_slice()) {
            (None, [_]) => 0,
            (None, _) => {
                return Err(Failure::Usage(format!(
                    "`{shown}` has the entry points {}; --entry chooses one",
                    names.join(", ")
                )));
            }
            (Some(name), _) => names.iter().position(|n| *n == name).ok_or_else(|| {
                Failure::Input(format!("`{shown}` has no entry point `{name}`; it has {}", names.join(", ")))
            })?,
        };
        Ok(PatchedContainer { container, entry })
    }

    fn stage(&self) -> u8 {
        self.container.entries[self.entry].stage.bit()
    }

    /// The container with this code. Lines of the source are those of the code before, so they go.
    fn with(mut self, code: Vec<u8>) -> Result<Vec<u8>, Failure> {
        let entry = &mut self.container.entries[self.entry];
        if !entry.programs.is_empty() && entry.code.len() != code.len() {
            let (n, were, are) = (entry.programs.len(), entry.code.len(), code.len());
            let why = format!(
                "`{}` is {n} programs in {were} bytes; {are} bytes of code do not say where each begins",
                entry.name
            );
            return Err(Failure::Input(why));
        }
        entry.code = code;
        entry.lines.clear();
        Ok(self.container.write())
    }
}

/// Refuses `--long` for a family whose instructions have one form each.
fn has_long(a: &Asm, m: &Machine) -> Result<(), Failure> {
    if !a.long || m.has_long_forms {
        return Ok(());
    }
    let with: Vec<&str> = MACHINES.iter().filter(|m| m.has_long_forms).map(|m| m.family).collect();
    Err(Failure::Usage(format!("--long is for {}: instructions of {} have one form", with.join(", "), m.family)))
}

/// `gpucc asm FILE --target T -o OUT | --words --target T -`.
///
/// # Errors
/// Usage, I/O, or text that does not assemble.
pub fn asm(a: &Asm, messages: &Messages) -> Result<(), Failure> {
    let path = a.file.as_deref().unwrap_or(Path::new("-"));
    if a.words {
        let (m, g) = machine(a.target.as_deref())?;
        has_long(a, m)?;
        let bits = stages(a.stage, if m.has_stages { stage::CS } else { stage::ALL });
        return words(&text(path)?, |l| (m.asm_line)(l, g, bits, a.long));
    }
    let out = a.output.as_deref().ok_or_else(|| Failure::Usage("-o OUT is missing".into()))?;
    let inputs: Vec<_> = std::iter::once(path).chain(a.container.as_deref()).map(Path::to_path_buf).collect();
    files::distinct(&[out.to_path_buf()], &inputs)?;
    let source = text(path)?;
    let named = listed_target(&source);
    let (m, g) = machine(a.target.as_deref().or(named))?;
    has_long(a, m)?;
    let patched = a.container.as_deref().map(|c| PatchedContainer::read(c, a.entry.as_deref(), (m, g))).transpose()?;
    if patched.is_some() && a.stage.is_some() {
        return Err(Failure::Usage("--stage has no effect with --container, which names the stage".into()));
    }
    let listed = listed_stage(&source).unwrap_or(stage::CS);
    let bits = patched.as_ref().map_or_else(|| stages(a.stage, listed), PatchedContainer::stage);
    // A listing for another family gives an error a line.
    if let Some(named) = named
        && !machine(Some(named)).is_ok_and(|own| own.0.family == m.family)
    {
        let other = a.target.as_deref().unwrap_or_default();
        return Err(Failure::Usage(format!("`{}` is a listing for {named}, not for {other}", path.display())));
    }
    match (m.assemble)(&source, g, bits, a.long) {
        Ok(code) => match patched {
            Some(patched) => files::write(out, &patched.with(code)?),
            None => files::write(out, &code),
        },
        Err(list) => {
            for e in &list {
                files::stderr(&if messages.message_format == MessageFormat::Json {
                    let object = serde_json::json!({"severity": "error", "code": "asm", "message": e.message,
                        "file": path.display().to_string(), "line": e.line, "column": e.column,
                        "target": format!("{}:{}", m.family, m.generations[g])});
                    format!("{object}\n")
                } else {
                    format!("{}:{}:{}: error: {}\n", path.display(), e.line, e.column, e.message)
                });
            }
            let what = if list.len() == 1 { "1 error".into() } else { format!("{} errors", list.len()) };
            Err(Failure::Input(format!("{what} in `{}`, nothing is written", path.display())))
        }
    }
}
