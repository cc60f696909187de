#version 450
// Runs for each sample, as it asks for its place: so does the position of the fragment, in even columns.
layout(location = 0) out uvec4 result;
void main() {
    vec2 at = (int(gl_FragCoord.x) & 1) == 0 ? fract(gl_FragCoord.xy) : gl_SamplePosition;
    uvec2 parts = uvec2(at * 16.0);
    result = uvec4(parts.x + 16u * parts.y, 0, 0, 0);
}
