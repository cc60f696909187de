//! Instances.

use ash::vk::{self, Handle};

use crate::fail::{Done, Fail};
use crate::handles::{self, handles};
use crate::log;
use crate::physical::{self, Physical};
use crate::settings::{Level, Settings};

/// An instance, with its physical devices.
#[derive(Debug)]
pub struct Instance {
    /// Handles of its physical devices.
    pub physical: Vec<vk::PhysicalDevice>,
}

handles! { dispatchable
    vk::Instance => Instance, "instance";
    vk::PhysicalDevice => Physical, "physical device";
}

impl Instance {
    /// Makes an instance with extensions, for an engine by the name that it gives itself.
    ///
    /// # Errors
    /// An extension that there is not, or settings that name no device.
    pub fn open(names: &[&str], engine: &str) -> Done<vk::Instance> {
        let known = |n: &&str| physical::INSTANCE_EXTENSIONS.iter().any(|e| e.0.to_bytes() == n.as_bytes());
        // The loader passes on names of extensions that are its own.
        let surface =
            |n: &&str| n.starts_with("VK_KHR_") && n.ends_with("surface") || *n == "VK_KHR_portability_enumeration";
        if let Some(n) = names.iter().find(|n| !known(n) && !surface(n)) {
            let text = format!("there is no instance extension {n}");
            return Err(Fail::new(vk::Result::ERROR_EXTENSION_NOT_PRESENT, text));
        }
        Ok(handles::open(|instance: vk::Instance| {
            let instance = instance.as_raw();
            let settings = Settings::get();
            let one = |&chip: &_| {
                let version = physical::version(chip, settings.version, engine);
                handles::open(|_| Physical { chip, instance, version })
            };
            Instance { physical: settings.chips.iter().map(one).collect() }
        }))
    }

    /// Tells the faults of the settings.
    pub fn tell_faults(instance: vk::Instance) {
        for fault in &Settings::get().faults {
            log::tell(instance.as_raw(), Level::Error, "vkCreateInstance", fault);
        }
    }

    /// Destroys an instance with its physical devices and messengers. Null is none.
    pub fn close(instance: vk::Instance) {
        let gone = handles::close(instance);
        for p in gone.iter().flat_map(|i| &i.physical) {
            handles::close(*p);
        }
        handles::purge::<vk::SurfaceKHR>(instance.as_raw());
        log::silence(instance.as_raw(), 0);
    }
}
