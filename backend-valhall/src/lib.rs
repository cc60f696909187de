//! Code generation for ARM Mali Valhall (v9, v10).
