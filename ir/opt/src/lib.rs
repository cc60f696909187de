//! Target-independent passes over the gpucc IR.
