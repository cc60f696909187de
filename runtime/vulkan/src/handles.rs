//! Handles, and the objects that they name.
//!
//! A handle that is not dispatchable is a number: its kind, how often its place was used, and the place in a table. So any number that an
//! application gives is looked up safely: a destroyed object, one of another kind and one of another device are told apart from a live
//! one. Dispatchable handles are addresses of a word that the loader writes to; they are looked up by their address.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use ash::vk::Handle;

use crate::fail::{Done, Fail};

/// A kind of handle.
pub trait Named: Handle + Copy {
    /// The type of the objects.
    type Object: Send + Sync + 'static;
    /// The kind in messages.
    const WORD: &'static str;
    /// The objects that live.
    fn table() -> &'static Table<Self::Object>;
}

/// The objects of a kind.
#[derive(Debug)]
pub struct Table<T>(RwLock<Places<T>>);

#[derive(Debug)]
struct Places<T> {
    list: Vec<Place<T>>,
    free: Vec<u32>,
}

#[derive(Debug)]
struct Place<T> {
    uses: u32,
    /// The device that made it, by its handle, and the object.
    object: Option<(u64, Arc<T>)>,
}

/// The bits of a use count in a handle.
const USES: u32 = (1 << 24) - 1;

impl<T> Table<T> {
    /// A table without objects.
    pub const fn new() -> Table<T> {
        Table(RwLock::new(Places { list: Vec::new(), free: Vec::new() }))
    }

    fn read(&self) -> RwLockReadGuard<'_, Places<T>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Places<T>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table::new()
    }
}

impl<T> Places<T> {
    /// The place that a handle names, if its object lives.
    fn find(&self, kind: u8, raw: u64) -> Option<usize> {
        let at = (raw as u32).checked_sub(1)? as usize;
        let place = self.list.get(at)?;
        let same = raw >> 56 == u64::from(kind) && (raw >> 32) as u32 & USES == place.uses & USES;
        (same && place.object.is_some()).then_some(at)
    }
}

/// A number of the kind, for the upper bits of handles.
fn kind<H: Named>() -> u8 {
    H::TYPE.as_raw() as u8
}

/// Registers an object of a device.
pub fn add<H: Named>(owner: u64, object: H::Object) -> H {
    share(owner, Arc::new(object))
}

/// Registers an object of a device that others have too.
pub fn share<H: Named>(owner: u64, object: Arc<H::Object>) -> H {
    let mut places = H::table().write();
    let at = places.free.pop().unwrap_or_else(|| {
        places.list.push(Place { uses: 0, object: None });
        places.list.len() as u32 - 1
    });
    let place = &mut places.list[at as usize];
    place.uses = place.uses.wrapping_add(1);
    place.object = Some((owner, object));
    H::from_raw(u64::from(kind::<H>()) << 56 | u64::from(place.uses & USES) << 32 | u64::from(at + 1))
}

/// The object of a handle of a device.
///
/// # Errors
/// The handle is null, names nothing that lives, or belongs to another device.
pub fn get<H: Named>(owner: u64, handle: H) -> Done<Arc<H::Object>> {
    let raw = handle.as_raw();
    let places = H::table().read();
    let found = places.find(kind::<H>(), raw).and_then(|at| places.list[at].object.as_ref());
    match found {
        Some((own, object)) if *own == owner => Ok(object.clone()),
        Some(_) => Err(Fail::misuse(format!("the {} {raw:#x} belongs to another device", H::WORD))),
        None if raw == 0 => Err(Fail::misuse(format!("a {} is required, and the handle is null", H::WORD))),
        None => Err(Fail::misuse(format!("the {} {raw:#x} does not exist: it was destroyed, or never made", H::WORD))),
    }
}

/// The object of a handle that may be null.
///
/// # Errors
/// As [`get`], but for null.
pub fn get_some<H: Named>(owner: u64, handle: H) -> Done<Option<Arc<H::Object>>> {
    if handle.is_null() { Ok(None) } else { get(owner, handle).map(Some) }
}

/// Takes an object out of the table. Who holds it still keeps it. A null handle is none.
///
/// # Errors
/// As [`get_some`].
pub fn remove<H: Named>(owner: u64, handle: H) -> Done<Option<Arc<H::Object>>> {
    let Some(_) = get_some(owner, handle)? else { return Ok(None) };
    let mut places = H::table().write();
    let Some(at) = places.find(kind::<H>(), handle.as_raw()) else { return Ok(None) };
    let object = places.list[at].object.take();
    places.free.push(at as u32);
    Ok(object.map(|o| o.1))
}

