// Buffer B: a trail of what lived (its own last frame in channel 1, the cells in channel 0).
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    float now = texelFetch(iChannel0, ivec2(fragCoord), 0).x;
    vec3 before = texelFetch(iChannel1, ivec2(fragCoord), 0).rgb;
    fragColor = vec4(max(vec3(now), before * vec3(0.90, 0.80, 0.97)), 1.0);
}
