//! Reference interpreter of the gpucc IR: the oracle.
