#version 450
#extension GL_ARB_shader_stencil_export : require
// Stencil values beside a depth and a mask.
layout(location = 0) out uvec4 picture;
void main() {
    gl_FragStencilRefARB = int(gl_FragCoord.y) + 1;
    gl_FragDepth = 0.125 * floor(gl_FragCoord.x);
    gl_SampleMask[0] = gl_FragCoord.y > 1.0 ? 1 : 0;
    picture = uvec4(1);
}
