//! HTTP/1.1 as far as a page of this machine needs it: one request a connection, with limits of time and size.
//!
//! A few threads take connections from a queue. No thread waits longer than [`PATIENCE`] for a request, so that clients that
//! say nothing hold up nobody for long.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Bytes of a request line with its headers.
const HEAD: usize = 16 << 10;
/// Bytes of a body.
pub const BODY: usize = 512 << 10;
/// Headers of a request.
const HEADERS: usize = 64;
/// Seconds that a request may take to arrive, and its answer to leave.
const PATIENCE: Duration = Duration::from_secs(10);
/// Connections that wait; more are told to come later.
const WAITING: usize = 4096;

/// A request that arrived whole.
#[derive(Debug, Default)]
pub struct Request {
    /// `GET`, `POST` and so on.
    pub method: String,
    /// The path without what follows `?`.
    pub path: String,
    /// The query: what follows `?`.
    pub query: String,
    /// Names in small letters, and values.
    pub headers: Vec<(String, String)>,
    /// The bytes of the body.
    pub body: Vec<u8>,
}

impl Request {
    /// The value of a header, by its name in small letters.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|h| h.0 == name).map(|h| h.1.as_str())
    }

    /// The value of a parameter of the query, as it stands there.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.query.split('&').filter_map(|p| p.split_once('=')).find(|p| p.0 == name).map(|p| p.1)
    }
}

/// An answer to a request.
#[derive(Debug)]
pub struct Reply {
    /// 200 and so on.
    pub status: u16,
    /// The type of the body.
    pub kind: &'static str,
    /// The bytes of the body.
    pub body: Vec<u8>,
}

impl Reply {
    /// A sentence as plain text.
    pub fn text(status: u16, text: impl Into<String>) -> Reply {
        Reply { status, kind: "text/plain; charset=utf-8", body: text.into().into_bytes() }
    }
}

/// The words beside a status.
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        411 => "Length Required",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Internal Server Error",
    }
}

/// Connections that no thread took yet.
#[derive(Default)]
struct Queue {
    list: Mutex<VecDeque<TcpStream>>,
    come: Condvar,
}

impl Queue {
    /// Puts a connection at the end; gives it back where too many wait.
    fn put(&self, stream: TcpStream) -> Result<(), TcpStream> {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        if list.len() >= WAITING {
            return Err(stream);
        }
        list.push_back(stream);
        self.come.notify_one();
        Ok(())
    }

    fn take(&self) -> TcpStream {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match list.pop_front() {
                Some(stream) => return stream,
                None => list = self.come.wait(list).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

/// Answers requests for ever, on so many threads with stacks of so many bytes. `begin` runs on each thread before its first one.
///
/// # Errors
/// No thread can be started.
pub fn serve(
    listener: &TcpListener,
    (threads, stack): (usize, usize),
    begin: &(dyn Fn() + Sync),
    answer: &(dyn Fn(&Request) -> Reply + Sync),
) -> std::io::Result<()> {
    let queue = Queue::default();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, || {
                begin();
                loop {
                    one(queue.take(), answer);
                }
            })?;
        }
        loop {
            match listener.accept() {
                Ok((stream, _)) => {
                    if let Err(mut stream) = queue.put(stream) {
                        let _ = stream.set_write_timeout(Some(Duration::from_millis(100)));
                        let _ = write(&mut stream, &Reply::text(503, "too many requests wait; try again\n"));
                    }
                }
                // Too many files are open, or the client is gone already: later ones may be taken.
                Err(_) => std::thread::sleep(Duration::from_millis(20)),
            }
        }
    })
}

/// Reads a request and answers it. Whatever is wrong with the connection ends it alone.
fn one(mut stream: TcpStream, answer: &dyn Fn(&Request) -> Reply) {
    let _ = stream.set_nodelay(true);
    let reply = match request(&mut stream) {
        Ok(Some(request)) => answer(&request),
        // Nothing was asked.
        Ok(None) => return,
        Err(reply) => reply,
    };
    if write(&mut stream, &reply).is_err() {
        return;
    }
    // What the client still sends is read, or the system would throw the answer away.
    let _ = stream.shutdown(Shutdown::Write);
    let _ = stream.set_read_timeout(Some(Duration::from_millis(500)));
    let mut rest = 4 * BODY;
    let mut buffer = [0; 4096];
    while let Ok(n) = stream.read(&mut buffer) {
        if n == 0 || rest < n {
            break;
        }
        rest -= n;
    }
}

