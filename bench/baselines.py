#!/usr/bin/env python3
"""Every baseline's runs, and the table that docs/results.md shows.

    bench/baselines.py run [--program build/vargp] [--out runs/baselines] [--only REGEX] [--threads N]
    bench/baselines.py compact [--out runs/baselines]       records without surfaces into docs/results
    bench/baselines.py table                                Markdown, from docs/results

Rows stand in the order of their worth for their cost. One whose record is there is not run again; one that was
stopped goes on. Settings are those of the presets, chosen on validation data, unless they are named here.
"""

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).parent.parent
RESULTS = ROOT / "docs" / "results"
PREFIX = "baseline-"


def vcl(hidden, coreset):
    return ["--model", "vcl", "--hidden", hidden, "--coreset", str(coreset)]


def rows():
    """(name, experiment, seeds, arguments)"""
    split = [
        ("random-features-ridge", 3, ["--model", "random-features"]),
        ("random-features-lda", 3, ["--model", "random-features", "--readout", "lda"]),
        ("fine-tune", 3, ["--model", "fine-tune"]),
        ("joint", 3, ["--model", "joint"]),
        ("replay-500", 3, ["--model", "replay", "--buffer", "500"]),
        ("ewc", 3, ["--model", "ewc"]),
        ("si", 3, ["--model", "si"]),
        ("ewc-per-task", 3, ["--model", "ewc", "--heads", "per-task"]),
        ("si-per-task", 3, ["--model", "si", "--heads", "per-task"]),
        ("vcl-100", 3, vcl("100", 0)),
        ("vcl-100-coreset-50", 3, vcl("100", 50)),
        ("vcl-100-coreset-100", 3, vcl("100", 100)),
        ("vcl-100-100", 3, vcl("100,100", 0)),
        ("vcl-100-100-coreset-50", 3, vcl("100,100", 50)),
        ("vcl-100-100-coreset-100", 3, vcl("100,100", 100)),
        ("coupled-joint", 1, ["--model", "coupled", "--regime", "joint", "--inducing", "3500"]),
        ("coupled-fine-tune", 1, ["--model", "coupled", "--regime", "fine-tune"]),
    ]
    permuted = [(name, 1, arguments) for name, _, arguments in split
                if not name.endswith("per-task") and not name.startswith("coupled")]
    toy = [
        ("vcl", 1, ["--model", "vcl"]),
        ("vcl-coreset-10", 1, ["--model", "vcl", "--coreset", "10"]),
    ]
    for experiment, list_ in (("split-mnist", split), ("toy", toy), ("permuted-mnist", permuted)):
        for name, seeds, arguments in list_:
            yield f"{experiment}-{name}", experiment, seeds, arguments


def run(args):
    for name, experiment, seeds, arguments in rows():
        folder = args.out / name
        done = (folder / "record.json").exists() and not (folder / "checkpoint.safetensors").exists()
        if not re.search(args.only, name) or done:
            continue
        command = [str(args.program), "run", experiment, *arguments, "--seeds", str(seeds), "--threads",
                   str(args.threads), "--out", str(folder), "--resume"]
        print("$", *command, flush=True)
        if subprocess.run(command).returncode != 0:
            sys.exit(f"baselines.py: {name} failed")


def compact(args):
    """Surfaces are for pictures, and large."""
    for name, *_ in rows():
        path = args.out / name / "record.json"
        if not path.exists():
            continue
        record = json.loads(path.read_text())
        for one in record["runs"]:
            for key in ("surfaces", "surface_range"):
                one.pop(key, None)
        (RESULTS / f"{PREFIX}{name}.json").write_text(text(record) + "\n")


def text(value, indent=0):
    """Indented, but lists of plain values in one line."""
    pad = " " * (indent + 1)
    if isinstance(value, dict):
        items = [f"{pad}{json.dumps(k)}: {text(v, indent + 1)}" for k, v in value.items()]
        return "{\n" + ",\n".join(items) + "\n" + " " * indent + "}"
    if isinstance(value, list) and any(isinstance(v, (dict, list)) for v in value):
        return "[\n" + ",\n".join(pad + text(v, indent + 1) for v in value) + "\n" + " " * indent + "]"
    return json.dumps(value)


def table(_):
    heads = ("method", "seeds", "accuracy %", "forgetting, points", "NLL", "calibration error %", "learning, s",
             "state, MB", "raw rows kept")
    for experiment in ("split-mnist", "permuted-mnist", "toy"):
        print(f"\n{experiment}\n\n| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
        for name, of, *_ in rows():
            path = RESULTS / f"{PREFIX}{name}.json"
            if of != experiment or not path.exists():
                continue
            record = json.loads(path.read_text())
            runs = record["runs"]
            figure = lambda key: (100 * record[key]["mean"], 100 * record[key]["standard_deviation"])
            deviation = f" ± {figure('final_accuracy')[1]:.2f}" if len(runs) > 1 else ""
            print(
                f"| {name[len(experiment) + 1:]} | {len(runs)} | {figure('final_accuracy')[0]:.2f}{deviation} | "
                f"{figure('forgetting')[0]:.2f} | {record['nll']['mean']:.3f} | "
                f"{figure('calibration_error')[0]:.1f} | "
                f"{statistics.median(sum(r['learn_seconds']) for r in runs):.0f} | "
                f"{runs[0]['state_bytes'][-1] / 1e6:.2f} | {runs[0]['raw_rows'] or 'no'} |"
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("verb", choices=("run", "compact", "table"))
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "vargp")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "runs" / "baselines")
    parser.add_argument("--only", default="", metavar="REGEX", help="rows whose name matches")
    parser.add_argument("--threads", type=int, default=0)
    args = parser.parse_args()
    {"run": run, "compact": compact, "table": table}[args.verb](args)


if __name__ == "__main__":
    main()
