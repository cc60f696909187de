//! Tests of `backend-gcn/src/model.rs`.

use gpucc_gcn::model::limits;

/// The table of section 19 of the reference.
#[test]
fn limits_are_those_of_the_occupancy_table() {
    for (vectors, most) in [(1, 24), (24, 24), (25, 28), (33, 36), (41, 48), (60, 64), (65, 84), (85, 128), (200, 256)]
    {
        assert_eq!(limits(20, vectors, 2).1, most);
    }
    // Few waves for the one file leave room in the other; two registers more are those of VCC.
    assert_eq!(limits(20, 10, 0).0, 46);
    assert_eq!(limits(20, 128, 0).0, 104);
    assert_eq!(limits(20, 10, 2).0, 78);
}
