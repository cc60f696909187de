//! The compiler as a library: targets, options, compile.
