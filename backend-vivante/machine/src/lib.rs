//! The instruction set of Vivante GC: table, assembler, disassembler, interpreter of bytes.
