//! The default generation under the suites that all families share: file tests, examples, random programs and programs of others
//! with their results.

gpucc_kit::family_suites!(crate::common::device());
