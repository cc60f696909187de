//! Typed indices and the two maps keyed by them.
//!
//! An [`Arena`] owns entities and hands out their indices; a [`SecondaryMap`] holds facts about entities that something
//! else owns and reads as the default where nothing was stored. Neither ever hashes, so iteration order is index order.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A typed index. Made by [`entity!`](macro@crate::entity).
pub trait Entity: Copy + Eq + Ord + fmt::Debug {
    /// The entity with this index.
    fn new(index: usize) -> Self;
    /// The position in the owning arena.
    fn index(self) -> usize;
}

/// Declares an index newtype that prints as a prefix and a number.
#[macro_export]
macro_rules! entity {
    ($(#[$m:meta])* $name:ident, $prefix:literal) => {
        $(#[$m])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);
        impl $crate::entity::Entity for $name {
            fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("fewer than 2^32 entities"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }
        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(self, f)
            }
        }
    };
}

/// A dense map that owns its entities.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Arena<K, V> {
    items: Vec<V>,
    key: PhantomData<fn(K) -> K>,
}

impl<K: Entity, V> Arena<K, V> {
    /// An arena without any entity.
    pub fn new() -> Self {
        Self { items: Vec::new(), key: PhantomData }
    }
    /// Makes room for `n` more entities at once.
    pub fn reserve(&mut self, n: usize) {
        self.items.reserve(n);
    }
    /// Stores `value` and returns its index.
    pub fn push(&mut self, value: V) -> K {
        let k = K::new(self.items.len());
        self.items.push(value);
        k
    }
    /// The index that the next [`push`](Self::push) returns.
    pub fn next_key(&self) -> K {
        K::new(self.items.len())
    }
    /// How many entities there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// The entity, if the index is in range.
    pub fn get(&self, k: K) -> Option<&V> {
        self.items.get(k.index())
    }
    /// All indices in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator + use<K, V> {
        (0..self.items.len()).map(K::new)
    }
    /// All entities in order.
    pub fn values(&self) -> std::slice::Iter<'_, V> {
        self.items.iter()
    }
    /// All entities in order, mutable.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, V> {
        self.items.iter_mut()
    }
    /// Indices and entities in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> {
        self.items.iter().enumerate().map(|(i, v)| (K::new(i), v))
    }
    /// Indices and entities in order, mutable.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (K, &mut V)> {
        self.items.iter_mut().enumerate().map(|(i, v)| (K::new(i), v))
    }
}

impl<K: Entity, V> Default for Arena<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Entity, V> Index<K> for Arena<K, V> {
    type Output = V;
    #[track_caller]
    fn index(&self, k: K) -> &V {
        &self.items[k.index()]
    }
}

impl<K: Entity, V> IndexMut<K> for Arena<K, V> {
    #[track_caller]
    fn index_mut(&mut self, k: K) -> &mut V {
        &mut self.items[k.index()]
    }
}

impl<K: Entity, V: fmt::Debug> fmt::Debug for Arena<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// A dense map of facts about entities owned elsewhere; absent entries read as the default.
#[derive(Clone)]
pub struct SecondaryMap<K, V> {
    items: Vec<V>,
    default: V,
    key: PhantomData<fn(K) -> K>,
}

impl<K: Entity, V: Clone> SecondaryMap<K, V> {
    /// An empty map whose absent entries read as `default`.
    pub fn with_default(default: V) -> Self {
        Self { items: Vec::new(), default, key: PhantomData }
    }
    /// Whether nothing was ever stored.
    pub fn is_unset(&self) -> bool {
        self.items.is_empty()
    }
    /// Makes room for the first `n` entities at once.
    pub fn reserve(&mut self, n: usize) {
        self.items.reserve(n.saturating_sub(self.items.len()));
    }
    /// Stores a fact about `k`.
    pub fn set(&mut self, k: K, v: V) {
        self[k] = v;
    }
    /// Removes all facts; every entity has the default again.
    pub fn clear(&mut self) {
        self.items.clear();
    }
}

impl<K: Entity, V: Clone + Default> SecondaryMap<K, V> {
    /// An empty map whose absent entries read as `V::default()`.
    pub fn new() -> Self {
        Self::with_default(V::default())
    }
}

impl<K: Entity, V: Clone + Default> Default for SecondaryMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Entity, V> Index<K> for SecondaryMap<K, V> {
    type Output = V;
    fn index(&self, k: K) -> &V {
        self.items.get(k.index()).unwrap_or(&self.default)
    }
}

