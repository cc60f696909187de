//! File tests, vector and conformance runners, differential suites.
