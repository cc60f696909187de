//! Structs of a reflection: what each function of `reflect` fills.

use std::ffi::c_char;

use crate::grow::grows;

/// `gpucc_program_info`: counts and facts about one program.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CProgramInfo {
    /// Bytes of the caller's struct.
    pub size: usize,
    /// Name of the entry.
    pub entry: *const c_char,
    /// The thing of which `occupancy` counts; null where the family has no such number.
    pub occupancy_unit: *const c_char,
    /// The words of the immediate data that are preloaded.
    pub immediate_words: *const u32,
    /// Number of words at `immediate_words`.
    pub immediate_word_count: usize,
    /// Number of register files that it claims.
    pub register_count: usize,
    /// Number of bindings, for `gpucc_program_binding`.
    pub binding_count: usize,
    /// Number of preloads, for `gpucc_program_preload`.
    pub preload_count: usize,
    /// Number of inputs, for `gpucc_program_input`.
    pub input_count: usize,
    /// Number of outputs, for `gpucc_program_output`.
    pub output_count: usize,
    /// Words of the family.
    pub word_count: usize,
    /// Number of hardware registers, for `gpucc_program_state`.
    pub state_count: usize,
    /// Members of buffers and of the immediate data.
    pub member_count: usize,
    /// Locations that are read.
    pub input_mask: u64,
    /// Locations that are given.
    pub output_mask: u64,
    /// Locations that are read flat.
    pub flat_mask: u64,
    /// Locations whose components travel as pairs of 16 bits.
    pub packed_mask: u64,
    /// Number of the entry in the container.
    pub entry_index: u32,
    /// The stage: `GPUCC_COMPUTE` and so on.
    pub stage: u32,
    /// The part of the entry.
    pub role: u32,
    /// Invocations of a workgroup.
    pub workgroup_size: [u32; 3],
    /// Lanes of a subgroup.
    pub subgroup_size: u32,
    /// Bytes of workgroup memory.
    pub shared_bytes: u32,
    /// Bytes of scratch for one invocation.
    pub scratch_bytes: u32,
    /// Spilled values, or all ones.
    pub spills: u32,
    /// Reloaded values, or all ones.
    pub reloads: u32,
    /// Programs that run at once, in `occupancy_unit`.
    pub occupancy: u32,
    /// Facts as bits of `GPUCC_USES_`.
    pub uses: u32,
    /// Bytes of the block of immediate data.
    pub immediate_bytes: u32,
    /// Slot of immediate data, of the family.
    pub immediate_slot: u32,
    /// Whether it is read in memory.
    pub immediate_in_memory: u32,
    /// First byte of it that is read.
    pub immediate_first: u32,
    /// The byte behind the last; all ones where an index decides.
    pub immediate_end: u32,
    /// The promise about the depth.
    pub depth_layout: u32,
    /// Clip distances that are given.
    pub clip_mask: u32,
    /// Bind groups that are used.
    pub group_mask: u32,
    /// Whether workgroups may be put together.
    pub may_merge_workgroups: u32,
    /// Number of uniform buffers.
    pub uniform_buffers: u32,
    /// Number of storage buffers.
    pub storage_buffers: u32,
    /// Number of sampled textures.
    pub textures: u32,
    /// Number of storage textures.
    pub storage_textures: u32,
    /// Number of samplers, comparing ones too.
    pub samplers: u32,
    /// Preloaded words of uniform files.
    pub uniform_words: u32,
    /// Numbers that the compiler says of the entry.
    pub statistic_count: usize,
    /// Names of the values of a launch that the code reads.
    pub reads: *const *const c_char,
    /// Number of names at `reads`.
    pub read_count: usize,
    /// Slots of sampled textures.
    pub texture_mask: u64,
    /// Slots of samplers below 64, a bit each.
    pub sampler_mask: u64,
    /// Bytes that a driver uploads for the code.
    pub padded_code_bytes: u32,
    /// Barriers of a workgroup.
    pub barrier_count: u32,
    /// Number of locations in `input_mask`.
    pub input_locations: u32,
    /// Number of locations in `output_mask`.
    pub output_locations: u32,
    /// Computations of the launch.
    pub step_count: usize,
}

/// `gpucc_registers`: what a program claims of one file.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CRegisters {
    /// Bytes of the caller's struct.
    pub size: usize,
    /// Name of the file.
    pub name: *const c_char,
    /// Number of the file in the family.
    pub file: u32,
    /// Registers of it, in units of the family.
    pub count: u32,
}

/// `gpucc_binding`: one resource of a program.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CBinding {
    /// Bytes of the caller's struct.
    pub size: usize,
    /// Name in the source, or null.
    pub name: *const c_char,
    /// Format of a storage texture, or null.
    pub format: *const c_char,
    /// The relation to what is bound.
    pub variant: *const c_char,
    /// Bind group in the source.
    pub group: u32,
    /// Binding in its group.
    pub binding: u32,
    /// Element of an array of buffers.
    pub element: u32,
    /// The kind: `GPUCC_UNIFORM` and so on.
    pub kind: u32,
    /// The use: `GPUCC_READ` and so on.
    pub access: u32,
    /// Elements of a binding array.
    pub count: u32,
    /// Least size of a buffer in bytes.
    pub bytes: u32,
    /// Slot of the family.
    pub slot: u32,
    /// Dimension of a texture.
    pub dimension: u32,
    /// Type of texels: `GPUCC_FLOAT` and so on.
    pub texels: u32,
    /// Whether it has layers.
    pub is_array: u32,
    /// Whether it has several samples.
    pub is_multisampled: u32,
    /// Whether a sampler compares.
    pub is_comparison: u32,
    /// The number of the variant.
    pub variant_number: u32,
    /// First byte of a buffer that is touched.
    pub first: u32,
    /// The byte behind the last; all ones where an index decides, 0 where nothing is known.
    pub end: u32,
}

