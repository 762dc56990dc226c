#!/usr/bin/env python3
"""Side by side with scikit-learn on its digits, two new classes at a time.

    PYTHONPATH=build/python /usr/bin/python3 python/examples/digits.py docs/results/python-digits.json

1797 digits of 8 x 8 pixels, in five tasks: 0/1, 2/3, 4/5, 6/7, 8/9. Each learner gets the rows of
one task at a time and must tell all ten classes apart in the end. Five splits into learning (60 %),
validation (20 %) and test rows (20 %). For every learner and split, the setting of its grid that
classifies the validation rows of all tasks best after the last task is taken (by NLL where that is
equal), and tested once.

GaussianProcessClassifier has no partial_fit: it keeps all rows and fits them anew with every task,
which is what the others are spared. Its grid is smaller, and stands in for its optimizer: that would
take hours. Seconds are processor time, of all threads.
"""
import json
import os
import sys
import time
from itertools import product

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its threads wait busily: no processor time
import numpy as np
import sklearn
from sklearn.datasets import load_digits
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

from vargp import VARGPClassifier, _core, metrics

CLASSES = np.arange(10)
TASKS = [(0, 1), (2, 3), (4, 5), (6, 7), (8, 9)]
SPLITS = 5
GPC = "GaussianProcessClassifier, all rows"


class Incremental:
    """partial_fit with the rows of the task, some epochs long."""

    def __init__(self, model, epochs=1):
        self.model, self.epochs = model, epochs

    def learn(self, X, y):
        order = np.random.RandomState(0)
        for _ in range(self.epochs):
            rows = order.permutation(len(y)) if self.epochs > 1 else slice(None)
            self.model.partial_fit(X[rows], y[rows], classes=CLASSES)

    def probabilities(self, X):
        with np.errstate(all="ignore"):  # SGD's scores may be beyond all measure
            P = np.nan_to_num(self.model.predict_proba(X), nan=0.1)
        return P / P.sum(axis=1, keepdims=True)


class Refitted:
    """All rows so far, kept, and fitted anew with every task."""

    def __init__(self, model):
        self.model, self.X, self.y = model, np.zeros((0, 64)), np.zeros(0, int)

    def learn(self, X, y):
        self.X, self.y = np.concatenate([self.X, X]), np.concatenate([self.y, y])
        self.model.fit(self.X, self.y)

    def probabilities(self, X):
        P = np.zeros((len(X), 10))
        P[:, self.model.classes_] = self.model.predict_proba(X)
        return P


def grid(**values):
    return [dict(zip(values, one)) for one in product(*values.values())]


# A dozen settings each, but for GaussianProcessClassifier.
LEARNERS = {
    "VARGPClassifier": (
        lambda split, ard, standardize, factor:
            Incremental(VARGPClassifier(ard=ard, standardize=standardize,
                                        settings={"lengthscale-factor": factor},
                                        random_state=split)),
        grid(ard=[True, False], standardize=[True, False], factor=[0.4, 0.7, 1.0])),
    "MLPClassifier": (
        lambda split, learning_rate, epochs, alpha:
            Incremental(MLPClassifier(learning_rate_init=learning_rate, alpha=alpha,
                                      random_state=split), epochs),
        grid(learning_rate=[1e-3, 1e-2], epochs=[1, 10, 100], alpha=[1e-4, 1e-1])),
    "SGDClassifier": (
        lambda split, alpha, epochs:
            Incremental(SGDClassifier(loss="log_loss", alpha=alpha, random_state=split), epochs),
        grid(alpha=[1e-4, 1e-3, 1e-2, 1e-1], epochs=[1, 10, 100])),
    GPC: (
        lambda split, lengthscale, scale:
            Refitted(GaussianProcessClassifier(ConstantKernel(scale**2) * RBF(lengthscale),
                                               optimizer=None, random_state=split)),
        grid(lengthscale=[1.5, 3.0], scale=[3.0, 10.0])),
}


def learn_all(learner, train, held, tasks):
    """Accuracies on every task's held-out rows after each task, the last probabilities, seconds."""
    X, y = train
    matrix, seconds = [], 0.0
    for task in tasks:
        rows = np.isin(y, task)
        start = time.process_time()
        learner.learn(X[rows], y[rows])
        seconds += time.process_time() - start
        P = learner.probabilities(held[0])
        predicted = P.argmax(axis=1)
        matrix.append([accuracy_score(held[1][of], predicted[of])
                       for of in (np.isin(held[1], t) for t in tasks)])
    return matrix, P, seconds


def figures(learner, train, held, tasks=TASKS):
    matrix, P, seconds = learn_all(learner, train, held, tasks)
    y = held[1]
    return {"accuracy": accuracy_score(y, P.argmax(axis=1)), "nll": metrics.nll(P, y),
            "calibration_error": metrics.calibration(P, y).error,
            "forgetting": metrics.forgetting(matrix), "seconds": seconds,
            "accuracy_matrix": matrix}


def splits():
    X, y = load_digits(return_X_y=True)
    X = X / 16
    for split in range(SPLITS):
        X_rest, X_test, y_rest, y_test = train_test_split(X, y, test_size=0.2, stratify=y,
                                                          random_state=split)
        X_train, X_val, y_train, y_val = train_test_split(X_rest, y_rest, test_size=0.25,
                                                          stratify=y_rest, random_state=split)
        yield (X_train, y_train), (X_val, y_val), (X_test, y_test)


def main(path):
    record = {"experiment": "python-digits", "tasks": TASKS, "learners": {},
              "environment": {**json.loads(_core.environment()), "sklearn": sklearn.__version__,
                              "numpy": np.__version__}}
    for name, (make, settings) in LEARNERS.items():
        runs = []
        for split, (train, validation, test) in enumerate(splits()):
            # What GaussianProcessClassifier knows in the end, the last fit alone decides.
            tasks = [CLASSES] if name == GPC else TASKS
            tried = [figures(make(split, **one), train, validation, tasks) for one in settings]
            best = min(range(len(settings)),
                       key=lambda i: (-tried[i]["accuracy"], tried[i]["nll"]))
            runs.append({"split": split, "setting": settings[best],
                         "validation_accuracy": [t["accuracy"] for t in tried],
                         **figures(make(split, **settings[best]), train, test)})
            if name == "VARGPClassifier":
                runs[-1]["out_of_the_box"] = figures(Incremental(VARGPClassifier()), train, test)
        record["learners"][name] = {"settings": settings, "runs": runs}
        show(name, runs)
        if name == "VARGPClassifier":
            show(name + ", out of the box", [run["out_of_the_box"] for run in runs])
        with open(path, "w") as file:
            json.dump(record, file, indent=1, default=int)


def show(name, runs):
    mean = lambda key: np.mean([run[key] for run in runs])
    print(f"{name:44} {100 * mean('accuracy'):6.2f} +- "
          f"{100 * np.std([run['accuracy'] for run in runs], ddof=1):.2f} %  "
          f"NLL {mean('nll'):.3f}  forgetting {100 * mean('forgetting'):.1f}  "
          f"{np.median([run['seconds'] for run in runs]):.2f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
