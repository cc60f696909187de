//! Private data: numbers that an application keeps at objects.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ash::vk;

use crate::handles::handles;

/// A slot: a number for each object that was given one, by the object's type and handle. A handle of another type may have the same bits.
#[derive(Debug, Default)]
pub struct Slot(Mutex<BTreeMap<(i32, u64), u64>>);

impl Slot {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<(i32, u64), u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives an object a number.
    pub fn set(&self, ty: vk::ObjectType, object: u64, number: u64) {
        self.lock().insert((ty.as_raw(), object), number);
    }

    /// The number of an object; 0 if it was given none.
    pub fn get(&self, ty: vk::ObjectType, object: u64) -> u64 {
        self.lock().get(&(ty.as_raw(), object)).copied().unwrap_or(0)
    }
}

handles! {
    vk::PrivateDataSlot => Slot, "private data slot";
}
