//! `gpucc serve` over HTTP: who is let in, what is answered, and that nothing ends it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use base64::Engine;
use serde_json::{Value, json};

use crate::common::{DOUBLE, SHARED_ATOMICS, Scratch, expect, gpucc};

/// A server of a test, stopped at its end.
pub struct Served {
    child: Child,
    pub port: u16,
    token: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An answer: status, headers and body.
struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.text()))
    }
}

fn read(mut stream: TcpStream) -> Answer {
    let mut all = Vec::new();
    // The end of an answer may be a reset, where the server did not read all that was sent.
    let _ = stream.read_to_end(&mut all);
    let at = all.windows(4).position(|w| w == b"\r\n\r\n");
    let at = at.unwrap_or_else(|| panic!("no answer: {:?}", String::from_utf8_lossy(&all)));
    let head = String::from_utf8_lossy(&all[..at]).into_owned();
    let status = head.split(' ').nth(1).and_then(|n| n.parse().ok()).expect("a status");
    Answer { status, head, body: all[at + 4..].to_vec() }
}

impl Served {
    pub fn new(args: &[&str]) -> Served {
        let mut c = gpucc();
        c.arg("serve").args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = c.spawn().expect("the command starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let rest = line.trim().strip_prefix("http://127.0.0.1:").unwrap_or_else(|| panic!("no address: {line}"));
        let (port, token) = rest.split_once("/?token=").expect("a token");
        Served { child, port: port.parse().expect("a port"), token: token.into() }
    }

    /// What it printed.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/?token={}", self.port, self.token)
    }

    fn connect(&self) -> TcpStream {
        let s = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        s.set_read_timeout(Some(Duration::from_secs(300))).expect("a time limit");
        s
    }

    /// What comes back for these bytes.
    fn raw(&self, bytes: &[u8]) -> Answer {
        let mut s = self.connect();
        let _ = s.write_all(bytes);
        let _ = s.shutdown(std::net::Shutdown::Write);
        read(s)
    }

    fn request(&self, method: &str, path: &str, token: &str, body: &str) -> Vec<u8> {
        let sign = if path.contains('?') { '&' } else { '?' };
        format!(
            "{method} {path}{sign}token={token} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAccept: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.port,
            body.len()
        )
        .into_bytes()
    }

    fn get(&self, path: &str) -> Answer {
        self.raw(&self.request("GET", path, &self.token, ""))
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let a = self.raw(&self.request("POST", path, &self.token, &body.to_string()));
        assert_eq!(a.status, 200, "{}", a.text());
        a.json()
    }

    /// Bytes of memory in use.
    fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find(|l| l.starts_with("VmRSS:")).unwrap_or_default();
        line.split_whitespace().nth(1).and_then(|n| n.parse::<u64>().ok()).unwrap_or(0) << 10
    }
}

fn picture(answer: &Value) -> (u32, u32, Vec<u8>) {
    let text = answer["picture"].as_str().unwrap_or_else(|| panic!("no picture: {answer}"));
    let bytes = base64::prelude::BASE64_STANDARD.decode(text).expect("base64");
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a PNG file");
    let mut data = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut data).expect("a picture");
    (info.width, info.height, data)
}

