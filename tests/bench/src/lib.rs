//! Benchmarks are in `benches`; this library is empty.
