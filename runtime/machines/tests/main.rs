//! All tests of `gpucc-machines` in one binary: linking and starting is paid once.

mod gcn_textures;
mod gcn_words;
mod kept;
mod launch;
mod profile;
mod tesla_words;
mod traps;
mod valhall_words;
