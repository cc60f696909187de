//! What an instruction that waits waits for: results that come later, and the first instruction that needs each.

use gpucc::Instruction;
use gpucc_isa::Mark;

/// A result that something waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The instruction that waits, by its number in the code: where the family has no such instructions, the one that needs the result.
    pub at: usize,
    /// The instruction that gives the result.
    pub result_of: usize,
    /// The first instruction behind it that needs the result.
    pub needed_by: usize,
}

/// Registers that an operand names, as it is written: `v[4:5]` and `r0:r1` are those between.
fn registers(operand: &str) -> Vec<String> {
    let text = operand.trim_start_matches(['@', '^', '-', '|', '$', ' ']);
    let text = text.split_once('(').map_or(text, |t| if t.0.is_empty() { t.1 } else { text });
    let end = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (file, rest) = text.split_at(end);
    let number = |t: &str| -> Option<u32> {
        let end = t.find(|c: char| !c.is_ascii_digit()).unwrap_or(t.len());
        t[..end].parse().ok()
    };
    if !(1..=2).contains(&file.len()) {
        return Vec::new();
    }
    if let Some(range) = rest.strip_prefix('[') {
        let ends = range.split_once(']').and_then(|r| r.0.split_once(':'));
        let Some((Some(a), Some(b))) = ends.map(|(a, b)| (number(a), number(b))) else { return Vec::new() };
        return (a..=b.min(a + 63)).map(|n| format!("{file}{n}")).collect();
    }
    let Some(first) = number(rest) else { return Vec::new() };
    let mut list = vec![format!("{file}{first}")];
    for more in operand.split(':').skip(1) {
        let digits = more.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        list.extend(number(digits).map(|n| format!("{file}{n}")));
    }
    list
}

/// The operands of an instruction: of listings with commas between them, or with blanks. Among types, which look like registers, these are
/// marked.
fn operands(text: &str) -> Vec<&str> {
    let text = text.split_once(' ').map_or("", |t| t.1);
    match (text.contains(','), text.contains('$')) {
        (true, _) => text.split(',').collect(),
        (false, true) => text.split(' ').filter(|o| o.contains('$')).collect(),
        (false, false) => text.split(' ').collect(),
    }
}

/// The registers that a memory instruction gives: those of its first operand, unless it stores.
pub fn result(text: &str) -> Vec<String> {
    let name = text.split(' ').next().unwrap_or_default().to_ascii_lowercase();
    let text = text.strip_prefix("exit ").unwrap_or(text);
    let stores = ["store", "st_", "exp", "blend", "atest", "zs_emit"].iter().any(|s| name.contains(s))
        || text.starts_with("st ");
    if stores {
        return Vec::new();
    }
    let all = operands(text);
    all.into_iter().map(registers).find(|r| !r.is_empty()).unwrap_or_default()
}

/// Who waits for each result that comes later, in the order of the results.
pub fn of(code: &[Instruction]) -> Vec<Wait> {
    let mut out = Vec::new();
    let names: Vec<Vec<String>> =
        code.iter().map(|i| operands(&i.text).into_iter().flat_map(registers).collect()).collect();
    for (k, i) in code.iter().enumerate() {
        if i.address.is_none() || !i.marks.contains(&Mark::Memory) {
            continue;
        }
        let given = result(&i.text);
        if given.is_empty() {
            continue;
        }
        let is_own = |n: &usize| code[*n].program == i.program && code[*n].address.is_some();
        let needs = |n: &usize| names[*n].iter().any(|r| given.contains(r));
        let Some(needed_by) = (k + 1..code.len()).filter(is_own).find(needs) else { continue };
        // The last one before the reader; a message may say itself that it waits.
        let waits = |n: &usize| code[*n].marks.contains(&Mark::Wait) && !code[*n].text.contains("nop");
        let at = (k..needed_by).rev().filter(is_own).find(waits).unwrap_or(needed_by);
        out.push(Wait { at, result_of: k, needed_by });
    }
    out
}
