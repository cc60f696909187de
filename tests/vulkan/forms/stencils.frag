#version 450
#extension GL_ARB_shader_stencil_export : require
// Stencil values alone.
layout(location = 0) out uvec4 picture;
void main() {
    gl_FragStencilRefARB = int(gl_FragCoord.x);
    picture = uvec4(1);
}
