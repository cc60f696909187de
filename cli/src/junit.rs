//! Reports as JUnit XML, which CI systems show as tests: `stats` has a test for each row, `diff` one for each limit and each problem.

use std::fmt::Write as _;

/// What became of a test.
pub enum Outcome {
    /// It went as it should.
    Passed,
    /// Not possible here, and known to be.
    Skipped(String),
    /// Wrong: a kind, and a sentence.
    Failed(String, String),
}

/// A test with its outcome.
pub struct Case {
    /// The group that it is shown in: a target.
    pub suite: String,
    /// The shader's file, or what a total is of.
    pub class: String,
    /// The entry point, or the number.
    pub name: String,
    /// What became of it.
    pub outcome: Outcome,
}

/// Text as XML has it; characters that XML does not have become blanks.
fn escape(text: &str) -> String {
    let lacks = |c: char| c.is_control() && c != '\n' || matches!(c, '\u{fffe}' | '\u{ffff}');
    let text = text.replace(lacks, " ").replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\n', "&#10;")
}

/// The document of tests; those of a suite stand together, suites in the order of their first test.
pub fn document(title: &str, cases: &[Case]) -> String {
    let mut suites: indexmap::IndexMap<&str, Vec<&Case>> = indexmap::IndexMap::new();
    for c in cases {
        suites.entry(&c.suite).or_default().push(c);
    }
    let counts = |list: &[&Case]| {
        let failed = list.iter().filter(|c| matches!(c.outcome, Outcome::Failed(..))).count();
        let skipped = list.iter().filter(|c| matches!(c.outcome, Outcome::Skipped(_))).count();
        format!("tests=\"{}\" failures=\"{failed}\" errors=\"0\" skipped=\"{skipped}\"", list.len())
    };
    let all: Vec<&Case> = cases.iter().collect();
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" {}>\n",
        escape(title),
        counts(&all)
    );
    for (name, list) in &suites {
        let _ = writeln!(out, "  <testsuite name=\"{}\" {}>", escape(name), counts(list));
        for c in list {
            let _ = write!(out, "    <testcase classname=\"{}\" name=\"{}\"", escape(&c.class), escape(&c.name));
            match &c.outcome {
                Outcome::Passed => out += "/>\n",
                Outcome::Skipped(why) => {
                    let _ = writeln!(out, "><skipped message=\"{}\"/></testcase>", escape(why));
                }
                Outcome::Failed(kind, why) => {
                    let (kind, why) = (escape(kind), escape(why));
                    let _ = writeln!(out, "><failure type=\"{kind}\" message=\"{why}\"/></testcase>");
                }
            }
        }
        out += "  </testsuite>\n";
    }
    out + "</testsuites>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_texts() {
        let case = |suite: &str, outcome| Case {
            suite: suite.into(),
            class: "a<b>.wgsl".into(),
            name: "main".into(),
            outcome,
        };
        let text = document(
            "gpucc stats",
            &[
                case("gcn", Outcome::Passed),
                case("tesla", Outcome::Skipped("no \"x\"".into())),
                case("gcn", Outcome::Failed("bug".into(), "a & b\n\u{1b}c".into())),
            ],
        );
        assert!(
            text.contains("<testsuites name=\"gpucc stats\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\">"),
            "{text}"
        );
        assert!(text.contains("<testsuite name=\"gcn\" tests=\"2\" failures=\"1\""), "{text}");
        assert!(text.contains("classname=\"a&lt;b&gt;.wgsl\""), "{text}");
        assert!(text.contains("<failure type=\"bug\" message=\"a &amp; b&#10; c\"/>"), "{text}");
        assert!(text.contains("<skipped message=\"no &quot;x&quot;\"/>"), "{text}");
        assert!(text.ends_with("</testsuites>\n"));
    }
}
