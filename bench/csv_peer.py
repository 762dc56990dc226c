#!/usr/bin/env python3
"""Times reading one CSV file of numbers by build/vargp_csv, pandas and NumPy: one thread each, same file, same run.

Every reading is a process of its own, and they take turns. What counts is processor time, which suffers less from
company than the clock; the JSON has both, and the peak memory of each. The file is in the page cache.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

from peer import ROOT, Others, machine

PANDAS = {
    "pandas, C engine": "pandas.read_csv(path)",
    "pandas, C engine, round_trip": "pandas.read_csv(path, float_precision='round_trip')",
    "pandas, C engine, chunks": "for chunk in pandas.read_csv(path, chunksize=65536): pass",
}
NUMPY = {"numpy.loadtxt": "numpy.loadtxt(path, delimiter=',', skiprows=1)"}


def timed(path, library, work):
    """Runs in a process of its own: imports, then reads."""
    code = f"""
import json, resource, time, {library}
path = {str(path)!r}
def processor():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
clock, before = time.perf_counter(), processor()
{work}
print(json.dumps({{"seconds": time.perf_counter() - clock, "processor_seconds": processor() - before,
    "peak_memory_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, "version": {library}.__version__}}))
"""
    return run([sys.executable, "-c", code])


def run(words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"csv_peer.py: {words[0]} failed ({done.returncode}): {done.stderr.strip()}")
    return json.loads(done.stdout) if done.stdout else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write every timing here")
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=5, help="rounds, default 5; NumPy takes part in the first only")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "vargp_csv", help="our C++ program")
    args = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "table.csv"
        run([str(args.program), str(path), "--make", "--rows", str(args.rows), "--columns", str(args.columns)])
        megabytes = path.stat().st_size / 1e6
        print(f"{args.rows} rows, {args.columns} columns, {megabytes:.0f} MB; {machine()['cpu']}", flush=True)
        times, others = {}, Others()
        for round in range(args.repeats):
            times.setdefault("vargp", []).append(run([str(args.program), str(path)]))
            for name, work in PANDAS.items():
                times.setdefault(name, []).append(timed(path, "pandas", work))
            if round == 0:
                for name, work in NUMPY.items():
                    times.setdefault(name, []).append(timed(path, "numpy", work))

    medians = {name: statistics.median(t["processor_seconds"] for t in all) for name, all in times.items()}
    print(f"\n{'':<32}{'seconds':>9}{'MB/s':>8}{'ratio':>8}{'peak MB':>9}")
    rows = []
    for name, all in times.items():
        peak = max(t["peak_memory_bytes"] for t in all)
        rows.append({
            "name": name, "version": all[0].get("version"), "processor_seconds": medians[name],
            "megabytes_per_second": megabytes / medians[name], "ratio": medians[name] / medians["vargp"],
            "peak_memory_bytes": peak, "all_processor_seconds": [t["processor_seconds"] for t in all],
            "all_seconds": [t["seconds"] for t in all],
        })  # fmt: skip
        print(f"{name:<32}{medians[name]:>9.2f}{megabytes / medians[name]:>8.0f}{medians[name] / medians['vargp']:>7.1f}x{peak / 1e6:>9.0f}")
    print(f"\nSeconds of the processor, medians; others kept {others.cores():.1f} cores busy.")
    if args.json:
        record = {
            "rows": args.rows, "columns": args.columns, "megabytes": megabytes, "readers": rows,
            "others_busy_cores": others.cores(), "environment": times["vargp"][0]["environment"], "machine": machine(),
        }  # fmt: skip
        args.json.write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
