//! The instruction set of AMD GCN 1.0 to 1.2 (gfx6, gfx7, gfx8): table, assembler, disassembler, interpreter of bytes.
