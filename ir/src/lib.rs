//! The SSA IR of gpucc: types, op table, functions, text form, verifier and analyses.
