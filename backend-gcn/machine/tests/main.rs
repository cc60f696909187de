//! All tests of `gpucc-gcn-machine` in one binary: linking and starting is paid once.

mod attrs;
mod cache;
mod common;
mod effects;
mod exec;
mod flip;
mod foreign;
mod image_kit;
mod image_rows;
mod images;
mod listing;
mod page;
mod rows;
mod shade;
mod table;
mod vectors;
