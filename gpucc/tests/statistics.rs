//! The list of statistics beside what the driver does with them.

/// Of an entry that is several programs, a number whose sum means nothing is the worst of the programs' numbers.
#[test]
fn numbers_of_several_programs_are_joined_as_totals_say() {
    use gpucc::statistics::{STATISTICS, Worse};
    use gpucc_driver::programs::{LARGEST, SMALLEST};
    for s in STATISTICS.iter().filter(|s| s.mean) {
        let list = if s.worse == Worse::Down { SMALLEST } else { LARGEST };
        assert!(list.contains(&s.name), "{}", s.name);
    }
    for name in LARGEST.iter().chain(SMALLEST) {
        assert!(gpucc::statistics::find(name).is_some(), "{name} is no statistic");
    }
}

/// One number is one row, whatever families report it, and each family's rows stand in the order of its own list.
#[test]
fn families_lists_join_to_one() {
    use gpucc::statistics::{STATISTICS, families, find};
    for b in gpucc::backends() {
        let own = b.statistics();
        let places: Vec<usize> = own.iter().filter_map(|s| STATISTICS.iter().position(|o| o.name == s.name)).collect();
        assert!(places.len() == own.len() && places.is_sorted_by(|a, b| a < b), "{}: {places:?}", b.family());
        for s in own {
            assert_eq!(find(s.name), Some(s), "{}: another family means something else", b.family());
        }
    }
    let mut names: Vec<&str> = STATISTICS.iter().map(|s| s.name).collect();
    names.sort_unstable();
    assert!(names.is_sorted_by(|a, b| a < b), "a number stands twice: {names:?}");
    let of = |name: &str| find(name).map(families).unwrap_or_default();
    assert_eq!(of("bytes").len(), gpucc::backends().len());
    assert_eq!((of("waves"), of("loops")), (vec!["gcn"], vec!["valhall", "vivante"]));
}

/// Spilled scalar and vector registers are counted apart: scalar ones take lanes, vector ones scratch memory.
#[test]
fn spilled_registers_are_counted_by_file() {
    use gpucc::frontend::{self, FrontOptions, Lang};
    use gpucc::{Errors, Options, Target};
    let text = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3u, @builtin(workgroup_id) w: vec3u) {
        let a = o[g.x]; let b = w.x * 77u; workgroupBarrier(); o[g.x + b] = a * a + b * b; }";
    let shader = frontend::load(text.as_bytes(), Lang::Wgsl, &FrontOptions::default());
    let module = shader.unwrap_or_else(|list| panic!("{}", Errors(list))).module;
    let mut options = Options::new(Target::parse("gcn").expect("a target"));
    let stats = |o: &Options| {
        let done = gpucc::compile(&module, o).unwrap_or_else(|d| panic!("{d}"));
        let stat = |name: &str| done.outputs()[0].stats.iter().find(|s| s.0 == name).map_or(0, |s| s.1);
        ["spilled_sgprs", "spilled_vgprs", "scratch_bytes", "spills"].map(stat)
    };
    assert_eq!(stats(&options), [0; 4]);
    options.codegen.spill_all = true;
    let [scalar, vector, bytes, spills] = stats(&options);
    assert!(scalar > 0 && vector > 0 && bytes == 4 * vector && spills >= scalar + vector, "{:?}", stats(&options));
}
