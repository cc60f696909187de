// The game of life with trails: cells in buffer A, what they leave in buffer B.
//   gpucc render contrib/shadertoy/life/image.glsl --buffer A=contrib/shadertoy/life/a.glsl --buffer B=contrib/shadertoy/life/b.glsl --channel A.0=A --channel A.1=noise --channel B.0=A --channel B.1=B --channel 0=B --channel 1=keyboard --skip 40 -o life.png
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    vec3 trail = texelFetch(iChannel0, ivec2(fragCoord) / 4, 0).rgb;
    vec2 p = fract(fragCoord / 4.0) - 0.5;
    float dot_shape = smoothstep(0.75, 0.35, length(p));
    vec3 col = vec3(0.03, 0.04, 0.08) + trail * trail * vec3(0.9, 0.75, 1.0) * dot_shape;
    // The space bar turns colours around.
    if (texelFetch(iChannel1, ivec2(32, 0), 0).x > 0.5) col = 1.0 - col;
    fragColor = vec4(col, 1.0);
}
