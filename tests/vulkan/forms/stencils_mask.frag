#version 450
#extension GL_ARB_shader_stencil_export : require
// Stencil values beside a mask.
layout(location = 0) out uvec4 picture;
void main() {
    gl_FragStencilRefARB = int(gl_FragCoord.y);
    gl_SampleMask[0] = (int(gl_FragCoord.x) & 1) == 0 ? 1 : 0;
    picture = uvec4(1);
}
