"""The regressor."""
from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin

from vargp import _core
from vargp._estimator import Estimator


class VARGPRegressor(RegressorMixin, Estimator):
    """Gaussian process regression on one data set after another.

    ``fit`` learns one task, ``partial_fit`` one more. Rows of earlier tasks are not needed again,
    and not kept. With every row an inducing point and fixed lengthscales, any sequence of tasks
    gives the posterior of an exact Gaussian process on all of them.

    For several targets there is scikit-learn's MultiOutputRegressor.

    Parameters
    ----------
    model : {"coupled", "var-gp"}
        "coupled" lets a new task move all that was learned (ours), "var-gp" freezes it (the
        paper's).
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
        Variance of the noise at the start, relative to the target's where that is standardised, and
        whether it is learned.
    jitter : float
        Added to the kernel's diagonal, relative to it.
    standardize : bool
        Features and target are shifted and scaled by the first task's mean and deviation.
    missing : {"error", "mean"}
        NaN in X is an error, or stands for the first task's mean of its feature.
    validation : float
        Share of the rows held out for early stopping.
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
    noise_ : variance of the noise, in the target's units, squared
    n_tasks_, history_, n_features_in_, feature_names_in_, inducing_points_, lengthscales_,
    lengthscales_interval_, state_bytes_

    Examples
    --------
    >>> import numpy as np
    >>> from vargp import VARGPRegressor
    >>> X = np.linspace(0, 3, 30)[:, None]
    >>> model = VARGPRegressor().partial_fit(X, np.sin(X[:, 0]))
    >>> model.partial_fit(X + 3, np.sin(X[:, 0] + 3)).predict([[1.0], [5.0]]).round(1)
    array([ 0.8, -1. ])
    """

    _regression = True

    def __init__(self, model: str = "coupled", *, inducing: int = 300,
                 inducing_share: float = 0.5, hyper: str = "posterior",
                 lengthscale: Optional[float] = None, scale: float = 1.0, ard: bool = True,
                 noise: float = 0.05, learn_noise: bool = True, jitter: float = 1e-6,
                 standardize: bool = True, missing: str = "error", validation: float = 0.1,
                 precision: str = "double", threads: int = 0,
                 random_state: Union[int, np.random.RandomState, None] = 1,
                 settings: Optional[dict[str, Any]] = None, verbose: int = 0):
        self.model = model
        self.inducing = inducing
        self.inducing_share = inducing_share
        self.hyper = hyper
        self.lengthscale = lengthscale
        self.scale = scale
        self.ard = ard
        self.noise = noise
        self.learn_noise = learn_noise
        self.jitter = jitter
        self.standardize = standardize
        self.missing = missing
        self.validation = validation
        self.precision = precision
        self.threads = threads
        self.random_state = random_state
        self.settings = settings
        self.verbose = verbose

    def partial_fit(self, X: ArrayLike, y: ArrayLike) -> VARGPRegressor:
        """Learns one more task. What was learned before stays.

        After Ctrl-C, or an error, the model is as it was before the call.
        """
        with self._unchanged_on_error():
            self._learn(X, y)
        return self

    def _learn(self, X: ArrayLike, y: ArrayLike) -> None:
        points, targets = self._looked_through(X, y, y_numeric=True,
                                               reset=not self.__sklearn_is_fitted__())
        self._learn_task(points, np.asarray(targets, float))

    def _likelihood(self) -> str:
        return "gaussian"

    def _new_model(self) -> _core.Model:
        return _core.Model.regressor(self._options())

    def predict(self, X: ArrayLike, return_std: bool = False, with_noise: bool = False
                ) -> Union[NDArray[np.float64], tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """The mean at each row [n]; with return_std, its standard deviation too.

        The deviation is the function's own, or, with_noise, that of what would be observed.
        """
        f = self._predict(X)
        mean = f["mean"][:, 0]
        if not return_std:
            return mean
        return mean, f["sd"] if with_noise else np.sqrt(f["var"][:, 0])

    def latent(self, X: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mean and standard deviation of the function: ``predict(X, return_std=True)``."""
        mean, std = self.predict(X, return_std=True)
        return mean, std

    def entropy(self, X: ArrayLike) -> NDArray[np.float64]:
        """Entropy of what would be observed at each row [n], in nats."""
        return 0.5 * np.log(2 * np.pi * np.e * self._predict(X)["sd"]**2)

    @property
    def noise_(self) -> float:
        """Variance of the noise, in the target's units, squared."""
        return self._fitted().noise**2