/// Takes all objects of a device out of the table; gives how many there were.
pub fn purge<H: Named>(owner: u64) -> usize {
    let mut places = H::table().write();
    let Places { list, free } = &mut *places;
    let mut gone = 0;
    for (at, place) in list.iter_mut().enumerate() {
        if place.object.as_ref().is_some_and(|o| o.0 == owner) {
            place.object = None;
            free.push(at as u32);
            gone += 1;
        }
    }
    gone
}

/// The word that begins every dispatchable object before the loader writes its own there.
const LOADER_MAGIC: usize = 0x01CD_C0DE;

/// The word of a dispatchable object. The loader writes it by its address.
#[derive(Debug)]
#[expect(dead_code, reason = "the loader reads and writes it")]
struct Word(AtomicUsize);

/// The words and objects of a kind, by the address of the word.
type Objects<T> = BTreeMap<u64, (Box<Word>, Arc<T>)>;

/// The dispatchable objects of a kind, by the address of their word.
#[derive(Debug)]
pub struct Addresses<T>(RwLock<Objects<T>>);

/// A kind of dispatchable handle.
pub trait Dispatchable: Handle + Copy {
    /// The type of the objects.
    type Object: Send + Sync + 'static;
    /// The kind in messages.
    const WORD: &'static str;
    /// The objects that live.
    fn addresses() -> &'static Addresses<Self::Object>;
}

impl<T> Addresses<T> {
    /// A table without objects.
    pub const fn new() -> Addresses<T> {
        Addresses(RwLock::new(BTreeMap::new()))
    }
}

impl<T> Default for Addresses<T> {
    fn default() -> Addresses<T> {
        Addresses::new()
    }
}

/// Registers a dispatchable object, which gets its own handle.
pub fn open<H: Dispatchable>(make: impl FnOnce(H) -> H::Object) -> H {
    let word = Box::new(Word(AtomicUsize::new(LOADER_MAGIC)));
    let handle = H::from_raw(std::ptr::from_ref(&*word) as u64);
    let object = Arc::new(make(handle));
    let mut all = H::addresses().0.write().unwrap_or_else(PoisonError::into_inner);
    all.insert(handle.as_raw(), (word, object));
    handle
}

/// The object of a dispatchable handle.
///
/// # Errors
/// Null, or no such object lives.
pub fn at<H: Dispatchable>(handle: H) -> Done<Arc<H::Object>> {
    let raw = handle.as_raw();
    let all = H::addresses().0.read().unwrap_or_else(PoisonError::into_inner);
    let found = all.get(&raw).map(|o| o.1.clone());
    found.ok_or_else(|| Fail::misuse(format!("the {} {raw:#x} does not exist", H::WORD)))
}

/// The handles of all objects that meet a condition.
pub fn all<H: Dispatchable>(is: impl Fn(&H::Object) -> bool) -> Vec<H> {
    let all = H::addresses().0.read().unwrap_or_else(PoisonError::into_inner);
    all.iter().filter(|(_, o)| is(&o.1)).map(|(&raw, _)| H::from_raw(raw)).collect()
}

/// Takes a dispatchable object out of the table; its word is freed.
pub fn close<H: Dispatchable>(handle: H) -> Option<Arc<H::Object>> {
    let mut all = H::addresses().0.write().unwrap_or_else(PoisonError::into_inner);
    all.remove(&handle.as_raw()).map(|o| o.1)
}

/// Declares what handles name.
macro_rules! handles {
    ($($handle:ty => $object:ty, $word:literal;)*) => { $(
        impl $crate::handles::Named for $handle {
            type Object = $object;
            const WORD: &'static str = $word;
            fn table() -> &'static $crate::handles::Table<$object> {
                static TABLE: $crate::handles::Table<$object> = $crate::handles::Table::new();
                &TABLE
            }
        }
    )* };
    (dispatchable $($handle:ty => $object:ty, $word:literal;)*) => { $(
        impl $crate::handles::Dispatchable for $handle {
            type Object = $object;
            const WORD: &'static str = $word;
            fn addresses() -> &'static $crate::handles::Addresses<$object> {
                static TABLE: $crate::handles::Addresses<$object> = $crate::handles::Addresses::new();
                &TABLE
            }
        }
    )* };
}

pub(crate) use handles;
