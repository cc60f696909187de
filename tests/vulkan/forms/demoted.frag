#version 450
#extension GL_EXT_demote_to_helper_invocation : require
layout(location = 0) out uvec4 c;
void main() {
    int x = int(gl_FragCoord.x);
    uint before = uint(helperInvocationEXT());
    if ((x & 1) == 1) demote;
    // Lanes that were demoted continue.
    float d = dFdxFine(float(x * x + 3 * x));
    c = uvec4(x, uint(d), before + (helperInvocationEXT() ? 8u : 0u), 1u);
}
