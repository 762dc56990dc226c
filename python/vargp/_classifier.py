"""The classifier."""
from __future__ import annotations

import numbers
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from vargp import _core
from vargp._estimator import Estimator


class VARGPClassifier(ClassifierMixin, Estimator):
    """Gaussian process classification of one data set after another.

    ``fit`` learns one task, ``partial_fit`` one more: perhaps other classes, other regions. Rows of
    earlier tasks are not needed again, and not kept.

    Parameters
    ----------
    model : {"coupled", "var-gp"}
        "coupled" lets a new task move all that was learned (ours), "var-gp" freezes it (the
        paper's).
    likelihood : {"gaussian", "softmax"}
        Of the labels. "gaussian" regresses on them, in closed form, and calibrates its
        probabilities on held-out rows.
    inducing, inducing_share : int, float
        Inducing points of each task: so many, but at most this share of its rows.
    hyper : {"posterior", "point", "fixed"}
        How lengthscales and scale are learned.
    lengthscale : float or None
        Where they start; None: a share of the median distance between points.
    scale : float
        Standard deviation of the function at the start.
    ard : bool
        A lengthscale for every feature, which says how much it matters, or one for all.
    noise, learn_noise : float, bool
        Variance of Gaussian labels at the start, and whether it is learned.
    jitter : float
        Added to the kernel's diagonal, relative to it.
    classes : "grow" or list of labels
        New classes may come with every task, or the classes are these.
    standardize : bool
        Features are shifted and scaled by the first task's mean and deviation.
    missing : {"error", "mean"}
        NaN in X is an error, or stands for the first task's mean of its feature.
    validation : float
        Share of the rows held out for early stopping and calibration.
    precision : {"double", "float"}
        "float" is faster, for many rows.
    threads : int
        0: all cores. The results do not depend on it.
    random_state : int, RandomState or None
        An int is the library's seed: same seed, same bits.
    settings : dict or None
        Further settings of the library, by name, as ``vargp learn --help`` lists them.
    verbose : int
        1 shows progress.

    Attributes
    ----------
    classes_ : labels, sorted; the columns of ``predict_proba``
    n_tasks_, history_, n_features_in_, feature_names_in_, inducing_points_, lengthscales_,
    lengthscales_interval_, state_bytes_

    Examples
    --------
    >>> import numpy as np
    >>> from vargp import VARGPClassifier
    >>> X = np.array([[-2.0], [-1.5], [-1.0], [1.0], [1.5], [2.0]])
    >>> model = VARGPClassifier().partial_fit(X, ["left"] * 3 + ["right"] * 3)
    >>> model.partial_fit(X + 8, ["far"] * 6).classes_
    array(['far', 'left', 'right'], dtype='<U5')
    >>> model.predict([[-1.2], [1.2], [9.0]])
    array(['left', 'right', 'far'], dtype='<U5')
    """

    _regression = False

    def __init__(self, model: str = "coupled", *, likelihood: str = "gaussian", inducing: int = 300,
                 inducing_share: float = 0.5, hyper: str = "posterior",
                 lengthscale: Optional[float] = None, scale: float = 1.0, ard: bool = True,
                 noise: float = 0.05, learn_noise: bool = True, jitter: float = 1e-6,
                 classes: Union[str, ArrayLike] = "grow",
                 standardize: bool = True, missing: str = "error", validation: float = 0.1,
                 precision: str = "double", threads: int = 0,
                 random_state: Union[int, np.random.RandomState, None] = 1,
                 settings: Optional[dict[str, Any]] = None, verbose: int = 0):
        self.model = model
        self.likelihood = likelihood
        self.inducing = inducing
        self.inducing_share = inducing_share
        self.hyper = hyper
        self.lengthscale = lengthscale
        self.scale = scale
        self.ard = ard
        self.noise = noise
        self.learn_noise = learn_noise
        self.jitter = jitter
        self.classes = classes
        self.standardize = standardize
        self.missing = missing
        self.validation = validation
        self.precision = precision
        self.threads = threads
        self.random_state = random_state
        self.settings = settings
        self.verbose = verbose

    def partial_fit(self, X: ArrayLike, y: ArrayLike,
                    classes: Union[str, ArrayLike, None] = None) -> VARGPClassifier:
        """Learns one more task. What was learned before stays.

        classes : at the first call, all classes there will ever be, or "grow"; None: what the
            constructor says. Later it may be left out.

        After Ctrl-C, or an error, the model is as it was before the call.
        """
        with self._unchanged_on_error():
            self._learn(X, y, classes)
        return self

    def _learn(self, X: ArrayLike, y: ArrayLike,
               classes: Union[str, ArrayLike, None] = None) -> None:
        first = not self.__sklearn_is_fitted__()
        points, labels = self._looked_through(X, y, reset=first)
        check_classification_targets(labels)
        labels = column_or_1d(labels, warn=True)
        if first:
            allowed = self.classes if classes is None else classes
            self._grows = isinstance(allowed, str)
            if allowed is None or self._grows and allowed != "grow":
                raise ValueError(f"classes = {allowed!r}: must be 'grow' or a list of labels")
            self.classes_ = np.unique(labels if self._grows else allowed)
        elif classes is not None:
            same = (classes == "grow") == self._grows if isinstance(classes, str) else \
                np.array_equal(np.unique(classes), self.classes_)
            if not same:
                raise ValueError(f"classes = {classes!r} is not what the first call to partial_fit "
                                 "said")
        present, place = np.unique(_alike(labels, self.classes_), return_inverse=True)
        if self._grows:
            self.classes_ = np.union1d(self.classes_, present)
        elif not np.isin(present, self.classes_).all():
            row = int(np.argmin(np.isin(labels, self.classes_)))
            raise ValueError(f"y has the label {labels[row]!r} in row {row}, which is none of the "
                             f"classes {self.classes_.tolist()}")
        names = [_name(label) for label in present]
        self._learn_task(points, [names[i] for i in place])

    def _likelihood(self) -> str:
        return self.likelihood

    def _new_model(self) -> _core.Model:
        return _core.Model.classifier(
            self._options(), [] if self._grows else [_name(label) for label in self.classes_])

    def _columns(self) -> list[int]:
        """The model's output of each class: its own order is that in which they came."""
        order = {name: column for column, name in enumerate(self._model.classes)}
        return [order[_name(label)] for label in self.classes_]

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Probability of each class [n, classes], in the order of ``classes_``."""
        return self._predict(X)["probability"][:, self._columns()]

    def predict(self, X: ArrayLike) -> NDArray:
        """The most probable class of each row [n]."""
        label = self._predict(X)["label"]
        return self.classes_[np.argsort(self._columns())[label]]

    def entropy(self, X: ArrayLike) -> NDArray[np.float64]:
        """How unsure the prediction of each row is [n], in nats: 0 to log(classes)."""
        return self._predict(X)["entropy"]

    def latent(self, X: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mean and standard deviation of the function behind each class, [n, classes] each."""
        f = self._predict(X)
        columns = self._columns()
        return f["mean"][:, columns], np.sqrt(f["var"][:, columns])

    @classmethod
    def _from_model(cls, model: _core.Model, threads: int) -> VARGPClassifier:
        out = super()._from_model(model, threads)
        labels = [_label(name) for name in model.classes]
        if len({type(label) for label in labels}) > 1:
            labels = list(model.classes)
        out.classes_ = np.unique(labels)
        out._grows = model.grows
        out.classes = "grow" if model.grows else out.classes_.tolist()
        return out


def _alike(labels: NDArray, classes: NDArray) -> NDArray:
    """The labels as the classes are written: 1.0 is the class 1, but "1" and True are not."""
    kinds = {labels.dtype.kind, classes.dtype.kind}
    if len(kinds) == 1 or kinds == set("OU"):
        return labels
    if kinds <= set("iuf"):
        same = labels.astype(classes.dtype.kind + "8")
        if (same == labels).all():
            return same
    raise ValueError(f"y has the label {labels[0]!r}, which is not of the type of the classes "
                     f"{classes.tolist()}")


def _name(label: Any) -> str:
    """A label as model files have it: text."""
    if isinstance(label, (bool, np.bool_)):
        return str(bool(label))
    if isinstance(label, numbers.Integral) or isinstance(label, str):
        return str(label)
    return repr(float(label)) if isinstance(label, numbers.Real) else str(label)


def _label(name: str) -> Any:
    """A label from a model file: a number where that is what would be written for it."""
    for kind in (int, float):
        try:
            if _name(kind(name)) == name:
                return kind(name)
        except ValueError:
            pass
    return {"True": True, "False": False}.get(name, name)
