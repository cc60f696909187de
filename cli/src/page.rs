//! Holds `docs/command-line.md` to what the command takes and reports, in both directions.

use std::collections::BTreeSet;

use clap::{Arg, Command, CommandFactory};
use serde_json::Value;

use crate::args::Cli;
use crate::{diff, inspect, stats};

const PAGE: &str = "docs/command-line.md";

fn spelling(a: &Arg) -> String {
    let value = a.get_value_names().map(|v| v.join(" ")).unwrap_or_else(|| a.get_id().as_str().to_uppercase());
    if a.is_positional() {
        let many = a.get_num_args().is_some_and(|n| n.max_values() > 1);
        return format!("{value}{}", if many { "..." } else { "" });
    }
    let short = a.get_short().map(|s| format!("-{s}"));
    let long = a.get_long().map(|l| format!("--{l}"));
    let names: Vec<String> = short.into_iter().chain(long).collect();
    if !a.get_action().takes_values() {
        return names.join(", ");
    }
    let values = a.get_possible_values();
    let value = match values.is_empty() {
        true => value,
        false => values.iter().map(|v| v.get_name()).collect::<Vec<_>>().join("\\|"),
    };
    let lead = if a.is_require_equals_set() { "=" } else { " " };
    let is_optional = a.get_num_args().is_some_and(|n| n.min_values() == 0);
    let value = if is_optional { format!("[{lead}{value}]") } else { format!("{lead}{value}") };
    format!("{}{value}", names.join(", "))
}

/// A value that must follow `=`, and one that may be left out, are written so.
#[test]
fn values_are_spelled_as_they_are_taken() {
    let arg = Arg::new("oracle").long("oracle").require_equals(true).value_parser(["lowered", "source"]);
    assert_eq!(spelling(&arg.clone().num_args(0..=1)), "--oracle[=lowered\\|source]");
    assert_eq!(spelling(&arg.num_args(1)), "--oracle=lowered\\|source");
    assert_eq!(spelling(&Arg::new("n").short('n').long("n").value_name("N")), "-n, --n N");
}

/// The table of the options of a command; those of every command are with the first.
fn options(c: &Command) -> String {
    let mut out = String::from("| option | meaning |\n|---|---|\n");
    for a in c.get_arguments().filter(|a| !a.is_hide_set() && !["help", "version"].contains(&a.get_id().as_str())) {
        let help = a.get_help().map(ToString::to_string).unwrap_or_default();
        assert!(!help.is_empty(), "{} says nothing", a.get_id());
        let default: Vec<String> = a.get_default_values().iter().map(|v| v.to_string_lossy().into_owned()).collect();
        let default = match a.get_action().takes_values() && !default.is_empty() {
            true => format!(" (without it `{}`)", default.join(" ")),
            false => String::new(),
        };
        out += &format!("| `{}` | {}{default} |\n", spelling(a), help.replace('|', "\\|"));
    }
    out
}

/// Keys of the objects that commands print, as printed.
fn keys(what: &str) -> BTreeSet<String> {
    let of = |v: &Value| v.as_object().expect("an object").keys().cloned().collect();
    match what {
        "report" => of(&stats::sample()),
        "row" => of(&stats::sample()["rows"][0]),
        "diff" => of(&diff::sample()),
        "container" | "entry" => {
            let c = gpucc_container::Container { entries: vec![Default::default()], ..Default::default() };
            let summary = inspect::summary(&c);
            of(if what == "entry" { &summary["entries"][0] } else { &summary })
        }
        "message" => {
            let scene = crate::Failure::Scene(gpucc_scene::SceneError::new("present", "a sentence"));
            of(&crate::report::sample()).into_iter().chain(of(&scene.json("input"))).collect()
        }
        other => panic!("no object `{other}`"),
    }
}

/// The names in backquotes of the first column of a table.
fn first_column(table: &str) -> BTreeSet<String> {
    let cells = table.lines().filter_map(|l| l.strip_prefix("| `").and_then(|l| l.split_once(" |")));
    cells.flat_map(|(c, _)| c.split("`, `").map(|n| n.trim_matches('`').to_string()).collect::<Vec<_>>()).collect()
}

