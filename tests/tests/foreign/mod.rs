//! Machine code of other compilers, decoded and run.

mod gcn_stored;
mod gcn_strangers;
mod gcn_words;
mod programs;
mod strangers;
mod tesla_strangers;
mod valhall_strangers;
mod vivante_strangers;