/// The page and its data are for those who were told the address; other hosts and tokens get nothing of it.
#[test]
fn the_token_lets_in() {
    let s = Served::new(&[]);
    let page = s.get("/");
    assert_eq!(page.status, 200, "{}", page.text());
    let text = page.text();
    assert!(text.starts_with("<!doctype html>") && page.head.contains("Content-Security-Policy: default-src 'none'"));
    // Nothing is loaded from elsewhere.
    for outside in ["http://", "https://", "src=", "@import", "url(", "<link"] {
        assert!(!text.contains(outside), "{outside}");
    }
    assert!(!text.contains(&s.token));
    let start = s.get("/api/start").json();
    assert!(start["source"].as_str().is_some_and(|t| t.contains("@fragment")), "{start}");
    assert_eq!(start["shown"].as_array().map(Vec::len), Some(4));
    let other = "0".repeat(s.token.len());
    for token in ["", "x", other.as_str(), &s.token[1..]] {
        for (method, path) in [("GET", "/"), ("GET", "/api/start"), ("POST", "/api/explain"), ("GET", "/nothing")] {
            let a = s.raw(&s.request(method, path, token, "{}"));
            assert_eq!(a.status, 403, "{method} {path} {token}");
            assert!(a.text().contains("token") && !a.text().contains(&s.token), "{}", a.text());
        }
    }
    let foreign = format!("GET /?token={} HTTP/1.1\r\nHost: evil.example:{}\r\n\r\n", s.token, s.port);
    assert_eq!(s.raw(foreign.as_bytes()).status, 403);
    assert_eq!(s.get("/nothing").status, 404);
    assert_eq!(s.raw(&s.request("POST", "/api/nothing", &s.token, "{}")).status, 404);
    assert_eq!(s.raw(&s.request("PUT", "/", &s.token, "{}")).status, 405);
    // Another machine does not reach it: it listens on the loopback address alone.
    let tables = std::fs::read_to_string("/proc/net/tcp").unwrap_or_default();
    let listens = tables.lines().filter(|l| l.contains(&format!(":{:04X} 00000000:0000 0A", s.port)));
    assert!(listens.clone().all(|l| l.contains("0100007F:")), "{:?}", listens.collect::<Vec<_>>());
}

/// Numbers and code are those of `explain --json`, messages have their places, a target that refuses says so.
#[test]
fn listings_are_those_of_explain() {
    let s = Served::new(&[]);
    let folder = Scratch::new("serve-explain");
    let shader = folder.write("a.wgsl", DOUBLE);
    let targets = "gcn:gfx8,tesla:nva3,valhall:v10,vivante:gc3000";
    let said = expect(&["explain", &shader, "--target", targets, "--json"], 0, "{");
    let want: Value = serde_json::from_str(&said).expect("JSON");
    let got = s.post("/api/explain", &json!({"source": DOUBLE, "lang": "wgsl", "target": targets}));
    assert_eq!(got["code"], 0, "{got}");
    assert_eq!(got["page"]["columns"], want["columns"]);
    let columns = got["page"]["columns"].as_array().expect("columns");
    assert_eq!(columns.len(), 4);
    for c in columns {
        assert!(c["instructions"].as_array().is_some_and(|i| i.iter().any(|i| i["line"] == 2)), "{c}");
        assert!(c["stats"]["instructions"].as_u64() > Some(0), "{c}");
    }
    // Options change numbers as on the command line.
    let none = s.post(
        "/api/explain",
        &json!({"source": DOUBLE, "lang": "wgsl", "target": "gcn", "arguments": "-O0 --robust off"}),
    );
    assert_ne!(none["page"]["columns"][0]["stats"], columns[0]["stats"]);

    let wrong = DOUBLE.replace("2u", "two");
    let got = s.post("/api/explain", &json!({"source": wrong, "lang": "wgsl", "target": "gcn"}));
    assert_eq!((&got["code"], &got["messages"][0]["line"]), (&json!(0), &json!(2)), "{got}");
    assert!(got["messages"][0]["message"].as_str().is_some_and(|m| m.contains("two")), "{got}");
    let got = s.post("/api/explain", &json!({"source": SHARED_ATOMICS, "lang": "wgsl", "target": "tesla:nv50,gcn"}));
    let status = |k: usize| got["page"]["columns"][k]["status"].as_str().unwrap_or_default().to_string();
    assert_eq!((status(0), status(1)), ("refused".into(), "ok".into()), "{got}");
    let got = s.post("/api/explain", &json!({"source": DOUBLE, "lang": "wgsl", "target": "all:all"}));
    assert_eq!(got["code"], 2, "{got}");
    for bad in ["-I /etc", "--lang spv", "--nonsense", "-o x"] {
        let got = s.post("/api/explain", &json!({"source": DOUBLE, "lang": "wgsl", "target": "gcn", "arguments": bad}));
        assert_eq!(got["code"], 2, "{bad}: {got}");
    }
}

