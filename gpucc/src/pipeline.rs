//! Render pipelines: their state as plain data, checked against entry points, and the two stages linked.

use gpucc_driver::default_pipeline;
use gpucc_ir::{Diagnostic, EntryPoint, Interface, Interp, IoSlot, Module, Stage, StageInfo, Type};
use gpucc_opt::{PipelineContext, stage_as_read};

pub use gpucc_pipeline::*;

pub use crate::fit::fits;
use crate::fit::wrong;
use crate::reflect::Slot;
use crate::{Artifact, Options, compile_entry};

/// The vertex and the fragment entry of a pipeline, which may lie in different modules. Each is compiled with what the other
/// reads or gives: outputs of the vertex entry that nobody reads go.
#[derive(Clone, Debug)]
pub struct Linked<'m> {
    vertex: (&'m Module, &'m EntryPoint, PipelineContext),
    fragment: Option<(&'m Module, &'m EntryPoint, PipelineContext)>,
}

/// Linking of the stages of a pipeline.
pub trait Link {
    /// Links the only vertex entry of a module and the only fragment entry of one, which may be the same module. Without a fragment
    /// entry depth and stencil alone are written.
    ///
    /// # Errors
    /// Class `Invalid`: a module without such an entry or with several, an attribute or a target that is not there or is of
    /// another type, an input of the fragment entry that the vertex entry does not give. Only the message about an attribute has
    /// its place in the vertex module; that of others is in the fragment module.
    fn link<'m>(&self, vertex: &'m Module, fragment: Option<&'m Module>) -> Result<Linked<'m>, Diagnostic>;

    /// Links a vertex and a fragment entry by their names, which may be of one module with several of a stage.
    ///
    /// # Errors
    /// As [`Link::link`]: an entry that is not there.
    fn link_entries<'m>(
        &self,
        vertex: (&'m Module, &str),
        fragment: Option<(&'m Module, &str)>,
    ) -> Result<Linked<'m>, Diagnostic>;
}

impl Link for Pipeline {
    fn link<'m>(&self, vertex: &'m Module, fragment: Option<&'m Module>) -> Result<Linked<'m>, Diagnostic> {
        let v = (vertex, only(vertex, Stage::Vertex)?);
        let f = fragment.map(|m| only(m, Stage::Fragment).map(|e| (m, e))).transpose()?;
        link(self, v, f)
    }

    fn link_entries<'m>(
        &self,
        vertex: (&'m Module, &str),
        fragment: Option<(&'m Module, &str)>,
    ) -> Result<Linked<'m>, Diagnostic> {
        let named = |(m, name): (&'m Module, &str), stage: Stage| {
            let found = m.entry_at(name, stage).map(|e| (m, e));
            found.ok_or_else(|| wrong(format!("there is no {} entry `{name}`", stage.name())))
        };
        let f = fragment.map(|f| named(f, Stage::Fragment)).transpose()?;
        link(self, named(vertex, Stage::Vertex)?, f)
    }
}

/// An entry with its module.
pub type Of<'m> = (&'m Module, &'m EntryPoint);

fn link<'m>(state: &Pipeline, (vertex, v): Of<'m>, fragment: Option<Of<'m>>) -> Result<Linked<'m>, Diagnostic> {
    fits(v, state)?;
    if let Some((_, f)) = fragment {
        fits(f, state)?;
        linked(v, f)?;
    }
    let context = |other: Option<StageInfo>| PipelineContext { other, ..PipelineContext::new(state.clone()) };
    Ok(Linked {
        vertex: (vertex, v, context(fragment.map(|(m, e)| stage_as_read(m, e)))),
        fragment: fragment.map(|(m, e)| (m, e, context(Some(v.stage.clone())))),
    })
}

impl Linked<'_> {
    /// Compiles both entries. What `options` say of a pipeline is replaced.
    ///
    /// # Errors
    /// An entry is refused, or a compiler bug.
    pub fn compile(&self, options: &Options) -> Result<(Artifact, Option<Artifact>), Diagnostic> {
        Ok((self.vertex(options)?, self.fragment(options).transpose()?))
    }

    /// Compiles the vertex entry alone.
    ///
    /// # Errors
    /// As [`Linked::compile`].
    pub fn vertex(&self, options: &Options) -> Result<Artifact, Diagnostic> {
        compile_in(&self.vertex, options)
    }

    /// The options that the vertex entry is compiled with: for its [keys](crate::cache::Key), with the names of its entry.
    pub fn vertex_options(&self, options: &Options) -> Options {
        options_in(&self.vertex, options)
    }

    /// Same as [`Linked::vertex_options`], of the fragment entry if there is one.
    pub fn fragment_options(&self, options: &Options) -> Option<Options> {
        self.fragment.as_ref().map(|f| options_in(f, options))
    }

    /// The module of the vertex entry and its name, then those of the fragment entry.
    pub fn entries(&self) -> (Of<'_>, Option<Of<'_>>) {
        ((self.vertex.0, self.vertex.1), self.fragment.as_ref().map(|f| (f.0, f.1)))
    }

    /// Compiles the fragment entry alone, if there is one.
    pub fn fragment(&self, options: &Options) -> Option<Result<Artifact, Diagnostic>> {
        self.fragment.as_ref().map(|f| compile_in(f, options))
    }
}

/// Compiles an entry in its pipeline context.
fn compile_in(of: &(&Module, &EntryPoint, PipelineContext), options: &Options) -> Result<Artifact, Diagnostic> {
    compile_entry(of.0, &of.1.name, &options_in(of, options))
}

