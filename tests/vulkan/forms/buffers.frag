#version 450
// An array of uniform buffers and one of storage buffers, by an index of the pixel.
layout(binding = 0) uniform Words { uvec4 word; } words[3];
layout(binding = 1, std430) readonly buffer More { uint word[]; } more[2];
layout(push_constant) uniform Push { uint which; } push;
layout(location = 0) out uvec4 result;
void main() {
    uint x = uint(gl_FragCoord.x);
    result = uvec4(words[push.which].word.x, words[2].word.y, more[1].word[x], more[0].word.length());
}
