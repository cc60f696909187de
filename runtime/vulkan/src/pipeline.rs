//! Pipelines: shaders compiled for the chip of their device when they are made.

use std::sync::Arc;

use ash::vk;
use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::pipeline::Link;
use gpucc::{Diagnostic, Module};
use gpucc_container::Container;
use gpucc_interp::OracleProgram;
use gpucc_ir::{ResourceKind, Stage};
use gpucc_pipeline as fixed;

use crate::fail::{Done, Fail};
use crate::handles::handles;
use crate::settings::Chip;

/// A shader module: SPIR-V as it was given.
#[derive(Debug)]
pub struct Shader {
    /// The words.
    pub code: Arc<Vec<u8>>,
}

/// A stage of a pipeline.
#[derive(Clone, Debug)]
pub struct Source {
    /// The SPIR-V.
    pub code: Arc<Vec<u8>>,
    /// Name of the entry point.
    pub entry: String,
    /// Specialisation constants by id, as the bits of their type.
    pub constants: Vec<(u32, u64)>,
    /// Lanes of subgroups that are asked for.
    pub subgroup_size: Option<u32>,
}

/// The code of an entry point.
#[derive(Debug)]
pub enum Code {
    /// On the interpreter of the IR.
    Oracle(Box<OracleProgram>),
    /// On a machine.
    Machine {
        /// The container that a driver would load.
        container: Box<Container>,
        /// The IR that selection read.
        selected: Box<Module>,
    },
}

/// A binding that a program may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Used {
    /// Bind group.
    pub group: u32,
    /// Binding; of an element of an array of buffers the high half is the element.
    pub binding: u32,
    /// The kind.
    pub kind: ResourceKind,
    /// Elements.
    pub count: u32,
    /// Least bytes of a buffer.
    pub min_size: u32,
}

/// A compiled entry point.
#[derive(Debug)]
pub struct Program {
    /// The shader.
    pub source: Source,
    /// The shader as it was read.
    pub module: Module,
    /// Its bindings.
    pub used: Vec<Used>,
    /// Its code.
    pub code: Code,
}

/// State that is part of a pipeline unless it is dynamic.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dynamic {
    /// Constant of blending.
    pub constant: Option<[f32; 4]>,
    /// Stencil references of front and back faces.
    pub reference: Option<[u32; 2]>,
    /// Stencil masks that are read with, likewise.
    pub read_mask: Option<[u32; 2]>,
    /// Stencil masks that are written with.
    pub write_mask: Option<[u32; 2]>,
    /// Depth bias: constant, slope, clamp.
    pub bias: Option<[f32; 3]>,
}

/// The fixed function of a render pipeline.
#[derive(Clone, Debug)]
pub struct Render {
    /// All that is compiled in.
    pub state: fixed::Pipeline,
    /// Values that are not dynamic.
    pub values: Dynamic,
    /// Viewports, unless they are dynamic.
    pub viewports: Option<Vec<vk::Viewport>>,
    /// Scissors, unless they are dynamic.
    pub scissors: Option<Vec<vk::Rect2D>>,
    /// Whether nothing is rasterised: no primitive faces either way, or it is switched off.
    pub discards: bool,
    /// Whether the depth is biased.
    pub biased: bool,
    /// Whether the largest index ends a strip.
    pub restart: bool,
}

/// A pipeline.
#[derive(Debug)]
pub enum Pipeline {
    /// Of a compute entry point.
    Compute(Box<Program>),
    /// Of a vertex and perhaps a fragment entry point.
    Render(Box<Program>, Option<Box<Program>>, Box<Render>),
}

handles! {
    vk::ShaderModule => Shader, "shader module";
    vk::Pipeline => Pipeline, "pipeline";
    vk::PipelineCache => Cache, "pipeline cache";
}

/// The failure that a diagnostic is. What the compiler cannot do for this chip is a feature that the device does not have.
fn failed(source: &Source, d: &Diagnostic) -> Fail {
    Fail::lacks(format!("`{}`: {d}", source.entry))
}

fn load(source: &Source) -> Done<Module> {
    let front = FrontOptions {
        entry: Some(source.entry.clone()),
        constants: source.constants.clone(),
        subgroup_size: source.subgroup_size,
        ..FrontOptions::default()
    };
    let loaded = frontend::load(&source.code, Lang::Spirv, &front);
    let text = |list: Vec<Diagnostic>| list.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    loaded.map(|l| l.module).map_err(|l| Fail::lacks(format!("`{}`: {}", source.entry, text(l))))
}

