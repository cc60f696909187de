//! Numbers of registers, sources, inputs and outputs in containers of this family (`docs/abi-valhall.md`).

/// File code of the general registers.
pub const FILE_REGISTER: u8 = 0;
/// Attributes of a vertex program, by their descriptor in table 0.
pub const FILE_ATTRIBUTE: u8 = 1;
/// The values that go from vertices to fragments: slots of 16 bytes of a record.
pub const FILE_VARYING: u8 = 2;
/// The other outputs of a program: the position, or colours by their target, depth and coverage.
pub const FILE_OUTPUT: u8 = 3;

gpucc_container::family_words! {
    /// What the metadata says of a program.
    FamilyWords {
        /// Treatment of subnormals: 0 keeps them.
        flush "flush mode of the program descriptor",
    }
}

/// Local id x and y of an invocation, 16 bits each.
pub const LOCAL_ID: u32 = 0;
/// Number of a vertex's record.
pub const RECORD: u32 = 1;
/// Number of the vertex, with what the draw adds.
pub const VERTEX: u32 = 2;
/// Number of the primitive.
pub const PRIMITIVE: u32 = 3;
/// 0 for front faces.
pub const FACING: u32 = 4;
/// Column and row of the pixel, 16 bits each.
pub const PIXEL: u32 = 5;
/// Samples that are covered.
pub const COVERAGE: u32 = 6;
/// Mask of samples in bits 0 to 15, number of the sample in 16 to 20.
pub const SAMPLE: u32 = 7;
/// Layer of the attachments.
pub const LAYER: u32 = 8;

/// Space of the state words that belong to shader program descriptors. Space 0 is the registers of the command stream.
pub const PROGRAM_SPACE: u16 = 1;
/// Words of a shader program descriptor.
pub const PROGRAM_WORDS: u32 = 8;
/// The registers of the command stream that point to the descriptors of positions, of varyings and of fragments.
pub const POSITION_PROGRAM: u32 = 16;
/// The register that points to the descriptor of varyings, as [`POSITION_PROGRAM`] does.
pub const VARYING_PROGRAM: u32 = 18;
/// The register that points to the descriptor of fragments, as [`POSITION_PROGRAM`] does.
pub const FRAGMENT_PROGRAM: u32 = 20;
/// The register of the command stream with the flags of primitives; before v10 word 0 of a job's primitives.
pub const PRIMITIVE_FLAGS: u32 = 56;
/// The register with the size of points whose vertices do not say it.
pub const PRIMITIVE_SIZE: u32 = 60;
/// Records are numbered in steps of this.
pub const RECORD_STEP: u32 = 8;
/// What is added to the number of a record for its extension, which has the size of a point and a layer.
pub const EXTENSION: u32 = 4;
/// Byte of the layer in an extension; the size of a point, a half, is at its start.
pub const EXTENSION_LAYER: u32 = 2;
/// Layers that a byte counts.
pub const MOST_LAYERS: u32 = 256;
/// The bit of the flags of primitives that says that records have a layer.
pub const LAYERED: u32 = 1 << 20;
/// First register that a program descriptor can ask for.
pub const FIRST_PRELOAD: u16 = 48;

/// A word of the shader program descriptor that a register of the command stream points to, as a state word names it.
pub const fn program_word(pointer: u32, word: u32) -> u32 {
    PROGRAM_WORDS * pointer + word
}

/// Attributes that a table has room for.
pub const ATTRIBUTES: u32 = 16;
/// The sampler of instructions that need none, in vertex programs.
pub const VERTEX_NO_SAMPLER: u32 = 16;
/// The table of the records of vertices as instructions name it.
pub const RECORDS: u8 = 13;
/// Bytes of a slot of a record.
pub const SLOT: u32 = 16;

/// The names of the sources in texts.
pub const SOURCES: [&str; 9] = [
    "local id x and y, 16 bits each",
    "number of the record",
    "number of the vertex",
    "number of the primitive",
    "0 for front faces",
    "column and row of the pixel, 16 bits each",
    "covered samples",
    "mask and number of the sample",
    "layer of the attachments",
];
