//! All tests of `gpucc-frontend-spirv` in one binary: linking and starting is paid once.

mod arrays;
mod buffers;
mod common;
mod faults;
mod forms;
mod hostile;
mod lines;
mod obeyed;
mod readers;
mod recorded;
mod tables;
mod words;
mod written;
