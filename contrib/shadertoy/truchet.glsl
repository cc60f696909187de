// Arcs on tiles that are turned by chance; the mouse moves the plane.
//   gpucc render contrib/shadertoy/truchet.glsl -o truchet.png --time 2 --mouse 200,100

// Of whole numbers, so that it is the same on every chip: a hash made of a sine is another one on each.
float hash(vec2 p) {
    uint n = uint(int(p.x)) * 1597334673u ^ uint(int(p.y)) * 3812015801u;
    n = (n ^ n >> 15) * 747796405u;
    return float(n >> 8) / 16777216.0;
}

void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    vec2 p = (fragCoord + iMouse.xy * 0.5) / iResolution.y * 9.0 + vec2(0.4, 0.2) * iTime;
    vec2 cell = floor(p), f = fract(p) - 0.5;
    if (hash(cell + 7.0) > 0.5) f.x = -f.x;
    vec2 corner = f.x + f.y > 0.0 ? vec2(0.5) : vec2(-0.5);
    vec2 q = f - corner;
    float d = abs(length(q) - 0.5), w = length(fwidth(p)) * 0.7;
    float along = atan(q.y, q.x) * 6.0 / 1.5708;
    float parity = mod(cell.x + cell.y, 2.0) < 1.0 ? 1.0 : -1.0;
    vec3 back = mix(vec3(0.93, 0.9, 0.82), vec3(0.86, 0.82, 0.74), mod(cell.x + cell.y, 2.0));
    float shade = 1.0 - 0.35 * smoothstep(0.28, 0.1, d);
    float bead = 0.5 + 0.5 * sin(along * 6.2831 * 0.5 + parity * iTime * 4.0);
    vec3 rope = mix(vec3(0.75, 0.22, 0.2), vec3(0.2, 0.32, 0.55), bead) * (1.0 - 2.2 * d);
    vec3 col = mix(rope, back * shade, smoothstep(0.16 - w, 0.16 + w, d));
    fragColor = vec4(col, 1.0);
}
