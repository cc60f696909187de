// Buffer A: height (x) and the height before it (y) of water into which drops fall.
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    ivec2 at = ivec2(fragCoord), last = ivec2(iResolution.xy) - 1;
    vec4 own = texelFetch(iChannel0, at, 0);
    float around = texelFetch(iChannel0, clamp(at + ivec2(1, 0), ivec2(0), last), 0).x
                 + texelFetch(iChannel0, clamp(at - ivec2(1, 0), ivec2(0), last), 0).x
                 + texelFetch(iChannel0, clamp(at + ivec2(0, 1), ivec2(0), last), 0).x
                 + texelFetch(iChannel0, clamp(at - ivec2(0, 1), ivec2(0), last), 0).x;
    float next = (2.0 * own.x - own.y + SPEED * (around - 4.0 * own.x)) * LOSS;
    if (iFrame % 12 == 0) {
        float d = length(fragCoord - drop(float(iFrame / 12)) * iResolution.xy) / iResolution.y;
        next -= 0.3 * smoothstep(0.06, 0.0, d);
    }
    fragColor = vec4(next, own.x, 0.0, 1.0);
}
