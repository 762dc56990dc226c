"""scikit-learn's own rules for estimators, every one of them: a check that is skipped fails here."""
import unittest

import pytest
from sklearn.utils.estimator_checks import check_estimator

from vargp import VARGPClassifier, VARGPRegressor

CHECKS = [check for estimator in (VARGPClassifier(), VARGPRegressor())
          for check in check_estimator(estimator, generate_only=True)]


def _name(value):
    return getattr(getattr(value, "func", None), "__name__", None) or type(value).__name__


@pytest.mark.parametrize("estimator, check", CHECKS, ids=_name)
def test_check(estimator, check):
    try:
        check(estimator)
    except unittest.SkipTest as reason:
        pytest.fail(f"skipped: {reason}")
