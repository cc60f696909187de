//! Why a call does not do what it was asked.

use std::fmt;

use ash::vk;

/// The outcome of a call.
pub type Done<T = ()> = Result<T, Fail>;

/// The code that the application gets, and the sentence that the log and messengers get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fail {
    /// The code that the call returns.
    pub code: vk::Result,
    /// The sentence for the log.
    pub text: String,
}

impl Fail {
    /// A failure with a code.
    pub fn new(code: vk::Result, text: impl Into<String>) -> Fail {
        Fail { code, text: text.into() }
    }

    /// A fault of the application: a rule of Vulkan's was noticed to be broken.
    pub fn misuse(text: impl Into<String>) -> Fail {
        Fail::new(vk::Result::ERROR_VALIDATION_FAILED_EXT, text)
    }

    /// A feature that the device does not have.
    pub fn lacks(text: impl Into<String>) -> Fail {
        Fail::new(vk::Result::ERROR_FEATURE_NOT_PRESENT, text)
    }

    /// A shader module that breaks SPIR-V's rules, or stages that do not fit each other.
    pub fn shader(text: impl Into<String>) -> Fail {
        Fail::new(vk::Result::ERROR_INITIALIZATION_FAILED, text)
    }

    /// A failure for want of device memory.
    pub fn memory(text: impl Into<String>) -> Fail {
        Fail::new(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY, text)
    }

    /// A fault of this driver.
    pub fn bug(text: impl Into<String>) -> Fail {
        Fail::new(vk::Result::ERROR_UNKNOWN, text)
    }
}

impl fmt::Display for Fail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Fail {}
