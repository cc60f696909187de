//! Pages cannot go stale unnoticed.

#[test]
fn pages_are_what_would_be_made_now() {
    let stale = gpucc_tools::docs::stale();
    assert!(stale.is_empty(), "{}", stale.join("\n"));
}

/// Pages with figures that are measured are not made again here; they say where they come from.
#[test]
fn measured_pages_name_their_revision() {
    let root = gpucc_tests::shared::workspace();
    let page = std::fs::read_to_string(root.join("docs/performance-measured.md")).expect("the page");
    assert!(page.trim_end().lines().last().is_some_and(|l| l.starts_with("Made from revision ")));
}

/// The page of people who write scenes says the type and the meaning of every key, and knows every key of the example scenes.
#[test]
fn the_page_of_scenes_is_whole() {
    let root = gpucc_tests::shared::workspace();
    let page = std::fs::read_to_string(root.join("docs/scene-format.md")).expect("the page");
    let rows: Vec<Vec<&str>> =
        page.lines().filter(|l| l.starts_with("| `")).map(|l| l.split('|').map(str::trim).collect()).collect();
    assert!(rows.len() > 120, "{} keys", rows.len());
    for row in &rows {
        assert!(!row[2].is_empty() && !row[2].contains('?') && !row[4].is_empty(), "{row:?}");
    }
    // Each link leads to a head of the page.
    for link in page.split("](#").skip(1).filter_map(|l| l.split(')').next()) {
        let head = |l: &str| l.strip_prefix("## ").is_some_and(|h| h.to_lowercase().replace(' ', "-") == link);
        assert!(page.lines().any(head), "no head `{link}`");
    }
    for file in std::fs::read_dir(root.join("examples/scenes")).expect("the folder") {
        let text = std::fs::read_to_string(file.expect("a file").path()).expect("a scene");
        let outside: Vec<&str> = text.split("\"\"\"").step_by(2).collect();
        for line in outside.concat().lines().filter(|l| !l.starts_with(['#', '['])) {
            for (key, _) in
                line.match_indices(" = ").filter_map(|(at, _)| Some((line[..at].rsplit([' ', '{', ',']).next()?, at)))
            {
                let known = rows.iter().any(|r| r[1] == format!("`{key}`"));
                // Names of the scene's own are followed by a table.
                let named = line.starts_with(&format!("{key} = {{"));
                assert!(known || named, "`{key}` of {line}");
            }
        }
    }
}

/// Each file and folder that the page for contributors names is there; `X` stands for each family.
#[test]
fn the_page_for_contributors_names_what_is_there() {
    let root = gpucc_tests::shared::workspace();
    let page = std::fs::read_to_string(root.join("docs/contributing.md")).expect("the page");
    let table = page.lines().filter(|l| l.starts_with("| "));
    let named: Vec<&str> = table.flat_map(|l| l.split('`').skip(1).step_by(2)).filter(|n| n.contains('/')).collect();
    assert!(named.len() > 20, "{named:?}");
    for name in named.into_iter().filter(|n| !n.contains(' ') && !n.contains("PASS")) {
        for family in ["gcn", "tesla", "valhall", "vivante"] {
            let path =
                name.replace("backend-X", &format!("backend-{family}")).replace("src/X", &format!("src/{family}"));
            // The rows of a family are a folder or a file.
            let there = root.join(&path).exists() || root.join(format!("{path}.rs")).exists();
            assert!(there, "`{path}` of `{name}`");
        }
    }
}

/// A set of nothing is no success.
#[test]
fn mutations_of_nothing_are_told() {
    for args in [&["0", "gcn"][..], &["5", "gnc"]] {
        let args: Vec<String> = args.iter().map(ToString::to_string).collect();
        assert!(!gpucc_tools::mutate::run(&args), "{args:?}");
    }
}
