//! All tests of `gpucc-machines` in one binary: linking and starting is paid once.

mod gcn_listings;
mod gcn_textures;
mod kept;
mod launch;
mod profile;
mod traps;