fn write(stream: &mut TcpStream, reply: &Reply) -> std::io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    // Nothing is loaded from elsewhere, nobody else may show the page, and its address, which holds the token, stays here.
    let head = format!(
        "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nContent-Security-Policy: default-src 'none'; \
         script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'\r\n\r\n",
        reply.status,
        reason(reply.status),
        reply.kind,
        reply.body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(&reply.body)?;
    stream.flush()
}

/// More bytes of a request until a moment.
fn more(stream: &mut TcpStream, data: &mut Vec<u8>, until: Instant) -> Result<usize, Reply> {
    let late = || Reply::text(408, "the request did not arrive in time\n");
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
        return Err(late());
    }
    let mut buffer = [0; 16 << 10];
    loop {
        match stream.read(&mut buffer) {
            Ok(n) => {
                data.extend_from_slice(&buffer[..n]);
                return Ok(n);
            }
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => return Err(late()),
            Err(_) => return Ok(0),
        }
    }
}

/// The head of a request and its length in bytes; `None` where it is not whole yet.
fn head(data: &[u8]) -> Result<Option<(Request, usize)>, Reply> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    let size = match parsed.parse(data) {
        Ok(httparse::Status::Complete(size)) => size,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(Reply::text(431, "there are too many headers\n")),
        Err(e) => return Err(Reply::text(400, format!("this is no request of HTTP/1.1: {e}\n"))),
    };
    let (path, query) = parsed.path.map_or(("", ""), |p| p.split_once('?').unwrap_or((p, "")));
    let of =
        |h: &httparse::Header<'_>| (h.name.to_ascii_lowercase(), String::from_utf8_lossy(h.value).trim().to_string());
    let request = Request {
        method: parsed.method.unwrap_or_default().into(),
        path: path.into(),
        query: query.into(),
        headers: parsed.headers.iter().map(of).collect(),
        body: Vec::new(),
    };
    Ok(Some((request, size)))
}

/// The next request; `None` where the client closed before it said anything.
fn request(stream: &mut TcpStream) -> Result<Option<Request>, Reply> {
    let until = Instant::now() + PATIENCE;
    let mut data = Vec::new();
    let (mut request, size) = loop {
        if more(stream, &mut data, until)? == 0 {
            return if data.is_empty() { Ok(None) } else { Err(Reply::text(400, "the request ends in its head\n")) };
        }
        match head(&data)? {
            Some(done) => break done,
            None if data.len() > HEAD => return Err(Reply::text(431, "the head of the request is too long\n")),
            None => {}
        }
    };
    if request.header("transfer-encoding").is_some() {
        return Err(Reply::text(411, "give the length of the body: Content-Length\n"));
    }
    let length = match request.header("content-length") {
        None => 0,
        Some(n) if !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()) => n.parse().unwrap_or(usize::MAX),
        Some(_) => return Err(Reply::text(400, "Content-Length is no number\n")),
    };
    if length > BODY {
        return Err(Reply::text(413, format!("a request has {} KiB at most\n", BODY >> 10)));
    }
    if request.header("expect").is_some_and(|e| e.eq_ignore_ascii_case("100-continue")) {
        let _ = stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n");
    }
    let mut body = data.split_off(size);
    while body.len() < length {
        if more(stream, &mut body, until)? == 0 {
            return Err(Reply::text(400, "the request ends in its body\n"));
        }
    }
    body.truncate(length);
    request.body = body;
    Ok(Some(request))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads() {
        let text = b"POST /api/run?token=ab&x= HTTP/1.1\r\nHost: 127.0.0.1:1\r\nCONTENT-LENGTH:  3 \r\n\r\nabc";
        let (r, size) = head(text).ok().flatten().expect("a whole head");
        assert_eq!((r.method.as_str(), r.path.as_str(), r.parameter("token")), ("POST", "/api/run", Some("ab")));
        assert_eq!((r.parameter("x"), r.parameter("y"), r.header("content-length")), (Some(""), None, Some("3")));
        assert_eq!(&text[size..], b"abc");
        assert!(head(&text[..40]).is_ok_and(|h| h.is_none()));
        for wrong in [&b"\x00\x01"[..], b"GET / HTTP/9\r\n\r\n", b"GET / HTTP/1.1\r\nno colon\r\n\r\n"] {
            assert_eq!(head(wrong).map_err(|r| r.status).err(), Some(400), "{wrong:?}");
        }
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(HEADERS + 1));
        assert_eq!(head(many.as_bytes()).map_err(|r| r.status).err(), Some(431));
    }
}
