#version 450
// Inputs elsewhere in the pixel, where some lanes alone ask for them.
layout(location = 0) in float near;
layout(location = 1) noperspective in vec2 b;
layout(location = 0) out uvec4 c;
void main() {
    vec2 by = vec2(-0.5, 0.25);
    float far = 0.0;
    if ((int(gl_FragCoord.x) & 1) == 1) far = interpolateAtOffset(near, by);
    else if (int(gl_FragCoord.y) < 9) far = interpolateAtOffset(near, by.xy);
    c = uvec4(round(vec3(far * 16.0, interpolateAtOffset(b, by).x, interpolateAtCentroid(b.x))), 1u);
}
