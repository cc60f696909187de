#version 450
// Specialisation: a size of the workgroup, a size of an array, a branch, arithmetic of constants.
layout(local_size_x_id = 0, local_size_y = 2, local_size_z_id = 9) in;
layout(constant_id = 0) const uint WIDTH = 4u;
layout(constant_id = 1) const int SCALE = -3;
layout(constant_id = 2) const bool FLIP = false;
layout(constant_id = 3) const float BIAS = 0.5;
const uint AREA = WIDTH * 2u + 1u;
const int HALF = (SCALE * 7) / 2 + int(AREA);
const bool BIG = AREA > 12u && !FLIP;
const uvec3 KEY = uvec3(WIDTH, AREA, 7u);
layout(std430, binding = 0) readonly buffer In { float a[]; };
layout(std430, binding = 1) writeonly buffer Out { float o[]; };
shared float tile[AREA];

void main() {
    uint i = gl_LocalInvocationIndex;
    tile[i] = a[i] * float(SCALE);
    if (i == 0u) tile[AREA - 1u] = 1000.0;
    barrier();
    uint j = FLIP ? WIDTH * 2u - 1u - i : i;
    float local[AREA];
    for (uint k = 0u; k < AREA; k++) local[k] = tile[k] + BIAS;
    o[i] = local[j];
    if (i == 0u) {
        o[32] = float(HALF);
        o[33] = BIG ? 1.0 : 2.0;
        o[34] = float(KEY.y * 10u + KEY.x);
        o[35] = float(gl_WorkGroupSize.x * 100u + gl_WorkGroupSize.y * 10u + gl_WorkGroupSize.z);
        o[36] = local[AREA - 1u];
    }
}
