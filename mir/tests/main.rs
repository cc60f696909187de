//! All tests of `gpucc-mir` in one binary: linking and starting is paid once.

mod alloc;
mod backward;
mod coalesce;
mod end_to_end;
mod entries;
mod late;
mod parts;
mod place;
mod scale;
mod selection;
mod ssa;
mod text;
mod toy;
