#version 450
// Of pixels with one sample: its number, an input at it, the mask of what is covered, and one that leaves every second pixel out, whatever its other bits are.
layout(location = 0) sample in float along;
layout(location = 0) out uvec4 c;
void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    c = uvec4(gl_SampleID + 5, uint(along + 0.5), at.y, gl_SampleMaskIn[0]);
    gl_SampleMask[0] = ((at.x + at.y) & 1) | 6;
}
