//! The driver's settings, which are variables of the environment.

use std::path::PathBuf;
use std::sync::OnceLock;

use ash::vk;
use gpucc::Target;

/// Steps after which a dispatch or draw is stopped: minutes on any machine here.
pub const STEPS: u64 = 100_000_000_000;

/// How much is said on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Failures.
    Error,
    /// Also what an application should know.
    Warn,
    /// Also every dispatch, draw and pipeline.
    Info,
}

/// Where a physical device runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chip {
    /// The interpreter of the IR.
    Interp,
    /// The machine of a target.
    Target(Target),
}

impl std::fmt::Display for Chip {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Chip::Interp => f.write_str("interp"),
            Chip::Target(t) => t.fmt(f),
        }
    }
}

/// The settings of the driver, from the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The physical devices in order.
    pub chips: Vec<Chip>,
    /// The version of Vulkan that every device has which can, whatever the engine.
    pub version: Option<u32>,
    /// How much is said.
    pub level: Level,
    /// Whether the oracle does each dispatch and draw again.
    pub oracle: bool,
    /// The folder that dispatches and draws are written to.
    pub dump: Option<PathBuf>,
    /// The folder that presented frames are written to.
    pub frames: Option<PathBuf>,
    /// The file that gets a line for each lost device and each difference.
    pub verdicts: Option<PathBuf>,
    /// The file that gets a line for each dispatch and each draw that the oracle was asked about.
    pub compared: Option<PathBuf>,
    /// Steps after which a dispatch or draw that still runs loses the device.
    pub steps: u64,
    /// Faults of the settings themselves.
    pub faults: Vec<String>,
}

/// The families in the order in which devices are listed where nothing is said; others come behind them.
const ORDER: [&str; 4] = ["gcn", "valhall", "tesla", "vivante"];

/// The default generation of every family.
fn every_family() -> Vec<Chip> {
    let others = gpucc::backends().iter().map(|b| b.family()).filter(|f| !ORDER.contains(f));
    ORDER.into_iter().chain(others).filter_map(|f| Target::parse(f).ok()).map(Chip::Target).collect()
}

/// Reads a list of targets, `interp` among them.
///
/// # Errors
/// A sentence that lists what there is.
pub fn chips(text: &str) -> Result<Vec<Chip>, String> {
    let mut list = Vec::new();
    for item in text.split(',').map(str::trim).filter(|i| !i.is_empty()) {
        let found = if item == "interp" {
            vec![Chip::Interp]
        } else {
            Target::parse_list(item)?.into_iter().map(Chip::Target).collect()
        };
        for chip in found {
            if !list.contains(&chip) {
                list.push(chip);
            }
        }
    }
    if list.is_empty() { Err("no target is named".into()) } else { Ok(list) }
}

impl Settings {
    /// The settings of variables, which `get` looks up by name.
    pub fn read(get: impl Fn(&str) -> Option<String>) -> Settings {
        let mut faults = Vec::new();
        let chips = match get("GPUCC_VULKAN_TARGETS").filter(|t| !t.trim().is_empty()) {
            None => every_family(),
            Some(text) => chips(&text).unwrap_or_else(|fault| {
                faults.push(format!("GPUCC_VULKAN_TARGETS: {fault}"));
                Vec::new()
            }),
        };
        let level = match get("GPUCC_VULKAN_LOG").as_deref() {
            None | Some("" | "error") => Level::Error,
            Some("warn") => Level::Warn,
            Some("info") => Level::Info,
            Some(other) => {
                faults.push(format!("GPUCC_VULKAN_LOG: `{other}` is not error, warn or info"));
                Level::Error
            }
        };
        let version = match get("GPUCC_VULKAN_VERSION").as_deref() {
            None | Some("") => None,
            Some("1.1") => Some(vk::API_VERSION_1_1),
            Some("1.2") => Some(vk::API_VERSION_1_2),
            Some("1.3") => Some(vk::API_VERSION_1_3),
            Some(other) => {
                faults.push(format!("GPUCC_VULKAN_VERSION: `{other}` is not 1.1, 1.2 or 1.3"));
                None
            }
        };
        let steps = match get("GPUCC_VULKAN_STEPS").filter(|v| !v.is_empty()) {
            None => STEPS,
            Some(text) => text.parse().unwrap_or_else(|_| {
                faults.push(format!("GPUCC_VULKAN_STEPS: `{text}` is no number of steps"));
                STEPS
            }),
        };
        let folder = |name: &str| get(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        Settings {
            chips,
            version,
            level,
            oracle: get("GPUCC_VULKAN_ORACLE").is_some_and(|v| !v.is_empty() && v != "0"),
            dump: folder("GPUCC_VULKAN_DUMP"),
            frames: folder("GPUCC_VULKAN_FRAMES"),
            verdicts: folder("GPUCC_VULKAN_VERDICTS"),
            compared: folder("GPUCC_VULKAN_COMPARED"),
            steps,
            faults,
        }
    }

    /// Those of this process.
    pub fn get() -> &'static Settings {
        static ONE: OnceLock<Settings> = OnceLock::new();
        ONE.get_or_init(|| Settings::read(|name| std::env::var(name).ok()))
    }
}
