//! All tests of `gpucc-mir` in one binary: linking and starting is paid once.

mod alloc;
mod backward;
mod block_in_states;
mod coalesce;
mod code_buffer;
mod end_to_end;
mod late;
mod live_units;
mod place;
mod scale;
mod selection;
mod split_runs;
mod ssa;
mod text;
mod toy;
