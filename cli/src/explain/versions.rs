//! Two versions of a shader side by side: totals with their changes, and lines that belong together.

use similar::{Algorithm, DiffOp};

use super::model::{Column, Line, Page, totals};

/// The same entry point on the same target in both versions.
pub struct Pair<'a> {
    /// The column of the version before.
    pub old: &'a Column,
    /// The column of the version of now.
    pub new: &'a Column,
    /// Lines that belong together, from 1: 0 stands for code of no line, and nothing for a line that the other version has alone.
    pub lines: Vec<[Option<u32>; 2]>,
}

impl Pair<'_> {
    /// Statistics that one of the two has, with their numbers.
    pub fn totals(&self) -> Vec<(&'static str, [Option<u64>; 2])> {
        let of = |name: &str| [self.old.row.stat(name), self.new.row.stat(name)];
        totals(&[self.old, self.new]).into_iter().map(|s| (s.name, of(s.name))).collect()
    }

    /// Cycles of all units and bytes of lines that belong together.
    pub fn numbers(&self, lines: [Option<u32>; 2]) -> [[u64; 2]; 2] {
        let of = |c: &Column, line: Option<u32>| {
            line.and_then(|l| c.lines.get(&l)).map_or([0, 0], |l: &Line| [l.all_cycles(), l.bytes])
        };
        [of(self.old, lines[0]), of(self.new, lines[1])]
    }
}

/// A change with its sign.
pub fn change(old: u64, new: u64) -> String {
    match old.cmp(&new) {
        std::cmp::Ordering::Equal => String::new(),
        std::cmp::Ordering::Less => format!("+{}", new - old),
        std::cmp::Ordering::Greater => format!("-{}", old - new),
    }
}

/// The pairs of two explanations, in the order of the new one. Entry points go by name, and where both have only one of a stage, by that.
pub fn pairs<'a>(old: &'a Page, new: &'a Page) -> Vec<Pair<'a>> {
    let alone = |page: &Page, c: &Column| {
        let own = page.columns.iter().filter(|o| (&o.row.stage, &o.row.target) == (&c.row.stage, &c.row.target));
        own.count() == 1
    };
    let fits = |o: &Column, n: &Column| {
        (&o.row.stage, &o.row.target) == (&n.row.stage, &n.row.target)
            && (o.row.entry == n.row.entry || alone(old, o) && alone(new, n))
    };
    let pair = |n: &'a Column| {
        let o = old.columns.iter().find(|o| fits(o, n))?;
        Some(Pair { old: o, new: n, lines: lines((old, o), (new, n)) })
    };
    new.columns.iter().filter_map(pair).collect()
}

/// What of the new version has no such entry point in the old one.
pub fn alone<'a>(old: &'a Page, new: &'a Page) -> Vec<&'a Column> {
    let list = pairs(old, new);
    new.columns.iter().filter(|c| list.iter().all(|p| !std::ptr::eq(p.new, *c))).collect()
}

/// Lines of two texts that belong together: those that are the same, and between these one behind the other.
fn lines((old, o): (&Page, &Column), (new, n): (&Page, &Column)) -> Vec<[Option<u32>; 2]> {
    let (a, b) = (&old.sources[o.source].lines, &new.sources[n.source].lines);
    let mut out = Vec::new();
    if o.lines.contains_key(&0) || n.lines.contains_key(&0) {
        out.push([Some(0), Some(0)]);
    }
    // Indentation is no change.
    let trimmed = |list: &[String]| list.iter().map(|l| l.trim().to_string()).collect::<Vec<_>>();
    let number = |k: usize| u32::try_from(k + 1).ok();
    for op in similar::capture_diff_slices(Algorithm::Patience, &trimmed(a), &trimmed(b)) {
        let (a, b) = (op.old_range(), op.new_range());
        let is_equal = matches!(op, DiffOp::Equal { .. });
        let both = if is_equal { a.len() } else { a.len().min(b.len()) };
        out.extend(a.clone().zip(b.clone()).map(|(a, b)| [number(a), number(b)]));
        out.extend(a.skip(both).map(|a| [number(a), None]));
        out.extend(b.skip(both).map(|b| [None, number(b)]));
    }
    out
}
