//! Targets as the command line and the library name them: `family[:generation]`.

use std::fmt;

use gpucc_driver::Backend;
use gpucc_ir::Stage;
use gpucc_opt::Caps;

static BACKENDS: &[&dyn Backend] = &[
    #[cfg(feature = "valhall")]
    &gpucc_valhall::VALHALL,
    #[cfg(feature = "tesla")]
    &gpucc_tesla::TESLA,
    #[cfg(feature = "gcn")]
    &gpucc_gcn::GCN,
    #[cfg(feature = "vivante")]
    &gpucc_vivante::VIVANTE,
];

/// The backends, in the order in which reports list them.
pub fn backends() -> &'static [&'static dyn Backend] {
    BACKENDS
}

/// One generation of one family.
#[derive(Clone, Copy)]
pub struct Target {
    backend: &'static dyn Backend,
    generation: usize,
}

impl Target {
    /// Reads one `family[:generation]`.
    ///
    /// # Errors
    /// A sentence that lists what there is.
    pub fn parse(text: &str) -> Result<Target, String> {
        match Target::parse_list(text)?.as_slice() {
            [one] => Ok(*one),
            _ => Err(format!("`{text}` names several targets where one is wanted")),
        }
    }

    /// Reads a comma list of targets, `all` (each family's default generation) or `all:all` (every generation).
    /// Duplicates are dropped, order is kept.
    ///
    /// # Errors
    /// A sentence that lists what there is.
    pub fn parse_list(text: &str) -> Result<Vec<Target>, String> {
        let mut list: Vec<Target> = Vec::new();
        let mut add = |t: Target| {
            if !list.contains(&t) {
                list.push(t);
            }
        };
        for item in text.split(',').map(str::trim) {
            match item {
                "all" => backends()
                    .iter()
                    .copied()
                    .for_each(|b| add(Target { backend: b, generation: b.default_generation() })),
                "all:all" => backends()
                    .iter()
                    .copied()
                    .flat_map(|b| (0..b.generations().len()).map(move |g| Target { backend: b, generation: g }))
                    .for_each(&mut add),
                _ => {
                    let (family, generation) = item.split_once(':').map_or((item, None), |(f, g)| (f, Some(g)));
                    let backend = backends()
                        .iter()
                        .copied()
                        .find(|b| b.family() == family)
                        .ok_or_else(|| format!("unknown target `{item}`; available: {}", Target::known()))?;
                    match generation {
                        None => add(Target { backend, generation: backend.default_generation() }),
                        Some("all") => {
                            (0..backend.generations().len()).for_each(|g| add(Target { backend, generation: g }));
                        }
                        Some(g) => {
                            let generation = backend.generations().iter().position(|n| *n == g).ok_or_else(|| {
                                format!(
                                    "unknown generation `{g}` of {family}; it has {}",
                                    backend.generations().join(", ")
                                )
                            })?;
                            add(Target { backend, generation });
                        }
                    }
                }
            }
        }
        Ok(list)
    }

    /// All families with their generations, for messages.
    pub fn known() -> String {
        let one = |b: &'static dyn Backend| format!("{} ({})", b.family(), b.generations().join(", "));
        let names: Vec<String> = backends().iter().copied().map(one).collect();
        format!("{}, all, all:all", names.join(", "))
    }

    /// Name of the family, such as `gcn`.
    pub fn family(&self) -> &'static str {
        self.backend.family()
    }

    /// Name of the generation, such as `gfx7`.
    pub fn generation(&self) -> &'static str {
        self.backend.generations()[self.generation]
    }

    /// Index of the generation in its family.
    pub fn generation_index(&self) -> usize {
        self.generation
    }

    /// The facts of the target-independent passes about programs of a stage.
    pub fn caps(&self, stage: Stage) -> Caps {
        self.backend.caps(self.generation, stage)
    }

    /// The backend of the family.
    pub fn backend(&self) -> &'static dyn Backend {
        self.backend
    }
}

impl PartialEq for Target {
    fn eq(&self, o: &Target) -> bool {
        self.family() == o.family() && self.generation == o.generation
    }
}

impl Eq for Target {}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.family(), self.generation())
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
