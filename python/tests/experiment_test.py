"""Experiments and metrics."""
import json
import os
import subprocess

import numpy as np
import pytest

import vargp
from vargp import metrics


def without_times(record):
    """What the same seed gives again, to the bit."""
    return {key: value for key, value in record.items()
            if not key.endswith("seconds") and key not in ("environment", "threads")}


def test_a_run_has_the_record_of_the_command_line(tmp_path):
    record = vargp.run("toy", model="var-gp", preset="quick", seed=3, epochs=5)
    subprocess.run([os.environ["VARGP_PROGRAM"], "run", "toy", "--model", "var-gp", "--preset",
                    "quick", "--seed", "3", "--epochs", "5", "--out", tmp_path], check=True,
                   stdout=subprocess.DEVNULL)
    written = json.loads((tmp_path / "record.json").read_text())["runs"][0]
    assert without_times(record) == without_times(written)
    assert record["environment"]["vargp"] == vargp.__version__


def test_verbose_shows_every_task(capsys):
    vargp.run("toy", verbose=1)
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("task 1: ") and "all seen so far" in second


def test_bad_arguments_are_named():
    with pytest.raises(vargp.Error, match="there is no experiment moons; there are toy"):
        vargp.run("moons")
    with pytest.raises(vargp.Error, match="wings: there is no such setting"):
        vargp.run("toy", wings=2)
    with pytest.raises(ValueError, match="validation = 'all'"):
        vargp.run("toy", validation="all")
    with pytest.raises(ValueError, match="seed = -1: must be a whole number"):
        vargp.run("toy", seed=-1)
    with pytest.raises(ValueError, match=r"counts has the shape \(1,\), expected \(2,\)"):
        metrics.final_accuracy([[0.9, 0], [0.8, 0.9]], counts=[1])
    with pytest.raises(ValueError, match="more tasks were learned than there are"):
        metrics.forgetting([[0.9], [0.8]])


def test_metrics_agree_with_the_record():
    record = vargp.run("toy")
    R = record["accuracy_matrix"]
    assert metrics.forgetting(R) == record["forgetting"]
    assert metrics.bwt(R) == -record["forgetting"]
    assert metrics.mean_task_accuracy(R) == record["mean_task_accuracy"]


def test_what_was_not_measured_may_be_nan():
    R = [[0.9, np.nan], [0.7, 0.8]]
    assert metrics.forgetting(R) == pytest.approx(0.2)
    with pytest.raises(ValueError, match=r"R\[0\]\[1\] is nan"):
        metrics.fwt(R)
    with pytest.raises(ValueError, match=r"R\[1\]\[0\] is nan"):
        metrics.forgetting([[0.9, 0], [np.nan, 0.8]])
    with pytest.raises(ValueError, match="accuracy 97, expected 0 to 1"):
        metrics.forgetting([[97, 0], [95, 98]])


def test_calibration_of_anybodys_probabilities():
    P = np.array([[0.6, 0.4], [0.61, 0.39], [0.39, 0.61], [0, 1]])
    c = metrics.calibration(P, ["no", "no", "no", "yes"], classes=["no", "yes"])
    assert c.error == pytest.approx((0.4 + 2 * 0.11) / 4)
    assert c.rows[9] == 2 and c.accuracy[9] == 0.5
    assert metrics.nll(P[:3], [0, 0, 0]) == pytest.approx(-np.log([0.6, 0.61, 0.39]).mean())
    with pytest.raises(ValueError, match="label 'maybe' in row 1"):
        metrics.nll(P[:2], ["no", "maybe"], classes=["no", "yes"])
    with pytest.raises(ValueError, match="sum to"):
        metrics.nll([[0.5, 0.2]], [0])
