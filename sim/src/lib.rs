//! What every simulator shares: memory, dispatch grid, traps.
