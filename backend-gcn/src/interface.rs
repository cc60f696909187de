//! The interface of a program: bindings, launch registers, inputs and outputs.

pub mod bindings;
pub mod io;
pub mod launch_registers;
