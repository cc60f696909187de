//! Lists keyed by entities, all in one piece of memory.
//!
//! A vector for each key costs an allocation each and lies anywhere; a function of a hundred thousand instructions has
//! tens of thousands of blocks, so predecessors, uses and the like come as one of these.

use crate::entity::Entity;
use std::marker::PhantomData;
use std::ops::Index;

/// A list of `V` for every `K`, made at once. Keys that were never named have an empty one.
#[derive(Clone, Debug)]
pub struct CsrLists<K, V> {
    /// Where the list of each key begins; one more than there are keys.
    starts: Vec<u32>,
    items: Vec<V>,
    key: PhantomData<fn(K) -> K>,
}

impl<K: Entity, V: Copy> CsrLists<K, V> {
    /// Sorts pairs by their key; each list keeps the order of the pairs.
    ///
    /// # Panics
    /// From 2^32 pairs on.
    pub fn new(pairs: &[(K, V)]) -> Self {
        let keys = pairs.iter().map(|p| p.0.index() + 1).max().unwrap_or(0);
        let mut starts = vec![0_u32; keys + 1];
        for (k, _) in pairs {
            starts[k.index()] += 1;
        }
        // Ends first; filling from the back leaves each at its start.
        let mut sum = 0_u32;
        for s in &mut starts {
            sum = sum.checked_add(*s).expect("fewer than 2^32 pairs");
            *s = sum;
        }
        let mut items: Vec<V> = pairs.iter().map(|p| p.1).collect();
        for &(k, v) in pairs.iter().rev() {
            let at = &mut starts[k.index()];
            *at -= 1;
            items[*at as usize] = v;
        }
        CsrLists { starts, items, key: PhantomData }
    }

    /// The lists of keys below `keys` of whatever `walk` hands out, which it does twice alike: once to be counted, once to be
    /// stored.
    ///
    /// # Panics
    /// From 2^32 items on, and at a key that is not below.
    pub fn gather(keys: usize, nothing: V, walk: impl Fn(&mut dyn FnMut(K, V))) -> Self {
        let mut starts = vec![0_u32; keys + 1];
        let mut sum = 0_usize;
        walk(&mut |k, _| {
            starts[k.index()] += 1;
            sum += 1;
        });
        assert!(u32::try_from(sum).is_ok(), "fewer than 2^32 items");
        // Ends of what is in front first; storing leaves each at its own end, which is where the next begins.
        let mut at = 0;
        for s in &mut starts {
            at += std::mem::replace(s, at);
        }
        let mut items = vec![nothing; sum];
        walk(&mut |k, v| {
            let at = &mut starts[k.index()];
            items[*at as usize] = v;
            *at += 1;
        });
        starts.rotate_right(1);
        starts[0] = 0;
        CsrLists { starts, items, key: PhantomData }
    }

    /// No list yet, with room for so many of them and so many items in all.
    pub fn with_room(keys: usize, items: usize) -> Self {
        let mut starts = Vec::with_capacity(keys + 1);
        starts.push(0);
        CsrLists { starts, items: Vec::with_capacity(items), key: PhantomData }
    }

    /// Appends the list of the next key: for lists that are made in the order of their keys.
    pub fn push(&mut self, list: impl IntoIterator<Item = V>) {
        self.items.extend(list);
        self.starts.push(u32::try_from(self.items.len()).expect("fewer than 2^32 entries"));
    }
}

impl<K, V> Default for CsrLists<K, V> {
    fn default() -> Self {
        CsrLists { starts: vec![0], items: Vec::new(), key: PhantomData }
    }
}

impl<K: Entity, V> Index<K> for CsrLists<K, V> {
    type Output = [V];
    fn index(&self, k: K) -> &[V] {
        match self.starts.get(k.index()..k.index() + 2) {
            Some(&[from, to]) => &self.items[from as usize..to as usize],
            _ => &[],
        }
    }
}
