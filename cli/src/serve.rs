//! `gpucc serve`: a playground for browsers on this machine.
//!
//! ```text
//! connection -> http (limits of time and size) -> token -> api: the command `explain`, `run` or `render`, its streams kept -> JSON
//! ```
//!
//! The server listens on 127.0.0.1 alone. Its address holds a token that no other page and no other user knows. A request runs one
//! command on the text that it brings; what that says comes back as JSON, and a compiler bug is an answer like any other.

mod api;
mod http;
mod server;
mod start;

use std::hash::{BuildHasher, Hasher};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Condvar, Mutex};

use crate::args::Serve;
use crate::{FRONT_END_ROOM, Failure, STACK, files};
use http::{Reply, Request};
pub use server::Server;

/// The page; all that it needs is in it.
const PAGE: &str = include_str!("serve/page.html");

/// Threads that read requests. Those that work are fewer.
const THREADS: usize = 8;

impl Server {
    /// The answer to a request.
    fn answer(&self, request: &Request) -> Reply {
        if !self.is_allowed(request) {
            return Reply::text(403, "the address that `gpucc serve` printed holds a token; this request does not\n");
        }
        match (request.method.as_str(), request.path.as_str()) {
            ("GET", "/") => Reply { status: 200, kind: "text/html; charset=utf-8", body: PAGE.into() },
            ("GET", path) => api::asked(self, path).unwrap_or_else(lost),
            ("POST", path) => match api::work(path) {
                Some(work) => {
                    let _turn = self.turn();
                    work.answer(self, request)
                }
                None => lost(),
            },
            _ => Reply::text(405, "there are GET and POST\n"),
        }
    }
}

fn lost() -> Reply {
    Reply::text(404, "there is no such place; docs/command-line.md lists what there is\n")
}

/// 128 bits that nobody can guess, as text: keys of the system's own source, which the hasher of maps gives no other way.
fn token() -> String {
    let word = || std::collections::hash_map::RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", word(), word())
}

/// `gpucc serve [INPUT]`. Ends when it is stopped.
///
/// # Errors
/// The input cannot be read, or the port is taken.
pub fn main(args: &Serve) -> Result<(), Failure> {
    let start = start::Start::read(args.input.as_deref())?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port.unwrap_or(0)));
    let io = |e: std::io::Error| Failure::Io(format!("cannot listen on port {}: {e}", args.port.unwrap_or(0)));
    let listener = listener.map_err(io)?;
    let port = listener.local_addr().map_err(io)?.port();
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let jobs = args.jobs.map_or(cores, std::num::NonZero::get).min(THREADS);
    let server =
        Server { token: token(), port, start, steps: args.steps, free: Mutex::new(jobs), freed: Condvar::new() };
    files::stdout(format!("http://127.0.0.1:{port}/?token={}\n", server.token).as_bytes())?;
    let begin = || gpucc::frontend::promise_room(FRONT_END_ROOM);
    let answer = |request: &Request| {
        let done = gpucc::guarded("a request", || Ok(server.answer(request)));
        done.unwrap_or_else(|bug| Reply::text(500, format!("{bug}\n")))
    };
    http::serve(&listener, (THREADS, STACK), &begin, &answer)
        .map_err(|e| Failure::Io(format!("cannot start a thread: {e}")))
}
