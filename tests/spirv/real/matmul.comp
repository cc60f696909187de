#version 450
// A tiled product of matrices through workgroup memory, with an edge that no tile fills.
layout(constant_id = 0) const uint SIZE = 16;
layout(constant_id = 1) const uint TILE = 4;
layout(local_size_x_id = 0) in;
layout(push_constant) uniform P { uint m; uint n; uint k; uint second; float alpha; } p;
layout(std430, binding = 0) writeonly buffer O { float o[]; };
layout(std430, binding = 1) readonly buffer A { float a[]; };
shared float x[TILE][TILE], y[TILE][TILE];
void main() {
    uint t = gl_LocalInvocationID.x, across = (p.n + TILE - 1u) / TILE, down = (p.m + TILE - 1u) / TILE;
    uvec2 in_tile = uvec2(t % TILE, t / TILE);
    bool works = t < TILE * TILE;
    for (uint tile = gl_WorkGroupID.x; tile < across * down; tile += gl_NumWorkGroups.x) {
        uvec2 at = uvec2(tile % across, tile / across) * TILE + in_tile;
        float sum = 0.0;
        for (uint base = 0u; base < p.k; base += TILE) {
            if (works) {
                uint c = base + in_tile.x, r = base + in_tile.y;
                x[in_tile.y][in_tile.x] = at.y < p.m && c < p.k ? a[at.y * p.k + c] : 0.0;
                y[in_tile.y][in_tile.x] = r < p.k && at.x < p.n ? a[p.second + r * p.n + at.x] : 0.0;
            }
            barrier();
            if (works) { for (uint j = 0u; j < TILE; ++j) { sum += x[in_tile.y][j] * y[j][in_tile.x]; } }
            barrier();
        }
        if (works && at.y < p.m && at.x < p.n) { o[at.y * p.n + at.x] = sum * p.alpha; }
    }
}
