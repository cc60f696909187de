//! The pass manager and the lists per optimisation level.
//!
//! | level | meaning |
//! |---|---|
//! | 0 | what code generation needs: inlining, variables to values, bounds, initialisation, legalisation |
//! | 1 | and folding, algebraic rules, common subexpressions, clean control flow |
//! | 2 | and unrolling, branches to selects, memory forwarding and merging, ranges, loop-invariant code; the default |
//! | 3 | the same with larger limits for unrolling and branches to selects |

use crate::cx::{Graph, Kept};
use crate::{
    BindingFacts, Caps, OpSet, PassCx, PipelineContext, algebraic, arrays_to_selects, clamp_indices,
    clamped_conversions, combine_bits, constant_factors, copies, copyprop, dce, divide, exit_values, fold, fold_ids,
    fuse, gvn, hoist_tables, if_convert, implied_branches, init, inline, join_loops, lane_sums, legalise, licm,
    lower_blend, lower_fetch, lower_indices, lower_io, lower_subgroups, lower_tex, lower_wide, mem_opt, mem2reg, mixes,
    narrow, powers, predicate_demotes, products, ranges, rests, robust, rotate, scalarise, scaled_sums, selection,
    short_mixes, shrink_io, signs, simplify_cfg, sink_sums, split_locals, switches, tables, unroll, vector_scales,
    vectorise_memory, widen_loads, zero_lanes,
};
use gpucc_ir::analysis::{DomTree, Structure};
use gpucc_ir::trace::{self, PassTime};
use gpucc_ir::verify::verify_module;
use gpucc_ir::{Diagnostic, EntryPoint, Func, Function, Module, Op, Scalar, Space, StageInfo};
use std::time::Instant;

