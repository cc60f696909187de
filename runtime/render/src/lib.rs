//! Frames: a scene with its shaders compiled, checked and run.
//!
//! ```text
//! scene, resources -> Shaders::load -> interface::check -> Programs::new(place) -> frame::run -> resources
//! ```
//!
//! [`shaders`] lowers each entry point that a pipeline names, once for each set of constants. [`interface`] applies
//! what of WebGPU's validation needs compiled modules. [`place`] makes programs of them for the oracle or for a machine, and
//! [`frame`] runs the passes in order. [`compare`] runs them again on the oracle and looks at what came out.

pub mod compare;
mod error;
pub mod frame;
pub mod interface;
pub mod loose;
pub mod place;
mod reflect;
pub mod shaders;
mod surroundings;
pub mod used;

pub use error::{Failure, Source};
pub use frame::Report;
pub use place::{Lowering, Place, Programs};
pub use shaders::{Reading, Shaders};

use gpucc_scene::{Resources, SceneError, SceneFile};

/// A scene that is ready to run: read, checked, with the first contents of its resources and its shaders lowered.
#[derive(Debug)]
pub struct PreparedScene {
    /// The scene with its place.
    pub file: SceneFile,
    /// Textures and buffers with their first contents.
    pub resources: Resources,
    /// The shaders of its pipelines.
    pub shaders: Shaders,
}

impl PreparedScene {
    /// Checks a scene, loads its resources and lowers its shaders.
    ///
    /// # Errors
    /// The first thing that is wrong with the scene, what the compiler says of a shader.
    pub fn new(file: SceneFile) -> Result<PreparedScene, Failure> {
        PreparedScene::read(file, &Reading::default())
    }

    /// As [`PreparedScene::new`], with options from outside of the scene.
    ///
    /// # Errors
    /// As [`PreparedScene::new`]; an override that no shader has.
    pub fn read(file: SceneFile, reading: &Reading) -> Result<PreparedScene, Failure> {
        let named = |e: SceneError| file.locate(e);
        // A file that is not there is told before what else is wrong: nothing helps it.
        for (name, shader) in file.scene.shaders.iter() {
            if matches!(shader, gpucc_scene::model::Shader::File(path) if !file.folder.join(path).exists()) {
                file.shader(name)?;
            }
        }
        gpucc_scene::check::scene(&file.scene).map_err(named)?;
        let resources = file.resources().map_err(named)?;
        gpucc_scene::check::loaded(&file.scene, &resources).map_err(named)?;
        let shaders = Shaders::read(&file, reading)?;
        PreparedScene::checked(file, resources, shaders)
    }

    /// The same of the scene of a shader alone. SPIR-V may have its bindings elsewhere than that scene: they are bound there,
    /// uniform buffers to the frame, textures to the channels in their order.
    ///
    /// # Errors
    /// As [`PreparedScene::new`].
    pub fn alone(mut file: SceneFile, reading: &Reading) -> Result<PreparedScene, Failure> {
        let shaders = Shaders::read(&file, reading)?;
        reflect::bind(&mut file.scene, &shaders).map_err(|e| file.locate(e))?;
        PreparedScene::read(file, reading)
    }

    fn checked(file: SceneFile, resources: Resources, shaders: Shaders) -> Result<PreparedScene, Failure> {
        let named = |e: SceneError| file.locate(e);
        interface::check(&file.scene, &resources, &shaders).map_err(named)?;
        Ok(PreparedScene { file, resources, shaders })
    }
}
