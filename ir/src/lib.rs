//! The SSA IR of gpucc: types, op table, functions, text form, verifier and analyses.
//!
//! # Values and instructions
//! A [`Function`] owns its [`Block`]s, [`Inst`]s and [`Value`]s in arenas; nothing has a lifetime. A value is an
//! instruction result, a block parameter, an interned constant or undef; constants are usable everywhere and have no
//! place in a block. [`ops::Op`] is the one op table; its [`ops::Sig`] says what operands and attribute an instruction has.
//!
//! # Control flow and structure
//! Blocks end in `jump`, `br`, `switch`, `ret` or `unreachable`; arguments for block parameters sit on the edge.
//! Structure is kept. A *construct* is opened by
//! - a block with a [`LoopHeader`] (`merge`: where break goes, `cont`: where continue goes; the back edge comes from code
//!   that `cont` dominates, and nowhere else),
//! - a `br`, `switch` or `jump` with a `merge` block.
//!
//! Every edge either enters a block that its source dominates (and whose only way in, but for exits of constructs, this
//! is), or is an *exit*: the back edge, the merge or continue block of the innermost enclosing loop, or the merge of an
//! enclosing selection inside that loop. Several levels of selection may be left at once; a loop only to its own merge. A
//! `ret` may stand anywhere until the `returns` pass makes it one. A `br` without merge is right where its arms do not come
//! together again before an exit (`br c, loop_merge, next`). A merge that nothing reaches may be left out.
//!
//! # Memory
//! There are no pointers. An access names its [`Place`] with a constant and an optional dynamic byte offset (`i32`,
//! unsigned). Places never overlap. Block order is effect order. In memory a `b1` lane is an `i32` of 0 or 1.
//!
//! The exact meaning of each op is in `docs/semantics.md` of this crate.

pub mod analysis;
pub mod builder;
mod compact;
pub mod declared;
pub mod diag;
pub mod edges;
pub mod entity;
pub mod eval;
pub mod float_modes;
pub mod function;
pub mod ids;
pub mod inst;
pub mod lists;
pub mod module;
mod named;
pub mod ops;
pub mod refusal;
pub mod results;
pub mod source;
pub mod span;
pub mod stage;
pub mod subgroup;
mod sysval;
pub mod tex;
mod tex_operands;
pub mod text;
pub mod trace;
pub mod types;
pub mod values;
pub mod variable;
pub mod verify;

pub use builder::Builder;
pub use declared::{Declared, DepthLayout, Member};
pub use diag::{Class, Diagnostic, Label, Result, Severity};
pub use edges::{Branch, Edge, EdgeRef, SwitchEdges};
pub use entity::{Arena, Entity, EntitySet, SecondaryMap};
pub use float_modes::{Denormals, FloatMode, FloatModes, Rounding};
pub use function::{BlockData, Const, Function, LoopHeader, ValueData, ValueDef};
pub use ids::{Block, Func, Global, Inst, Loc, Local, Res, Value};
pub use inst::{
    AtomicOp, Attr, Barrier, FloatCc, FpFlags, InstData, IntCc, Mem, MemFlags, Order, Place, Scope, Touched,
};
pub use lists::CsrLists;
pub use module::{
    EntryPoint, IMMEDIATES, ImageAccess, Module, ModuleOptions, ResourceData, ResourceKind, StageInfo, Subgroups,
    TexClass, Variant, binding_text, element_binding, invocations,
};
pub use ops::{Kinds, Op, OpAttrs, OpInfo, Sig};
pub use refusal::{Refusal, Unsupported};
pub use results::Results;
pub use source::SourceFile;
pub use span::Span;
pub use stage::{Axis, COLOUR_TARGETS, Deriv, Form, Interface, Interp, IoAt, IoSlot, Mode, Position, Stage, Where};
pub use subgroup::{Reach, Reduce, ReduceOp};
pub use sysval::{MAX_LANES, Sysval};
pub use tex::{Tex, TexArg, TexCube, TexDesc, TexDim, TexLayer, TexLod, TexWhat};
pub use tex_operands::TexOperands;
pub use types::{Scalar, Type};
pub use values::Values;
pub use variable::{Init, Space, VarData};
