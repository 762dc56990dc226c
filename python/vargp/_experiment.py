"""The experiments of `vargp run`, from Python."""
from __future__ import annotations

import json
import numbers
from os import PathLike
from typing import Any, Optional, Union

from vargp import _core
from vargp._progress import Display
from vargp._settings import plain


def experiments() -> dict[str, str]:
    """The experiments that can be run, with a word on each.

    >>> list(experiments())[:2]
    ['toy', 'split-mnist']
    """
    return dict(_core.experiments())


def run(experiment: str, *, model: str = "coupled", preset: str = "default", seed: int = 1,
        tasks: int = 10, order: str = "", data: Optional[Union[str, PathLike]] = None,
        threads: int = 0, validation: str = "task", verbose: int = 0,
        **settings: Any) -> dict[str, Any]:
    """Runs a stream of tasks, one after the other, and gives the record as a plain dict.

    The same numbers as ``vargp run EXPERIMENT --model .. --preset .. --seed ..`` leaves in its
    record.json for this seed. Ctrl-C stops it.

    Parameters
    ----------
    experiment : one of :func:`experiments`
    model : "coupled" (ours) or "var-gp" (the paper's)
    preset : "quick", "default", "best" or "paper" (the authors' settings)
    tasks : number of tasks of a permuted experiment
    order : classes of each task of a split one, as "0,1|2,3|4,5"; empty for the usual
    data : folder with the four IDX files, instead of the cache
    threads : 0 for all cores; the numbers do not depend on it
    validation : "task" validates on the current task only, "seen" on all so far
    verbose : 1 shows progress
    settings : whatever ``vargp run --help`` lists, with underscores: ``inducing=100``

    Examples
    --------
    >>> record = run("toy", inducing=15)
    >>> len(record["accuracy_matrix"]), record["final_accuracy"] > 0.9
    (2, True)
    """
    if validation not in ("task", "seen"):
        raise ValueError(f"validation = {validation!r}: must be 'task' or 'seen'")
    for name, value in (("seed", seed), ("tasks", tasks), ("threads", threads)):
        if not isinstance(value, numbers.Integral) or value < 0:
            raise ValueError(f"{name} = {value!r}: must be a whole number, 0 or above")
    return json.loads(_core.run(
        experiment, model, preset, seed, tasks, order, "" if data is None else data, threads,
        validation == "seen", json.dumps(plain(settings)), **Display(verbose).callbacks()))
