//! Launch descriptions: machine code of any compiler with the state that its driver would set up, as JSON.
//!
//! The format is `gpucc-foreign-1`, one object. Its `launch` says what a container says (registers, memory sizes,
//! resources, preloads), so a description becomes a container of one entry point and a dispatch, and machines know
//! nothing of JSON. What is in it besides (results to compare with, remarks) is for others to read.

use gpucc_container::{Access, Container, Entry, LaunchOp, LaunchStep, Meta, Preload, Resource, ResourceKind, Source};
use gpucc_sim::{BoundBuffer, Dispatch, Rules, RunOptions, RunReport, Trap};
use serde::Deserialize;
use serde_json::Value;

/// The name of the format, with its version.
pub const FORMAT: &str = "gpucc-foreign-1";

/// Most bytes of all buffers of a description together. A run holds them three times: as they were, as they are, and those
/// of the machine.
const MOST_BYTES: usize = 1 << 27;

/// Machine code with everything that it takes to run it.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Name of the case.
    pub id: String,
    /// Code, constants and launch state: one entry point, named as the case.
    pub container: Container,
    /// Workgroups and buffers before the run.
    pub dispatch: Dispatch,
    /// Bytes of the code that are instructions; constants lie behind them.
    pub exec_size: Option<u32>,
}

/// A buffer as launch descriptions and conformance cases write it.
#[derive(Clone, Debug, Deserialize)]
pub struct BufferSpec {
    /// Bind group of the buffer.
    pub group: u32,
    /// Binding in the group.
    pub binding: u32,
    /// `uniform`, `storage_r` or `storage_rw`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Size of the binding in bytes.
    pub size: usize,
    /// Initial bytes; zero where absent.
    pub hex: Option<String>,
}

impl BufferSpec {
    /// The initial contents at the exact size of the binding.
    ///
    /// # Errors
    /// When the hex text is malformed or longer than the binding, or the binding larger than anything that is run.
    pub fn bytes(&self) -> Result<Vec<u8>, String> {
        let mut bytes = match &self.hex {
            Some(h) => unhex(h)?,
            None => Vec::new(),
        };
        if bytes.len() > self.size {
            return Err(format!("{} initial bytes for a binding of {}", bytes.len(), self.size));
        }
        if self.size > MOST_BYTES {
            return Err(format!("a binding of {} bytes, at most {MOST_BYTES}", self.size));
        }
        bytes.resize(self.size, 0);
        Ok(bytes)
    }

    /// The buffer bound for a run.
    ///
    /// # Errors
    /// As [`BufferSpec::bytes`]; an unknown type.
    pub fn bound(&self) -> Result<BoundBuffer, String> {
        let (_, access) = kind(&self.kind)?;
        let writable = access != Access::Read;
        Ok(BoundBuffer { group: self.group, binding: self.binding, bytes: self.bytes()?, writable })
    }
}

/// Bytes of a hex text.
///
/// # Errors
/// When it is not pairs of hex digits.
pub fn unhex(text: &str) -> Result<Vec<u8>, String> {
    let digit = |c: u8| char::from(c).to_digit(16).map(|d| d as u8).ok_or("hex text with something else in it");
    if !text.len().is_multiple_of(2) {
        return Err("hex text of odd length".into());
    }
    text.as_bytes().chunks_exact(2).map(|p| Ok(digit(p[0])? << 4 | digit(p[1])?)).collect()
}

fn kind(text: &str) -> Result<(ResourceKind, Access), String> {
    match text {
        "uniform" => Ok((ResourceKind::Uniform, Access::Read)),
        "storage_r" => Ok((ResourceKind::Storage, Access::Read)),
        "storage_rw" => Ok((ResourceKind::Storage, Access::ReadWrite)),
        _ => Err(format!("unknown kind `{text}`; available: uniform, storage_r, storage_rw")),
    }
}

/// A description as it is written.
#[derive(Deserialize)]
struct Description {
    format: String,
    id: String,
    family: String,
    generation: String,
    workgroup: [u32; 3],
    dispatch: [u32; 3],
    code: Hex,
    #[serde(default)]
    data: Hex,
    exec_size: Option<u32>,
    launch: State,
    buffers: Vec<BufferSpec>,
}

/// The state that the driver sets up.
#[derive(Deserialize)]
struct State {
    subgroup_size: u32,
    registers: Vec<(u8, u16)>,
    shared_bytes: u32,
    scratch_bytes: u32,
    family_words: Vec<u32>,
    flags: u32,
    resources: Vec<ResourceSpec>,
    preloads: Vec<(u8, u16, SourceSpec)>,
    #[serde(default)]
    steps: Vec<StepSpec>,
}

#[derive(Deserialize)]
struct ResourceSpec {
    group: u32,
    binding: u32,
    kind: String,
    #[serde(default)]
    slot: u32,
}

#[derive(Default, Deserialize)]
#[serde(try_from = "String")]
struct Hex(Vec<u8>);

impl TryFrom<String> for Hex {
    type Error = String;
    fn try_from(text: String) -> Result<Hex, String> {
        unhex(&text).map(Hex)
    }
}

#[derive(Deserialize)]
#[serde(try_from = "Vec<Value>")]
struct SourceSpec(Source);

