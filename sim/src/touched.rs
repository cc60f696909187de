//! Who touched memory: of each word of an allocation the workgroup that stored to it, or those that loaded it.
//!
//! Contract: it is asked for allocations that all workgroups share, while workgroups run that may have come in any order. Where no workgroup
//! meets what another one stored, and none stores to what another one loaded or stored, their order shows in nothing. Words decide:
//! workgroups that share one count as if they shared its bytes. What it says too much costs time, and never a result.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

/// Words of a page.
const PAGE: usize = 1024;

/// Bytes of a word.
const WORD: usize = 4;

/// Several workgroups loaded it.
const SEVERAL: u32 = u32::MAX - 1;

/// Workgroups whose numbers fit a mark.
pub(crate) const MOST_GROUPS: u64 = 1 << 30;

/// The mark of a word: 0, or whose it is and whether it was stored to.
fn mark(group: u32, stored: bool) -> u32 {
    (group + 1) << 1 | u32::from(stored)
}

/// Whether a mark says that somebody stored.
fn is_stored(mark: u32) -> bool {
    mark & 1 == 1
}

type Page = Box<[AtomicU32; PAGE]>;

/// The marks of an allocation. A load has no more than a reference to memory, hence the atomics: one thread uses them at a time.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    pages: Vec<OnceLock<Page>>,
    /// Workgroups met.
    met: AtomicBool,
    /// Somebody asked whether any byte of it was stored to.
    asked: AtomicBool,
}

impl Clone for Touched {
    fn clone(&self) -> Touched {
        let page = |p: &OnceLock<Page>| {
            let own = OnceLock::new();
            if let Some(p) = p.get() {
                let _ = own.set(Box::new(std::array::from_fn(|k| AtomicU32::new(p[k].load(Relaxed)))));
            }
            own
        };
        Touched {
            pages: self.pages.iter().map(page).collect(),
            met: AtomicBool::new(self.met.load(Relaxed)),
            asked: AtomicBool::new(self.asked.load(Relaxed)),
        }
    }
}

impl Touched {
    /// Marks of so many bytes, of which none is touched.
    pub fn new(bytes: usize) -> Touched {
        let mut pages = Vec::new();
        pages.resize_with(bytes.div_ceil(WORD * PAGE), OnceLock::new);
        Touched { pages, ..Touched::default() }
    }

    fn words(&self, range: Range<usize>, mut each: impl FnMut(&AtomicU32)) {
        for word in range.start / WORD..range.end.div_ceil(WORD) {
            if let Some(page) = self.pages.get(word / PAGE) {
                let page = page.get_or_init(|| Box::new([const { AtomicU32::new(0) }; PAGE]));
                each(&page[word % PAGE]);
            }
        }
    }

    /// A workgroup loads these bytes.
    #[inline]
    pub fn load(&self, range: Range<usize>, group: u32) {
        let own = mark(group, false);
        self.words(range, |word| match word.load(Relaxed) {
            old if old | 1 == own | 1 || old == SEVERAL => {}
            0 => word.store(own, Relaxed),
            old if is_stored(old) => self.meet(),
            _ => word.store(SEVERAL, Relaxed),
        });
    }

    /// A workgroup stores to these bytes.
    #[inline]
    pub fn store(&self, range: Range<usize>, group: u32) {
        let own = mark(group, true);
        self.words(range, |word| match word.load(Relaxed) {
            old if old == own => {}
            old if old == 0 || old | 1 == own => word.store(own, Relaxed),
            _ => self.meet(),
        });
    }

    /// The order of workgroups shows.
    #[cold]
    pub fn meet(&self) {
        self.met.store(true, Relaxed);
    }

    /// Something hangs on whether any byte was stored to.
    pub fn ask(&self) {
        self.asked.store(true, Relaxed);
    }

    /// Whether workgroups met in this allocation.
    pub fn has_met(&self) -> bool {
        self.met.load(Relaxed)
    }

    fn page(&self, at: usize) -> Option<&Page> {
        self.pages.get(at).and_then(OnceLock::get)
    }

    /// Whether workgroups meet that ran with different marks of one allocation.
    pub fn meet_in(all: &[&Touched]) -> bool {
        let any_stored = || {
            let words = all.iter().flat_map(|t| &t.pages).filter_map(OnceLock::get).flat_map(|p| p.iter());
            words.into_iter().any(|w| is_stored(w.load(Relaxed)))
        };
        if all.iter().any(|t| t.has_met()) || all.iter().any(|t| t.asked.load(Relaxed)) && any_stored() {
            return true;
        }
        let pages = all.first().map_or(0, |t| t.pages.len());
        (0..pages).any(|at| {
            let own: Vec<&Page> = all.iter().filter_map(|t| t.page(at)).collect();
            own.len() > 1
                && (0..PAGE).any(|k| {
                    let marks = own.iter().map(|p| p[k].load(Relaxed)).filter(|m| *m != 0);
                    let (n, stored) = marks.fold((0, false), |(n, s), m| (n + 1, s | is_stored(m)));
                    n > 1 && stored
                })
        })
    }

    /// Copies the words that were stored to.
    pub fn copy(&self, from: &[u8], to: &mut [u8]) {
        for (at, page) in self.pages.iter().enumerate().filter_map(|(at, p)| Some((at * PAGE, p.get()?))) {
            for (k, _) in page.iter().enumerate().filter(|(_, word)| is_stored(word.load(Relaxed))) {
                let start = (at + k) * WORD;
                let range = start..(start + WORD).min(to.len());
                to[range.clone()].copy_from_slice(&from[range]);
            }
        }
    }
}
