//! The one list of what is refused: every diagnostic of class `Unsupported` carries a code of it.
//!
//! A row says what is refused; which targets refuse it, and why, says each backend as plain data ([`Unsupported`]). What the
//! frontend does not lower is refused on all targets, and its row says so. `docs/support.md` and the predictions of the
//! test runners are made of both. A new code is one row here, and one row in each backend that refuses it.

use std::fmt;

use crate::stage::Stage;

/// The sort of refusal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// A feature of the language, or of the command, that this version does not bring to a target.
    Feature,
    /// A limit of a chip that a shader's text shows: an instruction it lacks, a number it cannot count to.
    Chip,
    /// A limit of a chip on how much there is room for: whether a shader stays below it depends on the code made of it.
    Capacity,
}

macro_rules! refusals {
    ($( $var:ident $name:literal $kind:ident $([$everywhere:literal])? $(($whole:ident))? $what:literal; )*) => {
        /// Why a right input is refused. Each variant's line is what the shader has or wants.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Refusal { $( #[doc = $what] $var, )* }

        static TABLE: &[Row] = &[ $( Row {
            name: $name, kind: Kind::$kind, everywhere: refusals!(@ $($everywhere)?), whole: refusals!(# $($whole)?),
            what: $what,
        }, )* ];

        impl Refusal {
            /// Every code, in table order.
            pub const ALL: &'static [Refusal] = &[ $( Refusal::$var, )* ];
        }
    };
    (@) => { None };
    (@ $text:literal) => { Some($text) };
    (#) => { None };
    (# $whole:ident) => { Some(Refusal::$whole) };
}

struct Row {
    name: &'static str,
    kind: Kind,
    everywhere: Option<&'static str>,
    whole: Option<Refusal>,
    what: &'static str,
}

// A text in square brackets: refused before any target is asked, for this reason. A code in round ones: where that is refused
// there is none of this either.
refusals! {
    Stage "stage" Feature "vertex and fragment entry points";
    Tessellation "tessellation" Feature ["a pipeline here is a vertex and a fragment stage"] "tessellation control and evaluation entry points";
    Geometry "geometry" Feature ["a pipeline here is a vertex and a fragment stage"] "geometry entry points";
    MeshShaders "mesh-shaders" Feature ["none of the chips has them"] "mesh entry points";
    TaskShaders "task-shaders" Feature ["none of the chips has them"] "task entry points";
    RayTracing "ray-tracing" Feature ["none of the chips traces rays"] "ray tracing entry points";
    Kernels "kernels" Feature ["their parameters are pointers"] "kernels of OpenCL (SPIR-V's `Kernel`)";
    NoEntryPoint "no-entry-point" Feature ["there is nothing to compile"] "modules without an entry point, such as libraries";
    StageInputs "stage-inputs" Feature ["WebGPU has no equivalent"] "inputs and outputs of a stage beyond WebGPU's: clip distances and the number of the viewport of a fragment entry point alone, more than 8 colour targets";
    CullDistances "cull-distances" Feature (Stage) "cull distances";
    StencilExport "stencil-export" Feature (Stage) "stencil values that a fragment entry point gives";
    PerVertexInputs "per-vertex-inputs" Feature (Stage) "barycentrics, and inputs of a fragment entry point as its vertices gave them";
    PostDepthCoverage "post-depth-coverage" Feature ["masks are those from before the tests"] "masks of samples that passed the tests of depth and stencil";
    Layers "layers" Feature "vertices that choose among the layers of the attachments (SPIR-V): a number that is not known to be 0";
    Viewports "viewports" Feature "vertices that choose among viewports (SPIR-V): a number that is not known to be 0";
    Textures "textures" Feature "textures, images and samplers";
    StorageBuffers "storage-buffers" Feature "storage buffers";
    StorageTextures "storage-textures" Feature (Textures) "storage textures";
    ImageAtomics "image-atomics" Feature (Textures) "atomics on storage textures";
    CubeArrays "cube-arrays" Feature (Textures) "arrays of cube textures";
    CubeEdges "cube-edges" Feature (Textures) "cubes with a sampler of which it is not known that it takes the nearest texel, near and far: the texels that it filters may lie on two faces";
    Gathers "gathers" Feature (Textures) "gathers from cubes, of components that the chip does not gather";
    MultisampledTextures "multisampled-textures" Feature (Textures) "multisampled textures";
    MultisampledArrays "multisampled-arrays" Feature (MultisampledTextures) "arrays of multisampled textures (SPIR-V)";
    TexelComparisons "texel-comparisons" Feature (Textures) "comparisons of texels by a sampler of which too little is known, or of which code cannot filter what it compares";
    TexelOffsets "texel-offsets" Feature (Textures) "offsets in texels where the level that is read is not known, or two are";
    LevelQueries "level-queries" Feature (Textures) "the level that a sampler would take";
    TexelTypes "texel-types" Feature ["no chip filters or stores them"] "images of 64-bit texels";
    Subgroups "subgroups" Feature "subgroup operations";
    BindingArrays "binding-arrays" Feature ["a buffer of an array is a resource of its own"] "arrays of more than 64 buffers, and elements above 7 of arrays of bindings without a size (SPIR-V); arrays of buffers (WGSL)";
    GlslPushConstants "glsl-push-constants" Feature ["the parser lays blocks out as std140 where std430 is not written: write `layout(push_constant, std430)`, or compile to SPIR-V"] "push constants of GLSL text whose members lie elsewhere in std140 than in std430";
    MemberAlignment "member-alignment" Feature ["the parser gives a struct the alignment of its members' types alone: write the alignment as a number"] "`@align` of a member of a struct that lies inside of another struct or of an array, where the place changes by it and an alignment or size is neither a number nor a constant's name (WGSL)";
    Parser "parser" Feature ["the parser lacks it"] "what GLSL or WGSL text or SPIR-V has and the parser lacks; the message names it, and [frontend.md](frontend.md) lists it";
    AtomicTypes "atomic-types" Feature ["atomics are lowered on integers of 32 bits, and of 64 in SPIR-V"] "float atomics, 64-bit atomics of WGSL and of texels";
    OuterProduct "outer-product" Feature ["its result is typed as a square matrix by the parser"] "the outer product of vectors of different lengths (GLSL text)";
    RayQueries "ray-queries" Feature ["none of the chips traces rays"] "ray queries and acceleration structures";
    CooperativeMatrices "cooperative-matrices" Feature ["none of the chips has them"] "cooperative matrices";
    PhysicalAddresses "physical-addresses" Feature "pointers that are addresses (SPIR-V's `PhysicalStorageBuffer64`)";
    SparseImages "sparse-images" Feature ["no driver has textures with holes"] "sparse images: whether texels are resident";
    Interlocks "interlocks" Feature ["none of the chips orders fragments of one pixel inside of a shader"] "fragment shader interlocks";
    ShadingRates "shading-rates" Feature ["none of the chips has them"] "shading rates and fragment densities";
    TexelBuffers "texel-buffers" Feature ["the shader does not say what lies in them, or parts of words do"] "texel buffers for storage without a format, or with one of less than a word (SPIR-V's `OpTypeImage Buffer`)";
    StorageFormats "storage-formats" Feature (StorageTextures) "storage textures whose format neither the shader nor who compiles it says (SPIR-V); `--image-format` and scenes say it";
    StorageSamples "storage-samples" Feature ["WebGPU has no equivalent"] "multisampled storage textures (SPIR-V)";
    BindingAliases "binding-aliases" Feature ["a binding has one descriptor"] "resources of different kinds at one group and binding, used by one entry point (SPIR-V)";
    Spirv "spirv" Feature ["the IR has no equivalent"] "SPIR-V instructions, types and modes without a counterpart in the IR; the message names them";
    Extensions "extensions" Feature ["not in this version"] "extensions of WGSL that other implementations have, by their names in `enable` and `requires`";
    F16 "f16" Feature "16-bit floats (`enable f16`); `pack2x16float`, `unpack2x16float` and `quantizeToF16` do not count. A store of half a word is `atomics` on chips that need an atomic for it";
    NarrowIntegers "narrow-integers" Feature "8-bit and 16-bit integers. A store of less than a word is `atomics` on chips that need an atomic for it";
    WideTypes "wide-types" Feature "64-bit floats";
    WideFunctions "wide-functions" Feature (WideTypes) "exponentials, logarithms, sines and cosines of 64-bit floats";
    WideAtomics "wide-atomics" Feature (Atomics) "64-bit atomics (SPIR-V)";
    SubgroupLanes "subgroup-lanes" Feature "the built-in values `subgroup_size` and `subgroup_invocation_id`";
    PrimitiveIndex "primitive-index" Feature (Stage) "the built-in value `primitive_index`";
    SampleShading "sample-shading" Feature (Stage) "fragment entry points that run for each sample, where a pixel has several: the built-in value `sample_index`, inputs that are interpolated at the sample";
    Centroids "centroids" Feature (Stage) "inputs of fragments at a point of the pixel that the primitive covers (`centroid`), where targets have several samples";
    SampleMasks "sample-masks" Feature (Stage) "masks of samples that a fragment entry point reads or gives, where a pixel has several; of one sample those that are read where neighbours see what is made of them";
    CoveredSamples "covered-samples" Feature (SampleMasks) "the mask of covered samples that a fragment entry point reads, where a pixel has several or neighbours see what is made of it";
    ClipDistances "clip-distances" Feature (Stage) "clip distances that the fragment entry point cannot test: it tests depth early, or there is no location left for them";
    EarlyTests "early-tests" Feature (Stage) "fragment entry points that test depth early and then lose samples (`discard`, a mask, alpha to coverage), where depth or stencil is written: what passed is written all the same";
    TargetFormats "target-formats" Feature (Stage) "some formats of colour and depth targets";
    DualSource "dual-source" Feature (Stage) "a second source of blending";
    BlendEquations "blend-equations" Feature (Stage) "blend equations that neither hardware nor code does: those of several targets differ, or code would have to run for each sample of an entry point that writes memory";
    Elf "elf" Feature "`--emit elf`";
    NotModelled "not-modelled" Feature ["the interpreter of the machine does not model them"] "some instructions of other compilers' machine code (`gpucc run --launch`), and resources that a driver part has no words for";
    Atomics "atomics" Chip "atomics on storage buffers and workgroup memory";
    FloatModes "float-modes" Chip "denormals or a rounding that an entry point asks for (SPIR-V's modes `DenormPreserve`, `DenormFlushToZero`, `RoundingModeRTZ`), where it has floats of that width";
    WorkgroupSize "workgroup-size" Chip "large workgroups";
    SubgroupSize "subgroup-size" Chip "subgroups of a size that is asked for (`--subgroup-size`; SPIR-V's modes `SubgroupSize` and `SubgroupsPerWorkgroup`)";
    BindGroup "bind-group" Chip "bind groups of high numbers";
    Varyings "varyings" Chip "many attributes of a vertex, or values that the vertex stage hands to the fragment stage";
    TooManyBuffers "too-many-buffers" Chip "many buffers in one entry point";
    TextureUnits "texture-units" Chip "many textures with many samplers in one entry point";
    WorkgroupMemory "workgroup-memory" Capacity "much workgroup memory";
    PrivateMemory "private-memory" Capacity "large arrays, or more spilled values, in one invocation";
    OutOfRegisters "out-of-registers" Capacity "more live values than registers";
    OutOfUniforms "out-of-uniforms" Capacity "more constants, buffers and uniform values than the chip holds";
    ProgramSize "program-size" Capacity "long programs";
}

impl Refusal {
    fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }
    /// The stable name, as in messages.
    pub fn name(self) -> &'static str {
        self.row().name
    }
    /// The properties and wishes of the shader.
    pub fn what(self) -> &'static str {
        self.row().what
    }
    /// The sort of reason that the code belongs to.
    pub fn kind(self) -> Kind {
        self.row().kind
    }
    /// Why it is refused whatever the target, if it is.
    pub fn everywhere(self) -> Option<&'static str> {
        self.row().everywhere
    }
    /// The code that this one is a part of, if there is one: what refuses that has none of this.
    pub fn whole(self) -> Option<Refusal> {
        self.row().whole
    }
    /// The code of this name.
    pub fn parse(name: &str) -> Option<Refusal> {
        Refusal::ALL.iter().copied().find(|r| r.name() == name)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The refusals of some generations of a family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unsupported {
    /// The code of what is refused.
    pub code: Refusal,
    /// Names of the generations; all of them if empty.
    pub on: &'static [&'static str],
    /// The stages; all of them if empty.
    pub stages: &'static [Stage],
    /// The most there may be, where it is a matter of how much; what is counted says `why`.
    pub most: Option<u64>,
    /// The reason, as a sentence that stands alone.
    pub why: &'static str,
}

