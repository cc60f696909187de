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
