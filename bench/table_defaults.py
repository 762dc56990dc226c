#!/usr/bin/python3
"""What the defaults for people's tables were chosen by: validation rows of public tables, and of one
that is made up.

  PYTHONPATH=build/python bench/table_defaults.py [--seeds 20] [--record FILE]

Each table comes in several tasks: rows at random, new classes, or years. A fifth of the rows is
never looked at; a quarter of the rest, drawn anew with every seed, validates. The choices differ in
one thing: one lengthscale for all columns, or one for each. Seconds are processor time.
"""
import argparse
import csv
import json
import pathlib
import time

import numpy as np
from sklearn import datasets
from vargp import VARGPClassifier, VARGPRegressor, _core, metrics

CHOICES = {"shared": {"ard": False}, "each": {"ard": True}}
WEATHER = pathlib.Path(__file__).parent.parent / "docs/data/seattle-weather.csv"


def tables():
    """Name, points, targets, and the task of each row (none: three tasks at random)."""
    for name in ("iris", "wine", "breast_cancer", "digits"):
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        yield f"{name}, rows", X, y, None
        if name in ("iris", "wine"):
            yield f"{name}, classes", X, y, np.maximum(y, 1)  # two classes, then the third
        if name == "digits":
            yield f"{name}, classes", X, y, y // 2
    yield "diabetes, rows", *datasets.load_diabetes(return_X_y=True), None
    with open(WEATHER, encoding="ascii") as file:
        days = [day for day in csv.DictReader(file) if day["date"] < "2015"]  # the tutorial's test
    year = np.array([int(day["date"][:4]) for day in days])
    kind = np.array([day["weather"] for day in days])
    column = {k: np.array([float(day[k]) for day in days])
              for k in ("precipitation", "temp_max", "temp_min", "wind")}
    yield "weather, years", np.stack(list(column.values()), axis=1), kind, year
    highest = column.pop("temp_max")
    one_hot = (kind[:, None] == np.unique(kind)).astype(float)
    yield "temperature, years", np.column_stack([*column.values(), one_hot]), highest, year
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 10))  # six of these columns have nothing to say
    f = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] + 0.3 * random.normal(size=3000)
    yield "made up, rows", X, np.digitize(f, [-0.5, 0.8]), None


def measured(X, y, task, choice, seed):
    kept = np.random.default_rng(12345).permutation(len(y))[:len(y) * 4 // 5]
    random = np.random.default_rng(seed)
    rows = random.permutation(kept)
    learned, held = rows[:len(rows) * 3 // 4], rows[len(rows) * 3 // 4:]
    if task is None:
        task = random.integers(0, 3, size=len(y))
    regression = y.dtype == float
    model = (VARGPRegressor if regression else VARGPClassifier)(random_state=seed + 1, threads=1,
                                                                **choice)
    start = time.process_time()
    for t in np.unique(task):
        part = learned[task[learned] == t]
        model.partial_fit(X[part], y[part])
    out = {"seconds": time.process_time() - start}
    if regression:
        mean, sd = model.predict(X[held], return_std=True, with_noise=True)
        error = y[held] - mean
        return out | {"rmse": np.sqrt(np.mean(error**2)),
                      "nll": np.mean(0.5 * np.log(2 * np.pi * sd**2) + 0.5 * (error / sd)**2)}
    P = model.predict_proba(X[held])
    place = np.searchsorted(model.classes_, y[held])
    return out | {"accuracy": np.mean(P.argmax(axis=1) == place), "nll": metrics.nll(P, place)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--record", type=pathlib.Path)
    a = parser.parse_args()
    record = {"seeds": a.seeds, "environment": json.loads(_core.environment()), "tables": {}}
    for name, X, y, task in tables():
        for choice, settings in CHOICES.items():
            runs = [measured(X, y, task, settings, seed) for seed in range(a.seeds)]
            figures = {key: np.array([run[key] for run in runs]) for key in runs[0]}
            record["tables"].setdefault(name, {})[choice] = {
                key: {"mean": float(values.mean()),
                      "error": float(values.std(ddof=1) / np.sqrt(a.seeds))}
                for key, values in figures.items()}
            print(f"{name:20} {choice:7} " + "  ".join(
                f"{key} {values.mean():.4f} ± {values.std(ddof=1) / np.sqrt(a.seeds):.4f}"
                for key, values in figures.items()), flush=True)
    if a.record:
        a.record.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
