#!/usr/bin/env python3
"""The cheap rival: random features of the RBF kernel with ridge regression on one-hot labels, kept as sums.

    phi(x) = sqrt(2/m) cos(Omega x / lengthscale + b),  Omega ~ N(0, I), b ~ U[0, 2 pi)     phi(x)'phi(x') ~ k(x, x')
    G = sum phi phi' [m, m],   H = sum phi y' [m, C],   weights = (G + ridge I)^-1 H

The sums do not depend on the order of the data, so nothing can be forgotten; the price is m^2 numbers of state. The
features come from the seed and need no storage. Lengthscale and ridge are chosen on 10,000 training points held out,
of all tasks together (kinder to this rival than its setting allows); test data are used once, at the end.
"""

import argparse
import gzip
import json
import pathlib
import struct
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from peer import machine, right_blas_core  # noqa: E402

right_blas_core()
import numpy as np  # noqa: E402

HELD_OUT = 10000
LENGTHSCALES = (2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 11.0)
RIDGES = (1e-4, 1e-3, 1e-2, 1e-1, 1.0)
SEARCH_FEATURES = 2000
CHUNK = 5000


def read_idx(folder, name):
    """One IDX file, plain or .gz, of unsigned bytes."""
    for path in (folder / name, folder / (name + ".gz")):
        if path.exists():
            data = (gzip.open if path.suffix == ".gz" else open)(path, "rb").read()
            break
    else:
        sys.exit(f"random_features.py: {folder} has no {name} or {name}.gz")
    rank = data[3] if len(data) >= 4 else 0
    if data[:3] != b"\0\0\x08" or len(data) < 4 + 4 * rank:
        sys.exit(f"random_features.py: {path} is not an IDX file of bytes")
    shape = struct.unpack(f">{rank}I", data[4 : 4 + 4 * rank])
    if len(data) - 4 - 4 * rank != np.prod(shape):
        sys.exit(f"random_features.py: {path} says {shape}, but holds {len(data) - 4 - 4 * rank} bytes")
    return np.frombuffer(data, np.uint8, offset=4 + 4 * rank).reshape(shape)


def load(folder, seed):
    """{"train", "validation", "test"}: (X in [0, 1] [N, D], y [N])."""
    read = lambda part, kind: read_idx(folder, f"{part}-{kind}-ubyte")
    images = lambda part: (read(part, "images-idx3") / np.float32(255)).reshape(-1, 784)
    X, y = images("train"), read(part="train", kind="labels-idx1")
    order = np.random.default_rng(seed).permutation(len(X))
    held, kept = order[:HELD_OUT], order[HELD_OUT:]
    return {
        "train": (X[kept], y[kept]),
        "validation": (X[held], y[held]),
        "test": (images("t10k"), read("t10k", "labels-idx1")),
    }