impl Unsupported {
    /// All generations refuse it.
    pub const fn all(code: Refusal, why: &'static str) -> Unsupported {
        Unsupported { code, on: &[], stages: &[], most: None, why }
    }
    /// Only these generations refuse it.
    pub const fn on(self, generations: &'static [&'static str]) -> Unsupported {
        Unsupported { on: generations, ..self }
    }
    /// Only entry points of these stages are refused.
    pub const fn in_stages(self, stages: &'static [Stage]) -> Unsupported {
        Unsupported { stages, ..self }
    }
    /// Refused for numbers above this alone.
    pub const fn most(self, most: u64) -> Unsupported {
        Unsupported { most: Some(most), ..self }
    }
    /// Whether the generation refuses it.
    pub fn is_on(&self, generation: &str) -> bool {
        self.on.is_empty() || self.on.contains(&generation)
    }
    /// Whether an entry point of this stage is refused.
    pub fn is_in(&self, stage: Stage) -> bool {
        self.stages.is_empty() || self.stages.contains(&stage)
    }
    /// The generation's answer about a code in entry points of a stage.
    pub fn find_in<'a>(
        list: &'a [Unsupported],
        generation: &str,
        stage: Stage,
        code: Refusal,
    ) -> Option<&'a Unsupported> {
        list.iter().find(|l| l.code == code && l.is_on(generation) && l.is_in(stage))
    }
    /// The generation's answer about a code in entry points of some stage.
    pub fn find<'a>(list: &'a [Unsupported], generation: &str, code: Refusal) -> Option<&'a Unsupported> {
        list.iter().find(|l| l.code == code && l.is_on(generation))
    }
}