/// Buffers, traps and steps; files of this machine are no buffers.
#[test]
fn runs_on_buffers() {
    let s = Served::new(&["--steps", "100000"]);
    for target in ["interp", "gcn", "valhall", "tesla", "vivante"] {
        let got = s.post("/api/run", &json!({"source": DOUBLE, "lang": "wgsl", "target": target, "buffers": ["0:0=u32:1,2,3,4"], "oracle": true}));
        assert_eq!(got["code"], 0, "{got}");
        assert!(got["output"].as_str().is_some_and(|t| t.contains("0:0 = 2,4,6,8")), "{target}: {got}");
    }
    let endless = DOUBLE.replace("o[g.x] *= 2u;", "loop { o[g.x] += 1u; if o[g.x] == 0u { break; } }");
    for target in ["interp", "gcn"] {
        let got = s.post(
            "/api/run",
            &json!({"source": endless, "lang": "wgsl", "target": target, "buffers": ["0:0=zero:16"]}),
        );
        assert_eq!((&got["code"], &got["messages"][0]["code"]), (&json!(1), &json!("step-limit")), "{got}");
    }
    for (buffer, needle) in
        [("0:0=/etc/passwd", "none of zero:"), ("0:0=zero:999999999", "limit"), ("0:0=u32:x", "u32"), ("x", "GROUP")]
    {
        let got =
            s.post("/api/run", &json!({"source": DOUBLE, "lang": "wgsl", "target": "interp", "buffers": [buffer]}));
        assert_eq!(got["code"], 2, "{got}");
        let said = got["messages"].to_string();
        assert!(said.contains(needle) || said.contains("expected"), "{buffer}: {said}");
    }
}

/// A fragment shader, both stages in one text, and a scene are drawn; time and mouse reach the shader.
#[test]
fn pictures() {
    let s = Served::new(&[]);
    let start = s.get("/api/start").json();
    let draw = |more: Value| {
        let mut asked = json!({"source": start["source"], "lang": "wgsl", "size": "32x18"});
        asked.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let got = s.post("/api/render", &asked);
        assert_eq!(got["code"], 0, "{got}");
        picture(&got)
    };
    let first = draw(json!({}));
    assert_eq!((first.0, first.1, first.2.len()), (32, 18, 32 * 18 * 4));
    assert_eq!(draw(json!({"target": "interp", "oracle": true})), first);
    for other in [json!({"time": "1.5"}), json!({"mouse": "20,4"})] {
        assert_ne!(draw(other.clone()).2, first.2, "{other}");
    }
    assert_eq!(draw(json!({"target": "gcn"})).2.len(), first.2.len());
    let glsl = "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(1.0, 0.0, 0.5, 1.0); }\n";
    assert_eq!(draw(json!({"source": glsl, "lang": "frag", "arguments": "--frontend naga"})).2[..2], [255, 0]);
    let pair = "@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f { return vec4f(f32(i) - 1.0, f32(i % 2u), 0.0, 1.0); }\n\
        @fragment fn fs() -> @location(0) vec4f { return vec4f(1.0, 0.0, 0.0, 1.0); }";
    draw(json!({"source": pair}));
    let scene = format!(
        "format = \"scene-1\"\nshaders.m.wgsl = '''\n{pair}\n'''\ntextures.t = {{ format = \"rgba8unorm\", size = [4, 4] }}\n[pipelines.p]\n\
         vertex = {{ shader = \"m\" }}\nfragment = {{ shader = \"m\", targets = [{{ format = \"rgba8unorm\" }}] }}\n[[passes]]\ntype = \"render\"\n\
         colorAttachments = [{{ texture = \"t\" }}]\ndraws = [{{ pipeline = \"p\", draw = {{ vertexCount = 3 }} }}]\n"
    );
    let got = s.post("/api/render", &json!({"source": scene, "lang": "scene", "time": "1"}));
    assert_eq!(picture(&got).0, 4, "{got}");
    // A scene of the page names no files of this machine.
    let named = scene.replace(&format!("shaders.m.wgsl = '''\n{pair}\n'''"), "shaders.m.file = \"../../etc/x.wgsl\"");
    let got = s.post("/api/render", &json!({"source": named, "lang": "scene"}));
    assert!(got["code"] == 2 && got["messages"].to_string().contains("names the file"), "{got}");
    let got = s.post("/api/render", &json!({"source": start["source"], "lang": "wgsl", "size": "9999x9999"}));
    assert_eq!(got["code"], 2, "{got}");
    let wrong = s.post("/api/render", &json!({"source": "@fragment fn", "lang": "wgsl"}));
    assert!(wrong["picture"].is_null() && wrong["messages"][0]["line"] == 1, "{wrong}");
}

