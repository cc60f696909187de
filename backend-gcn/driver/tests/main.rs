//! All tests of `gpucc-gcn-driver` in one binary: linking and starting is paid once.

mod words;