/// A pass as the manager sees it.
#[derive(Clone, Copy)]
pub struct Pass {
    /// The name for dumps and times.
    pub name: &'static str,
    /// Whether it leaves blocks, edges and structure as they are, or the layout in structured order.
    pub keeps_order: bool,
    /// Whether it leaves blocks, edges and structure as they are, or says itself that it does not.
    pub keeps_graph: bool,
    /// The change of the function of the entry point.
    pub run: fn(&mut Function, &mut PassCx<'_>, &EntryPoint),
}

impl std::fmt::Debug for Pass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

macro_rules! pass {
    ($name:literal, $run:expr) => {
        Pass { name: $name, keeps_order: true, keeps_graph: true, run: |f, cx, _| $run(f, cx) }
    };
}
macro_rules! graph_pass {
    ($name:literal, $run:expr) => {
        Pass { keeps_graph: false, ..pass!($name, $run) }
    };
}
macro_rules! lowering {
    ($name:literal, $run:expr) => {
        Pass {
            name: $name,
            keeps_order: true,
            keeps_graph: false,
            run: |f, cx, _| {
                let n = $run(cx.module, f, cx.caps);
                cx.must_change(n);
            },
        }
    };
}

const MEM2REG: Pass = pass!("mem2reg", mem2reg::run);
const COPYPROP: Pass = pass!("copyprop", copyprop::run);
/// Removes what nobody needs.
pub const DCE: Pass = pass!("dce", dce::run);
const SPLIT_LOCALS: Pass = pass!("split-locals", split_locals::run);
/// Takes copying loops out.
const COPIES: Pass = graph_pass!("copies", copies::run);
const JOIN_LOOPS: Pass = graph_pass!("join-loops", join_loops::run);
const FOLD: Pass = pass!("fold", fold::run);
const ALGEBRAIC: Pass = pass!("algebraic", algebraic::run);
const ARRAYS_TO_SELECTS: Pass = graph_pass!("arrays-to-selects", arrays_to_selects::run);
const IF_CONVERT: Pass = graph_pass!("if-convert", if_convert::run);
/// Makes blocks in front of loops.
const LICM: Pass = Pass { keeps_order: false, ..graph_pass!("licm", licm::run) };
/// Copies the body of loops whose trip count is known.
pub const UNROLL: Pass = graph_pass!("unroll", unroll::run);
const DIVIDE: Pass = pass!("divide", divide::run);
const IMPLIED_BRANCHES: Pass = pass!("implied-branches", implied_branches::run);
const EXIT_VALUES: Pass = graph_pass!("exit-values", exit_values::run);
/// Moves the condition of loops to their end.
pub const ROTATE: Pass = graph_pass!("rotate", rotate::run);
const RANGES: Pass = pass!("ranges", ranges::run);
const VECTORISE_MEMORY: Pass = graph_pass!("vectorise-memory", vectorise_memory::run);
const COMBINE_BITS: Pass = pass!("combine-bits", combine_bits::run);
const TABLES: Pass = pass!("tables", tables::run);
const SHORT_MIXES: Pass = pass!("short-mixes", short_mixes::run);
const VECTOR_SCALES: Pass = pass!("vector-scales", vector_scales::run);
const FUSE: Pass = pass!("fuse", fuse::run);
const MEM_OPT: Pass = pass!("mem-opt", mem_opt::run);
const GVN: Pass = pass!("gvn", gvn::run);
const SIMPLIFY_CFG: Pass = graph_pass!("simplify-cfg", simplify_cfg::run);
const DROP_LOCALS: Pass = pass!("drop-locals", dce::drop_locals);
const SWITCHES: Pass = graph_pass!("switches", switches::run);
const SORT: Pass = pass!("sort", |f: &mut Function, cx: &mut PassCx<'_>| cx.sort(f));
/// Changes nothing that fuel could leave out. Small functions stay as they are.
const COMPACT: Pass = Pass {
    name: "compact",
    keeps_order: true,
    keeps_graph: true,
    run: |f, cx, _| {
        if f.is_large() && !f.compact() {
            cx.forget_graph();
        }
    },
};
/// The same behind passes that mostly change little: where nearly all lies in the order of the code, a copy costs more than it
/// gives.
pub const COMPACT_IF_SCATTERED: Pass = Pass {
    run: |f, cx, e| {
        if f.is_large() && f.is_scattered() {
            (COMPACT.run)(f, cx, e);
        }
    },
    ..COMPACT
};
const ROBUST: Pass = lowering!("robust", robust::run);
const LOWER_SUBGROUPS: Pass = lowering!("lower-subgroups", lower_subgroups::run);
const NARROW: Pass = Pass {
    run: |f, cx, entry| {
        if cx.has_scalar(f, &[Scalar::I8, Scalar::I16, Scalar::F16]) {
            (ALL_NARROW.run)(f, cx, entry);
        }
    },
    ..ALL_NARROW
};
const ALL_NARROW: Pass = lowering!("narrow", narrow::run);
const LOWER_WIDE: Pass = Pass {
    run: |f, cx, entry| {
        if cx.has_scalar(f, &[Scalar::I64, Scalar::F64]) {
            (ALL_WIDE.run)(f, cx, entry);
        }
    },
    ..ALL_WIDE
};
const ALL_WIDE: Pass = lowering!("lower-wide", lower_wide::run);
/// These change the interface of the entry point, too.
const SHRINK_IO: Pass = pass!("shrink-io", shrink_io::run);
const LOWER_BLEND: Pass = pass!("lower-blend", lower_blend::run);
const LOWER_IO: Pass = pass!("lower-io", lower_io::run);
const LOWER_INDICES: Pass = Pass { keeps_graph: false, ..pass!("lower-indices", lower_indices::run) };
const LOWER_FETCH: Pass = pass!("lower-fetch", lower_fetch::run);
const PREDICATE_DEMOTES: Pass = graph_pass!("predicate-demotes", predicate_demotes::run);
const LOWER_TEX: Pass = pass!("lower-tex", lower_tex::run);
const LEGALISE: Pass = lowering!("legalise", legalise::run);
/// Clamps indices instead of byte offsets. This one and those that follow are in no level's list: a family names those that its chips gain by.
pub const CLAMP_INDICES: Pass = pass!("clamp-indices", clamp_indices::run);
/// Takes out products with zero, and multiplies by several constants once.
pub const CONSTANT_FACTORS: Pass = pass!("constant-factors", constant_factors::run);
/// Scales sums of products instead of the products.
pub const SCALED_SUMS: Pass = pass!("scaled-sums", scaled_sums::run);
/// Makes a sum on the one way that gives a summand.
pub const SINK_SUMS: Pass = pass!("sink-sums", sink_sums::run);
/// Makes one product and one sum of a mix of two constants.
pub const MIXES: Pass = pass!("mixes", mixes::run);
/// Makes one `fma` of a product with `1 - t`.
pub const RESTS: Pass = pass!("rests", rests::run);
/// Stores constants of tables in the entry block.
pub const HOIST_TABLES: Pass = pass!("hoist-tables", hoist_tables::run);
/// Takes lanes that are added to zero out of a vector sum.
pub const ZERO_LANES: Pass = pass!("zero-lanes", zero_lanes::run);
/// Makes operations of the bounds of conversions to integers.
pub const CLAMPED_CONVERSIONS: Pass = pass!("clamped-conversions", clamped_conversions::run);
/// Makes dot products of sums of products of lanes.
pub const LANE_SUMS: Pass = pass!("lane-sums", lane_sums::run);
/// Makes products where a sum takes them in, of quotients too.
pub const PRODUCTS: Pass = pass!("products", products::run);
/// Makes products of whole powers.
pub const POWERS: Pass = pass!("powers", powers::run);
/// Chooses a sign of several numbers once.
pub const SIGNS: Pass = pass!("signs", signs::run);
/// Makes one wide load of members of a read-only buffer that stand in several blocks.
pub const WIDEN_LOADS: Pass = pass!("widen-loads", widen_loads::run);
/// The passes that families may name ([`CLAMP_INDICES`] to [`WIDEN_LOADS`]), with the reason that there is for each.
pub const OFFERED: &[(Pass, &str)] = &[
    (CLAMP_INDICES, "an index is clamped instead of a byte offset where memory instructions scale indices"),
    (CONSTANT_FACTORS, "products with zero go, and constants that multiply one after the other are one"),
    (
        SCALED_SUMS,
        "a product times a power of two and a constant are one instruction where that scales what it has made",
    ),
    (SINK_SUMS, "a sum with what only one way gives is made on that way"),
    (MIXES, "a mix of two constants is one product and one sum"),
    (RESTS, "a product with what is left of a weight to 1 is one operation where `fma` rounds once"),
    (HOIST_TABLES, "constants that are stored in front of all loads of a variable make it a table"),
    (ZERO_LANES, "lanes that are added to zero need no operation"),
    (CLAMPED_CONVERSIONS, "bounds of conversions are operations that packing sees"),
    (LANE_SUMS, "a dot product adds up several lanes at once"),
    (WIDEN_LOADS, "members of a read-only buffer that are needed here and there come with the first of them"),
    (POWERS, "a whole power is products where logarithm and exponential are sequences"),
    (SIGNS, "a sign that a condition gives to several numbers is one choice and a product for each"),
    (PRODUCTS, "a product lies beside the one sum that takes it in, and quotients are products"),
];
const INIT_WORKGROUP: Pass = Pass {
    name: "init-workgroup",
    keeps_order: false,
    keeps_graph: false,
    run: |f, cx, entry| {
        let n = entry.workgroup_size().map_or(0, |size| init::workgroup(cx, f, size));
        cx.must_change(n);
    },
};
const FOLD_IDS: Pass = Pass {
    name: "fold-ids",
    keeps_order: true,
    keeps_graph: true,
    run: |f, cx, entry| entry.workgroup_size().map_or_else(Default::default, |size| fold_ids::run(f, cx, size)),
};
const INIT_VARIABLES: Pass = Pass {
    name: "init-variables",
    keeps_order: true,
    keeps_graph: false,
    run: |f, cx, _| {
        let private = |m: &Module| m.globals.values().any(|g| g.space == Space::Private);
        if private(cx.module) || cx.has_any(f, OpSet::of(&[Op::VarInit])) {
            let n = init::variables(cx.module, f, true);
            cx.must_change(n);
        }
    },
};
const SCALARISE: Pass = lowering!("scalarise", |m: &Module, f: &mut Function, caps: &Caps| if caps.scalar {
    scalarise::run(m, f, caps)
} else {
    0
});

/// The passes of a level, in order. Inlining comes before all of them.
pub fn passes(level: u8) -> Vec<Pass> {
    // Passes that make code smaller.
    let tidy: &[Pass] = match level {
        0 => &[COPYPROP, DCE],
        _ => &[COPYPROP, FOLD, ALGEBRAIC, SIMPLIFY_CFG, COMPACT_IF_SCATTERED, COPYPROP, GVN, FOLD, ALGEBRAIC, DCE],
    };
    let mut list = Vec::with_capacity(128);
    list.extend([MEM2REG, COMPACT]);
    if level >= 1 {
        list.push(FOLD_IDS);
    }
    list.extend(tidy);
    // Without variables, the passes that are about them have nothing to look for.
    list.extend([SPLIT_LOCALS, COPIES, JOIN_LOOPS, DCE, DROP_LOCALS]);
    if level >= 2 {
        list.push(UNROLL);
        list.extend(tidy);
        // Known counters make indices constants.
        list.extend([RANGES, FOLD, ALGEBRAIC, TABLES]);
    }
    list.extend([ARRAYS_TO_SELECTS, MEM2REG]);
    if level >= 2 {
        list.push(MEM_OPT);
    }
    list.extend(tidy);
    if level >= 2 {
        list.extend([IF_CONVERT]);
        list.extend(tidy);
        list.extend([IF_CONVERT, SIMPLIFY_CFG, RANGES, DIVIDE]);
    }
    list.push(INIT_WORKGROUP);
    if level >= 1 {
        list.push(FOLD_IDS);
    }
    list.extend([ROBUST, INIT_VARIABLES, LOWER_SUBGROUPS, NARROW, LOWER_WIDE]);
    if level >= 1 {
        list.push(SHRINK_IO);
    }
    list.extend([LOWER_BLEND, LOWER_IO, LOWER_INDICES, LOWER_FETCH, LOWER_TEX]);
    if level >= 2 {
        list.push(VECTOR_SCALES);
    }
    list.extend([LEGALISE, SCALARISE]);
    list.extend(tidy);
    list.push(COMPACT);
    if level >= 2 {
        list.extend([
            SHORT_MIXES,
            RANGES,
            IF_CONVERT,
            ALGEBRAIC,
            SIMPLIFY_CFG,
            EXIT_VALUES,
            LICM,
            ROTATE,
            SIMPLIFY_CFG,
            COMPACT_IF_SCATTERED,
            LICM,
        ]);
        list.extend([
            COPYPROP,
            MEM_OPT,
            VECTORISE_MEMORY,
            ALGEBRAIC,
            IMPLIED_BRANCHES,
            SIMPLIFY_CFG,
            GVN,
            FUSE,
            COMBINE_BITS,
            DCE,
        ]);
    }
    if level == 1 {
        list.extend([FUSE, COMBINE_BITS, DCE]);
    }
    list.extend([SWITCHES, DROP_LOCALS, SORT, COMPACT_IF_SCATTERED]);
    if level >= 1 {
        list.push(PREDICATE_DEMOTES);
    }
    list
}

/// That a pass must come before another, and why. Checked by a test over all levels.
pub const ORDER: &[(&str, &str, &str)] = &[
    ("unroll", "arrays-to-selects", "an index that is constant in each copy needs no selects"),
    ("mem2reg", "arrays-to-selects", "which elements an access can reach is seen in the values of its offset"),
    ("arrays-to-selects", "init-variables", "an initialiser of a variable that becomes values needs no store"),
    ("split-locals", "copies", "an array in a struct is copied like one alone"),
    ("copies", "join-loops", "a copy that is not needed is in no loop's way"),
    ("join-loops", "unroll", "loops are joined turn by turn"),
    ("copies", "unroll", "a loop that copies is known by its form"),
    ("mem2reg", "robust", "accesses to variables that become values need no clamping"),
    ("mem2reg", "init-variables", "most initialisers become constants without a store"),
    ("robust", "legalise", "clamping uses umin and buffer_length, which a target may lack"),
    ("robust", "narrow", "an access is clamped by its own size, not by that of the word around it"),
    ("init-variables", "narrow", "initial values are stored like others"),
    ("lower-subgroups", "narrow", "lanes are read in words, what is narrower is widened"),
    ("robust", "lower-wide", "an access is clamped by its own size"),
    ("init-variables", "lower-wide", "initial values are stored like others"),
    ("lower-subgroups", "lower-wide", "reductions of 64 bits are sums of what other lanes hold"),
    ("narrow", "lower-wide", "conversions from and to lanes of 8 and 16 bits are ones of 32 by then"),
    ("lower-wide", "legalise", "quotients, high products and counts of bits are ops that a target may lack"),
    ("narrow", "legalise", "rounding to half precision and packing are ops that a target may lack"),
    ("shrink-io", "lower-io", "what nobody reads needs no arithmetic"),
    ("narrow", "lower-blend", "colours of half precision are floats by then"),
    ("lower-blend", "lower-io", "what a target gets is packed behind the blending"),
    ("narrow", "lower-io", "inputs of half precision are floats by then"),
    ("lower-io", "legalise", "what becomes of inputs and outputs uses ops that a target may lack"),
    ("lower-indices", "lower-fetch", "what one instruction becomes stands in one loop, queries too"),
    ("lower-indices", "lower-tex", "what one instruction becomes stands in one loop, queries too"),
    ("lower-fetch", "lower-tex", "fetches become samples of arrays, whose layers take their form"),
    ("narrow", "lower-tex", "coordinates of half precision are floats by then"),
    ("lower-tex", "legalise", "what becomes of texture instructions uses ops that a target may lack"),
    ("divide", "legalise", "what is left of divisions is written in the general way"),
    ("init-workgroup", "legalise", "the zeroing loop uses ops that a target may lack"),
    ("unroll", "rotate", "a loop whose iterations are all counted has no test left"),
    ("licm", "rotate", "what the test reads and does not change is not a part of the test then"),
    ("if-convert", "switches", "a switch that only chooses values becomes selects"),
    ("rotate", "switches", "a way out of a loop by a case is one edge still"),
    ("switches", "predicate-demotes", "a branch that is left is one, and nothing behind takes its arm apart"),
    ("rotate", "implied-branches", "loops with their test at the end have a branch in front of them"),
    ("vector-scales", "legalise", "dot products become sums of products, of which each would be scaled"),
    ("legalise", "scalarise", "expansions of packing ops make vectors"),
    ("short-mixes", "licm", "the difference of what a loop does not change is made in front of it"),
    ("short-mixes", "fuse", "the products of a mix are not a part of its sum yet"),
];

/// The places where `simplify-cfg` is called because it changed the graph and no operand of an instruction.
const GRAPH_ALONE: &str = "simplify-cfg (graph alone)";

/// The places where `gvn` is called because it put equal values for each other, and none of those rules that ask whether two values are
/// the same may fit for it.
const GVN_APART: &str = "gvn (no operands made the same)";

/// For each pass, the passes that cannot create work for it, and why. If only those changed something since its last run, it is
/// skipped. A pass that names itself does all of its work at once; any other must find nothing first.
pub const CANNOT_ENABLE: &[(&str, &[&str], &str)] = &[
    (
        "fold",
        &["fold", "gvn", "dce", "drop-locals", GRAPH_ALONE],
        "it asks for the constants among an instruction's operands, which it knows when it visits it; the others pass on results and \
         remove",
    ),
    (
        "algebraic",
        &["algebraic", "dce", "drop-locals", GRAPH_ALONE, GVN_APART],
        "rules ask what operands are made of, which comes first and is done by then, not who else reads them; equal values are made of \
         the same",
    ),
    (
        "gvn",
        &["gvn", "dce", "drop-locals"],
        "operands come before what they are operands of; what is left is as different as before, and nothing dominates more",
    ),
    (
        "copyprop",
        &["copyprop", "dce", "drop-locals"],
        "it repeats while it finds something; parameters that are left get what they got",
    ),
    (
        "simplify-cfg",
        &["simplify-cfg", GRAPH_ALONE, "drop-locals"],
        "it repeats while it finds something; no block names the variables",
    ),
    (
        "dce",
        &["dce", "fold", "gvn", "drop-locals"],
        "what read constants, or the operands of an equal instruction that stays, was not a reason to keep anything else",
    ),
];

/// The purpose of each pass, in the order of their first use.
pub const PURPOSE: &[(&str, &str)] = &[
    ("inline", "shaders have no call stack on these targets, and everything after looks at one function"),
    ("mem2reg", "variables become values: all other passes work on values, and registers are what machines have"),
    ("fold-ids", "ids in directions in which a workgroup has one invocation are constants, or those of the workgroup"),
    ("copyprop", "parameters that always get one value would be copies at every edge"),
    ("fold", "what depends on constants only is computed now"),
    ("algebraic", "exact rewrites to fewer or cheaper instructions"),
    ("simplify-cfg", "decided branches, empty blocks and ends of constructs cost jumps and lane bookkeeping"),
    ("gvn", "equal values are computed once"),
    ("dce", "what nobody reads is not computed"),
    (
        "compact",
        "removes dead entries of the arenas and renumbers the rest in the order of the code, so that later passes touch less memory",
    ),
    ("split-locals", "an array in a struct is a variable like one alone, and what lies beside it becomes values"),
    (
        "copies",
        "a copy that nobody writes is read where it came from, and a variable that takes another's place is that one",
    ),
    ("join-loops", "arrays that are exchanged need no third one, what is made word by word is given on word by word"),
    ("unroll", "short loops become straight lines: no counter, no branch, array indices become constants"),
    (
        "arrays-to-selects",
        "small arrays with run-time indices become selects between registers, which is cheaper than memory",
    ),
    ("tables", "what a constant table holds at a known place is a constant"),
    ("mem-opt", "loads of what was just stored or loaded, and stores that are overwritten, go"),
    ("if-convert", "selects are cheaper than branches around a few instructions, and lanes stay together"),
    (
        "ranges",
        "checks that cannot fail go, constants move into addresses, products of small numbers become 24-bit ones",
    ),
    ("divide", "small numbers are divided as floats, which is a quarter of the general way"),
    ("init-workgroup", "a robust module's workgroup memory starts as zeros"),
    ("robust", "a robust module's accesses stay in bounds"),
    ("init-variables", "variables that stay in memory get their initial values"),
    (
        "lower-subgroups",
        "reductions and scans are written with ballots and reads of other lanes; where lanes meet at barriers, all lanes execute these",
    ),
    ("narrow", "lanes of 8 and 16 bits are computed in lanes of 32 where the target has no others"),
    ("lower-wide", "integers of 64 bits are pairs of words where the target has no others"),
    ("shrink-io", "inputs, outputs and components that nobody reads do not travel"),
    ("lower-blend", "equations that blending hardware lacks are arithmetic on what the target holds"),
    ("lower-io", "rewrites inputs and outputs to the forms that the target has: indices, positions, interpolation"),
    (
        "lower-indices",
        "elements of arrays of textures and samplers that differ between lanes are gone through one by one",
    ),
    ("lower-fetch", "texels are fetched as the target's fetch them: checks, samples of a pixel, wide texels"),
    (
        "lower-tex",
        "texture instructions take what the target's take: cubes, layers, gathers, clamps, comparisons, offsets",
    ),
    ("short-mixes", "a mix of the language is a step from one end"),
    ("vector-scales", "numbers that scale a vector are one number, and a dot product is scaled instead of its operand"),
    ("legalise", "ops that the target lacks are written with those that it has"),
    ("scalarise", "scalar targets get scalars, so that unused lanes cost nothing"),
    ("exit-values", "loop exits pass values as block arguments instead of setting a flag"),
    ("licm", "what does not change in a loop is computed in front of it"),
    ("rotate", "each iteration executes one branch, at the bottom"),
    ("vectorise-memory", "neighbouring loads and stores become wide ones"),
    ("implied-branches", "what an `if` has asked is not asked again in front of a loop inside of it"),
    ("fuse", "a multiplication and an addition that allow it become one fma"),
    ("combine-bits", "rotations, bit selects and fields become one instruction where the target has one"),
    ("switches", "targets have branches of two ways; few cases are tested one after the other, many are searched for"),
    ("drop-locals", "variables that nothing names any more take no memory"),
    ("sort", "the layout is the one that structure asks for, so that edges lead forward"),
    ("predicate-demotes", "a discard whose condition is its own needs no branch, and no lane waits"),
];

/// The levels and their passes as a page for people.
pub fn reference_page() -> String {
    use std::fmt::Write;
    let mut o = String::from(
        "# Optimisation levels\n\nMade by `cargo xtask docs` from the lists in `ir/opt/src/passes.rs`. Each pass is one file of that folder and \
         states its contract in its header. `--dump after:NAME` prints the function after every pass of that name; `--time-passes` prints time, \
         changes and share of the saved work of each, then the time of each step of the backend. A pass that is listed again is left out where it had nothing left to do and nothing \
         was changed since that could give it something. What the levels are worth is measured in `performance.md`.\n\n\
         | level | meaning | for |\n|---|---|---|\n\
         | 0 | what code generation needs: inlining, variables to values, bounds, initialisation, legalisation | finding out whether a fault is the \
         optimiser's; variables are values even here, since no target has memory for all of them |\n\
         | 1 | and folding, algebraic rules, common subexpressions, clean control flow | short compile times: everything that makes code smaller |\n\
         | 2 (default) | and unrolling, branches to selects, memory forwarding and merging, ranges, loop-invariant code | what is shipped |\n\
         | 3 | the same with larger limits for unrolling (4 times) and branches to selects (2 times) | code that may grow to run faster |\n\n\
         No level changes results beyond what WGSL allows: rules are exact or use the licences that the source's arithmetic carries.\n\n",
    );
    o.push_str(
        "## What each pass is for\n\n| pass | from level | needed for code generation | why |\n|---|--:|---|---|\n",
    );
    for (name, why) in PURPOSE {
        let from = (0..=3).find(|&l| *name == "inline" || passes(l).iter().any(|p| p.name == *name)).unwrap_or(0);
        let needed = if *name == "inline" || REQUIRED.contains(name) { "yes" } else { "" };
        let _ = writeln!(o, "| {name} | {from} | {needed} | {why} |");
    }
    o.push('\n');
    o.push_str(
        "## Arrays and structs as values\n\nValues of up to 128 scalars are values of the IR. Larger ones lie in memory: frontends copy them by loops \
         where the source says `let b = a`, passes one by value, returns or assigns one, and read a constant one in a table. `copies` then takes out \
         what is not needed. What nobody writes after it was filled is read where it came from, if the source is written by nobody in between. A variable that is filled \
         from another one is the other one, if neither is written while the other is still to be read: so arguments of `inout`, results and parameters take no memory of their \
         own. A variable all of which is given to other memory, such as a buffer that a function takes by `inout`, lives there if nobody looks at that in \
         between. Arrays in structs are variables of their own, and padding between elements is no part of a copy. What a workgroup wrote before a barrier and nobody \
         writes afterwards is read in place behind the barrier, too. `join-loops` makes one loop of loops one after the other, where a variable that one of them fills is \
         read by the others alone, each word in the same turn: arrays that are exchanged need no third one. Arrays that GLSL compares are compared by a \
         loop. What is left is a copy that the program needs, as it would be with pointers. An initialiser that is not zero is copied from a table, which lies where the family's \
         constants do.\n\n\
         So code by value is at most twice as long as a loop by pointer, with one exception: an element of 64 words is moved as a value, sixteen \
         wide loads and stores, which are 2.2 to 2.8 times the instructions of a loop of one word a turn on Vivante, and execute 0.4 of them. 65,000 words by value \
         compile in at most 0.35 s and 45 MiB (release build, two cores, 300 forms on a target of each family); arrays that GLSL compares are written out by the \
         reference compiler, which takes 0.4 s more and 81 MiB for it, and 70 s for a variable that is a copy of a constant array of that size.\n\n",
    );
    o.push_str(
        "## Passes that families name\n\nThese are in no level's list. A family whose chips gain by one names it in its `IR_PASSES`, which run \
         behind the level's own.\n\n| pass | why |\n|---|---|\n",
    );
    for (p, why) in OFFERED {
        let _ = writeln!(o, "| {} | {why} |", p.name);
    }
    o.push('\n');
    for level in 0..=3 {
        let names: Vec<&str> = passes(level).iter().map(|p| p.name).collect();
        let _ = writeln!(o, "## Passes of level {level}\n\ninline, {}\n", names.join(", "));
    }
    o.push_str(
        "## What gives a pass nothing to do\n\nA pass that found nothing is left out until another changes something, and also after \
         changes of these; one that names itself has nothing left to do once it has run:\n\n| pass | after | because |\n|---|---|---|\n",
    );
    for (pass, others, why) in CANNOT_ENABLE {
        let _ = writeln!(o, "| {pass} | {} | {why} |", others.join(", "));
    }
    o.push('\n');
    o.push_str("## What must come before what\n\n| first | then | because |\n|---|---|---|\n");
    for (a, b, why) in ORDER {
        let _ = writeln!(o, "| {a} | {b} | {why} |");
    }
    o
}

/// The passes that code generation cannot do without.
#[rustfmt::skip]
pub const REQUIRED: &[&str] = &[
    "mem2reg", "copyprop", "dce", "arrays-to-selects", "init-workgroup", "robust", "init-variables",
    "lower-subgroups", "narrow", "lower-wide", "lower-blend", "lower-io", "lower-indices", "lower-fetch", "lower-tex",
    "legalise", "scalarise", "switches", "drop-locals", "sort",
];

/// How many instructions one invocation may execute, roughly: each counts 8 times for each loop around it, up to four loops.
/// Jumps and `unreachable` count nothing, and of a branch both sides count.
pub fn work(f: &Function) -> u64 {
    let s = Structure::new(f, &DomTree::new(f));
    let counted = |i: &&gpucc_ir::Inst| !matches!(f.insts[**i].op, Op::Jump | Op::Unreachable);
    f.layout
        .iter()
        .map(|&b| (f.blocks[b].insts.iter().filter(counted).count() as u64) << (3 * s.loop_depth(b).min(4)))
        .sum()
}

/// The request to the manager.
#[derive(Clone, Debug)]
pub struct Options {
    /// Optimisation level, 0 to 3.
    pub level: u8,
    /// Run the verifier after each pass.
    pub verify: bool,
    /// Passes after which the function is dumped; `inline` too, or `all`.
    pub dump_after: Vec<String>,
    /// Stop rewriting after so many changes.
    pub fuel: u64,
    /// Only changes of this pass count, and only it stops.
    pub fuel_of: Option<String>,
    /// Stop after this pass; after `inline` for a module that is prepared already.
    pub stop_after: Option<String>,
    /// Passes to leave out, unless code generation needs them ([`REQUIRED`]).
    pub skip: Vec<String>,
    /// Take the time of each pass, and estimate the work after it.
    pub measure: bool,
    /// Run a pass also if it found nothing to do before and was given nothing new since ([`CANNOT_ENABLE`]); for checking that it
    /// still finds nothing.
    pub idle: bool,
    /// The pipeline around the entry point, for passes that depend on it.
    pub context: Option<Box<PipelineContext>>,
    /// The bound resources, for passes that depend on them.
    pub bound: BindingFacts,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            level: 2,
            verify: cfg!(debug_assertions),
            dump_after: Vec::new(),
            fuel: u64::MAX,
            fuel_of: None,
            stop_after: None,
            skip: Vec::new(),
            measure: false,
            idle: false,
            context: None,
            bound: BindingFacts::UNKNOWN,
        }
    }
}