/// Heat stands beside the picture: the bytes that `render --heat` writes, and nothing where nobody asks.
#[test]
fn heat_beside_the_picture() {
    let f = Scratch::new("serve-heat");
    let text = "@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
    var c = p.y * 0.01;
    if p.x > 16.0 { for (var k = 0; k < 40; k++) { c = sin(c) + f32(k) * 0.1; } }
    return vec4f(c, c, c, 1.0);
}
";
    let shader = f.write("a.wgsl", text);
    let s = Served::new(&[]);
    let ask = |target: &str, heat: Value| {
        let asked = json!({"source": text, "lang": "wgsl", "size": "32x8", "target": target, "heat": heat});
        s.post("/api/render", &asked)
    };
    let plain = ask("gcn", Value::Null);
    assert!(plain["heat"].is_null(), "{plain}");
    for (target, by) in
        [("gcn", "instructions"), ("gcn", "cycles"), ("valhall", "invocations"), ("interp", "instructions")]
    {
        let got = ask(target, json!(by));
        assert_eq!(got["code"], 0, "{got}");
        assert!(got["messages"].to_string().contains(&format!("{by} a pixel")), "{got}");
        let out = f.path("h.png");
        expect(&["render", &shader, "--target", target, "--size", "32x8", "--heat", &out, "--heat-by", by], 0, "");
        let bytes = base64::prelude::BASE64_STANDARD.decode(got["heat"].as_str().expect("a picture")).expect("base64");
        assert_eq!(bytes, f.read("h.png"), "{target} {by}");
        if target == "gcn" {
            assert_eq!(got["picture"], plain["picture"], "the picture is the same with it");
        }
    }
    let wrong = ask("gcn", json!("colour"));
    assert!(wrong["code"] == 2 && wrong["heat"].is_null(), "{wrong}");
    assert!(wrong["messages"].to_string().contains("instructions, cycles, invocations"), "{wrong}");
    let none = ask("interp", json!("cycles"));
    assert!(none["code"] == 2 && none["messages"].to_string().contains("no costs"), "{none}");
}

/// A scene that the command line names may have files beside it.
#[test]
fn a_scene_has_its_folder() {
    let f = Scratch::new("serve-scene");
    f.write("b.wgsl", "@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f { return vec4f(f32(i), 0.0, 0.0, 1.0); }\n");
    let scene = f.write(
        "a.toml",
        "format = \"scene-1\"\nshaders.m.file = \"b.wgsl\"\ntextures.t = { format = \"rgba8unorm\", size = [4, 4] }\n[pipelines.p]\n\
         vertex = { shader = \"m\" }\n[[passes]]\ntype = \"render\"\ncolorAttachments = [{ texture = \"t\" }]\n\
         draws = [{ pipeline = \"p\", draw = { vertexCount = 3 } }]\n",
    );
    let s = Served::new(&[&scene]);
    let start = s.get("/api/start").json();
    assert_eq!((&start["lang"], &start["name"]), (&json!("scene"), &json!("a.toml")));
    let asked = |text: &str| s.post("/api/render", &json!({"source": text, "lang": "scene"}));
    let text = start["source"].as_str().expect("a text");
    let got = asked(text);
    assert!(!got["messages"].to_string().contains("names the file"), "{got}");
    for outside in ["../b.wgsl", "/etc/b.wgsl", "x/../../b.wgsl"] {
        let got = asked(&text.replace("b.wgsl", outside));
        assert!(got["messages"].to_string().contains("names the file"), "{outside}: {got}");
    }
}

