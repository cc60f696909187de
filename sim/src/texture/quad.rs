//! Derivatives and exchanges inside a quad: 2x2 pixels, lane 0 upper left, 1 upper right, 2 lower left, 3 lower right.

/// Which differences a derivative takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Each row, or column, has its own.
    Fine,
    /// That of lane 0 for the whole quad.
    Coarse,
}

/// The axis of a derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// The axis to the right.
    X,
    /// Down.
    Y,
}

/// The two lanes whose difference (second minus first) lane `lane` gets.
pub fn lanes(axis: Axis, precision: Precision, lane: usize) -> (usize, usize) {
    let from = match (precision, axis) {
        (Precision::Coarse, _) => 0,
        (Precision::Fine, Axis::X) => lane & 2,
        (Precision::Fine, Axis::Y) => lane & 1,
    };
    (from, from + if axis == Axis::X { 1 } else { 2 })
}

/// Derivative in each lane: one f32 subtraction.
pub fn derivative(axis: Axis, precision: Precision, v: [f32; 4]) -> [f32; 4] {
    std::array::from_fn(|lane| {
        let (a, b) = lanes(axis, precision, lane);
        v[b] - v[a]
    })
}

/// Sum of the magnitudes of both derivatives.
pub fn fwidth(precision: Precision, v: [f32; 4]) -> [f32; 4] {
    let (x, y) = (derivative(Axis::X, precision, v), derivative(Axis::Y, precision, v));
    std::array::from_fn(|k| x[k].abs() + y[k].abs())
}

/// The lane that `quadSwapX` (1), `quadSwapY` (2) or `quadSwapDiagonal` (3) reads.
pub fn swapped(lane: usize, swap: usize) -> usize {
    lane ^ swap
}
