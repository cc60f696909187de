#!/usr/bin/env python3
"""Measures a folder of shaders on a Dask cluster: `gpucc stats --shard` on the workers, `gpucc stats merge` here.

    stats_dask.py -o stats.json --scheduler tcp://host:8786 --parts 64 -- shaders --target all
    stats_dask.py -o stats.json --local 4 -- shaders --target all

All workers see the shaders and the command at the same paths. The report is that of a run in one piece, byte for byte.
Exit code: the greatest of the parts, as that of `gpucc stats` (1 for a wrong shader, 2 for a file that cannot be read).
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile


def part(command, number, count):
    """Runs one part; gives exit code, report and messages."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "part.json"
        shard = ["--shard", f"{number}/{count}", "--jobs", "1", "-o", str(out)]
        run = subprocess.run([*command, *shard], stderr=subprocess.PIPE, text=True)
        return run.returncode, out.read_bytes() if out.exists() else None, run.stderr


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    where = args.add_mutually_exclusive_group(required=True)
    where.add_argument("--scheduler", metavar="ADDRESS", help="address of a Dask scheduler")
    where.add_argument("--local", metavar="N", type=int, help="start N workers on this machine")
    args.add_argument("--parts", metavar="N", type=int, help="number of parts [default: four a worker]")
    args.add_argument("--gpucc", metavar="FILE", default=os.environ.get("GPUCC", "gpucc"), help="the command")
    args.add_argument("-o", "--output", metavar="OUT", required=True, help="the report: .json, .csv, .md, .html or .txt")
    args.add_argument("stats", nargs="+", metavar="ARG", help="paths and options of `gpucc stats`, behind `--`")
    args = args.parse_args()

    from dask.distributed import Client, LocalCluster, as_completed

    cluster = LocalCluster(n_workers=args.local, threads_per_worker=1, dashboard_address=None) if args.local else args.scheduler
    command = [args.gpucc, "stats", *(str(pathlib.Path(a).absolute()) if os.path.exists(a) else a for a in args.stats)]
    worst, reports = 0, {}
    with Client(cluster) as client:
        threads = sum(client.nthreads().values()) or 1
        count = args.parts or 4 * threads
        jobs = {client.submit(part, command, k, count, pure=False): k for k in range(1, count + 1)}
        for job in as_completed(jobs):
            code, report, said = job.result()
            sys.stderr.write(said)
            if report is None:
                sys.exit(code or 70)
            worst = max(worst, code)
            reports[jobs[job]] = report
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for k in sorted(reports):
            files.append(os.path.join(folder, f"part-{k}.json"))
            pathlib.Path(files[-1]).write_bytes(reports[k])
        merged = subprocess.run([args.gpucc, "stats", "merge", *files, "-o", args.output])
    sys.exit(merged.returncode or worst)


if __name__ == "__main__":
    main()
