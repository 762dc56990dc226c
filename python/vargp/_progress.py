"""What a person sees while something is learned: a line that renews itself on a terminal and in a
notebook, and one line for every task."""
from __future__ import annotations

import math
import sys
from typing import Any


def _renews() -> bool:
    """Does a carriage return start the line anew? On terminals and in Jupyter's kernels."""
    return sys.stdout.isatty() or type(sys.stdout).__module__.startswith("ipykernel")


class Display:
    """Shown with verbose=1; with 0 nothing is."""

    def __init__(self, verbose: int):
        self._on = verbose > 0
        self._renews = self._on and _renews()
        self._width = 0

    def epoch(self, task: int, epoch: int, epochs: int, bound: float, validation: float) -> None:
        """Where learning a task stands."""
        if not self._renews or epochs < 2:
            return
        line = f"task {task + 1}: epoch {epoch}/{epochs}, bound {bound:.5g}"
        if not math.isnan(validation):
            line += f", validation {validation:.4g}"
        self._write(line.ljust(self._width), end="\r")
        self._width = len(line)

    def line(self, text: str) -> None:
        """A line that stays."""
        self._write(text.ljust(self._width))
        self._width = 0

    def task_done(self, task: int, tasks: int, report: str, accuracy: float) -> None:
        """A task of an experiment has been learned, and all tasks so far tested."""
        self.line(f"{report}; all seen so far {100 * accuracy:.2f} %")

    def callbacks(self) -> dict[str, Any]:
        return {"progress": self.epoch, "task_done": self.task_done} if self._on else \
            {"progress": None, "task_done": None}

    def _write(self, text: str, end: str = "\n") -> None:
        if self._on:
            print(text, end=end, flush=True)
