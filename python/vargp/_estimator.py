"""What the two estimators have in common."""
from __future__ import annotations

import json
import numbers
from contextlib import contextmanager
from os import PathLike, fspath
from typing import Any, Iterator, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state

from vargp import _core
from vargp._progress import Display
from vargp._settings import plain

# Taken as they are, in any layout; whatever else becomes float64.
DTYPES = (np.float64, np.float32)

# Parameters of the constructors that are settings of the library, by the same name.
SETTINGS = ("model", "inducing", "inducing_share", "hyper", "lengthscale", "scale", "ard", "noise",
            "learn_noise", "jitter")

# And those that say how rows are taken in.
TABLE_OPTIONS = ("precision", "validation", "threads", "standardize", "missing")


class Estimator(BaseEstimator):
    """Learning one task after another; the kind of target is the subclasses' business.

    Everything that was learned is in ``_model``, a value that is replaced and never changed.
    """

    _regression: bool
    _model: _core.Model

    def fit(self, X: ArrayLike, y: ArrayLike):
        """Learns one task, and forgets whatever was learned before.

        X : [n, features] of float32 or float64, in any layout; nothing is copied that need not be
        y : [n] labels or targets

        After Ctrl-C, or an error, the model is as it was before the call.
        """
        with self._unchanged_on_error():
            self.__dict__.pop("_model", None)
            self._learn(X, y)
        return self

    @contextmanager
    def _unchanged_on_error(self) -> Iterator[None]:
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _learn(self, X: ArrayLike, y: ArrayLike) -> None:
        raise NotImplementedError

    def _looked_through(self, X: ArrayLike, *y: ArrayLike, **how: Any) -> Any:
        """What scikit-learn checks of points and targets, without a copy where none is needed."""
        return self._validate_data(X, *y, dtype=DTYPES, **how,
                                   force_all_finite="allow-nan" if self.missing == "mean" else True)

    def _learn_task(self, X: NDArray, y: Union[Sequence[str], NDArray]) -> None:
        """One more task, of points and targets that have been looked through."""
        display = Display(self.verbose)
        model = self._model if self.__sklearn_is_fitted__() else self._new_model()
        self._model, report = model.learned(X, y, list(getattr(self, "feature_names_in_", [])),
                                            display.callbacks()["progress"])
        display.line(report)

    def _options(self) -> str:
        """The library's options as JSON."""
        seed = self.random_state
        if not isinstance(seed, numbers.Integral):
            seed = check_random_state(seed).randint(2**31)
        own = plain({"seed": seed, "likelihood": self._likelihood(),
                     **{name: getattr(self, name) for name in SETTINGS}})
        if not isinstance(self.settings, (dict, type(None))):
            raise ValueError(f"settings = {self.settings!r}: must be a dict or None")
        further = plain(self.settings or {})
        for name in further:
            if name in own:
                raise ValueError(f"settings has {name!r}, which the estimator's own parameters set")
        return json.dumps({
            **plain({name: getattr(self, name) for name in TABLE_OPTIONS}),
            "settings": {**own, **further},
        })

    def _likelihood(self) -> str:
        raise NotImplementedError

    def _new_model(self) -> _core.Model:
        raise NotImplementedError

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__

    def _fitted(self) -> _core.Model:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet: call "
                                 "'fit' or 'partial_fit' first")
        return self._model

    def _predict(self, X: ArrayLike) -> dict[str, NDArray]:
        model = self._fitted()
        return model.predict(self._looked_through(X, reset=False))

    @property
    def n_tasks_(self) -> int:
        """Tasks learned so far."""
        return self._fitted().tasks

    @property
    def history_(self) -> list[dict[str, Any]]:
        """Each task: when it was learned, from how many rows, its validation score.

        "moved" watches over forgetting without any of the rows: how far later tasks have moved the
        predictions at the task's own inducing points. For classes it is the mean total variation, 0
        to 1; for regression a root mean square, in standard deviations.
        """
        return self._fitted().history()

    @property
    def inducing_points_(self) -> list[NDArray[np.float64]]:
        """The inducing inputs of each task [M, features], in the units of X."""
        return self._fitted().inducing_inputs()

    @property
    def lengthscales_(self) -> NDArray[np.float64]:
        """Over which distance the function changes, along each feature and in its units.

        The median under q(theta). Short: the feature matters. (With ``ard=False`` they differ only
        by the features' own deviations.)
        """
        return np.exp(self._fitted().log_lengthscales()[0])

    @property
    def lengthscales_interval_(self) -> NDArray[np.float64]:
        """Where each lengthscale is with 95 % probability under q(theta) [features, 2].

        Both ends are the same where theta is a point (``hyper="fixed"`` or ``"point"``), and with
        ``model="coupled"`` from 65 features on. A wide interval means that the rows have not told
        how much the feature matters.
        """
        mean, deviation = np.array(self._fitted().log_lengthscales())
        return np.exp(np.stack([mean - 1.96 * deviation, mean + 1.96 * deviation], axis=1))

    @property
    def state_bytes_(self) -> int:
        """What is kept of all the tasks, in bytes."""
        return self._fitted().state_bytes

    def save(self, path: Union[str, PathLike]) -> None:
        """Writes the model file, whole or not at all: the same as the command line's.

        ``vargp predict PATH data.csv`` reads it, and so does :func:`vargp.load`.
        """
        self._fitted().save(fspath(path))

    @classmethod
    def load(cls, path: Union[str, PathLike], threads: int = 0):
        """An estimator from a model file, written by ``save`` or by ``vargp learn``."""
        model = _core.Model.load(fspath(path), threads)
        if model.regression != cls._regression:
            raise _core.Error(f"{fspath(path)}: the model is no {cls.__name__}; vargp.load takes "
                              "either kind")
        return cls._from_model(model, threads)

    @classmethod
    def _from_model(cls, model: _core.Model, threads: int):
        options = json.loads(model.options)
        settings = {name.replace("-", "_"): value for name, value in options["settings"].items()}
        if settings["lengthscale"] == "auto":
            settings["lengthscale"] = None
        table = {name: options[name] for name in TABLE_OPTIONS}
        out = cls(random_state=settings.pop("seed"), **{**table, "threads": threads})
        for name in (*SETTINGS, "likelihood"):
            value = settings.pop(name)
            if name in out.get_params():
                setattr(out, name, value)
        # Of the others, those that are not as they would be anyway.
        usual = json.loads(_core.default_options())["settings"]
        others = {name: value for name, value in settings.items()
                  if value != usual[name.replace("_", "-")]}
        out.settings = others or None
        out._model = model
        out.n_features_in_ = len(model.columns)
        if model.named:
            out.feature_names_in_ = np.array(model.columns, dtype=object)
        return out

    def _more_tags(self) -> dict[str, Any]:
        return {"allow_nan": self.missing == "mean"}


def load(path: Union[str, PathLike], threads: int = 0):
    """The classifier or regressor in a model file, written by ``save`` or by ``vargp learn``.

    >>> import tempfile, pathlib, numpy as np
    >>> from vargp import VARGPRegressor, load
    >>> X = np.linspace(0, 6, 40)[:, None]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "sine.vargp")
    ...     VARGPRegressor().fit(X, np.sin(X[:, 0])).save(path)
    ...     load(path).predict([[1.5]]).round(1)
    array([1.])
    """
    model = _core.Model.load(fspath(path), threads)
    (kind,) = (k for k in Estimator.__subclasses__() if k._regression == model.regression)
    return kind._from_model(model, threads)
