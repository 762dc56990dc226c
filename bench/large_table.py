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
import tempfile
import time

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


def run(arguments):
    """Standard output, seconds and peak memory of a command."""
    start = time.monotonic()
    with subprocess.Popen(arguments, stdout=subprocess.PIPE) as process:
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"{arguments}: exit code {process.returncode}"
    return output, time.monotonic() - start, usage.ru_maxrss * 1024


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
        learned, seconds, peak = run([a.program, "learn", model, data, "--json"])
        _, _, base = run([a.program, "--version"])
        figures, _, _ = run([a.program, "evaluate", model, test, "--json"])
        record = {
            "rows": a.rows,
            "columns": a.columns,
            "file_bytes": os.path.getsize(data),
            "learn_seconds": round(seconds, 1),
            "megabytes_per_second": round(os.path.getsize(data) / 1e6 / seconds, 1),
            "peak_bytes": peak,
            "peak_bytes_of_doing_nothing": base,
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
