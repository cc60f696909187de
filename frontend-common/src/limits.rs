//! The named limits of the frontend.
//!
//! naga's parsers, its validator and this crate's lowering recurse over the source's nesting, and a stack that
//! overflows aborts the process. Each limit is therefore checked *before* the parser sees the text, and the
//! numbers are chosen so that the deepest input they admit fits the stack of [`STACK_BYTES`] with room to spare
//! (`tests/limits.rs` walks up to every one of them).

/// Stack of the thread that parses, validates and lowers. Only touched pages cost memory.
pub const STACK_BYTES: usize = 512 << 20;
/// Stack for what is small by a scan of its tokens or words: nearly every shader. The C library keeps stacks of this size for the next thread.
pub const SMALL_STACK_BYTES: usize = 32 << 20;
/// Divisor of a limit for a small source: the part of it that such a source may reach.
pub const SMALL_PART: u64 = 16;
/// Brackets that may be open in a small source.
pub const SMALL_NESTING: u64 = 60;
/// Blocks, statements that hold others and declarations of a small source altogether.
pub const SMALL_BLOCKS: u64 = 256;

/// One limit: a code for tools, what it counts, and the largest value that is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Stable code, part of the diagnostic.
    pub code: &'static str,
    /// The unit for people.
    pub what: &'static str,
    /// The largest accepted count.
    pub max: u64,
}

/// Bytes of a WGSL or GLSL source.
pub const SOURCE_BYTES: Limit = Limit { code: "limit-source-size", what: "bytes of source", max: 4 << 20 };
/// Open `(`, `[` and `{` at one place. WGSL asks for 127 braces; naga's own recursion limit is close to 200.
pub const NESTING: Limit = Limit { code: "limit-nesting", what: "open brackets", max: 250 };
/// Operators of one expression that may nest to one operand path.
pub const EXPRESSION: Limit = Limit { code: "limit-expression", what: "operators in one expression", max: 8192 };
/// Branches of one `if ... else if ...` chain: each nests one block deeper in the tree.
pub const ELSE_IF: Limit = Limit { code: "limit-else-if", what: "`else if` in one chain", max: 2048 };
/// Blocks inside blocks, an `else if` counting as one.
pub const BLOCKS: Limit = Limit { code: "limit-blocks", what: "nested blocks", max: 2304 };
/// Declarations at module scope; naga's time grows with their square.
pub const DECLARATIONS: Limit = Limit { code: "limit-declarations", what: "declarations at module scope", max: 32768 };
/// Tokens of one function; naga's time grows with their square (about 20 s at the limit).
pub const FUNCTION_TOKENS: Limit = Limit { code: "limit-function-size", what: "tokens in one function", max: 300_000 };
/// Values that naga copies because functions name constant arrays and structs, each use counting all elements.
pub const CONSTANT_COPIES: Limit =
    Limit { code: "limit-constant-size", what: "copied elements of constants", max: 4 << 20 };
/// Tokens that the GLSL preprocessor may produce.
pub const EXPANSION: Limit =
    Limit { code: "limit-macro-expansion", what: "tokens after macro expansion", max: 4 << 20 };
/// Words of a SPIR-V module.
pub const SPIRV_WORDS: Limit = Limit { code: "limit-spirv-words", what: "words of SPIR-V", max: 4 << 20 };
/// The `bound` of a SPIR-V module.
pub const SPIRV_IDS: Limit = Limit { code: "limit-spirv-ids", what: "SPIR-V ids", max: 4 << 20 };
/// Selection and loop merges of one SPIR-V function: the depth its blocks can nest to.
pub const SPIRV_MERGES: Limit =
    Limit { code: "limit-spirv-merges", what: "structured constructs in one SPIR-V function", max: 16384 };
/// Most types that lie inside each other.
pub const TYPE_DEPTH: Limit = Limit { code: "limit-type-depth", what: "nested types", max: 255 };
/// Scalars of a value that is passed around as a whole: loads, stores and constructors take it apart.
pub const VALUE_SCALARS: Limit = Limit { code: "limit-value-size", what: "scalars in one value", max: 1 << 16 };
/// Functions that call each other in a row.
pub const CALL_DEPTH: Limit = Limit { code: "limit-call-depth", what: "nested calls", max: 4096 };
/// Bytes of one private, workgroup or function variable.
pub const VARIABLE_BYTES: Limit = Limit { code: "limit-variable-size", what: "bytes in one variable", max: 1 << 20 };
/// Statements that are lowered once more because their function takes pointers and is called from several places.
pub const INLINED: Limit = Limit { code: "limit-inlined", what: "statements in place of calls", max: 1 << 20 };
/// Instructions of the whole module as lowered: large arrays copied as values become one load and store an element.
pub const INSTRUCTIONS: Limit = Limit { code: "limit-code-size", what: "instructions in the module", max: 2 << 20 };
