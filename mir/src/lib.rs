//! Machine IR, generic over a target.

pub mod backend;
