"""Continual learning with Gaussian processes.

You show it one data set after another; it never needs an old one again, does not forget, and says
how sure it is. The estimators follow scikit-learn's conventions, and ``partial_fit`` learns one
more task:

>>> from vargp import VARGPClassifier
>>> from sklearn.datasets import load_iris
>>> X, y = load_iris(return_X_y=True, as_frame=True)
>>> model = VARGPClassifier()
>>> model.partial_fit(X[y < 2], y[y < 2])          # task 1: setosa and versicolor
VARGPClassifier()
>>> model.partial_fit(X[y == 2], y[y == 2])        # task 2: virginica, without the others' rows
VARGPClassifier()
>>> model.score(X, y) > 0.9
True

Experiments of the command line run with :func:`vargp.run`; :mod:`vargp.metrics` has forgetting,
backward transfer and calibration for anybody's numbers.
"""

from vargp import metrics
from vargp._classifier import VARGPClassifier
from vargp._core import Error, NumericalError, __version__
from vargp._estimator import load
from vargp._experiment import experiments, run
from vargp._regressor import VARGPRegressor

__all__ = ["Error", "NumericalError", "VARGPClassifier", "VARGPRegressor", "__version__",
           "experiments", "load", "metrics", "run"]
