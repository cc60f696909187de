//! The instruction set of NVIDIA Tesla (G80 to GT21x): table, assembler, disassembler, interpreter of bytes.
