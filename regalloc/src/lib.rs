//! SSA register allocation over shapes, with an independent checker.
