//! The instruction set of ARM Mali Valhall (v9, v10): table, assembler, disassembler, interpreter of bytes.
