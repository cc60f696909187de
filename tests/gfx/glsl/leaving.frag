#version 450
#extension GL_EXT_samplerless_texture_functions : require

layout(set = 0, binding = 0) uniform texture2D tiles;
layout(location = 0) out vec4 colour;

// Without a way back.
void leave() { discard; }

// With one of two.
float half_of(int x) {
    if ((x & 1) != 0) { discard; } else { return float(x) * 0.03; }
}

// From a loop that does not end without it.
int steps(int x) {
    int k = 0;
    while (true) {
        if (k * k > x) break;
        if (k == 3) {
            if (x == 11) discard;
            if (x > 12) return k + 10;
            if (x == 10) continue;
        }
        k++;
        if (x == 10 && k == 3) leave();
    }
    return k;
}

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    vec4 tile = texelFetch(tiles, at, 0);
    float sum = float(steps(at.x)) * 0.05;
    if (at.y == 5) leave();
    if (at.y == 6) sum += half_of(at.x);
    colour = vec4(sum, tile.xy * 0.5, 1.0);
}
