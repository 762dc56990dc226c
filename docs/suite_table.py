#!/usr/bin/env python3
"""The runs of a suite as compact records in docs/results, and as a table for docs/results.md.

    build/vargp reproduce baselines-split
    docs/suite_table.py keep baselines-split      # runs/reproduce -> docs/results/baselines-split.json
    docs/suite_table.py table baselines-split     # Markdown, from that file

A run is found by what its record says, so it does not matter which suite or command it was made for. What was kept
before stays, unless there is another run of the same seed or the row has other settings now.
"""

import argparse
import json
import pathlib
import statistics

ROOT = pathlib.Path(__file__).parent.parent
DROPPED = ("surfaces", "surface_range", "reliability")  # for pictures, and large
SHARED = ("settings", "environment", "threads")  # stand at the row, where they are those of all its runs


def text(value, indent=0):
    """Indented, but lists of plain values in one line."""
    pad = " " * (indent + 1)
    if isinstance(value, dict) and value:
        items = [f"{pad}{json.dumps(k)}: {text(v, indent + 1)}" for k, v in value.items()]
        return "{\n" + ",\n".join(items) + "\n" + " " * indent + "}"
    if isinstance(value, list) and any(isinstance(v, (dict, list)) for v in value):
        return "[\n" + ",\n".join(pad + text(v, indent + 1) for v in value) + "\n" + " " * indent + "]"
    return json.dumps(value)


def runs_below(folder):
    for path in sorted(folder.glob("**/record.json")):
        yield from json.loads(path.read_text())["runs"]


def runs_kept(file):
    for row in json.loads(file.read_text())["rows"] if file.exists() else []:
        shared = {k: row[k] for k in SHARED if k in row}
        yield from ({**shared, **run} for run in row["runs"])


def matches(row, run, defaults):
    """Is this a run of the row? What the row does not set must be as the first such run has it."""
    if run["experiment"] != row["experiment"] or run["model"] != row["model"]:
        return False
    settings = run["settings"]
    regime = row.get("regime", "joint" if row["model"] == "joint" else "continual")
    if settings["evaluate"] != "test" or settings["regime"] != regime:
        return False
    wanted = {**defaults, **row.get("settings", {})}
    return all(settings.get(name) == value for name, value in wanted.items())


def keep(suite, runs):
    """Rows that set nothing of these have them so."""
    defaults = {
        "vcl": {"coreset": 0}, "ewc": {"heads": "single"}, "si": {"heads": "single"},
        "random-features": {"readout": "ridge"},
    }  # fmt: skip
    paper = {
        (part["experiment"], r["method"]): {k: r[k] for k in ("mean", "deviation") if k in r}
        for part in json.loads((ROOT / "vargp/report/paper.json").read_text())["experiments"]
        for r in part["results"]
    }
    out = {"suite": suite["title"], "rows": []}
    for row in suite["rows"]:
        found = {r["seed"]: r for r in runs if matches(row, r, defaults.get(row["model"], {}))}
        found = [{k: v for k, v in found[seed].items() if k not in DROPPED} for seed in sorted(found)]
        for r in found:
            r["settings"] = {k: v for k, v in r["settings"].items() if k != "seed"}
        # A setting that a record does not know came later, and was then as it is by default.
        settings = {k: v for r in found for k, v in r["settings"].items()}
        for r in found:
            r["settings"] = {**settings, **r["settings"]}
        shared = {k: found[0][k] for k in SHARED if found and all(r[k] == found[0][k] for r in found)}
        for r in found:
            for k in shared:
                r.pop(k)
        said = {"paper": paper[row["experiment"], row["paper"]]} if "paper" in row else {}
        out["rows"].append({**row, **said, **shared, "runs": found})
    return out


def table(kept):
    heads = ("method", "seeds", "accuracy %", "paper %", "forgetting, points", "NLL", "calibration error %",
             "learning, s", "state, MB", "raw rows kept")
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for row in kept["rows"]:
        runs = row["runs"]
        if not runs:
            continue
        mean = lambda key, factor=100: factor * statistics.mean(r[key] for r in runs)
        accuracy = f"{mean('final_accuracy'):.2f}"
        if len(runs) > 1:
            accuracy += f" ± {100 * statistics.stdev(r['final_accuracy'] for r in runs):.2f}"
        paper = row.get("paper", {})
        said = f"{paper['mean']:.2f}" + (f" ± {paper['deviation']:.2f}" if "deviation" in paper else "") if paper else ""
        seconds = statistics.median(sum(r["learn_seconds"]) for r in runs)
        state = runs[0]["state_bytes"][-1] / 1e6
        lines.append(
            f"| {row['name']} | {len(runs)} | {accuracy} | {said} | {mean('forgetting'):.2f} | {mean('nll', 1):.3f} | "
            f"{mean('calibration_error'):.1f} | {seconds:.0f} | {state:.2g} | {runs[0]['raw_rows'] or 'no'} |"
        )
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("verb", choices=("keep", "table"))
    parser.add_argument("suite", help="the name of a file in experiments/")
    parser.add_argument("--runs", type=pathlib.Path, default=ROOT / "runs" / "reproduce")
    args = parser.parse_args()
    file = ROOT / "docs" / "results" / f"{args.suite}.json"
    if args.verb == "keep":
        suite = json.loads((ROOT / "experiments" / f"{args.suite}.json").read_text())
        runs = [*runs_kept(file), *runs_below(args.runs)]
        file.write_text(text(keep(suite, runs)) + "\n")
    else:
        print(table(json.loads(file.read_text())))


if __name__ == "__main__":
    main()
