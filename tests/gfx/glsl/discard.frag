#version 450

layout(set = 0, binding = 0) uniform sampler2D tiles;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 colour;
void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    if ((pixel.x * 3 + pixel.y) % 5 < 2) discard;
    colour = texture(tiles, uv * 1.5);
}
