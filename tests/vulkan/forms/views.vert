#version 450
#extension GL_EXT_multiview : require
#extension GL_EXT_device_group : require
// One view on one device: both numbers are 0.
layout(location = 0) out float x;
void main() {
    gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0 - 1.0, 0.0, 1.0 + float(gl_ViewIndex) + float(gl_DeviceIndex));
    x = 5.0 + float(gl_ViewIndex * 7 + gl_DeviceIndex * 9);
}
