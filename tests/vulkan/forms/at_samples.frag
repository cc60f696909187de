#version 450
// Inputs at samples that the pixel chooses, over w and linear; the program runs once for each pixel.
layout(location = 0) in float near;
layout(location = 1) noperspective in vec2 b;
layout(location = 0) out uvec4 c;
void main() {
    int k = int(gl_FragCoord.x);
    float twice = interpolateAtSample(near, k);
    if (k > 1) twice += interpolateAtSample(near, 3 - k);
    c = uvec4(round(vec4(interpolateAtSample(near, k) * 20.0, interpolateAtSample(b.x, k) * 8.0, interpolateAtSample(near, 2) * 20.0, twice * 10.0)));
}