impl TryFrom<Vec<Value>> for SourceSpec {
    type Error = String;
    fn try_from(list: Vec<Value>) -> Result<SourceSpec, String> {
        let Some((Value::String(name), rest)) = list.split_first() else {
            return Err("a source is a list that begins with its name".into());
        };
        let args: Option<Vec<u32>> = rest.iter().map(|v| v.as_u64().and_then(|n| n.try_into().ok())).collect();
        let args = args.ok_or_else(|| format!("arguments of `{name}` are numbers of 32 bits"))?;
        let source = Source::parse(name, &args);
        source.map(SourceSpec).ok_or_else(|| format!("no source `{name}` with {} such arguments", args.len()))
    }
}

/// A computation: the operation, then each operand.
#[derive(Deserialize)]
#[serde(try_from = "(String, Vec<SourceSpec>)")]
struct StepSpec(LaunchStep);

impl TryFrom<(String, Vec<SourceSpec>)> for StepSpec {
    type Error = String;
    fn try_from((name, operands): (String, Vec<SourceSpec>)) -> Result<StepSpec, String> {
        let op = LaunchOp::parse(&name).ok_or_else(|| format!("no operation `{name}`"))?;
        let operands: Vec<Source> = operands.into_iter().map(|s| s.0).collect();
        let count = operands.len();
        LaunchStep::new(op, operands).map(StepSpec).ok_or_else(|| format!("`{name}` has no {count} operands"))
    }
}

impl Launch {
    /// Reads a description.
    ///
    /// # Errors
    /// One sentence that names the field.
    pub fn read(json: &[u8]) -> Result<Launch, String> {
        let mut reader = serde_json::Deserializer::from_slice(json);
        let d: Description = serde_path_to_error::deserialize(&mut reader).map_err(|e| match e.path().to_string() {
            path if path == "." => e.inner().to_string(),
            path => format!("`{path}`: {}", e.inner()),
        })?;
        reader.end().map_err(|e| e.to_string())?;
        if d.format != FORMAT {
            return Err(format!("`format`: `{}` is not {FORMAT}", d.format));
        }
        let Some(machine) = crate::find(&d.family) else {
            let known: Vec<&str> = crate::MACHINES.iter().map(|m| m.family).collect();
            return Err(format!("`family`: unknown family `{}`; available: {}", d.family, known.join(", ")));
        };
        if !machine.generations.contains(&d.generation.as_str()) {
            let known = machine.generations.join(", ");
            return Err(format!("`generation`: {} has no generation `{}`; available: {known}", d.family, d.generation));
        }
        if let Some(n) = d.exec_size.filter(|&n| n as usize > d.code.0.len()) {
            return Err(format!("`exec_size`: {n} bytes of {} are instructions", d.code.0.len()));
        }
        let mut dispatch = Dispatch::new(d.dispatch);
        let mut total = 0;
        for (i, b) in d.buffers.iter().enumerate() {
            let at = |e: String| format!("`buffers[{i}]`: {e}");
            total += b.size.min(MOST_BYTES + 1);
            if total > MOST_BYTES {
                return Err(at(format!("buffers of more than {MOST_BYTES} bytes")));
            }
            if dispatch.index_of(b.group, b.binding).is_some() {
                return Err(at(format!("group {} binding {} is bound twice", b.group, b.binding)));
            }
            dispatch.buffers.push(b.bound().map_err(at)?);
        }
        let mut resources = Vec::new();
        for (i, r) in d.launch.resources.iter().enumerate() {
            let (kind, access) = kind(&r.kind).map_err(|e| format!("`launch.resources[{i}].kind`: {e}"))?;
            if dispatch.index_of(r.group, r.binding).is_none() {
                let (group, binding) = (r.group, r.binding);
                return Err(format!("`launch.resources[{i}]`: no buffer at group {group} binding {binding}"));
            }
            resources.push(Resource::new(kind, access, (r.group, r.binding), r.slot));
        }
        let preloads = d.launch.preloads.into_iter();
        let entry = Entry {
            name: d.id.clone(),
            code: d.code.0,
            meta: Meta {
                workgroup_size: d.workgroup,
                subgroup_size: d.launch.subgroup_size,
                registers: d.launch.registers,
                shared_bytes: d.launch.shared_bytes,
                scratch_bytes: d.launch.scratch_bytes,
                flags: d.launch.flags,
                family_words: d.launch.family_words,
            },
            resources,
            preloads: preloads.map(|(file, index, s)| Preload { file, lane: 0, index, source: s.0 }).collect(),
            steps: d.launch.steps.into_iter().map(|s| s.0).collect(),
            data: d.data.0,
            ..Entry::default()
        };
        let container =
            Container { family: d.family, generation: d.generation, entries: vec![entry], ..Container::default() };
        Ok(Launch { id: d.id, container, dispatch, exec_size: d.exec_size })
    }

    /// Runs the code on the machine of its family under hardware's rules. `dispatch` is a copy of
    /// [`Launch::dispatch`] and changes in place.
    ///
    /// # Errors
    /// The traps of the machine.
    pub fn run(&self, dispatch: &mut Dispatch, options: &RunOptions) -> Result<RunReport, Trap> {
        let options = RunOptions { rules: Rules::Hardware, exec_size: self.exec_size, ..options.clone() };
        crate::run(&self.container, None, dispatch, &options)
    }
}
