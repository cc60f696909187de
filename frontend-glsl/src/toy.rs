//! Bodies as ShaderToy has them: a function `mainImage` and no `main`.

use crate::{old, words};

/// In front of a body: its uniforms are those of a fragment shader alone (docs/scene-format.md), its channels that one's textures.
const BEFORE: &str = "\
#version 450
layout(location = 0) out vec4 gpucc_colour;
layout(set = 0, binding = 0) uniform Frame {
    vec3 iResolution; float iTime; vec4 iMouse; float iTimeDelta; int iFrame; vec2 gpucc_pad; vec4 iDate;
};
layout(set = 0, binding = 1) uniform sampler gpucc_sampler;
layout(set = 0, binding = 2) uniform texture2D gpucc_channel0;
layout(set = 0, binding = 3) uniform texture2D gpucc_channel1;
layout(set = 0, binding = 4) uniform texture2D gpucc_channel2;
layout(set = 0, binding = 5) uniform texture2D gpucc_channel3;
#define iChannel0 sampler2D(gpucc_channel0, gpucc_sampler)
#define iChannel1 sampler2D(gpucc_channel1, gpucc_sampler)
#define iChannel2 sampler2D(gpucc_channel2, gpucc_sampler)
#define iChannel3 sampler2D(gpucc_channel3, gpucc_sampler)
#define iChannelTime float[4](iTime, iTime, iTime, iTime)
#define iFrameRate 60.0
#define iSampleRate 44100.0
#define iChannelResolution vec3[4](vec3(textureSize(iChannel0, 0), 1.0), vec3(textureSize(iChannel1, 0), 1.0), vec3(textureSize(iChannel2, 0), 1.0), vec3(textureSize(iChannel3, 0), 1.0))
";

/// Behind it: `fragCoord` counts from the lower left there, and alpha is not looked at.
const BEHIND: &str = "
void main() {
    vec4 gpucc_out = vec4(0.0, 0.0, 0.0, 1.0);
    mainImage(gpucc_out, vec2(gl_FragCoord.x, iResolution.y - gl_FragCoord.y));
    gpucc_colour = vec4(gpucc_out.rgb, 1.0);
}
";

/// A body with what makes it a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrapped<'a> {
    /// The author's text.
    pub body: &'a str,
}

impl Wrapped<'_> {
    /// Lines in front of the body: its bytes are [`Self::before`]'s length on.
    pub fn before(&self) -> &'static str {
        BEFORE
    }

    /// The complete text.
    pub fn text(&self) -> String {
        format!("{BEFORE}{}{BEHIND}", self.body)
    }

    /// The complete text, in which lines count as the body's.
    pub(crate) fn numbered(&self) -> String {
        let (version, rest) = BEFORE.split_at(BEFORE.find('\n').map_or(0, |end| end + 1));
        let extension = if old::includes(self.body) { old::INCLUDES } else { "" };
        format!("{version}{extension}{rest}#line 1\n{}{BEHIND}", self.body)
    }
}

/// The shader around a body: a text that has `mainImage` and neither `main` nor a version.
pub fn shadertoy(text: &str) -> Option<Wrapped<'_>> {
    if !text.contains("mainImage") || text.trim_start().starts_with("#version") {
        return None;
    }
    let called: Vec<_> = words::all(text).into_iter().filter(|w| words::is_called(text, w.end)).collect();
    let has = |name: &str| called.iter().any(|w| &text[w.clone()] == name);
    (has("mainImage") && !has("main")).then_some(Wrapped { body: text })
}
