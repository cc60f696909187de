//! Functions of matrices, which are lists of columns.

use crate::code::Code;
use gpucc_ir::{FpFlags, Scalar, Type, Value};

/// A number as the sum of two floats, of which the second is what the first lacks.
#[derive(Clone, Copy)]
struct Exact {
    high: Value,
    low: Value,
}

/// 2^12 + 1: a float times this, less what that is more than the float, is its first twelve bits.
const FIRST_TWELVE_BITS: f32 = 4097.0;

impl Code {
    /// The sum of the columns, each times its lane of the vector; none without columns.
    pub fn matrix_vector(&mut self, columns: &[Value], v: Value) -> Option<Value> {
        let mut sum = None;
        for (i, &column) in columns.iter().enumerate() {
            let lane = self.extract(v, i as u32);
            let factor = self.like(lane, self.f.ty(column));
            let term = self.b().fmul(column, factor);
            sum = Some(match sum {
                None => term,
                Some(sum) => self.b().fadd(sum, term),
            });
        }
        sum
    }

    /// A vector times a matrix: its dot product with each column.
    pub fn vector_matrix(&mut self, v: Value, columns: &[Value]) -> Value {
        let lanes: Vec<Value> = columns.iter().map(|&column| self.b().fdot(v, column)).collect();
        self.compose(&lanes)
    }

    /// The outer product: column c is the first vector times lane c of the second.
    pub fn outer(&mut self, a: Value, b: Value) -> Vec<Value> {
        let lanes = self.f.ty(b).lanes();
        let column = |lane| {
            let factor = self.extract(b, lane);
            let factor = self.like(factor, self.f.ty(a));
            self.b().fmul(a, factor)
        };
        (0..lanes).map(column).collect()
    }

    /// The transpose: the rows of the matrix as columns.
    pub fn transpose(&mut self, columns: &[Value]) -> Vec<Value> {
        let rows = columns.first().map_or(0, |&c| self.f.ty(c).lanes());
        let mut out = Vec::new();
        for row in 0..rows {
            let lanes: Vec<Value> = columns.iter().map(|&column| self.extract(column, row)).collect();
            out.push(self.compose(&lanes));
        }
        out
    }

    /// `a * d - b * c`.
    fn det2(&mut self, a: Value, b: Value, c: Value, d: Value) -> Value {
        let mut build = self.b();
        let (first, second) = (build.fmul(a, d), build.fmul(b, c));
        build.fsub(first, second)
    }

    /// The elements by column and row.
    fn elements(&mut self, columns: &[Value]) -> Vec<Vec<Value>> {
        let lanes = columns.len() as u32;
        columns.iter().map(|&c| (0..lanes).map(|lane| self.extract(c, lane)).collect()).collect()
    }

    /// The elements of a matrix, halves as floats: sums of products cancel, and are rounded once. With the scalar that they were.
    fn wide_elements(&mut self, columns: &[Value]) -> (Vec<Vec<Value>>, Scalar) {
        let mut m = self.elements(columns);
        let own = m.first().and_then(|c| c.first()).map_or(Scalar::F32, |&v| self.f.ty(v).scalar());
        if own == Scalar::F16 {
            for v in m.iter_mut().flatten() {
                *v = self.b().f2f(*v, Type::F32);
            }
        }
        (m, own)
    }

    /// A float as one of that scalar type.
    fn rounded(&mut self, v: Value, own: Scalar) -> Value {
        let ty = self.f.ty(v);
        if ty.scalar() == own { v } else { self.b().f2f(v, ty.with_scalar(own)) }
    }

    /// The determinant of a square matrix of two to four columns; none of another.
    pub fn determinant(&mut self, columns: &[Value]) -> Option<Value> {
        if !self.is_square(columns) {
            return None;
        }
        let (m, own) = self.wide_elements(columns);
        let det = self.whole_det(&m, own);
        Some(self.rounded(det, own))
    }

    fn is_square(&self, columns: &[Value]) -> bool {
        let square = |&c: &Value| self.f.ty(c).lanes() as usize == columns.len();
        (2..=4).contains(&columns.len()) && columns.iter().all(square)
    }

    /// The determinant of all elements. Of halves it is exact before it is rounded: products of four halves have 44 bits, of which a float keeps
    /// too few where they cancel. No operation is fused, so it is the same on chips with and without fused products.
    fn whole_det(&mut self, m: &[Vec<Value>], own: Scalar) -> Value {
        if own != Scalar::F16 || m.len() < 3 {
            return self.det(m);
        }
        let fp = std::mem::replace(&mut self.fp, FpFlags::NONE);
        let det = self.exact_det(m).high;
        self.fp = fp;
        det
    }

