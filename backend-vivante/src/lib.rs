//! Code generation for Vivante GC.
