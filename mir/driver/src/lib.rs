//! The driver of all families, from a module to an output, and the pass manager for machine code.
//!
//! A family implements [`Family`]: what its generations lack, how it chooses instructions, the list of its machine passes, how
//! it emits. [`Driver`] makes a [`Backend`] of it. `docs/adding-a-backend.md` is the tour.

mod backend;
mod code_object;
mod compile;
mod family;
#[doc(hidden)]
pub mod interface;
mod late_state;
mod line_costs;
mod pass;
#[doc(hidden)]
pub mod programs;
#[doc(hidden)]
pub mod races;
pub mod statistics;
mod tables;
mod text;
mod variables;

pub use backend::{
    Backend, Choices, CodegenOptions, Output, Reflection, SharedPasses, context_in, default_pipeline, reflect,
};
pub use code_object::CodeObject;
pub use compile::{Driver, prepared_cases};
pub use family::{
    AttemptError, CompileCx, EmittedProgram, FailureKind, Family, IrCx, IrPass, IrRun, IrUnit, Job, Pass, Run,
    Selected, TailPass, TextFixture,
};
pub use interface::{Direction, HwPlace};
pub use late_state::{DriverFacts, Effect, Piece};
pub use line_costs::{InstCost, LineCost, LineCosts, LinePart, Occupancy};
pub use pass::{alloc_options, check_order};
pub use tables::Tables;
pub use text::run_text;
pub use variables::{Variables, used_places};
