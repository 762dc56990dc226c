"""Settings on their way to the library, which takes them as JSON."""
from __future__ import annotations

import math
from typing import Any, Mapping

import numpy as np


def plain(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by the library's names, with values that JSON has.

    NumPy's numbers, as grids of parameters have them, become Python's.

    >>> plain({"learn_noise": np.bool_(True), "inducing": np.int64(5)})
    {'learn-noise': True, 'inducing': 5}
    """
    out = {}
    for name, value in settings.items():
        if isinstance(value, (np.generic, np.ndarray)):
            value = value.tolist()
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{name} = {value}: must be a finite number")
        if not isinstance(value, (bool, int, float, str, list, tuple, type(None))):
            raise ValueError(f"{name} = {value!r}: is no value of a setting")
        out[name.replace("_", "-")] = value
    return out
