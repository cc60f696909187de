//! All tests of `gpucc-tesla-driver` in one binary: linking and starting is paid once.

mod words;
