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
        Self::within(pairs.iter().map(|p| p.0.index() + 1).max().unwrap_or(0), pairs)
    }

    /// The same where all keys are known to be below `keys`.
    ///
    /// # Panics
    /// From 2^32 pairs on, and at a key that is not below.
    pub fn within(keys: usize, pairs: &[(K, V)]) -> Self {
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

    /// No list yet, with room for so many of them and so many items in all.
    pub fn with_room(keys: usize, items: usize) -> Self {
        let mut starts = Vec::with_capacity(keys + 1);
        starts.push(0);
        CsrLists { starts, items: Vec::with_capacity(items), key: PhantomData }
    }

    /// Appends the list of the next key: for lists that are made in the order of their keys.
    pub fn push(&mut self, list: impl IntoIterator<Item = V>) {
        self.items.extend(list);
        self.end();
    }

    /// Appends an item to the list of the next key.
    #[inline]
    pub fn add(&mut self, v: V) {
        self.items.push(v);
    }

    /// Ends the list of the next key: what is added from here on belongs to the one behind it.
    #[inline]
    pub fn end(&mut self) {
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
