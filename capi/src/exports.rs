//! Functions of C: their declarations, and the end of objects that C was given.

/// Takes an object of C's back, and drops it.
///
/// # Safety
/// It is null, or the library made it by [`Box::into_raw`] and nobody uses it any more.
pub(crate) unsafe fn free<T>(object: *mut T) {
    if !object.is_null() {
        // SAFETY: as the caller says.
        drop(unsafe { Box::from_raw(object) });
    }
}

/// Declares functions of C.
macro_rules! exports {
    ($(fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? $body:block)*) => {$(
        #[doc = concat!("`", stringify!($name), "` of the header.")]
        ///
        /// # Safety
        /// Pointers are as `gpucc.h` says.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($arg: $ty),*) $(-> $ret)? {
            // SAFETY: as the caller says.
            unsafe { $body }
        }
    )*};
}
pub(crate) use exports;
