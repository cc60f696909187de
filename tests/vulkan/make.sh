#!/bin/sh
# make.sh [NAME]...: makes the SPIR-V of the shaders in this folder, or of these, in three forms: as glslangValidator writes it, with its
# debug information (debug/) and after spirv-opt -O (optimised/). Those of forms/ are made as glslangValidator writes them, or by spirv-as where they are assembly. Debian's glslang-tools 12.0.0 and spirv-tools 2023.1 made what is here.
set -e
cd "$(dirname "$0")"
mkdir -p debug optimised
for f in *.vert *.frag; do
    case " $* " in "  " | *" ${f%.*} "*) ;; *) continue ;; esac
    glslangValidator -V --quiet --target-env vulkan1.1 "$f" -o "$f.spv"
    glslangValidator -V --quiet --target-env vulkan1.1 -g "$f" -o "debug/$f.spv"
    glslangValidator -V --quiet --target-env vulkan1.1 -g0 "$f" -o "optimised/$f.spv"
    spirv-opt -O "optimised/$f.spv" -o "optimised/$f.spv"
    for form in . debug optimised; do spirv-val --target-env vulkan1.1 "$form/$f.spv"; done
done
for f in forms/*.vert forms/*.frag forms/*.comp; do
    name=$(basename "${f%.*}")
    case " $* " in "  " | *" $name "*) ;; *) continue ;; esac
    glslangValidator -V --quiet --target-env vulkan1.1 "$f" -o "$f.spv"
    spirv-val --target-env vulkan1.1 "$f.spv"
done
for f in forms/*.spvasm; do
    name=$(basename "${f%.*.*}")
    case " $* " in "  " | *" $name "*) ;; *) continue ;; esac
    spirv-as --target-env spv1.3 "$f" -o "${f%.spvasm}.spv"
    # Vulkan has no rectangles; other users of SPIR-V do.
    case $f in */rect.*) rules=spv1.3 ;; *) rules=vulkan1.1 ;; esac
    spirv-val --target-env $rules "${f%.spvasm}.spv"
done
