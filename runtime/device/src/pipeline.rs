//! Pipelines: programs with the state around them.

use gpucc_ir::{Diagnostic, Module, Stage};

use crate::place::Place;
use crate::program::{Program, Shader};

/// A compute pipeline: one program, ready to run.
#[derive(Debug)]
pub struct ComputePipeline {
    program: Program,
}

impl ComputePipeline {
    /// Compiles a compute entry of a module for a place.
    ///
    /// # Errors
    /// There is no such entry, it is refused, or a bug of the compiler.
    pub fn new(module: &Module, entry: &str, place: Place) -> Result<ComputePipeline, Diagnostic> {
        Ok(ComputePipeline { program: Program::new(&Shader::new(module, entry, Stage::Compute), place)? })
    }

    /// One whose program is compiled already.
    pub fn of(program: Program) -> ComputePipeline {
        ComputePipeline { program }
    }

    /// The program that it dispatches.
    pub fn program(&self) -> &Program {
        &self.program
    }
}
