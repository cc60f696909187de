enable wgpu_per_vertex;
// What each vertex gave, and the shares of the vertices, as `corners.frag` has them: text may ask for shares of one kind in an entry point.
struct In {
    @builtin(position) at: vec4f,
    @builtin(barycentric) shares: vec3f,
    @location(0) @interpolate(per_vertex) number: array<u32, 3>,
    @location(3) @interpolate(per_vertex) place: array<vec2f, 3>,
}
struct Out { @location(0) picture: vec4u, @location(1) last: vec4u }
fn rounded(v: vec3f) -> vec3u { return vec3u(v + 0.5); }
@fragment fn in_space(v: In) -> Out {
    var number = v.number;
    var place = v.place;
    let k = u32(v.at.x) % 3u;
    let last = vec4u(rounded(200.0 * v.shares), u32(place[k].x + place[k].y));
    return Out(vec4u(number[0], number[1], number[2], number[k]), last);
}
@fragment fn on_screen(
    @builtin(barycentric_no_perspective) shares: vec3f,
    @location(1) @interpolate(per_vertex) column: array<f32, 3>,
) -> @location(0) vec4u {
    var sum = 0.0;
    for (var i = 0; i < 3; i++) { sum += shares[i] * column[i]; }
    return vec4u(rounded(8.0 * shares), u32(sum + 0.5));
}
