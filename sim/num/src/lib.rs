//! Exact integer and float semantics, the same on every host.
