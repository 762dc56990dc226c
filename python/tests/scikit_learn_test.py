"""The estimators inside scikit-learn's tools."""
import copy
import json
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_diabetes, load_iris, load_wine, make_friedman1
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from vargp import VARGPClassifier, VARGPRegressor, _core


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def test_cross_val_score_is_good_out_of_the_box(iris):
    assert cross_val_score(VARGPClassifier(), *iris).mean() > 0.94
    assert cross_val_score(VARGPClassifier(), *load_wine(return_X_y=True)).mean() > 0.97
    assert cross_val_score(VARGPRegressor(), *load_diabetes(return_X_y=True)).mean() > 0.47
    X, y = make_friedman1(200, noise=1, random_state=0)
    assert cross_val_score(VARGPRegressor(ard=True), X, y).mean() > 0.8


def test_a_pipeline_scales_and_classifies(iris):
    X, y = iris
    pipeline = make_pipeline(StandardScaler(), VARGPClassifier(standardize=False))
    assert pipeline.fit(X, y).score(X, y) > 0.94
    # The features are scaled the same way by the estimator itself.
    np.testing.assert_allclose(pipeline.predict_proba(X), VARGPClassifier().fit(X, y).predict_proba(X),
                               atol=1e-6)


def test_a_grid_search_finds_the_lengthscale(iris):
    search = GridSearchCV(VARGPClassifier(hyper="fixed"), {"lengthscale": [0.01, 1.0, 100.0]}, cv=3,
                          scoring="neg_log_loss", n_jobs=2).fit(*iris)
    assert search.best_params_ == {"lengthscale": 1.0}
    assert search.best_estimator_.score(*iris) > 0.94


def test_calibration_by_cross_validation(iris):
    X, y = iris
    P = CalibratedClassifierCV(VARGPClassifier(), cv=3).fit(X, y).predict_proba(X)
    assert (P.argmax(axis=1) == y).mean() > 0.94


@pytest.mark.parametrize("estimator", [VARGPClassifier(), VARGPRegressor(),
                                       VARGPClassifier("var-gp", likelihood="gaussian", inducing=20,
                                                       precision="float", settings={"epochs": 3})])
def test_copies_predict_the_same_bits_and_learn_on_with_them(estimator, iris, tmp_path):
    X, y = iris
    estimator.partial_fit(X[:75], y[:75])
    joblib.dump(estimator, tmp_path / "model.joblib", compress=3)
    copies = [pickle.loads(pickle.dumps(estimator)), copy.deepcopy(estimator),
              joblib.load(tmp_path / "model.joblib")]
    for each in copies:
        assert each.get_params() == estimator.get_params()
        np.testing.assert_array_equal(each.latent(X)[0], estimator.latent(X)[0])
    estimator.partial_fit(X[75:], y[75:])
    for each in copies:
        assert each.n_tasks_ == 1
        np.testing.assert_array_equal(each.partial_fit(X[75:], y[75:]).latent(X),
                                      estimator.latent(X))


def test_a_clone_has_the_parameters_and_nothing_learned(iris):
    model = VARGPClassifier(inducing=30, settings={"kmeans-iterations": 5}).fit(*iris)
    again = clone(model)
    assert again.get_params() == model.get_params()
    assert not hasattr(again, "classes_") and not hasattr(again, "inducing_points_")


def test_columns_of_a_frame_are_known_by_name(iris):
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = VARGPClassifier().fit(X, y)
    assert model.feature_names_in_.tolist() == X.columns.tolist()
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X[X.columns[::-1]])


def test_parallel_jobs_give_the_same_scores(iris):
    np.testing.assert_array_equal(cross_val_score(VARGPClassifier(), *iris, cv=3, n_jobs=2),
                                  cross_val_score(VARGPClassifier(threads=1), *iris, cv=3))


def test_nothing_depends_on_the_number_of_threads(iris):
    one, three = (VARGPClassifier(threads=threads).fit(*iris) for threads in (1, 3))
    np.testing.assert_array_equal(one.predict_proba(iris[0]), three.predict_proba(iris[0]))


def test_a_random_state_is_drawn_from(iris):
    X, y = iris
    fit = lambda state: VARGPClassifier(inducing=10, random_state=state).fit(X, y).latent(X)[0]
    np.testing.assert_array_equal(fit(np.random.RandomState(3)), fit(np.random.RandomState(3)))
    assert (fit(np.random.RandomState(3)) != fit(4)).any()


def test_errors_name_the_parameter():
    X, y = np.zeros((4, 1)), [0, 1, 0, 1]
    with pytest.raises(ValueError, match="inducing = 0: must be at least 1"):
        VARGPClassifier(inducing=0).fit(X, y)
    with pytest.raises(ValueError, match="model = gp: must be one of coupled, var-gp"):
        VARGPClassifier("gp").fit(X, y)
    with pytest.raises(ValueError, match="there is no such setting"):
        VARGPClassifier(settings={"wings": 2}).fit(X, y)
    for wrong, said in [
            ({"precision": "half"}, "precision = half: must be one of double, float"),
            ({"validation": "some"}, "validation = some: must be a number"),
            ({"threads": 1.5}, "threads = 1.5: must be a whole number"),
            ({"standardize": "no"}, "standardize = no: must be true or false"),
            ({"lengthscale": np.nan}, "lengthscale = nan: must be a finite number"),
            ({"settings": ["epochs"]}, "settings = .*: must be a dict"),
            ({"settings": {"inducing": 5}}, "'inducing', which the estimator's own parameters set"),
            ({"settings": {"seed": 5}}, "'seed', which the estimator's own parameters set"),
            ({"classes": None}, "classes = None: must be 'grow' or a list")]:
        with pytest.raises(ValueError, match=said):
            VARGPClassifier(**wrong).fit(X, y)


def test_targets_that_no_deviation_fits_are_refused():
    X = np.arange(20.0)[:, None]
    with pytest.raises(ValueError, match="Y has values up to 1.9e.201: their deviation is not finite"):
        VARGPRegressor().fit(X, 1e200 * X[:, 0])


def test_frames_with_a_target_column_of_numbers():
    frame = pd.DataFrame({"a": np.arange(20.0), "b": np.ones(20), "y": np.arange(20.0) * 2})
    model = VARGPRegressor().fit(frame[["a", "b"]], frame["y"])
    assert abs(model.predict(frame[["a", "b"]].iloc[[7]])[0] - 14) < 0.5


@pytest.mark.parametrize("estimator", [VARGPClassifier(), VARGPRegressor()])
def test_the_defaults_are_those_of_the_command_line(estimator):
    usual, ours = json.loads(_core.default_options()), json.loads(estimator._options())
    ours["settings"] = {**usual["settings"], **ours["settings"], "lengthscale": "auto"}
    assert ours == usual and estimator.lengthscale is None
