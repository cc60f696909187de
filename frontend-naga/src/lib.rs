//! naga modules (WGSL, SPIR-V, GLSL) to gpucc IR.