/// Times and dumps of one run of the passes.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Each pass in order of execution.
    pub times: Vec<PassTime>,
    /// `(pass, text)` for each dump that was asked for.
    pub dumps: Vec<(String, String)>,
}

/// Makes an entry point ready for code generation: a module with that entry point alone, whose one function (`func0`)
/// has no calls and no private variables, one return, and uses only what `caps` allow.
///
/// # Errors
/// `Invalid` if there is no such entry point, `Unsupported` if it grows too large, `Internal` if a pass breaks a rule.
pub fn prepare(m: &Module, entry: &str, caps: &Caps, o: &Options) -> Result<(Module, Report), Diagnostic> {
    let (early, facts) = begin(m, entry, &caps.early(m), o)?;
    go_on(early, facts, caps, o)
}

/// An entry point behind the passes of a level that ask for few capabilities ([`Caps::early`]), which targets may share.
#[derive(Clone, Debug)]
pub struct Early {
    module: Module,
    report: Report,
    idle: Vec<&'static str>,
    sorted: bool,
    own: bool,
    /// The stage of the entry point before any pass.
    source: StageInfo,
}

impl Early {
    /// Whether it may hang on a capability that [`Caps::shared`] does not tell apart.
    pub fn hangs_on_target(&self) -> bool {
        self.own
    }
}

