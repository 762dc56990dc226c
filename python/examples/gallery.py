#!/usr/bin/env python3
"""Pictures of what was learned and what was forgotten, with matplotlib.

    PYTHONPATH=build/python /usr/bin/python3 python/examples/gallery.py FOLDER

draws into FOLDER: toy.png (class probabilities of both models after each task), regression.png (a
function learned in three pieces), and from Split MNIST, where its files are at hand, curves.png
(the accuracy on every task as more are learned) and entropy.png (how unsure the model is of each
task's digits); --record FILE keeps the records behind these. With --digits RECORD also digits.png,
the side by side that digits.py measured.
"""
import argparse
import json
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import vargp

MODELS = {"coupled": "coupled (ours)", "var-gp": "VAR-GP (the paper's)"}
COLOURS = plt.get_cmap("viridis")(np.linspace(0, 0.9, 5))


def tidy(ax):
    ax.spines[["top", "right"]].set_visible(False)


def toy(folder):
    """Class probabilities after each task: one row a model and task, one column a class."""
    records = [vargp.run("toy", model=model) for model in MODELS]
    rows = [(record, t) for record in records for t in range(2)]
    figure, axes = plt.subplots(4, 4, figsize=(7.6, 6.9), layout="constrained")
    for line, (record, t) in zip(axes, rows):
        low, high = record["surface_range"]
        for c, ax in enumerate(line):
            image = ax.imshow(record["surfaces"][t][c], origin="lower", vmin=0, vmax=1,
                              extent=(low, high, low, high))
            ax.set(xticks=[], yticks=[])
        seen = "after classes 0, 1" if t == 0 else "then classes 2, 3"
        line[0].set_ylabel(f"{MODELS[record['model']]}\n{seen}", fontsize=9)
    for c, ax in enumerate(axes[0]):
        ax.set_title(f"class {c}", fontsize=10)
    figure.colorbar(image, ax=axes, shrink=0.4, label="probability")
    figure.savefig(folder / "toy.png", dpi=110)


def regression(folder):
    """A function learned in three pieces, with its deviation after each."""
    rng = np.random.RandomState(0)
    f = lambda x: np.sin(2 * x) + 0.3 * x
    pieces = [rng.uniform(low, low + 2.5, 40) for low in (0, 2, 5)]
    grid = np.linspace(-1, 9, 400)
    # The first piece is flat beside the others: without a larger scale it would promise too much.
    model = vargp.VARGPRegressor(lengthscale=0.4, scale=3, hyper="fixed", noise=0.02)
    figure, axes = plt.subplots(1, 3, figsize=(9.6, 2.6), layout="constrained", sharey=True)
    for t, (x, ax) in enumerate(zip(pieces, axes)):
        model.partial_fit(x[:, None], y := f(x) + 0.1 * rng.randn(len(x)))
        mean, std = model.predict(grid[:, None], return_std=True)
        ax.fill_between(grid, mean - 2 * std, mean + 2 * std, color=COLOURS[2], alpha=0.25, lw=0,
                        label="± 2 deviations")
        ax.plot(grid, mean, color=COLOURS[1], label="mean")
        ax.plot(grid, f(grid), "k--", lw=0.8, label="the truth")
        ax.plot(x, y, ".", color="tab:orange", ms=4, label="this task's rows")
        ax.set_title(f"after task {t + 1}", fontsize=10)
        tidy(ax)
    axes[0].legend(frameon=False, fontsize=8, ncols=2, loc="upper center")
    axes[0].set_ylim(-4, 6.5)
    figure.savefig(folder / "regression.png", dpi=110)


def curves(folder, records):
    """Accuracy on the test points of each task, from the task in which it was learned."""
    figure, axes = plt.subplots(1, 2, figsize=(8.6, 3), layout="constrained", sharey=True)
    for ax, record in zip(axes, records):
        R = np.array(record["accuracy_matrix"])
        for j in range(len(R)):
            ax.plot(np.arange(j, len(R)) + 1, 100 * R[j:, j], "o-", ms=4, color=COLOURS[j],
                    label=f"digits {2 * j}/{2 * j + 1}")
        ax.set(xlabel="tasks learned", xticks=range(1, len(R) + 1))
        ax.set_title(f"{MODELS[record['model']]}: {100 * record['final_accuracy']:.1f} % at the "
                     f"end,\nforgetting {100 * vargp.metrics.forgetting(R):.1f} points", fontsize=10)
        tidy(ax)
    axes[0].set_ylabel("accuracy %")
    axes[1].legend(frameon=False, fontsize=8, loc="lower left")
    figure.savefig(folder / "curves.png", dpi=110)


