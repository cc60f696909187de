//! What all requests share, and their turns.

use std::sync::{Condvar, Mutex, PoisonError};

use super::http::Request;
use super::start::Start;

/// What all requests share.
pub struct Server {
    pub(super) token: String,
    pub(super) port: u16,
    /// The text that the page begins with.
    pub(super) start: Start,
    /// Steps of a run or a picture.
    pub(super) steps: u64,
    /// Requests that may work now.
    pub(super) free: Mutex<usize>,
    pub(super) freed: Condvar,
}

/// The right to work, given back when it is dropped.
pub(super) struct Turn<'a>(&'a Server);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.freed.notify_one();
    }
}

impl Server {
    /// Waits for a turn.
    pub(super) fn turn(&self) -> Turn<'_> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            free = self.freed.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
        Turn(self)
    }

    /// Whether a request is from somebody who was told the address. A name that leads here by a trick of DNS is none of ours.
    pub(super) fn is_allowed(&self, request: &Request) -> bool {
        let host = request.header("host").unwrap_or_default();
        let named = ["127.0.0.1", "localhost"].iter().any(|h| host == format!("{h}:{}", self.port));
        let given = request.parameter("token").or_else(|| request.header("x-token")).unwrap_or_default();
        // Every byte is compared: how long it takes tells nothing.
        let differ = given.bytes().zip(self.token.bytes()).fold(0, |d, (a, b)| d | (a ^ b));
        named && given.len() == self.token.len() && differ == 0
    }
}
