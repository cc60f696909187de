#version 450
layout(binding = 0, r32ui) readonly uniform uimageBuffer words;
layout(binding = 1, rgba32f) readonly uniform imageBuffer colours;
layout(location = 0) out uvec4 result;
void main() {
    int k = int(gl_FragCoord.x) + 4 * int(gl_FragCoord.y);
    result = uvec4(imageLoad(words, k).x, imageSize(words), uvec2(imageLoad(colours, k & 1).yw));
}