/// What is known of the graph and the instructions of an [`Early`], for the target that goes on with it at once.
#[derive(Debug, Default)]
pub struct EarlyFacts(Graph, Kept);

/// The number of passes of a list that [`begin`] runs.
fn early(list: &[Pass]) -> usize {
    list.iter().position(|p| [RANGES.name, ARRAYS_TO_SELECTS.name].contains(&p.name)).unwrap_or(list.len())
}

/// The capabilities for a level.
fn of_level(caps: &Caps, level: u8) -> Caps {
    let larger = Caps { unroll: caps.unroll.saturating_mul(4), if_convert: caps.if_convert * 2, ..*caps };
    if level >= 3 { larger } else { *caps }
}

/// The first part of [`prepare`], for the [`Caps::early`] of a target.
///
/// # Errors
/// As [`prepare`].
pub fn begin(m: &Module, entry: &str, caps: &Caps, o: &Options) -> Result<(Early, EarlyFacts), Diagnostic> {
    let Some(e) = m.entry(entry) else {
        let names: Vec<&str> = m.entries.iter().map(|e| e.name.as_str()).collect();
        return Err(Diagnostic::invalid("entry-point", format!("there is no entry point `{entry}`"))
            .note(format!("the module has: {}", names.join(", "))));
    };
    let mut report = Report::default();
    trace::enter("inline", &m.funcs[e.func].name);
    let start = o.measure.then(Instant::now);
    let flat = inline::flatten(m, e.func)?;
    let mut out = m.without_functions();
    out.entries = vec![EntryPoint { func: Func(0), modes: e.modes.within(&flat), ..e.clone() }];
    if !caps.narrow {
        // Parts of words are reached through the words.
        for g in out.globals.keys() {
            out.globals[g].size = narrow::whole_words(out.globals[g].size);
        }
        // So are bindings of a fixed size. Those with an array at the end may have any.
        for r in out.resources.keys().filter(|&r| m.resources[r].stride == 0) {
            out.resources[r].min_size = narrow::whole_words(out.resources[r].min_size);
        }
    }
    if let Some(size) = e.workgroup_size()
        && let Some(words) = crate::subgroup_memory::variable(&flat, size, caps)
    {
        out.globals.push(words);
    }
    out.funcs.push(flat);
    let caps = of_level(caps, o.level);
    done(&mut report, &out, "inline", start, 1, o)?;
    // Inlining leaves the layout in structured order.
    let mut manager = Manager { sorted: true, ..Manager::new(out, report, &caps, o) };
    let list = passes(o.level);
    for p in &list[..early(&list)] {
        if manager.stopped {
            break;
        }
        if !o.skip.iter().any(|s| s == p.name) || REQUIRED.contains(&p.name) {
            manager.run(p)?;
        }
    }
    let Manager { module, report, source, idle, sorted, own, graph, kept, .. } = manager;
    Ok((Early { module, report, idle, sorted, own, source }, EarlyFacts(graph, kept)))
}

