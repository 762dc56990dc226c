"""What can be said about a run of tasks and about probabilities, on anybody's arrays.

An accuracy matrix ``R`` has one row for each task learned: ``R[i][j]`` is the accuracy, 0 to 1, on
the test points of task ``j`` after learning task ``i``. Tasks not yet learned (``j > i``) may be
NaN, where they were not measured. Rows may be fewer than columns: the run is not over yet.

The definitions are Avalanche's (Lopez-Paz and Ranzato 2017 for bwt and fwt):

>>> R = [[0.9, 0.1], [0.7, 0.8]]
>>> final_accuracy(R, counts=[10, 30]), mean_task_accuracy(R)
(0.775, 0.75)
>>> round(forgetting(R), 3), round(bwt(R), 3), round(fwt(R, initial=[0.1, 0.05]), 3)
(0.2, -0.2, 0.05)
"""
from __future__ import annotations

from typing import NamedTuple, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vargp import _core

__all__ = ["Calibration", "bwt", "calibration", "entropy", "final_accuracy", "forgetting", "fwt",
           "mean_task_accuracy", "nll"]


def _matrix(R: ArrayLike, counts: Optional[ArrayLike] = None, initial: Optional[ArrayLike] = None,
            future: bool = False) -> _core.AccuracyMatrix:
    rows = np.array(R, dtype=float, ndmin=2)
    if rows.ndim != 2 or 0 in rows.shape:
        raise ValueError(f"R has the shape {np.shape(R)}, expected [tasks learned, tasks]")
    if not future:  # what comes after the diagonal is not asked for
        rows[np.triu_indices_from(rows, 1)] = 0
    if np.isnan(rows).any():
        i, j = np.argwhere(np.isnan(rows))[0]
        raise ValueError(f"R[{i}][{j}] is nan, expected an accuracy from 0 to 1")
    tasks = rows.shape[1]
    if len(rows) > tasks:
        raise ValueError(f"R has the shape {rows.shape}: more tasks were learned than there are")
    for name, values in (("counts", counts), ("initial", initial)):
        if values is not None and np.shape(values) != (tasks,):
            raise ValueError(f"{name} has the shape {np.shape(values)}, expected ({tasks},): one "
                             "for each task")
    return _core.AccuracyMatrix(
        rows, np.ones(tasks, int) if counts is None else np.asarray(counts, int),
        np.zeros(tasks) if initial is None else np.asarray(initial, float))


def final_accuracy(R: ArrayLike, counts: Optional[ArrayLike] = None) -> float:
    """Accuracy over all test points of the tasks learned, after the last of them.

    counts: test points of each task; without them all tasks count the same.
    """
    return _matrix(R, counts).final_accuracy()


def mean_task_accuracy(R: ArrayLike) -> float:
    """Mean over the tasks learned of the accuracy after the last of them."""
    return _matrix(R).mean_task_accuracy()


def forgetting(R: ArrayLike) -> float:
    """Mean over earlier tasks of what was lost since they were learned: R[j][j] - R[t][j].

    >>> forgetting([[1.0, 0.0], [0.5, 1.0]])
    0.5
    """
    return _matrix(R).forgetting()


def bwt(R: ArrayLike) -> float:
    """Backward transfer: forgetting with the other sign."""
    return _matrix(R).backward_transfer()


def fwt(R: ArrayLike, initial: Optional[ArrayLike] = None) -> float:
    """Forward transfer: mean of R[j-1][j] - initial[j], what earlier tasks do for the next one.

    initial: accuracies before anything was learned; zeros if not given.
    """
    return _matrix(R, initial=initial, future=True).forward_transfer()


def _labels(P: NDArray[np.float64], y: ArrayLike, classes: Optional[ArrayLike]) -> NDArray:
    """Columns of P, from labels."""
    labels = np.asarray(y)
    names = np.arange(P.shape[1]) if classes is None else np.asarray(classes)
    if len(names) != P.shape[1]:
        raise ValueError(f"{len(names)} classes, expected {P.shape[1]}, one for each column of P")
    columns = np.zeros(len(labels), int)
    known = np.zeros(len(labels), bool)
    for column, name in enumerate(names):
        columns[labels == name] = column
        known |= labels == name
    if not known.all():
        row = int(np.argmin(known))
        raise ValueError(f"y has the label {labels[row]!r} in row {row}, which is none of the "
                         f"classes {list(names)}")
    return columns


def _probabilities(P: ArrayLike) -> NDArray[np.float64]:
    out = np.asarray(P, dtype=float)
    if out.ndim != 2:
        raise ValueError(f"P has the shape {out.shape}, expected [rows, classes]")
    return out


def nll(P: ArrayLike, y: ArrayLike, classes: Optional[ArrayLike] = None) -> float:
    """Mean of -log p(right class), in nats. A probability of 0 counts as 2.2e-16.

    y: labels, one for each row of P. classes: the label of each column; 0, 1, .. if not given.

    >>> round(nll([[0.5, 0.5], [0.9, 0.1]], [1, 0]), 5)
    0.39925
    """
    probabilities = _probabilities(P)
    return _core.nll(probabilities, _labels(probabilities, y, classes))


def entropy(P: ArrayLike) -> float:
    """Mean entropy of the rows, divided by log C: 1 knows nothing, 0 is sure.

    >>> round(entropy([[0.5, 0.5], [0.9, 0.1]]), 5)
    0.7345
    """
    return _core.mean_entropy(_probabilities(P))


class Calibration(NamedTuple):
    """How far confidence is from accuracy: rows in bins by their largest probability."""

    error: float  #: sum over bins of count/N |accuracy - confidence| (ECE)
    rows: NDArray[np.int64]  #: how many are in each bin
    confidence: NDArray[np.float64]  #: mean largest probability; 0 where a bin is empty
    accuracy: NDArray[np.float64]  #: share of them that are right


def calibration(P: ArrayLike, y: ArrayLike, classes: Optional[ArrayLike] = None,
                bins: int = 15) -> Calibration:
    """Calibration error and its bins, of equal width; bin b is (b/bins, (b+1)/bins].

    >>> c = calibration([[0.5, 0.5], [0.9, 0.1]], [1, 0])
    >>> round(c.error, 5), c.rows.sum()
    (0.3, 2)
    """
    probabilities = _probabilities(P)
    columns = _labels(probabilities, y, classes)
    rows, confidence, accuracy = _core.calibration_bins(probabilities, columns, bins)
    return Calibration(_core.calibration_error(probabilities, columns, bins), np.array(rows),
                       np.array(confidence), np.array(accuracy))
