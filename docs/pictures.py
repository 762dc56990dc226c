#!/usr/bin/env python3
"""The pictures of README and docs, drawn from records (needs Debian's python3-matplotlib).

    build/vargp run toy --model var-gp --out runs/toy-var-gp
    build/vargp run toy --model coupled --out runs/toy-coupled
    build/vargp run toy --model vcl --coreset 10 --out runs/toy-vcl
    /usr/bin/python3 docs/pictures.py toy runs/toy-coupled/record.json runs/toy-var-gp/record.json
    /usr/bin/python3 docs/pictures.py toy-vcl runs/toy-var-gp/record.json runs/toy-vcl/record.json
"""
import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent / "images"
NAMES = {"coupled": "coupled (ours)", "var-gp": "VAR-GP (the paper's)",
         "vcl": "VCL, coreset 10"}


def toy(name, records):
    """Class probabilities after each task: one row a model and task, one column a class."""
    runs = [json.loads(Path(r).read_text())["runs"][0] for r in records]
    rows = [(run, t) for run in runs for t in range(len(run["surfaces"]))]
    figure, axes = plt.subplots(len(rows), 4, figsize=(8.2, 1.75 * len(rows)), layout="constrained")
    for r, ((run, t), line) in enumerate(zip(rows, axes)):
        for c, ax in enumerate(line):
            low, high = run["surface_range"]
            image = ax.imshow(run["surfaces"][t][c], origin="lower", extent=(low, high, low, high),
                              vmin=0, vmax=1, cmap="viridis")
            ax.set_xticks([])
            ax.set_yticks([])
            if r == 0:
                ax.set_title(f"class {c}", fontsize=10)
        seen = "classes 0, 1" if t == 0 else "then classes 2, 3"
        line[0].set_ylabel(f"{NAMES[run['model']]}\n{seen}", fontsize=9)
    figure.colorbar(image, ax=axes, shrink=0.5, label="probability")
    figure.savefig(HERE / f"{name}.png", dpi=110)


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    {"toy": toy, "toy-vcl": toy}[sys.argv[1]](sys.argv[1], sys.argv[2:])
