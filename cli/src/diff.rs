//! `gpucc diff`: two statistics reports compared, with a gate that decides what is a regression.

mod comparison;
mod html;

use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use serde_json::{Value, json};

use crate::args::{Diff, DiffFormat};
use crate::gate::Gate;
use crate::junit::{self, Case, Outcome};
use crate::rows::{FORMAT, Report, Row, read_report};
use crate::{Failure, files, table};
use comparison::*;

/// The text for people: totals, the shaders that changed most, everything for the worse.
fn text(c: &Comparison, markdown: bool) -> String {
    let (head, lines) = totals(c);
    let mut out = match (lines.is_empty(), markdown) {
        (true, _) => String::new(),
        (false, true) => table::markdown(&head, &lines) + "\n",
        (false, false) => table::aligned(&head, &lines, 8) + "\n",
    };
    out += &format!("{}\n", c.summary());
    let bullet = if markdown { "- " } else { "  " };
    let blank = if markdown { "\n" } else { "" };
    let list = |title: &str, items: Vec<String>| {
        let items: String = items.iter().map(|i| format!("{bullet}{i}\n")).collect();
        if items.is_empty() { items } else { format!("{blank}{title}:\n{blank}{items}") }
    };
    let shader = |(r, change): &(Row, Change)| format!("{}: {}", r.name(), change.text());
    let (hurt, helped) = (|s: &&(Row, Change)| s.1.after > s.1.before, |s: &&(Row, Change)| s.1.after < s.1.before);
    out += &list("most hurt", c.shaders.iter().filter(hurt).take(5).map(shader).collect());
    for of in c.others().chunk_by(|a, b| a.1.statistic == b.1.statistic) {
        let title = format!("most hurt in {}", of[0].1.statistic);
        out += &list(&title, of.iter().take(3).map(|o| shader(o)).collect());
    }
    out += &list("most helped", c.shaders.iter().rev().filter(helped).take(5).map(shader).collect());
    out + &list("regressions", c.problems.iter().map(Problem::line).collect())
}

/// Annotations of a kind that GitHub shows of a step.
const SHOWN: usize = 10;

/// Workflow commands, which GitHub shows beside the files of a change: one of a kind for each place, with all that is said of it.
fn github(c: &Comparison, folder: Option<&str>) -> String {
    let message = |s: &str| s.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |s: &str| message(s).replace(':', "%3A").replace(',', "%2C");
    let path = |r: &Row| folder.map_or_else(|| r.file.clone(), |f| format!("{}/{}", f.trim_end_matches('/'), r.file));
    let place = |row: Option<&Row>| match row {
        Some(r) => {
            let column = r.column.map_or_else(String::new, |c| format!("col={c},"));
            format!("file={},line={},{column}", property(&path(r)), r.line.unwrap_or(1))
        }
        None => String::new(),
    };
    let mut hidden = 0;
    let mut list = |kind: &str, title: &str, items: &mut dyn Iterator<Item = (Option<&Row>, String)>| {
        let mut places: IndexMap<String, Vec<String>> = IndexMap::new();
        for (k, (row, text)) in items.enumerate() {
            let of = row.map_or_else(String::new, |r| format!("{} on {}: ", r.entry, r.target));
            // What has no place stands alone.
            let key = if row.is_some() { place(row) } else { format!("{k}") };
            places.entry(key).or_default().push(format!("{of}{text}"));
        }
        hidden += places.len().saturating_sub(SHOWN);
        let line = |(place, texts): (String, Vec<String>)| {
            let place = if place.starts_with("file=") { place } else { String::new() };
            format!("::{kind} {place}title={}::{}\n", property(title), message(&texts.join("\n")))
        };
        places.into_iter().take(SHOWN).map(line).collect::<String>()
    };
    let mut problems = c.problems.iter().map(|p| (p.row.as_ref(), p.text.clone()));
    let mut out = list("error", "gpucc: regression", &mut problems);
    let mut hurt = c.shaders.iter().filter(|s| s.1.after > s.1.before).map(|(row, change)| (Some(row), change.text()));
    out += &list("warning", "gpucc: more instructions", &mut hurt);
    let more = if hidden > 0 { format!("; {hidden} more places are not shown") } else { String::new() };
    out + &format!("::notice title={}::{}\n", property("gpucc statistics"), message(&(c.summary() + &more)))
}