/// The file of the command line is read again when the page asks.
#[test]
fn the_file_is_watched() {
    let f = Scratch::new("serve-watched");
    let s = Served::new(&[&f.write("a.wgsl", DOUBLE)]);
    let start = s.get("/api/start").json();
    assert_eq!((&start["watched"], &start["source"]), (&json!(true), &json!(DOUBLE)));
    f.write("a.wgsl", "// other\n");
    assert_eq!(s.get("/api/file").json()["source"], "// other\n");
    std::fs::remove_file(f.path("a.wgsl")).expect("a file");
    assert!(s.get("/api/file").json()["source"].is_null());
    let s = Served::new(&[]);
    assert_eq!(
        (&s.get("/api/start").json()["watched"], &s.get("/api/file").json()["source"]),
        (&json!(false), &Value::Null)
    );
}

/// The interface of Compiler Explorer.
#[test]
fn compilers_are_listed_and_called() {
    let s = Served::new(&[]);
    let list = s.get("/api/compilers").json();
    let ids: Vec<&str> = list.as_array().expect("a list").iter().filter_map(|c| c["id"].as_str()).collect();
    assert!(ids.contains(&"gcn-gfx8") && ids.contains(&"vivante-gc3000") && ids.len() > 8, "{ids:?}");
    let body =
        json!({"source": DOUBLE, "options": {"userArguments": "-O2", "filters": {"labels": true}}, "lang": "wgsl"});
    for id in ids {
        let got = s.post(&format!("/api/compiler/{id}/compile"), &body);
        assert_eq!(got["code"], 0, "{id}: {got}");
        let asm = got["asm"].as_array().expect("lines");
        assert!(asm.iter().any(|l| l["source"]["line"] == 2 && l["text"].as_str().is_some()), "{id}: {got}");
    }
    let wrong = json!({"source": DOUBLE.replace("2u", "two"), "options": {}});
    let got = s.post("/api/compiler/gcn-gfx8/compile", &wrong);
    assert_eq!((&got["code"], &got["stderr"][0]["tag"]["line"]), (&json!(1), &json!(2)), "{got}");
    // The text itself, as command-line clients send it.
    let path = "/api/compiler/gcn-gfx8/compile?options=-O0%20--robust+off";
    let plain = String::from_utf8(s.request("POST", path, &s.token, DOUBLE)).expect("text");
    let got = s.raw(plain.replace("Accept: application/json\r\n", "").as_bytes());
    assert!(got.head.contains("text/plain") && got.text().contains("s_endpgm"), "{}", got.text());
    let bad = plain.replace("--robust+off", "--nothing");
    assert!(s.raw(bad.as_bytes()).text().contains("--nothing"));
    assert_eq!(s.raw(&s.request("POST", "/api/compiler/none/compile", &s.token, "{}")).status, 404);
}

