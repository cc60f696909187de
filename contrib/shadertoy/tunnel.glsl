// A tunnel by polar coordinates, lined with the noise of channel 0.
//   gpucc render contrib/shadertoy/tunnel.glsl -o tunnel.png --time 1 --channel 0=noise256

void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;
    p += 0.25 * vec2(cos(iTime * 0.7), sin(iTime * 0.9));
    float r = length(p), a = atan(p.y, p.x) / 6.2831853;
    vec2 uv = vec2(0.35 / r + 0.4 * iTime, a * 2.0);
    // The seam at a half turn has a slope of its own: slopes are taken of the part that has none.
    vec2 dx = dFdx(p), dy = dFdy(p);
    float size = max(length(dx), length(dy)) * (0.35 / (r * r) + 0.1);
    vec3 stone = textureLod(iChannel0, uv * 0.25, log2(max(size * 64.0, 1.0))).rgb;
    float grey = dot(stone, vec3(0.35, 0.4, 0.25));
    float ring = smoothstep(0.04, 0.1, abs(fract(uv.x * 2.0) - 0.5)) * smoothstep(0.02, 0.08, abs(fract(uv.y * 6.0) - 0.5));
    vec3 col = mix(vec3(0.05, 0.07, 0.12), vec3(0.9, 0.55, 0.3) * (0.4 + 0.8 * grey), ring);
    col *= clamp(r * 1.6, 0.0, 1.0);
    col += vec3(0.5, 0.7, 1.0) * 0.02 / (r + 0.03);
    fragColor = vec4(pow(col, vec3(0.6)), 1.0);
}