fn json(c: &Comparison) -> Value {
    let row = |r: &Row| json!({"file": r.file, "entry": r.entry, "stage": r.stage, "target": r.target});
    let change = |t: &Change| {
        json!({"target": t.target, "statistic": t.statistic, "before": value(t.before), "after": value(t.after),
               "mean_ratio": t.shaders.mean, "median_ratio": t.shaders.median, "helped": t.shaders.helped,
               "hurt": t.shaders.hurt, "limit": t.limit.map(|l| l.text()), "worse": t.worse()})
    };
    let problem = |p: &Problem| json!({"kind": p.kind, "row": p.row.as_ref().map(row), "message": p.text});
    let shader = |(r, t): &(Row, Change)| json!({"row": row(r), "before": value(t.before), "after": value(t.after)});
    let other = |(r, t): &(Row, Change)| json!({"row": row(r), "statistic": t.statistic, "before": value(t.before), "after": value(t.after)});
    json!({
        "format": "gpucc-diff-1",
        "regression": !c.problems.is_empty(),
        "common": c.common,
        "helped": c.helped(),
        "hurt": c.hurt(),
        "gained": c.gained,
        "lost": c.lost,
        "problems": c.problems.iter().map(problem).collect::<Vec<_>>(),
        "totals": c.totals.iter().map(change).collect::<Vec<_>>(),
        "instructions": c.shaders.iter().map(shader).collect::<Vec<_>>(),
        "others": c.others().into_iter().map(other).collect::<Vec<_>>(),
    })
}

/// Each limited total and each problem as a test; without any, that the reports were compared.
fn cases(c: &Comparison) -> Vec<Case> {
    let case = |suite: &str, class: &str, name: &str, outcome| Case {
        suite: suite.into(),
        class: class.into(),
        name: name.into(),
        outcome,
    };
    let mut list = Vec::new();
    for t in c.totals.iter().filter(|t| t.limit.is_some() && !t.worse()) {
        list.push(case(&t.target, "total", &t.statistic, Outcome::Passed));
    }
    for p in &c.problems {
        let failed = Outcome::Failed(p.kind.into(), p.line());
        list.push(match &p.row {
            Some(r) => case(&r.target, &r.file, &format!("{} ({})", r.entry, r.stage), failed),
            None => case("all", p.kind, &p.text, failed),
        });
    }
    list.push(case("all", "comparison", &c.summary(), Outcome::Passed));
    list
}

/// What makes the new report the baseline, as a patch of the file that holds the old one.
fn patch(old: &Path, new: &Path) -> Result<String, Failure> {
    let text = |path: &Path| {
        String::from_utf8(files::read(path)?)
            .map_err(|_| Failure::Usage(format!("`{}` is not UTF-8 text", path.display())))
    };
    let (before, after) = (text(old)?, text(new)?);
    let name = old.display().to_string();
    let name = name.trim_start_matches("./");
    let lines = similar::TextDiff::from_lines(&before, &after);
    let patch = lines.unified_diff().header(&format!("a/{name}"), &format!("b/{name}")).to_string();
    Ok(if patch.is_empty() { "the reports are equal: there is no new baseline\n".into() } else { patch })
}

