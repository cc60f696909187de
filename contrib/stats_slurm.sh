#!/bin/bash
# Measures a folder of shaders with an array of Slurm jobs, a part each, and joins the reports.
#
#   sbatch --array=1-32 contrib/stats_slurm.sh parts shaders --target all
#   sbatch --dependency=afterok:JOB contrib/stats_slurm.sh merge parts stats.json
#
# `parts` is a folder that all nodes see. Arguments behind it are those of `gpucc stats`. The joined report is that of a run in one piece,
# byte for byte. GPUCC names the command, if it is not on the path.
#SBATCH --job-name=gpucc-stats
#SBATCH --cpus-per-task=4
set -euo pipefail
gpucc=${GPUCC:-gpucc}

if [ "${1-}" = merge ]; then
    [ $# -eq 3 ] || { echo "usage: $0 merge PARTS OUT" >&2; exit 2; }
    exec "$gpucc" stats merge "$2"/part-*.json -o "$3"
fi
[ $# -ge 2 ] || { echo "usage: $0 PARTS PATHS... [OPTIONS OF STATS]" >&2; exit 2; }
: "${SLURM_ARRAY_TASK_ID:?run it as an array: sbatch --array=1-N}"
parts=$1
shift
mkdir -p "$parts"
# Numbers of an array need not begin at 1.
number=$((SLURM_ARRAY_TASK_ID - ${SLURM_ARRAY_TASK_MIN:-1} + 1))
part=$(printf '%s/part-%05d.json' "$parts" "$number")
code=0
"$gpucc" stats "$@" --shard "$number/${SLURM_ARRAY_TASK_COUNT:?}" --jobs "${SLURM_CPUS_PER_TASK:-1}" -o "$part" || code=$?
# 1 and 2 tell of shaders that are wrong or cannot be read: rows of the report.
[ -s "$part" ] || exit "$code"
[ "$code" -le 2 ] || exit "$code"
