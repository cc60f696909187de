#version 450
// As text: the number of the sample makes it run for each, and moves the position there.
layout(location = 0) out uvec4 result;
void main() {
    uvec2 parts = uvec2(fract(gl_FragCoord.xy) * 16.0) + uvec2(gl_SampleID, 0);
    result = uvec4(parts.x + 16u * parts.y - uint(gl_SampleID), 0, 0, 0);
}
