//! Pages in a browser: the page of `explain` and a visit to the playground, in Debian's Chromium. Without it the tests say that they
//! are skipped.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::{DOUBLE, Scratch, expect};
use crate::explain::long;
use crate::serve::Served;

/// A browser with one page, driven over its own protocol through two pipes.
struct Browser {
    child: Child,
    to: File,
    from: BufReader<File>,
    session: String,
    next: u64,
    _folder: Scratch,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Browser {
    /// Starts it; `None` where there is none.
    fn new(name: &str) -> Option<Browser> {
        let is_there = Command::new("chromium").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !is_there.is_ok_and(|s| s.success()) {
            eprintln!("skipped: chromium is not installed");
            return None;
        }
        let folder = Scratch::new(name);
        let (to, from) = (folder.path("to"), folder.path("from"));
        let made = Command::new("mkfifo").args([&to, &from]).status();
        assert!(made.is_ok_and(|s| s.success()), "mkfifo");
        let script = "exec chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
            --user-data-dir=\"$1\" --remote-debugging-pipe about:blank 3<\"$2\" 4>\"$3\"";
        let child = Command::new("sh")
            .args(["-c", script, "sh", &folder.path("profile"), &to, &from])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell");
        let to = OpenOptions::new().write(true).open(&to).expect("a pipe");
        let from = BufReader::new(File::open(&from).expect("a pipe"));
        let mut b = Browser { child, to, from, session: String::new(), next: 0, _folder: folder };
        let target = b.call("Target.createTarget", json!({"url": "about:blank"}))["targetId"].clone();
        let attached = b.call("Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        b.session = attached["sessionId"].as_str().expect("a session").into();
        Some(b)
    }

    /// Calls a method and waits for its result.
    fn call(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let mut call = json!({"id": self.next, "method": method, "params": params});
        if !self.session.is_empty() {
            call["sessionId"] = self.session.as_str().into();
        }
        self.to.write_all(format!("{call}\0").as_bytes()).expect("the browser listens");
        loop {
            let mut line = Vec::new();
            self.from.read_until(0, &mut line).expect("the browser answers");
            assert!(!line.is_empty(), "the browser ended");
            let said: Value = serde_json::from_slice(&line[..line.len() - 1]).expect("JSON");
            if said["id"] == self.next {
                assert!(said["error"].is_null(), "{method}: {said}");
                return said["result"].clone();
            }
        }
    }

    /// The value of an expression on the page.
    #[track_caller]
    fn eval(&mut self, expression: &str) -> Value {
        let asked = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let r = self.call("Runtime.evaluate", asked);
        assert!(r["exceptionDetails"].is_null(), "{expression}: {r}");
        r["result"]["value"].clone()
    }

    /// Waits until an expression holds.
    #[track_caller]
    fn wait(&mut self, expression: &str) {
        let end = Instant::now() + Duration::from_secs(90);
        while self.eval(&format!("!!({expression})")) != true {
            if Instant::now() > end {
                let shown = self.eval("document.body ? document.body.innerText.slice(0, 3000) : ''");
                panic!("`{expression}` does not come to hold: {shown}");
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn open(&mut self, url: &str) {
        self.call("Page.navigate", json!({"url": url}));
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'");
    }

    /// Writes a picture of the page where the variable GPUCC_SHOTS names a folder, to be looked at.
    fn shot(&mut self, name: &str, width: u32, dark: bool) {
        let Some(folder) = std::env::var_os("GPUCC_SHOTS") else { return };
        let size = json!({"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", size);
        let scheme = if dark { "dark" } else { "light" };
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.call("Emulation.setEmulatedMedia", media);
        let shot = self.call("Page.captureScreenshot", json!({"format": "png"}));
        let bytes =
            base64::Engine::decode(&base64::prelude::BASE64_STANDARD, shot["data"].as_str().expect("a picture"));
        std::fs::write(std::path::Path::new(&folder).join(name), bytes.expect("base64")).expect("a file");
        self.call("Emulation.clearDeviceMetricsOverride", json!({}));
    }
}

/// All that is tried in a browser, in one, which costs seconds to start.
#[test]
fn pages_and_a_visit_to_the_playground() {
    let Some(mut b) = Browser::new("browser") else { return };
    pages_of_explain(&mut b);
    long_pages_are_laid_out_where_they_are_seen(&mut b);
    a_visit_to_the_playground(&mut b);
}

/// Every tab shows its panel, every line leads to its code and back, numbers are those of `stats`, nothing is loaded.
fn pages_of_explain(b: &mut Browser) {
    let s = Scratch::new("browser-pages");
    let scenes = ["lit_mesh", "deferred", "particles", "shadow", "water"].map(|n| format!("examples/scenes/{n}.toml"));
    let is_shader = |name: &str| name.ends_with(".wgsl") || name.ends_with(".frag");
    let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples")).expect("the examples");
    let names = folder.filter_map(|f| f.ok()?.file_name().into_string().ok()).filter(|n| is_shader(n));
    let mut shaders: Vec<String> = names.map(|n| format!("examples/{n}")).collect();
    shaders.sort();
    assert!(shaders.len() > 10, "{shaders:?}");
    shaders.push(s.write("wrong.wgsl", DOUBLE.replace("2u", "two")));
    // Each family has every other page: what a page does is the same for all.
    let pairs = ["gcn:gfx8,valhall:v10", "tesla:nva3,vivante:gc3000"];
    for (targets, input) in pairs.into_iter().cycle().zip(shaders.iter().chain(&scenes)) {
        let page = s.path("page.html");
        let is_wrong = input.ends_with("wrong.wgsl");
        let o = crate::common::gpucc().args(["explain", input, "--target", targets, "--html", &page]).output();
        let o = o.expect("the command starts");
        assert!([Some(0), Some(3)].contains(&o.status.code()) != is_wrong, "{input}");
        b.open(&format!("file://{page}"));
        assert_eq!(b.eval("performance.getEntriesByType('resource').length"), 0, "{input}");
        assert_eq!(b.eval("document.querySelectorAll('script[src], link, img, iframe').length"), 0, "{input}");
        if is_wrong {
            assert_eq!(b.eval("document.querySelectorAll('.problem').length"), 1);
            assert_eq!(
                b.eval("document.querySelector('.problem').previousElementSibling.innerText.includes('two')"),
                true
            );
            continue;
        }
        // Totals of each target.
        let report = expect(&["stats", input, "--target", targets, "--format", "json"], 0, "");
        let report: Value = serde_json::from_str(&report).expect("a report");
        let shown = b.eval(
            "[...document.querySelectorAll('h2 + .wide table')].map(t => [t.parentElement.previousElementSibling.innerText, \
             [...t.tHead.rows[0].cells].map(c => c.innerText), \
             [...t.tBodies[0].rows].map(r => [...r.cells].map(c => c.innerText))])",
        );
        let mut compared = 0;
        for table in shown.as_array().expect("tables") {
            let title = table[0].as_str().expect("a title");
            for row in report["rows"].as_array().expect("rows") {
                let (entry, stage) = (row["entry"].as_str().unwrap_or(""), row["stage"].as_str().unwrap_or(""));
                if title != format!("{entry} ({stage})") || row["status"] != "ok" {
                    continue;
                }
                let at =
                    table[1].as_array().and_then(|h| h.iter().position(|c| *c == row["target"])).expect("a column");
                for cells in table[2].as_array().expect("rows") {
                    let name = cells[0].as_str().unwrap_or("");
                    if let Some(n) = row["stats"][name].as_u64() {
                        assert_eq!(cells[at], n.to_string(), "{input} {title} {name}");
                        compared += 1;
                    }
                }
            }
        }
        assert!(compared > 10, "{input}: {compared}");
        // Tabs and lines.
        let wrong = b.eval(
            "(() => { const bad = []; const tabs = [...document.querySelectorAll('[role=tab]')]; \
             const panels = [...document.querySelectorAll('[role=tabpanel]')]; \
             panels.forEach((p, k) => { if (tabs[k]) tabs[k].click(); if (p.hidden) bad.push('hidden ' + k); \
             if (panels.filter(q => !q.hidden).length !== 1) bad.push('several ' + k); \
             const seen = new Set(), all = [...p.querySelectorAll('.pane')]; \
             const lines = [...p.querySelectorAll('[data-line]')].filter(l => { \
             const key = all.indexOf(l.closest('.pane')) + ' ' + l.dataset.line; \
             return !seen.has(key) && seen.add(key); }); \
             for (const l of lines) { l.dispatchEvent(new MouseEvent('mouseover', { bubbles: true })); \
             if (!l.classList.contains('lit')) bad.push('dark ' + l.dataset.line); \
             const lit = [...p.querySelectorAll('.lit')]; \
             if (lit.some(e => e.dataset.line !== l.dataset.line)) bad.push('other ' + l.dataset.line); } \
             if (lines.length < 4 && !p.querySelector('.problem')) bad.push('empty ' + k); }); return bad; })()",
        );
        assert_eq!(wrong, json!([]), "{input}");
        let name = input.rsplit('/').next().unwrap_or("page");
        b.eval("(document.querySelector('[role=tabpanel]:not([hidden]) .panes') || document.body).scrollIntoView()");
        b.shot(&format!("explain-{name}-panes.png"), 1400, false);
        b.shot(&format!("explain-{name}-panes-narrow.png"), 420, true);
        b.eval("scrollTo(0, 0)");
        b.shot(&format!("explain-{name}-light.png"), 1400, false);
        b.shot(&format!("explain-{name}-dark.png"), 1400, true);
        b.shot(&format!("explain-{name}-narrow.png"), 420, false);
    }
    rounds_are_changed(b, &s);
}

/// Rounds that no constant says are changed, and lines, units and what binds follow.
fn rounds_are_changed(b: &mut Browser, s: &Scratch) {
    let shader =
        s.write("rounds.wgsl", DOUBLE.replace("*= 2u", "+= 1u; for (var k = 0u; k < o[0]; k++) {\n o[k] += k;\n }"));
    let page = s.path("rounds.html");
    expect(&["explain", &shader, "--target", "gcn:gfx8,valhall:v10", "--html", &page], 0, "");
    b.open(&format!("file://{page}"));
    let numbers = "[...document.querySelector('[role=tabpanel]:not([hidden])').querySelectorAll('tr[data-line=\"3\"] .runs, tr[data-line=\"3\"] .cycles')].map(c => +c.innerText)";
    // What an instruction waits for is said without a pointer that is held over it.
    b.eval("[...document.querySelectorAll('[role=tabpanel]:not([hidden]) .machine [title]')].find(e => e.title.includes('waits for')).click()");
    let told = b.eval("document.querySelector('[role=tabpanel]:not([hidden]) .told').innerText");
    assert!(told.as_str().is_some_and(|t| t.contains("line ") && t.contains("waits for")), "{told}");
    for tab in 0..2 {
        b.eval(&format!("document.querySelectorAll('[role=tab]')[{tab}].click()"));
        let before = b.eval(numbers);
        let field = "document.querySelector('[role=tabpanel]:not([hidden]) [data-rounds]')";
        let bound = b.eval("document.querySelector('[role=tabpanel]:not([hidden]) .bound').innerText");
        assert_eq!(b.eval(&format!("{field}.value")), "8");
        let set = |n: u32| {
            format!(
                "(() => {{ const f = {field}; f.value = {n}; f.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()"
            )
        };
        b.eval(&set(24));
        let thrice: Vec<u64> =
            before.as_array().expect("numbers").iter().map(|n| 3 * n.as_u64().expect("a number")).collect();
        assert!(thrice[0] == 24 && thrice.iter().sum::<u64>() > 100, "{thrice:?}");
        assert_eq!(b.eval(numbers), json!(thrice));
        assert!(b.eval("document.querySelector('[role=tabpanel]:not([hidden]) .bound').innerText") != bound);
        b.eval(&set(8));
        assert_eq!(b.eval(numbers), before);
        assert_eq!(b.eval("document.querySelector('[role=tabpanel]:not([hidden]) .bound').innerText"), bound);
    }
}

/// Of a shader of 20,000 lines few elements are there for each line, and what is not seen is not laid out: no element is larger than a part.
fn long_pages_are_laid_out_where_they_are_seen(b: &mut Browser) {
    let s = Scratch::new("browser-long");
    let (shader, page) = (s.write("long.wgsl", long()), s.path("long.html"));
    expect(&["explain", &shader, "--target", "gcn,valhall", "--html", &page], 0, "");
    b.open(&format!("file://{page}"));
    let lines = b.eval("document.querySelectorAll('[role=tabpanel]:not([hidden]) .rows tbody tr').length");
    assert!(lines.as_u64() > Some(20_000), "{lines}");
    let all = b.eval("document.querySelectorAll('*').length");
    assert!(all.as_u64() < Some(300_000), "{all} elements");
    let parts = b.eval(
        "[...document.querySelectorAll('.rows tbody, .part')].filter(p => \
         p.childElementCount > 100 || getComputedStyle(p).contentVisibility !== 'auto').length",
    );
    assert_eq!(parts, 0);
    // A line far down comes to light with its code.
    b.eval("document.querySelector('[role=tabpanel]:not([hidden]) tr[data-line=\"22000\"]').dispatchEvent(new MouseEvent('click', { bubbles: true }))");
    let seen = "[...document.querySelectorAll('[role=tabpanel]:not([hidden]) .machine .lit')].some(e => { const r = e.getBoundingClientRect(), \
         p = e.closest('.pane').getBoundingClientRect(); return r.top >= p.top - 1 && r.bottom <= p.bottom + 1; })";
    b.wait(seen);
}

/// Types text as a person does.
fn typed(text: &str) -> String {
    format!(
        "(() => {{ const s = document.getElementById('source'); s.value = {}; s.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()",
        json!(text)
    )
}

/// An error is marked and mended, four listings are there, a line is changed and numbers move, it runs on a buffer, a picture is drawn,
/// and the address holds all of it.
fn a_visit_to_the_playground(b: &mut Browser) {
    let s = Served::new(&[]);
    b.open(&s.address());
    b.wait("document.querySelectorAll('#listings .listing').length === 4");
    b.wait("!document.getElementById('picture').hidden && document.getElementById('picture').naturalWidth === 320");
    // What is hidden takes no room.
    assert_eq!(
        b.eval("[...document.querySelectorAll('[hidden]')].filter(e => e.getClientRects().length > 0).length"),
        0
    );
    b.shot("serve-light.png", 1400, false);
    b.shot("serve-dark.png", 1400, true);
    b.shot("serve-narrow.png", 420, false);
    // An error is marked at its line, and the listings of before stay.
    b.eval(&typed(&DOUBLE.replace("2u", "two")));
    b.wait("document.querySelector('#gutter .error')");
    assert_eq!(b.eval("document.querySelector('#gutter .error').innerText"), "2");
    b.wait("document.querySelector('#said li.error').innerText.includes('two')");
    assert_eq!(b.eval("document.querySelectorAll('#numbers.old, #listings.old').length"), 2);
    b.shot("serve-error.png", 1400, false);
    b.eval("document.querySelector('#said li').click()");
    assert_eq!(b.eval("document.activeElement.id"), "source");
    // Mended.
    b.eval(&typed(DOUBLE));
    b.wait("!document.querySelector('#gutter .error') && document.querySelectorAll('#said li').length === 0");
    b.wait("!document.querySelector('.old')");
    b.wait(
        "[...document.querySelectorAll('#listings .listing h3')].every(h => h.innerText.includes('main (compute)'))",
    );
    assert_eq!(b.eval("[...document.querySelectorAll('#listings .listing')].filter(l => l.querySelector('.code [data-line=\"2\"]')).length"), 4);
    // Pointing at an instruction lights the line up.
    b.eval("document.querySelector('.code [data-line=\"2\"]').dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))");
    assert_eq!(b.eval("document.querySelector('#gutter .lit').innerText"), "2");
    // A line is changed and numbers move, up and back.
    b.eval(&typed(&DOUBLE.replace("*= 2u", "= o[g.x] * o[g.x] + 7u / (o[g.x] + 1u)")));
    b.wait("document.querySelector('#numbers .up')");
    b.shot("serve-numbers.png", 1400, false);
    b.eval(&typed(DOUBLE));
    b.wait("document.querySelector('#numbers .down')");
    // It runs on a buffer, on a machine and compared with the oracle.
    b.eval("document.getElementById('machine').value = 'gcn:gfx8'; document.getElementById('buffers').value = '0:0=u32:1,2,3,4'; document.getElementById('run').click()");
    b.wait("document.getElementById('ran').innerText.includes('2,4,6,8')");
    // The state is in the address: a new visit begins with it.
    let address = b.eval("location.href");
    b.open("about:blank#x");
    b.open(address.as_str().expect("an address"));
    b.wait("document.getElementById('source').value.includes('*= 2u') && document.getElementById('buffers').value === '0:0=u32:1,2,3,4'");
    // A picture on a machine; time changes it.
    let toy = "#version 450\nlayout(location = 0) in vec2 uv;\nlayout(location = 0) out vec4 c;\n\
        layout(set = 0, binding = 0) uniform F { vec3 resolution; float time; };\nvoid main() { c = vec4(uv, time, 1.0); }\n";
    b.eval("document.getElementById('lang').value = 'frag'; document.getElementById('arguments').value = '--frontend naga'; document.getElementById('place').value = 'gcn:gfx8'");
    b.eval(&typed(toy));
    b.wait("document.getElementById('picture').alt === 'Drawn on gcn:gfx8'");
    let before = b.eval("document.getElementById('picture').src");
    b.eval("document.getElementById('time').value = '0.5'; document.getElementById('time').dispatchEvent(new Event('change'))");
    b.wait(&format!("document.getElementById('picture').src !== {before}"));
    // Heat is drawn beside the picture, and goes with it.
    b.eval("document.getElementById('heat').value = 'cycles'; document.getElementById('heat').dispatchEvent(new Event('change'))");
    b.wait("!document.getElementById('hot').hidden && document.getElementById('hot').alt === 'Pixels by cycles on gcn:gfx8' && document.getElementById('hot').naturalWidth > 320");
    b.wait("document.getElementById('drawn').innerText.includes('cycles a pixel')");
    b.shot("serve-heat.png", 1400, false);
    b.shot("serve-heat-dark.png", 1400, true);
    b.shot("serve-heat-narrow.png", 420, false);
    b.eval("document.getElementById('heat').value = ''; document.getElementById('heat').dispatchEvent(new Event('change'))");
    b.wait("document.getElementById('hot').hidden");
    // Nothing came from elsewhere.
    let hosts = b.eval("[...new Set(performance.getEntriesByType('resource').map(e => new URL(e.name).host))]");
    assert_eq!(hosts, json!([format!("127.0.0.1:{}", s.port)]));
}