def entropy(folder, records):
    """Mean entropy of the predictions on each task (columns) after each task (rows)."""
    figure, axes = plt.subplots(1, 2, figsize=(8.2, 3.4), layout="constrained")
    for ax, record in zip(axes, records):
        H = np.array(record["entropy_matrix"])
        image = ax.imshow(H, vmin=0, vmax=1, cmap="magma")
        for (i, j), value in np.ndenumerate(H):
            ax.text(j, i, f"{value:.2f}", ha="center", va="center", fontsize=8,
                    color="white" if value < 0.6 else "black")
        ax.set(xticks=range(len(H)), yticks=range(len(H)),
               xticklabels=[f"{2 * j}/{2 * j + 1}" for j in range(len(H))],
               yticklabels=range(1, len(H) + 1), xlabel="digits tested")
        ax.set_title(MODELS[record["model"]], fontsize=10)
    axes[0].set_ylabel("tasks learned")
    figure.colorbar(image, ax=axes, shrink=0.8, label="entropy / log 10")
    figure.savefig(folder / "entropy.png", dpi=110)


def digits(folder, path):
    """The side by side of digits.py: accuracy on all digits seen, and what it took."""
    learners = json.loads(Path(path).read_text())["learners"]
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.2, 3.3), layout="constrained")
    for (name, learner), colour in zip(learners.items(), ["tab:blue", "tab:orange",
                                                          "tab:green", "0.45"]):
        seen = np.array([[np.mean(row[:t + 1]) for t, row in enumerate(run["accuracy_matrix"])]
                         for run in learner["runs"]]) * 100
        style = "--" if "all rows" in name else "-"
        left.plot(range(1, 6), seen.mean(axis=0), "o" + style, ms=4, color=colour, label=name)
        left.fill_between(range(1, 6), seen.min(axis=0), seen.max(axis=0), color=colour, alpha=0.2,
                          lw=0)
        seconds, nll = (np.array([run[key] for run in learner["runs"]]) for key in ("seconds", "nll"))
        right.plot(seconds, nll, "o", ms=5, color=colour)
        top = nll[seconds > seconds.max() / 1.5].max()  # above the points that it names
        right.annotate(name.split(",")[0], (seconds.max(), top), xytext=(0, 7),
                       textcoords="offset points", ha="center", fontsize=8, color=colour)
    left.set(xlabel="tasks learned (two new digits each)", ylabel="accuracy on all digits seen, %",
             xticks=range(1, 6), ylim=(0, 103))
    right.set(xlabel="processor seconds for all five tasks", ylabel="NLL on all digits", xscale="log",
              yscale="log", xlim=(0.01, 200))
    left.legend(frameon=False, fontsize=8, loc="lower left")
    for ax in (left, right):
        tidy(ax)
    figure.savefig(folder / "digits.png", dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--digits", metavar="RECORD")
    parser.add_argument("--preset", default="quick", help="of Split MNIST")
    parser.add_argument("--record", type=Path, help="file for the records of Split MNIST")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    if arguments.digits:
        digits(arguments.folder, arguments.digits)
    toy(arguments.folder)
    regression(arguments.folder)
    try:
        records = [vargp.run("split-mnist", model=model, preset=arguments.preset, verbose=1)
                   for model in MODELS]
    except vargp.Error as error:
        print(f"no pictures of Split MNIST: {error}")
        return
    if arguments.record:
        kept = [{key: value for key, value in record.items() if key != "tasks"}  # as pictures
                for record in records]
        arguments.record.write_text(json.dumps(kept))
    curves(arguments.folder, records)
    entropy(arguments.folder, records)


if __name__ == "__main__":
    main()
