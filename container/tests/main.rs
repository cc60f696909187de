//! All tests of `gpucc-container` in one binary: linking and starting is paid once.

mod format;
