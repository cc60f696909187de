//! All tests of `gpucc-valhall-driver` in one binary: linking and starting is paid once.

mod words;