/// The form of a comparison: that of `--format`, else what the ending of `-o` says, else a table.
fn form(args: &Diff) -> Result<DiffFormat, Failure> {
    let ending = args.output.as_deref().filter(|p| !p.exists() || p.is_file()).and_then(Path::extension);
    match (args.format, ending.and_then(std::ffi::OsStr::to_str)) {
        (Some(form), _) => Ok(form),
        (None, None | Some("txt")) => Ok(DiffFormat::Table),
        (None, Some("json")) => Ok(DiffFormat::Json),
        (None, Some("md")) => Ok(DiffFormat::Md),
        (None, Some("html" | "htm")) => Ok(DiffFormat::Html),
        (None, Some(other)) => Err(Failure::Usage(format!(
            "-o: the ending `.{other}` names no form; use .json, .md, .html or .txt (a table), or --format"
        ))),
    }
}

/// `gpucc diff OLD.json NEW.json`.
///
/// # Errors
/// Usage (an input that is not a report, a gate that is none, or that limits nothing of these reports) and I/O; exit 1
/// for a regression alone.
pub fn main(args: &Diff) -> Result<(), Failure> {
    let gate = args.gate.as_deref().map(Gate::read).transpose()?.unwrap_or_else(Gate::standard);
    let report = |path| {
        read_report(path).map_err(|f| match f {
            // Exit 1 is for reports that became worse.
            Failure::Input(text) => Failure::Usage(text),
            other => other,
        })
    };
    let form = form(args)?;
    if let Some(out) = &args.output {
        let inputs: Vec<PathBuf> = [&args.old, &args.new].into_iter().chain(&args.gate).cloned().collect();
        files::distinct(std::slice::from_ref(out), &inputs)?;
    }
    if args.folder.is_some() && form != DiffFormat::Github {
        return Err(Failure::Usage("--folder has no effect without --format github".into()));
    }
    let (old, new) = (report(&args.old)?, report(&args.new)?);
    let mut c = Comparison::compare(&old, &new, &gate);
    if !args.allow_options {
        if old.format != new.format || old.format != FORMAT {
            let text = format!("the reports have the formats `{}` and `{}`, not `{FORMAT}`", old.format, new.format);
            c.problem("schema", None, text + "; --allow-options compares them all the same");
        } else if old.options != new.options {
            let shown = |r: &Report| Value::Object(r.options.clone()).to_string();
            let text = format!("the reports were made with other options: {} and {}", shown(&old), shown(&new));
            c.problem("options", None, text + "; --allow-options compares them all the same");
        } else if old.shard != new.shard {
            let of = |path: &Path, r: &Report| match &r.shard {
                Some(shard) => format!("`{}` is shard {shard}", path.display()),
                None => format!("`{}` is no shard", path.display()),
            };
            let text = format!("{}, {}", of(&args.old, &old), of(&args.new, &new));
            return Err(Failure::Usage(format!("{text}: compare what `gpucc stats merge` makes of all shards")));
        }
    }
    if args.gate.is_some() && c.limited == 0 && c.common > 0 && c.problems.is_empty() {
        return Err(Failure::Usage("the gate limits nothing that these reports have".into()));
    }
    let out = match form {
        DiffFormat::Table => text(&c, false),
        DiffFormat::Md => text(&c, true),
        DiffFormat::Github => github(&c, args.folder.as_deref()),
        DiffFormat::Json => format!("{:#}\n", json(&c)),
        DiffFormat::Html => html::page(&c, [&old, &new]),
        DiffFormat::Junit => junit::document("gpucc diff", &cases(&c)),
    };
    match &args.output {
        Some(path) => files::write(path, out.as_bytes())?,
        None => files::stdout(out.as_bytes())?,
    }
    if args.accept {
        files::stderr(&patch(&args.old, &args.new)?);
    }
    match c.problems.as_slice() {
        [] => Ok(()),
        [one] => Err(Failure::Input(format!("regression: {}", one.line()))),
        [one, rest @ ..] => Err(Failure::Input(format!("regression: {}; and {} more", one.line(), rest.len()))),
    }
}

/// A comparison of nothing.
#[cfg(test)]
pub fn sample() -> Value {
    json(&Comparison::default())
}
