#version 450
// Each pixel keeps the samples of its number.
layout(location = 0) out uvec4 result;
void main() {
    int k = int(gl_FragCoord.x) + 4 * int(gl_FragCoord.y);
    gl_SampleMask[0] = k & gl_SampleMaskIn[0];
    result = uvec4(k + 16, 0, 0, 0);
}