/// The page with every derived part made anew, and what it lacks.
fn made(page: &str) -> (String, Vec<String>) {
    let mut command = Cli::command();
    command.build();
    let mut wanted: BTreeSet<String> = ["gpucc".to_string(), "statistics".into()].into();
    wanted.extend(command.get_subcommands().map(|c| format!("gpucc {}", c.get_name())));
    wanted.retain(|w| w != "gpucc help");
    wanted.extend(["report", "row", "diff", "container", "entry", "message"].map(|k| format!("keys {k}")));
    let (mut out, mut wrong) = (String::new(), Vec::new());
    let mut rest = page;
    while let Some(at) = rest.find("<!-- ") {
        let head_end = at + rest[at..].find("-->\n").expect("a comment ends") + 4;
        let (head, tail) = (&rest[..head_end], &rest[head_end..]);
        let body_end = tail.find("<!-- end -->").expect("a part ends");
        let (kind, name) = rest[at + 5..head_end - 5].trim().split_once(": ").unwrap_or(("statistics", "statistics"));
        out += head;
        match kind {
            "options" => {
                let of = name.strip_prefix("gpucc ").map_or(Some(&command), |n| command.find_subcommand(n));
                out += &of.map(options).unwrap_or_else(|| panic!("no command `{name}`"));
                wanted.remove(name);
            }
            "statistics" => {
                out += &gpucc::statistics::table();
                wanted.remove("statistics");
            }
            _ => {
                let (there, is) = (first_column(&tail[..body_end]), keys(name));
                if there != is {
                    wrong.push(format!("object `{name}`: the page has {there:?}, printed is {is:?}"));
                }
                out += &tail[..body_end];
                wanted.remove(&format!("keys {name}"));
            }
        }
        out += "<!-- end -->";
        rest = &tail[body_end + 12..];
    }
    wrong.extend(wanted.iter().map(|w| format!("the page has nothing of `{w}`")));
    (out + rest, wrong)
}

#[test]
fn page() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(PAGE);
    let page = std::fs::read_to_string(&path).expect("the page");
    let (new, wrong) = made(&page);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    if std::env::var_os("GPUCC_WRITE_PAGE").is_some() {
        std::fs::write(path, new).expect("the page is written");
    } else {
        assert!(new == page, "{PAGE} is out of date: GPUCC_WRITE_PAGE=1 cargo test -p gpucc-cli page");
    }
    // Every exit code that a failure has.
    use crate::Failure;
    let text = String::new;
    let failures = [
        Failure::Usage(text()),
        Failure::Io(text()),
        Failure::Input(text()),
        Failure::Unsupported(gpucc_ir::Refusal::Elf, text()),
        Failure::Bug(text()),
    ];
    for code in failures.iter().map(Failure::code).chain([0]) {
        assert!(page.contains(&format!("\n| {code} | ")), "exit code {code}");
    }
}

/// A page says the fact: numbers of sections of a text that a reader does not have say nothing.
#[test]
fn pages_point_only_where_a_reader_can_look() {
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let mut found: Vec<String> = Vec::new();
    for file in std::fs::read_dir(docs).expect("the pages").map(|f| f.expect("a page").path()) {
        if file.extension().is_none_or(|e| e != "md") {
            continue;
        }
        let page = std::fs::read_to_string(&file).expect("a page");
        for line in page.lines() {
            let number = |at: usize, lead: usize| line[at + lead..].starts_with(|c: char| c.is_ascii_digit());
            let any = |what: &str| line.match_indices(what).any(|(at, _)| number(at, what.len()));
            let bracket = line.match_indices(" [").any(|(at, _)| {
                let inside = line[at + 2..].split(']').next().unwrap_or_default();
                inside.contains('.') && inside.chars().all(|c| c.is_ascii_digit() || c == '.')
            });
            if any("reference ") || any("reference section ") || line.contains("of the reference") || bracket {
                found.push(format!("{}: {line}", file.display()));
            }
        }
    }
    // Made by a generator of its own.
    found.retain(|f| !f.contains("support.md"));
    assert!(found.is_empty(), "{}", found.join("\n"));
}