def task_views(stream, count, seed):
    """For each task, a function from (X, y) of the whole data to those of the task."""
    if stream == "split":
        pair = lambda t: lambda X, y: (X[y // 2 == t], y[y // 2 == t])
        return [pair(t) for t in range(count or 5)]
    rng = np.random.default_rng([seed, 1])
    orders = [np.arange(784)] + [rng.permutation(784) for _ in range((count or 10) - 1)]
    permuted = lambda order: lambda X, y: (X[:, order], y)
    return [permuted(order) for order in orders]


class RandomFeatureRidge:
    def __init__(self, D, C, features, lengthscale, seed):
        rng = np.random.default_rng([seed, 2])
        self.omega = rng.standard_normal((D, features), dtype=np.float32) / np.float32(lengthscale)
        self.phase = rng.uniform(0, 2 * np.pi, features).astype(np.float32)
        self.G = np.zeros((features, features), np.float32)
        self.H = np.zeros((features, C), np.float32)

    def features(self, X):
        phi = X @ self.omega
        phi += self.phase
        np.cos(phi, out=phi)
        phi *= np.float32(np.sqrt(2 / len(self.phase)))
        return phi

    def learn(self, X, y):
        for a in range(0, len(X), CHUNK):
            phi = self.features(X[a : a + CHUNK])
            self.G += phi.T @ phi
            self.H += phi.T @ np.eye(self.H.shape[1], dtype=np.float32)[y[a : a + CHUNK]]

    def weights(self, ridge):
        A = self.G.astype(np.float64)
        A[np.diag_indices_from(A)] += ridge
        return np.linalg.solve(A, self.H.astype(np.float64)).astype(np.float32)

    def scores(self, X, *weights):
        """For each weights, X's scores [N, C]."""
        both = np.concatenate(weights, axis=1)
        out = np.concatenate([self.features(X[a : a + CHUNK]) @ both for a in range(0, len(X), CHUNK)])
        return np.split(out, len(weights), axis=1)

    def state_bytes(self):
        return self.G.nbytes + self.H.nbytes


def hits(scores, y):
    return int((scores.argmax(1) == y).sum())


def learned(args, data, tasks, features, lengthscale):
    model = RandomFeatureRidge(784, 10, features, lengthscale, args.seed)
    for task in tasks:
        model.learn(*task(*data["train"]))
    return model


def validation_accuracy(model, data, tasks, ridges):
    """For each ridge, accuracy on the held-out points of all tasks."""
    weights = [model.weights(ridge) for ridge in ridges]
    right, count = np.zeros(len(ridges)), 0
    for task in tasks:
        X, y = task(*data["validation"])
        right += [hits(scores, y) for scores in model.scores(X, *weights)]
        count += len(y)
    return right / count


def candidate_lengthscales(args, data, tasks):
    """The best with few features, and the next two below: the more features, the shorter the best lengthscale."""
    if args.lengthscale is not None:
        return [args.lengthscale]
    features = min(args.features, SEARCH_FEATURES)
    accuracy = []
    for lengthscale in LENGTHSCALES:
        model = learned(args, data, tasks, features, lengthscale)
        accuracy.append(validation_accuracy(model, data, tasks, RIDGES).max())
        print(f"lengthscale {lengthscale:g}, {features} features: {100 * accuracy[-1]:.2f} % of held-out points", flush=True)
    best = int(np.argmax(accuracy))
    return LENGTHSCALES[max(0, best - 2) : best + 1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path, help="with the four IDX files of MNIST, or of Fashion-MNIST")
    parser.add_argument("--stream", choices=("split", "permuted"), default="split")
    parser.add_argument("--tasks", type=int, help="how many, default 5 (split), 10 (permuted)")
    parser.add_argument("--features", type=int, default=8000)
    parser.add_argument("--lengthscale", type=float, help="default: the best on held-out data")
    parser.add_argument("--ridge", type=float, help="default: the best on held-out data")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE")
    args = parser.parse_args()

    start = time.perf_counter()
    data, tasks = load(args.folder, args.seed), task_views(args.stream, args.tasks, args.seed)
    candidates, search = candidate_lengthscales(args, data, tasks), []
    ridges = RIDGES if args.ridge is None else (args.ridge,)
    if len(candidates) * len(ridges) > 1:
        for lengthscale in candidates:
            model = learned(args, data, tasks, args.features, lengthscale)
            for ridge, accuracy in zip(ridges, validation_accuracy(model, data, tasks, ridges)):
                search.append({"lengthscale": lengthscale, "ridge": ridge, "accuracy": accuracy})
                print(f"lengthscale {lengthscale:g}, ridge {ridge:g}: {100 * accuracy:.2f} % of held-out points", flush=True)
        best = max(search, key=lambda entry: entry["accuracy"])
        lengthscale, ridge = best["lengthscale"], best["ridge"]
    else:
        lengthscale, ridge = candidates[0], ridges[0]
    search_seconds = time.perf_counter() - start

    model = RandomFeatureRidge(784, 10, args.features, lengthscale, args.seed)
    matrix, learn_seconds, solve_seconds = [], [], []
    for i, task in enumerate(tasks):
        X, y = task(*data["train"])
        start = time.perf_counter()
        model.learn(X, y)
        middle = time.perf_counter()
        weights = model.weights(ridge)
        learn_seconds.append(middle - start)
        solve_seconds.append(time.perf_counter() - middle)
        row, right, count = [], 0, 0
        for seen in tasks[: i + 1]:
            X, y = seen(*data["test"])
            right += (hit := hits(model.scores(X, weights)[0], y))
            count += len(y)
            row.append(hit / len(y))
        matrix.append(row)
        final = right / count
        print(f"after task {i + 1}: {100 * final:.2f} %   each " + " ".join(f"{100 * a:.2f}" for a in row), flush=True)

    print(
        f"{args.features} features, lengthscale {lengthscale:g}, ridge {ridge:g}: final {100 * final:.2f} %, "
        f"state {model.state_bytes() / 1e6:.1f} MB, sums {sum(learn_seconds):.1f} s, solves {sum(solve_seconds):.1f} s, "
        f"choosing lengthscale and ridge {search_seconds:.1f} s"
    )
    if args.json:
        record = {
            "what": "random features with ridge regression",
            "machine": machine(),
            "settings": {k: str(v) if isinstance(v, pathlib.Path) else v for k, v in vars(args).items()},
            "validation": search, "lengthscale": lengthscale, "ridge": ridge,
            "accuracy_matrix": matrix, "final_accuracy": final, "state_bytes": model.state_bytes(),
            "learn_seconds": learn_seconds, "solve_seconds": solve_seconds, "search_seconds": search_seconds,
        }  # fmt: skip
        args.json.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
