#version 450
#extension GL_ARB_shader_stencil_export : require
// Stencil values, of which 8 bits count, beside a depth.
layout(location = 0) out uvec4 picture;
void main() {
    gl_FragStencilRefARB = 256 + int(gl_FragCoord.y);
    gl_FragDepth = 0.25;
    picture = uvec4(1);
}
