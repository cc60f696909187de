// Buffer A: cells that live (x), from noise in channel 1.
int cell(ivec2 at) {
    ivec2 size = ivec2(iResolution.xy) / 4;
    return int(texelFetch(iChannel0, (at + size) % size, 0).x > 0.5);
}

void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    ivec2 at = ivec2(fragCoord);
    ivec2 size = ivec2(iResolution.xy) / 4;
    if (at.x >= size.x || at.y >= size.y) { fragColor = vec4(0.0); return; }
    if (iFrame == 0) {
        fragColor = vec4(step(0.62, texelFetch(iChannel1, at & 63, 0).x));
        return;
    }
    int n = 0;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            if (x != 0 || y != 0) n += cell(at + ivec2(x, y));
    bool lives = n == 3 || (n == 2 && cell(at) == 1);
    fragColor = vec4(lives ? 1.0 : 0.0);
}
