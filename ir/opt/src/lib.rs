//! Target-independent passes over the gpucc IR.
//!
//! A pass is one file with its contract in the header. [`passes`] has the lists per level and the manager that runs
//! them; [`prepare`] is the way in for backends: from a module as the frontend made it to one flat function per entry
//! point that uses only what the target's [`Caps`] allow.

pub mod algebraic;
pub mod arrays_to_selects;
mod bound;
pub mod caps;
pub mod clamp_indices;
pub mod clamped_conversions;
pub mod combine_bits;
pub mod constant_factors;
mod context;
pub mod copies;
pub mod copyprop;
mod counted;
mod cx;
pub mod dce;
pub mod divide;
pub mod exit_values;
pub mod fold;
pub mod fold_ids;
pub mod frame;
pub mod fuse;
pub mod gvn;
pub mod hoist_tables;
pub mod if_convert;
pub mod implied_branches;
pub mod init;
pub mod inline;
pub mod join_loops;
pub mod lane_sums;
pub mod layout;
pub mod legalise;
mod legalise_div;
mod legalise_ex;
mod legalise_pack;
pub mod licm;
mod linearise;
pub mod lower_blend;
pub mod lower_fetch;
pub mod lower_indices;
pub mod lower_io;
pub mod lower_subgroups;
pub mod lower_tex;
pub mod lower_wide;
pub mod mem2reg;
pub mod mem_opt;
pub mod mixes;
pub mod narrow;
pub mod passes;
pub mod powers;
pub mod predicate_demotes;
pub mod products;
pub mod ranges;
mod readonly;
pub mod rests;
pub mod returns;
pub mod rewrite;
pub mod robust;
pub mod rotate;
pub mod scalarise;
pub mod scaled_sums;
pub mod selection;
mod share_distances;
pub mod short_mixes;
pub mod shrink_io;
pub mod signs;
pub mod simplify_cfg;
pub mod sink_sums;
pub mod split_locals;
mod subgroup_memory;
pub mod support;
pub mod switches;
pub mod tables;
pub mod unroll;
pub mod vector_scales;
pub mod vectorise_memory;
pub mod widen_loads;
pub mod zero_lanes;

pub use bound::{BindingFacts, BindingPlace};
pub use caps::{
    AllFloatCaps, Blending, Caps, CubeGradients, DOUBLE_OPS, FetchCaps, FloatCaps, FormatSet, Gathers, IoCaps,
    LayerForm, OpSet, PartCaps, PerTarget, SamplerCaps, TexCaps,
};
pub use context::{PipelineContext, empty_fragment, free_locations, stage_as_read};
pub use cx::PassCx;
pub use passes::{Early, EarlyFacts, Manager, Options, Pass, Report, begin, go_on, prepare};
pub use share_distances::{reads_distances, share_distances};