/// The rest of [`prepare`], for a target whose [`Caps::early`] are those that `begin` was given.
///
/// # Errors
/// As [`prepare`].
pub fn go_on(from: Early, facts: EarlyFacts, caps: &Caps, o: &Options) -> Result<(Module, Report), Diagnostic> {
    let caps = &of_level(caps, o.level);
    let Early { module, report, idle, sorted, source, .. } = from;
    let EarlyFacts(graph, kept) = facts;
    let mut manager = Manager { idle, sorted, source, graph, kept, ..Manager::new(module, report, caps, o) };
    let list = passes(o.level);
    for p in &list[early(&list)..] {
        if manager.stopped {
            break;
        }
        if o.skip.iter().any(|s| s == p.name) && !REQUIRED.contains(&p.name) {
            continue;
        }
        if p.name == LOWER_FETCH.name {
            manager.added += lower_fetch::add_variants(&mut manager.module, caps.fetch, &o.bound);
        }
        if p.name == LOWER_TEX.name {
            manager.added += lower_tex::add_samplers(&mut manager.module, caps.sampler, &o.bound);
            manager.added += lower_tex::add_components(&mut manager.module, &caps.tex);
        }
        manager.run(p)?;
    }
    let whole = !manager.stopped;
    let (out, report) = manager.finish()?;
    if o.verify && whole {
        selection::check(&out, caps)?;
    }
    Ok((out, report))
}