    /// Expansion along the first column. The elements are halves.
    fn exact_det(&mut self, m: &[Vec<Value>]) -> Exact {
        if m.len() == 2 {
            let mut b = self.b();
            let (first, second) = (b.fmul(m[0][0], m[1][1]), b.fmul(m[1][0], m[0][1]));
            let minus = b.fneg(second);
            return self.exact_sum(first, minus);
        }
        let mut sum: Option<Exact> = None;
        for row in 0..m.len() {
            let keep = |r: usize| (0..m.len()).filter(move |&i| i != r);
            let rest: Vec<Vec<Value>> = m[1..].iter().map(|column| keep(row).map(|r| column[r]).collect()).collect();
            let minor = self.exact_det(&rest);
            let factor = if row % 2 == 1 { self.b().fneg(m[0][row]) } else { m[0][row] };
            let term = self.exact_product(factor, minor);
            sum = Some(match sum {
                None => term,
                Some(sum) => {
                    let Exact { high, low } = self.exact_sum(sum.high, term.high);
                    let mut b = self.b();
                    let lows = b.fadd(sum.low, term.low);
                    let low = b.fadd(low, lows);
                    self.ordered_sum(high, low)
                }
            });
        }
        let zero = self.fconst(m[0][0], 0.0);
        sum.unwrap_or(Exact { high: zero, low: zero })
    }

    /// A sum and its error (Knuth).
    fn exact_sum(&mut self, x: Value, y: Value) -> Exact {
        let mut b = self.b();
        let high = b.fadd(x, y);
        let of_y = b.fsub(high, x);
        let of_x = b.fsub(high, of_y);
        let (error_x, error_y) = (b.fsub(x, of_x), b.fsub(y, of_y));
        Exact { high, low: b.fadd(error_x, error_y) }
    }

    /// The same where the first is not the smaller one (Dekker).
    fn ordered_sum(&mut self, x: Value, y: Value) -> Exact {
        let mut b = self.b();
        let high = b.fadd(x, y);
        let of_y = b.fsub(high, x);
        Exact { high, low: b.fsub(y, of_y) }
    }

    /// A half times a number: halves of its first float have at most twelve bits, so that their products are exact (Veltkamp).
    fn exact_product(&mut self, half: Value, v: Exact) -> Exact {
        let split = self.fconst(v.high, FIRST_TWELVE_BITS);
        let mut b = self.b();
        let wide = b.fmul(v.high, split);
        let more = b.fsub(wide, v.high);
        let first = b.fsub(wide, more);
        let rest = b.fsub(v.high, first);
        let [first, rest, low] = [first, rest, v.low].map(|x| b.fmul(half, x));
        let sum = self.ordered_sum(first, rest);
        Exact { high: sum.high, low: self.b().fadd(sum.low, low) }
    }

    /// Expansion along the first column.
    fn det(&mut self, m: &[Vec<Value>]) -> Value {
        if m.len() == 2 {
            return self.det2(m[0][0], m[1][0], m[0][1], m[1][1]);
        }
        let mut sum = None;
        for row in 0..m.len() {
            let minor = self.minor(m, 0, row);
            let term = self.b().fmul(m[0][row], minor);
            sum = Some(match sum {
                None => term,
                Some(sum) if row % 2 == 1 => self.b().fsub(sum, term),
                Some(sum) => self.b().fadd(sum, term),
            });
        }
        sum.unwrap_or(m[0][0])
    }

    /// The determinant without one column and row.
    fn minor(&mut self, m: &[Vec<Value>], column: usize, row: usize) -> Value {
        let keep = |skip: usize| (0..m.len()).filter(move |&i| i != skip);
        let rest: Vec<Vec<Value>> = keep(column).map(|c| keep(row).map(|r| m[c][r]).collect()).collect();
        if rest.len() == 1 { rest[0][0] } else { self.det(&rest) }
    }

    /// The adjugate over the determinant of a square matrix of two to four columns; nothing is promised of singular ones.
    pub fn inverse(&mut self, columns: &[Value]) -> Option<Vec<Value>> {
        if !self.is_square(columns) {
            return None;
        }
        let (m, own) = self.wide_elements(columns);
        let det = self.whole_det(&m, own);
        let one = self.fconst(det, 1.0);
        let factor = self.b().fdiv(one, det);
        let mut out = Vec::new();
        for column in 0..m.len() {
            let mut lanes = Vec::new();
            for row in 0..m.len() {
                // The cofactor of the transposed place.
                let minor = self.minor(&m, row, column);
                let scaled = self.b().fmul(minor, factor);
                lanes.push(if (row + column) % 2 == 1 { self.b().fneg(scaled) } else { scaled });
            }
            let column = self.compose(&lanes);
            out.push(self.rounded(column, own));
        }
        Some(out)
    }
}
