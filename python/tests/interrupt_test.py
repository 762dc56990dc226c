"""Ctrl-C stops learning and leaves the model as it was before the call."""
import os
import signal
import threading
import time

import numpy as np
import pytest

import vargp
from vargp import VARGPClassifier, VARGPRegressor


@pytest.fixture
def ctrl_c():
    """Sends what Ctrl-C sends, half a second from now: from a thread, which can only run because
    the lock is not held while the library computes."""
    def send():
        time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGINT)
    threads = []
    def later():
        threads.append(threading.Thread(target=send))
        threads[-1].start()
    yield later
    for thread in threads:
        thread.join()


def rows(n, seed=0):
    rng = np.random.RandomState(seed)
    X = rng.randn(n, 5)
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


LONG = {"hyper-steps": 1_000_000, "epochs": 1_000_000, "patience": 1_000_000}


@pytest.mark.parametrize("model", [
    VARGPClassifier(), VARGPRegressor(),
    VARGPClassifier("var-gp", inducing=20, settings={"epochs": 2})], ids=str)
def test_the_model_stays_as_it_was(model, ctrl_c):
    X, y = rows(200)
    model.fit(X, y)
    learned, before = dict(vars(model)), model.latent(X)
    model.set_params(inducing=50, settings=LONG)  # fit will start from these
    ctrl_c()
    with pytest.raises(KeyboardInterrupt):
        model.fit(*rows(500, seed=1))
    assert model.n_tasks_ == 1
    for name, value in learned.items():
        if name not in ("inducing", "settings"):
            assert np.array_equal(vars(model)[name], value), name
    np.testing.assert_array_equal(model.latent(X), before)


def test_partial_fit_too(ctrl_c):
    X, y = rows(200)
    model = VARGPClassifier("var-gp", inducing=20, settings=LONG | {"epochs": 1})
    model.partial_fit(X, y)
    before = model.predict_proba(X)
    many = VARGPClassifier("var-gp", inducing=20, settings=LONG)
    many.__dict__.update({k: v for k, v in vars(model).items() if k not in many.get_params()})
    ctrl_c()
    with pytest.raises(KeyboardInterrupt):
        for task in range(10_000):
            many.partial_fit(*rows(2_000, seed=task))
    tasks = many.n_tasks_
    assert many.partial_fit(*rows(50, seed=9)).n_tasks_ == tasks + 1
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_nothing_learned_yet_is_nothing_learned_after(ctrl_c):
    model = VARGPClassifier(settings=LONG)
    ctrl_c()
    with pytest.raises(KeyboardInterrupt):
        model.fit(*rows(500))
    assert vars(model) == vars(VARGPClassifier(settings=LONG))


def test_an_experiment_stops(ctrl_c):
    ctrl_c()
    with pytest.raises(KeyboardInterrupt):
        vargp.run("toy", model="var-gp", epochs=1_000_000, patience=1_000_000)
