#version 450
#extension GL_EXT_multiview : require
#extension GL_EXT_device_group : require
layout(location = 0) in float x;
layout(location = 0) out uvec4 c;
void main() { c = uvec4(gl_ViewIndex, gl_DeviceIndex, uint(round(x)), uint(gl_FragCoord.x) << (gl_ViewIndex + gl_DeviceIndex)); }