/// The way of one module through passes: what [`prepare`] runs, and then what families run behind it.
#[derive(Debug)]
pub struct Manager<'o> {
    module: Module,
    report: Report,
    caps: &'o Caps,
    o: &'o Options,
    /// The stage of the entry point before any pass.
    source: StageInfo,
    /// Changes that are left.
    fuel: u64,
    /// Resources that were added to the module for the next pass: changes of that pass, but none of the function.
    added: u64,
    /// Which pass has nothing to do, and was given nothing since. Passes look at the function alone, so they find nothing again.
    idle: Vec<&'static str>,
    /// Whether the layout is known to be the structured order.
    sorted: bool,
    /// Whether a pass said that what it did may hang on the target.
    own: bool,
    graph: Graph,
    kept: Kept,
    /// Whether the pass that was to be the last has run.
    stopped: bool,
}

impl<'o> Manager<'o> {
    /// Goes on with a module of one function behind the passes of a report, whose changes count against the fuel.
    pub fn new(module: Module, report: Report, caps: &'o Caps, o: &'o Options) -> Manager<'o> {
        // Inlining takes no fuel.
        let counted = report.times.iter().filter(|t| t.pass != "inline" && is_rationed(o, t.pass));
        let fuel = o.fuel.saturating_sub(counted.map(|t| t.changes).sum());
        let source = module.entries[0].stage.clone();
        let stopped = o.stop_after.as_ref().is_some_and(|s| report.times.last().is_some_and(|t| t.pass == s));
        let (idle, graph, kept) = (Vec::new(), Graph::default(), Kept::default());
        Manager {
            module,
            report,
            caps,
            o,
            source,
            fuel,
            added: 0,
            idle,
            sorted: false,
            own: false,
            graph,
            kept,
            stopped,
        }
    }

    /// The module that the next pass gets.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Whether changes of a pass may still be made.
    pub fn has_fuel(&self, pass: &str) -> bool {
        self.fuel > 0 || !is_rationed(self.o, pass)
    }

    /// Runs a pass, unless it found nothing before and was given nothing since.
    ///
    /// # Errors
    /// `Internal` if the verifier finds a broken rule, or a change that was not reported.
    pub fn run(&mut self, p: &Pass) -> Result<(), Diagnostic> {
        self.run_as(p, p.run)
    }

    /// Runs `run` in place of the function of the pass.
    ///
    /// # Errors
    /// As [`Manager::run`].
    pub fn run_as(
        &mut self,
        p: &Pass,
        run: impl FnOnce(&mut Function, &mut PassCx<'_>, &EntryPoint),
    ) -> Result<(), Diagnostic> {
        let o = self.o;
        if self.idle.contains(&p.name) && !o.idle {
            return Ok(());
        }
        trace::enter(p.name, &self.module.entries[0].name);
        let start = o.measure.then(Instant::now);
        let mut f = std::mem::take(&mut self.module.funcs[Func(0)]);
        let entry = &self.module.entries[0];
        let rationed = is_rationed(o, p.name);
        let mut cx = PassCx::with_fuel(&self.module, self.caps, if rationed { self.fuel } else { u64::MAX });
        // Other stages have no local ids that this could bound.
        cx.workgroup_size = entry.workgroup_size().unwrap_or(cx.workgroup_size);
        cx.context = o.context.as_deref();
        cx.bound = &o.bound;
        cx.source = Some(&self.source);
        cx.sorted = self.sorted;
        cx.graph = std::mem::take(&mut self.graph);
        cx.kept = std::mem::take(&mut self.kept);
        cx.entry = [LOWER_BLEND.name, LOWER_IO.name, SHRINK_IO.name].contains(&p.name).then(|| entry.clone());
        run(&mut f, &mut cx, entry);
        let changes = cx.changes();
        self.own |= cx.is_own();
        let entry = cx.entry.take();
        self.sorted = cx.sorted && (p.keeps_order || changes == 0);
        if p.keeps_graph || changes == 0 {
            self.graph = std::mem::take(&mut cx.graph);
        }
        // Compaction gives everything other numbers, and counts no changes.
        if p.name != COMPACT.name {
            self.kept = cx.take_kept();
        }
        let added = std::mem::take(&mut self.added);
        if rationed {
            self.fuel = self.fuel.saturating_sub(changes + added);
        }
        let by = match (cx.graph_alone, cx.apart) {
            (true, _) => GRAPH_ALONE,
            (_, true) => GVN_APART,
            _ => p.name,
        };
        let unmoved = |q: &str| CANNOT_ENABLE.iter().any(|u| u.0 == q && (u.1.contains(&by) || u.1.contains(&p.name)));
        if changes > 0 {
            self.idle.retain(|q| unmoved(q));
        }
        // Without fuel it may have left something.
        if changes == 0 || (self.fuel > 0 && unmoved(p.name)) {
            self.idle.push(p.name);
        }
        self.module.funcs[Func(0)] = f;
        if let Some(entry) = entry {
            self.module.entries[0] = entry;
        }
        done(&mut self.report, &self.module, p.name, start, changes + added, o)?;
        self.stopped = o.stop_after.as_deref() == Some(p.name);
        Ok(())
    }

    /// The module and what was seen on the way, once the verifier has looked at it again.
    ///
    /// # Errors
    /// `Internal` if it finds a broken rule.
    pub fn finish(self) -> Result<(Module, Report), Diagnostic> {
        if self.o.verify && !self.stopped {
            verify(&self.module, self.report.times.last().map_or("inline", |t| t.pass))?;
        }
        Ok((self.module, self.report))
    }
}

