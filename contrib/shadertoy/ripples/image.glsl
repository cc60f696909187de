// Rings of drops on water, which buffer A remembers from frame to frame.
//   gpucc render contrib/shadertoy/ripples/image.glsl --buffer A=contrib/shadertoy/ripples/a.glsl --common contrib/shadertoy/ripples/common.glsl --channel 0=A --channel A.0=A --skip 60 -o ripples.png
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    vec2 uv = fragCoord / iResolution.xy, e = 1.0 / iResolution.xy;
    float x = texture(iChannel0, uv + vec2(e.x, 0.0)).x - texture(iChannel0, uv - vec2(e.x, 0.0)).x;
    float y = texture(iChannel0, uv + vec2(0.0, e.y)).x - texture(iChannel0, uv - vec2(0.0, e.y)).x;
    vec3 n = normalize(vec3(-x, -y, 0.12));
    vec2 tile = uv * vec2(iResolution.x / iResolution.y, 1.0) * 8.0 + n.xy * 0.8;
    float odd = mod(floor(tile.x) + floor(tile.y), 2.0);
    vec3 floor_colour = mix(vec3(0.12, 0.42, 0.5), vec3(0.2, 0.56, 0.6), odd);
    float light = max(dot(n, normalize(vec3(0.4, 0.5, 0.8))), 0.0);
    vec3 col = floor_colour * (0.4 + 0.8 * light) + vec3(1.0, 0.95, 0.85) * pow(max(dot(reflect(vec3(0, 0, -1), n), normalize(vec3(0.3, 0.4, 0.85))), 0.0), 40.0);
    fragColor = vec4(col, 1.0);
}