impl<K: Entity, V: Clone> IndexMut<K> for SecondaryMap<K, V> {
    fn index_mut(&mut self, k: K) -> &mut V {
        if k.index() >= self.items.len() {
            self.grow(k.index());
        }
        &mut self.items[k.index()]
    }
}

impl<K, V: Clone> SecondaryMap<K, V> {
    /// Makes a place for the entity of an index, and places for as many again where there is room: most maps are filled in order.
    #[cold]
    fn grow(&mut self, index: usize) {
        // A map that one entity makes large again and again is how passes get slow.
        if index > self.items.len() + 64 {
            crate::trace::work((index - self.items.len()) as u64);
        }
        let few = (2 * index).max(16);
        if index >= self.items.capacity() {
            self.items.reserve(few.max(index + 1) - self.items.len());
        }
        let n = (index + 1).max(self.items.capacity().min(few));
        self.items.resize(n, self.default.clone());
    }
}

impl<K: Entity, V: fmt::Debug> fmt::Debug for SecondaryMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.items.iter().enumerate().map(|(i, v)| (K::new(i), v))).finish()
    }
}

/// A dense set of entities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntitySet<K> {
    bits: fixedbitset::FixedBitSet,
    key: PhantomData<fn(K) -> K>,
}

impl<K: Entity> EntitySet<K> {
    /// The set without any member.
    pub fn new() -> Self {
        Self { bits: fixedbitset::FixedBitSet::new(), key: PhantomData }
    }
    /// The empty set, with room for the first `n` entities.
    pub fn with_room(n: usize) -> Self {
        Self { bits: fixedbitset::FixedBitSet::with_capacity(n), key: PhantomData }
    }
    /// Adds an entity; true if it was not there before.
    pub fn insert(&mut self, k: K) -> bool {
        if k.index() > self.bits.len() + 4096 {
            crate::trace::work(((k.index() - self.bits.len()) / 64) as u64);
        }
        self.bits.grow(k.index() + 1);
        !self.bits.put(k.index())
    }
    /// Removes an entity; true if it was there.
    pub fn remove(&mut self, k: K) -> bool {
        let had = self.contains(k);
        if had {
            self.bits.set(k.index(), false);
        }
        had
    }
    /// Whether the entity is a member.
    pub fn contains(&self, k: K) -> bool {
        self.bits.contains(k.index())
    }
    /// Adds all members of `other`; true if that changed anything.
    pub fn union_with(&mut self, other: &Self) -> bool {
        crate::trace::work((other.bits.len() / 64) as u64);
        self.bits.grow(other.bits.len());
        let mut more = 0;
        for (mine, theirs) in self.bits.as_mut_slice().iter_mut().zip(other.bits.as_slice()) {
            more |= theirs & !*mine;
            *mine |= theirs;
        }
        more != 0
    }
    /// Adds the members of `other` that are not in `without`; true if that changed anything.
    pub fn union_without(&mut self, other: &Self, without: &Self) -> bool {
        crate::trace::work((other.bits.len() / 64) as u64);
        self.bits.grow(other.bits.len());
        let mut more = 0;
        let rest = without.bits.as_slice().iter().chain(std::iter::repeat(&0));
        for ((mine, theirs), without) in self.bits.as_mut_slice().iter_mut().zip(other.bits.as_slice()).zip(rest) {
            let new = theirs & !without & !*mine;
            more |= new;
            *mine |= new;
        }
        more != 0
    }
    /// Removes all members of `other`.
    pub fn subtract(&mut self, other: &Self) {
        self.bits.difference_with(&other.bits);
    }
    /// The members in index order.
    pub fn iter(&self) -> impl Iterator<Item = K> + '_ {
        self.bits.ones().map(K::new)
    }
    /// Adds all of a list.
    pub fn extend_from(&mut self, list: &[K]) {
        for &k in list {
            self.insert(k);
        }
    }
    /// Number of entities in the set.
    pub fn count(&self) -> usize {
        self.bits.count_ones(..)
    }
    /// Removes all members, and keeps the room.
    pub fn clear(&mut self) {
        crate::trace::work((self.bits.len() / 64) as u64);
        self.bits.clear();
    }
}

impl<K: Entity> Default for EntitySet<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Entity> Extend<K> for EntitySet<K> {
    fn extend<I: IntoIterator<Item = K>>(&mut self, list: I) {
        list.into_iter().for_each(|k| {
            self.insert(k);
        });
    }
}

impl<K: Entity> FromIterator<K> for EntitySet<K> {
    fn from_iter<T: IntoIterator<Item = K>>(iter: T) -> Self {
        let mut s = Self::new();
        for k in iter {
            s.insert(k);
        }
        s
    }
}
