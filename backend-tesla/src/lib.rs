//! Code generation for NVIDIA Tesla (G80 to GT21x).
