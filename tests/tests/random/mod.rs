//! Random programs: all places agree, or give what another implementation gave.

mod halves;
mod programs;
mod recorded_fragments;
mod recorded_pairs;
mod recorded_wide;
mod texts;
