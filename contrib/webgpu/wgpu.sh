#!/bin/sh
# Runs the tests of a checkout of wgpu on gpucc's Vulkan driver: its GPU tests, and its examples beside their pictures (docs/vulkan.md).
#
#   contrib/webgpu/wgpu.sh DIR TARGET [FILTER...]
#
# GPUCC is the command (without it `gpucc`). Further words choose tests, as `cargo test` takes them. The output and the exit code are cargo's.
set -e
if [ $# -lt 2 ] || [ ! -f "$1/Cargo.toml" ]; then
    echo "usage: contrib/webgpu/wgpu.sh DIR TARGET [FILTER...], where DIR is a checkout of wgpu" >&2
    exit 2
fi
dir=$1 target=$2
shift 2
# One device is tested, and tests that share it run one after the other.
export WGPU_BACKEND=vulkan WGPU_ADAPTER_NAME=gpucc
exec "${GPUCC:-gpucc}" exec --target "$target" -- \
    cargo test --manifest-path "$dir/Cargo.toml" -p wgpu-test -p wgpu-examples --no-fail-fast -- --test-threads 1 "$@"
