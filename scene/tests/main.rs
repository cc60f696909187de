//! All tests of `gpucc-scene` in one binary: linking and starting is paid once.

mod alone;
mod cases;
mod check;
mod compare;
mod contents;
mod picture;
mod read;
mod resize;
mod shared;
mod sheet;
mod uses;

/// The rows of a table, and their columns.
fn rows<const N: usize>(text: &'static str) -> Vec<[&'static str; N]> {
    let lines = text.lines().map(str::trim).filter(|l| !l.is_empty());
    lines.map(|l| l.split(" | ").collect::<Vec<_>>().try_into().unwrap_or_else(|_| panic!("{l}"))).collect()
}