/// `gpucc_member`: one member of a buffer.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CMember {
    /// Bytes of the caller's struct.
    pub size: usize,
    /// The path in the buffer.
    pub name: *const c_char,
    /// The type in WGSL's words.
    pub type_name: *const c_char,
    /// Place of the buffer among the bindings; all ones of the immediate data.
    pub binding: u32,
    /// Bytes from the start of the buffer.
    pub offset: u32,
    /// Bytes of one element.
    pub bytes: u32,
    /// Elements of the array around it.
    pub count: u32,
    /// Bytes from one to the next.
    pub stride: u32,
}

/// `gpucc_varying`: one location between two programs.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CVarying {
    /// Bytes of the caller's struct.
    pub size: usize,
    /// Location of the value in both programs.
    pub location: u32,
    /// Place in the outputs of the vertex program; all ones where it gives none.
    pub output: u32,
    /// Place in the inputs of the fragment program; all ones where it reads none.
    pub input: u32,
    /// Components that nobody reads.
    pub unread: u32,
    /// Components that nobody gives.
    pub missing: u32,
}

/// `gpucc_preload`: one value in place before the first instruction.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CPreload {
    /// Bytes of the caller's struct.
    pub size: usize,
    /// Name of the place.
    pub place: *const c_char,
    /// The source in words.
    pub meaning: *const c_char,
    /// File of the place.
    pub file: u32,
    /// Number in the file.
    pub index: u32,
    /// Component inside the register.
    pub lane: u32,
    /// Whether it is in a uniform file.
    pub is_uniform: u32,
    /// Number of the source.
    pub source: u32,
    /// Field `w` of the source, as in containers.
    pub w: u32,
    /// Field `a` of the source, as in containers.
    pub a: u32,
    /// Field `b` of the source, as in containers.
    pub b: u32,
}

/// `gpucc_operand`: an operand of a step, as preloads have their source.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct COperand {
    /// Number of the source.
    pub source: u32,
    /// Field `w` of the source, as in containers.
    pub w: u32,
    /// Field `a` of the source, as in containers.
    pub a: u32,
    /// Field `b` of the source, as in containers.
    pub b: u32,
}

/// `gpucc_step`: one computation of the launch.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CStep {
    /// Bytes of the caller's struct.
    pub size: usize,
    /// Name of the operation.
    pub op: *const c_char,
    /// The operation and its operands in words.
    pub meaning: *const c_char,
    /// Number of operands that count.
    pub operand_count: u32,
    /// The operands, in order.
    pub operands: [COperand; 3],
}

/// `gpucc_slot`: one input or output of a program.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CSlot {
    /// Bytes of the caller's struct.
    pub size: usize,
    /// Name in the source, or null.
    pub name: *const c_char,
    /// Name of the place.
    pub place: *const c_char,
    /// File of the place.
    pub file: u32,
    /// Number in the file.
    pub index: u32,
    /// Component inside the register or slot.
    pub lane: u32,
    /// The kind: `GPUCC_AT_LOCATION` and so on.
    pub kind: u32,
    /// The number of the location or clip distance.
    pub number: u32,
    /// 1 for the second source of a blend.
    pub blend_src: u32,
    /// Components, a bit each.
    pub components: u32,
    /// Whether they are integers.
    pub is_integer: u32,
    /// The interpolation: `GPUCC_PERSPECTIVE` and so on.
    pub interpolation: u32,
    /// Where it is taken.
    pub sampling: u32,
    /// How it is packed.
    pub packing: u32,
}

/// `gpucc_word`: one word of the family.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CWord {
    /// Bytes of the caller's struct.
    pub size: usize,
    /// Name of the word, or its number.
    pub name: *const c_char,
    /// Value of the word.
    pub value: u32,
}

/// `gpucc_statistic`: one number that the compiler reports.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CStatistic {
    /// Bytes of the caller's struct.
    pub size: usize,
    /// Name of the statistic in reports.
    pub name: *const c_char,
    /// Value of the statistic, in its unit.
    pub value: u64,
}

/// `gpucc_state`: one hardware register that a program wants set.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CState {
    /// Bytes of the caller's struct.
    pub size: usize,
    /// Name of the register, or its number.
    pub name: *const c_char,
    /// Space of registers, numbered by the family.
    pub space: u32,
    /// Number or address in the space.
    pub reg: u32,
    /// Values of the bits in `mask`.
    pub value: u32,
    /// Bits that count; the others are the driver's.
    pub mask: u32,
}

grows! {
    CProgramInfo: uniform_words of u32;
    CRegisters: count of u32;
    CBinding: end of u32;
    CMember: stride of u32;
    CVarying: missing of u32;
    CPreload: b of u32;
    CStep: operands of [COperand; 3];
    CSlot: packing of u32;
    CWord: value of u32;
    CStatistic: value of u64;
    CState: mask of u32;
}