/// Whether changes of a pass count against the fuel.
fn is_rationed(o: &Options, pass: &str) -> bool {
    o.fuel_of.as_ref().is_none_or(|n| n == pass)
}

fn done(
    report: &mut Report,
    m: &Module,
    pass: &'static str,
    start: Option<Instant>,
    changes: u64,
    o: &Options,
) -> Result<(), Diagnostic> {
    let nanos = start.map_or(0, |s| s.elapsed().as_nanos() as u64);
    let work = o.measure.then(|| work(&m.funcs[Func(0)]));
    report.times.push(PassTime { pass, nanos, changes, work });
    // Compaction counts no changes.
    let changed = changes > 0 || pass == COMPACT.name;
    let all = o.dump_after.iter().any(|d| d == "all");
    if all || o.dump_after.iter().any(|d| d == pass) {
        let text = m.to_string();
        if all && o.verify && !changed && report.dumps.last().is_some_and(|d| d.1 != text) {
            return Err(Diagnostic::internal("changes", format!("pass `{pass}` reports no change, and left\n{text}")));
        }
        report.dumps.push((pass.into(), text));
    }
    // A pass without changes leaves what the verifier has seen; it sees the end again. Where all passes are dumped, that is held
    // against the texts.
    if o.verify && changed { verify(m, pass) } else { Ok(()) }
}

fn verify(m: &Module, pass: &str) -> Result<(), Diagnostic> {
    if let Err(found) = verify_module(m) {
        let mut d = Diagnostic::internal("verify", format!("after pass `{pass}`: {}", found[0]));
        for f in found.iter().skip(1).take(4) {
            d = d.note(f.to_string());
        }
        return Err(d);
    }
    Ok(())
}
