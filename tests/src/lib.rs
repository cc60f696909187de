//! Code common to the runners and the suites over all families. Code that needs no back end is in `gpucc-kit`.

pub mod damage;
pub mod drawreduce;
pub mod drawrun;
pub mod everywhere;
pub mod exec;
pub mod foreign;
pub mod gfx;
pub mod heap;
pub mod mesh;
pub mod orders;
pub mod pairs;
pub mod randdraw;
pub mod randfs;
pub mod scaling;
pub mod textrun;

pub use gpucc_kit::{cases, examples, filetest, predict, randprog, shared};

/// Prints the usage of a runner if its command line asks for it.
pub fn asks_for_help(usage: &str) -> bool {
    let asks = std::env::args().skip(1).any(|a| a == "--help" || a == "-h");
    if asks {
        println!("{usage}");
    }
    asks
}
