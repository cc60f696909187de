#version 450
#extension GL_EXT_demote_to_helper_invocation : require

layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput tiles;
layout(location = 0) out vec4 colour;

float tile() { return subpassLoad(tiles).x; }

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    float outside = gl_HelperInvocation ? 1.0 : 0.0;
    float edge = abs(dFdxFine(outside)) + abs(dFdyFine(outside)) * 0.5;
    if ((at.x + at.y * 3) % 7 == 0) demote;
    float gone = helperInvocationEXT() ? 1.0 : 0.0;
    colour = vec4(edge * 0.6, abs(dFdxFine(gone)) * 0.5 + abs(dFdyFine(gone)) * 0.25, tile(), 1.0);
}
