//! GLSL of all versions by the reference compiler; without it the tests say that they are skipped.
