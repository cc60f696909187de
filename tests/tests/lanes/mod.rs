//! Operations between the lanes of a subgroup.

mod forms;
mod fragments;
mod ops;
mod oracle;
mod programs;
mod random;
mod sizes;
mod spirv;
