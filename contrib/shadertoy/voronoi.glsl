#version 300 es
// Cells of moving points with the distance to their borders, as a text for another viewer has it: with a version and uniforms of its own.
//   gpucc render contrib/shadertoy/voronoi.glsl -o voronoi.png --time 4
precision highp float;
uniform vec3 iResolution;
uniform float iTime;

vec2 hash(ivec2 c) {
    uint n = uint(c.x) * 1597334673u ^ uint(c.y) * 3812015801u;
    n = (n ^ (n >> 15u)) * 2246822519u;
    return vec2(float(n & 0xffffu), float(n >> 16u)) / 65536.0;
}

vec2 point(ivec2 c) { return 0.5 + 0.4 * sin(iTime * 0.8 + 6.2831 * hash(c)); }

void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    vec2 p = fragCoord / iResolution.y * 6.0;
    ivec2 own = ivec2(floor(p)), best = ivec2(0);
    vec2 f = fract(p), toward = vec2(0.0);
    float least = 8.0;
    for (int k = 0; k < 9; k++) {
        ivec2 g = ivec2(k % 3, k / 3) - 1;
        vec2 r = vec2(g) + point(own + g) - f;
        float d = dot(r, r);
        if (d < least) { least = d; toward = r; best = g; }
    }
    float border = 8.0;
    for (int k = 0; k < 25; k++) {
        ivec2 g = best + ivec2(k % 5, k / 5) - 2;
        vec2 r = vec2(g) + point(own + g) - f;
        if (dot(toward - r, toward - r) > 0.00001) border = min(border, dot(0.5 * (toward + r), normalize(r - toward)));
    }
    vec3 tint = 0.55 + 0.35 * cos(6.28 * hash(own + best).x + vec3(0.0, 0.9, 2.0));
    vec3 col = tint * (0.55 + 0.5 * smoothstep(0.0, 0.5, border)) * (1.0 - 0.5 * least);
    col = mix(vec3(0.07, 0.05, 0.1), col, smoothstep(0.02, 0.02 + fwidth(p.y) * 1.5, border));
    fragColor = vec4(col, 1.0);
}