/// Options with the context of an entry.
fn options_in((_, _, context): &(&Module, &EntryPoint, PipelineContext), options: &Options) -> Options {
    let mut options = options.clone();
    options.codegen.context = Some(Box::new(context.clone()));
    options
}

/// The state that two stages are compiled for where no pipeline is given: the attributes of the vertex entry packed in one buffer,
/// a target for each output of the fragment entry.
///
/// # Errors
/// As [`Link::link`]: a module without the entry, or with several.
pub fn default_of(vertex: &Module, fragment: &Module) -> Result<Pipeline, Diagnostic> {
    Ok(default_state(only(vertex, Stage::Vertex)?, only(fragment, Stage::Fragment)?))
}

/// The state of [`default_of`] for a vertex and a fragment entry.
fn default_state(v: &EntryPoint, f: &EntryPoint) -> Pipeline {
    let [v, f] = [v, f].map(|e| default_pipeline(&e.stage).pipeline);
    Pipeline { vertex: v.vertex, topology: v.topology, ..f }
}

/// The context of an entry of a module that is one half of a pair: there is exactly one entry of the other stage, and the vertex entry
/// gives what the fragment entry reads. The state is that of [`default_of`]. `None` for other entries.
pub fn pair_of(module: &Module, entry: &EntryPoint) -> Option<PipelineContext> {
    pair_with(entry, module)
}

/// Same as [`pair_of`], with the entry of the other stage in a module of its own.
pub fn pair_with(entry: &EntryPoint, other: &Module) -> Option<PipelineContext> {
    let (v, f) = match entry.stage.kind() {
        Stage::Vertex => (entry, only(other, Stage::Fragment).ok()?),
        Stage::Fragment => (only(other, Stage::Vertex).ok()?, entry),
        Stage::Compute => return None,
    };
    linked(v, f).ok()?;
    let other = if entry.stage.kind() == Stage::Vertex { stage_as_read(other, f) } else { v.stage.clone() };
    Some(PipelineContext { other: Some(other), ..PipelineContext::new(default_state(v, f)) })
}

/// An input or output of the other stage, as its source declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declared {
    /// The kind, with its number.
    pub at: IoPlace,
    /// Components, 1 to 4.
    pub lanes: u8,
    /// Whether they are integers.
    pub is_integer: bool,
    /// How it changes between vertices.
    pub interpolation: Interpolation,
    /// Where in a pixel it is taken.
    pub sampling: Sampling,
}

impl From<&Slot> for Declared {
    /// A reflected input or output: up to its last component, with all in front of it.
    fn from(s: &Slot) -> Declared {
        let lanes = (8 - s.components.leading_zeros()).clamp(1, 4) as u8;
        let (interpolation, sampling) = (s.interpolation, s.sampling);
        Declared { at: s.at, lanes, is_integer: s.is_integer, interpolation, sampling }
    }
}

/// The context of an entry of such a stage that is compiled alone: of a vertex entry `other` has what the fragment entry reads, of a fragment entry
/// what the vertex entry gives, and `tests_early` says whether the fragment entry demands depth and stencil tests in front of it. Both stages compiled
/// so fit, if each is described as its source has it.
pub fn described(stage: Stage, state: Pipeline, other: &[Declared], tests_early: bool) -> PipelineContext {
    let slot = |d: &Declared| {
        let scalar = if d.is_integer { Type::I32 } else { Type::F32 };
        IoSlot {
            interp: Interp { mode: d.interpolation, at: d.sampling },
            ..IoSlot::new(d.at, scalar.with_lanes(u32::from(d.lanes.clamp(1, 4))))
        }
    };
    let slots: Vec<IoSlot> = other.iter().map(slot).collect();
    let other = match stage {
        Stage::Compute => None,
        Stage::Vertex => {
            let io = Interface { inputs: slots, ..Interface::default() };
            Some(StageInfo::Fragment { io, early_depth: tests_early })
        }
        Stage::Fragment => Some(StageInfo::Vertex(Interface { outputs: slots, ..Interface::default() })),
    };
    PipelineContext { other, ..PipelineContext::new(state) }
}

/// The only entry of a stage.
fn only(module: &Module, stage: Stage) -> Result<&EntryPoint, Diagnostic> {
    let mut all = module.entries.iter().filter(|e| e.stage.kind() == stage);
    match (all.next(), all.next()) {
        (Some(one), None) => Ok(one),
        (None, _) => Err(wrong(format!("there is no {} entry", stage.name()))),
        _ => Err(wrong(format!("there are several {} entries: load the module with the name of one", stage.name()))),
    }
}

/// That a vertex entry gives what a fragment entry declares.
fn linked(v: &EntryPoint, f: &EntryPoint) -> Result<(), Diagnostic> {
    let (Some(given), Some(read)) = (v.interface(), f.interface()) else { return Ok(()) };
    for s in read.inputs.iter().filter(|s| matches!(s.at, IoPlace::Location { .. })) {
        let wrong = |text: String| wrong(text).at(if s.span.is_known() { s.span } else { f.span }, "");
        let Some(o) = given.outputs.iter().find(|o| o.at == s.at) else {
            return Err(wrong(format!("`{}` reads {}, and `{}` does not give it", f.name, s.at, v.name)));
        };
        if o.ty.scalar() != s.ty.scalar() || o.ty.lanes() < s.ty.lanes() {
            return Err(wrong(format!("{} of `{}` is {}, `{}` gives {}", s.at, f.name, s.ty, v.name, o.ty)));
        }
    }
    Ok(())
}
