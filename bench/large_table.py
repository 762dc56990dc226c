#!/usr/bin/python3
"""Learns a table that is much larger than memory should be, and says what that took.

  bench/large_table.py [--rows 2000000] [--columns 20] [--record FILE]

Writes a CSV file (16 columns of numbers and 4 of categories; the label, of three classes, goes by a
curved function of five of them), runs `vargp learn` on it and `vargp evaluate` on fresh rows, and
reports the peak memory of the process that learned.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np


def write_rows(path, rows, columns, seed):
    random = np.random.default_rng(seed)
    categories = max(columns // 5, 1)
    numbers = columns - categories
    levels = np.array(["north", "east", "south", "west"])
    names = [f"n{j}" for j in range(numbers)] + [f"c{j}" for j in range(categories)]
    with open(path, "w", encoding="ascii") as file:
        file.write(",".join(names + ["label"]) + "\n")
        for first in range(0, rows, 100000):
            count = min(100000, rows - first)
            X = random.normal(size=(count, numbers))
            T = random.integers(0, 4, size=(count, categories))
            f = (np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] + (T[:, 0] == 1)
                 + 0.3 * random.normal(size=count))
            y = np.digitize(f, [-0.5, 0.8])
            for x, t, label in zip(np.round(X * 1000).astype(int), levels[T], y):
                file.write(",".join([f"{v / 1000:g}" for v in x] + list(t)))
                file.write(f",class{label}\n")


# A process starts with the peak of the one that it was forked from: a small one, not ours.
MEASURED = """
import json, os, sys, time
start = time.monotonic()
child = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(child, 0)
print(json.dumps({"code": os.waitstatus_to_exitcode(status), "seconds": time.monotonic() - start,
                  "processor_seconds": usage.ru_utime + usage.ru_stime,
                  "peak_bytes": usage.ru_maxrss * 1024}), file=sys.stderr)
"""


def run(arguments):
    """Standard output of a command, and what it took."""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", MEASURED, *arguments], check=True,
                          capture_output=True)
    took = json.loads(done.stderr.splitlines()[-1])
    assert took["code"] == 0, f"{arguments}: exit code {took['code']}: {done.stderr.decode()}"
    return done.stdout, took


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--record", type=pathlib.Path)
    parser.add_argument("--program", default=str(pathlib.Path(__file__).parent.parent / "build/vargp"))
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data, test, model = (os.path.join(folder, name)
                             for name in ("large.csv", "test.csv", "model.vargp"))
        write_rows(data, a.rows, a.columns, 1)
        write_rows(test, 20000, a.columns, 2)
        learned, took = run([a.program, "learn", model, data, "--json"])
        _, nothing = run([a.program, "--version"])
        figures, _ = run([a.program, "evaluate", model, test, "--json"])
        record = {
            "rows": a.rows,
            "columns": a.columns,
            "file_bytes": os.path.getsize(data),
            "learn_seconds": round(took["seconds"], 1),
            "learn_processor_seconds": round(took["processor_seconds"], 1),
            "peak_bytes": took["peak_bytes"],
            "peak_bytes_of_doing_nothing": nothing["peak_bytes"],
            "validation_accuracy": json.loads(learned)["validation_accuracy"],
            "test_accuracy": json.loads(figures)["accuracy"],
            "test_nll": json.loads(figures)["nll"],
            "cores": os.cpu_count(),
        }
    text = json.dumps(record, indent=2)
    print(text)
    if a.record:
        a.record.write_text(text + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