fn used(module: &Module) -> Vec<Used> {
    let one = |r: &gpucc_ir::ResourceData| Used {
        group: r.group,
        binding: r.binding,
        kind: r.kind,
        count: r.count,
        min_size: r.min_size,
    };
    let mut list: Vec<Used> = module.resources.values().map(one).collect();
    list.sort_by_key(|u| (u.group, u.binding));
    list.dedup();
    list
}

fn on_oracle(source: &Source, module: &Module, stage: Stage) -> Done<Code> {
    let program = OracleProgram::at(module, &source.entry, stage);
    let program = program.map_err(|t| Fail::lacks(format!("`{}`: {t}", source.entry)))?;
    Ok(Code::Oracle(Box::new(program)))
}

fn on_machine(source: &Source, artifact: &gpucc::Artifact) -> Done<Code> {
    let selected = artifact.outputs().first().map(|o| o.ir.clone());
    let selected = selected.ok_or_else(|| Fail::bug(format!("`{}` gave no code", source.entry)))?;
    Ok(Code::Machine { container: Box::new(artifact.container().clone()), selected: Box::new(selected) })
}

fn program(source: Source, module: Module, code: Code) -> Box<Program> {
    Box::new(Program { used: used(&module), source, module, code })
}

impl Pipeline {
    /// Compiles a compute pipeline.
    ///
    /// # Errors
    /// The chip or the compiler refuses the shader; the sentence says why.
    pub fn compute(chip: Chip, source: Source) -> Done<Pipeline> {
        let module = load(&source)?;
        let code = match chip {
            Chip::Interp => on_oracle(&source, &module, Stage::Compute)?,
            Chip::Target(target) => {
                let options = gpucc::Options::new(target);
                let artifact =
                    gpucc::compile_entry(&module, &source.entry, &options).map_err(|d| failed(&source, &d))?;
                on_machine(&source, &artifact)?
            }
        };
        Ok(Pipeline::Compute(program(source, module, code)))
    }

    /// Compiles a render pipeline.
    ///
    /// # Errors
    /// As [`Pipeline::compute`]; stages that do not fit each other or the state.
    pub fn render(chip: Chip, vertex: Source, fragment: Option<Source>, render: Render) -> Done<Pipeline> {
        let module = load(&vertex)?;
        let other = fragment.as_ref().map(load).transpose()?;
        let names = (&module, vertex.entry.as_str());
        let second = other.as_ref().zip(fragment.as_ref()).map(|(m, s)| (m, s.entry.as_str()));
        let linked = render.state.link_entries(names, second).map_err(|d| failed(&vertex, &d))?;
        let (v, f) = match chip {
            Chip::Interp => {
                let f = second.zip(fragment.as_ref()).map(|((m, _), s)| on_oracle(s, m, Stage::Fragment));
                (on_oracle(&vertex, &module, Stage::Vertex)?, f.transpose()?)
            }
            Chip::Target(target) => {
                let options = gpucc::Options::new(target);
                let v = linked.vertex(&options).map_err(|d| failed(&vertex, &d))?;
                let f = linked.fragment(&options).zip(fragment.as_ref());
                let f = f.map(|(f, s)| f.map_err(|d| failed(s, &d)).and_then(|f| on_machine(s, &f)));
                (on_machine(&vertex, &v)?, f.transpose()?)
            }
        };
        drop(linked);
        let f = fragment.zip(other).zip(f).map(|((s, m), code)| program(s, m, code));
        Ok(Pipeline::Render(program(vertex, module, v), f, Box::new(render)))
    }

    /// Whether it is for dispatches.
    pub fn is_compute(&self) -> bool {
        matches!(self, Pipeline::Compute(_))
    }
}

/// A pipeline cache: nothing is kept, so it is its header alone.
#[derive(Clone, Copy, Debug)]
pub struct Cache;

impl Cache {
    /// The header that every cache begins with.
    pub fn header(chip: Chip) -> Vec<u8> {
        let p = crate::physical::properties(chip);
        let mut out = Vec::new();
        for word in [32, 1, p.vendor_id, p.device_id] {
            out.extend(u32::to_le_bytes(word));
        }
        out.extend(p.pipeline_cache_uuid);
        out
    }
}