/// Requests that are broken, too large or unfinished are each answered, a thousand at once; the server goes on and keeps its memory.
#[test]
fn broken_requests_end_nothing() {
    let s = Served::new(&["--steps", "100000"]);
    let (host, token) = (format!("Host: 127.0.0.1:{}", s.port), s.token.clone());
    let head = |length: &str| format!("POST /api/explain?token={token} HTTP/1.1\r\n{host}\r\n{length}\r\n");
    let broken: Vec<(Vec<u8>, u16)> = vec![
        (b"\x16\x03\x01\x02\x00\x01\x00".to_vec(), 400),
        (b"GET".to_vec(), 400),
        (b"hello\r\n\r\n".to_vec(), 400),
        (format!("GET / HTTP/1.1\r\n{}", "a: b\r\n".repeat(20_000)).into_bytes(), 431),
        (format!("GET /{} HTTP/1.1\r\n", "x".repeat(40_000)).into_bytes(), 431),
        (head("Content-Length: 99999999999999999999999999\r\n").into_bytes(), 413),
        (head("Content-Length: 1000000\r\n").into_bytes(), 413),
        (head("Content-Length: -1\r\n").into_bytes(), 400),
        (head("Transfer-Encoding: chunked\r\n").into_bytes(), 411),
        ([head("Content-Length: 50\r\n").as_bytes(), b"{\"source\":"].concat(), 400),
        (s.request("POST", "/api/explain", &token, "{\"source\": 1}"), 400),
        (s.request("POST", "/api/run", &token, "\u{0}\u{fffd}"), 400),
        (s.request("POST", "/api/render", &token, &"[".repeat(100_000)), 400),
        (s.request("POST", "/api/compiler/gcn-gfx8/compile", &token, "{\"source\": null}"), 400),
        (s.request("POST", "/api/explain", &token, "{\"unknown\": 1}"), 400),
        // A shader that is wrong is an answer.
        (
            s.request(
                "POST",
                "/api/explain",
                &token,
                &json!({"source": "fn main( {", "lang": "wgsl", "target": "gcn"}).to_string(),
            ),
            200,
        ),
        (s.request("POST", "/api/explain", &token, &json!({"source": "", "lang": "nothing"}).to_string()), 200),
        (
            s.request(
                "POST",
                "/api/render",
                &token,
                &json!({"source": "((((".repeat(5000), "lang": "wgsl"}).to_string(),
            ),
            200,
        ),
        (
            s.request("POST", "/api/render", &token, &json!({"source": "format = [[[[", "lang": "scene"}).to_string()),
            200,
        ),
        (
            s.request(
                "POST",
                "/api/run",
                &token,
                &json!({"source": DOUBLE, "lang": "wgsl", "target": "nothing"}).to_string(),
            ),
            200,
        ),
    ];
    let all = |n: usize| {
        // All connections are open before the first answer is read.
        let mut open = Vec::new();
        for k in 0..n {
            let (bytes, status) = &broken[k % broken.len()];
            let mut c = s.connect();
            let _ = c.write_all(bytes);
            let _ = c.shutdown(std::net::Shutdown::Write);
            open.push((c, *status, k));
        }
        for (c, status, k) in open {
            let a = read(c);
            assert_eq!(a.status, status, "request {}: {}", k % broken.len(), a.text());
        }
    };
    all(2 * broken.len());
    let before = s.memory();
    all(1000);
    let after = s.memory();
    assert!(after < before + (64 << 20), "{before} bytes became {after}");
    // One that says nothing holds up nobody.
    let silent = s.connect();
    let got = s.post(
        "/api/run",
        &json!({"source": DOUBLE, "lang": "wgsl", "target": "interp", "buffers": ["0:0=u32:1,2,3,4"]}),
    );
    assert_eq!(got["code"], 0, "{got}");
    drop(silent);
}

/// What is wrong with the command line, and a port that is taken.
#[test]
fn what_cannot_be_served() {
    let f = Scratch::new("serve-wrong");
    expect(&["serve", &f.path("none.wgsl")], 2, "none.wgsl");
    expect(&["serve", &f.write("a.wgsl", [0xff, 0xfe])], 1, "UTF-8");
    expect(&["serve", &f.write("a.spv", [3, 2, 35, 7])], 2, "binary");
    expect(&["serve", "--port", "99999"], 2, "99999");
    let s = Served::new(&[]);
    expect(&["serve", "--port", &s.port.to_string()], 2, "cannot listen");
}
