"""One model file for Python and the command line: the same rows, the same bits."""
import os
import subprocess

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris

import vargp
from vargp import VARGPClassifier, VARGPRegressor


def command(*arguments):
    subprocess.run([os.environ["VARGP_PROGRAM"], *map(str, arguments)], check=True,
                   stdout=subprocess.DEVNULL)


def predicted(path, rows, folder):
    """What `vargp predict` says of the rows: a frame, every number with all of its bits."""
    rows.to_csv(folder / "rows.csv", index=False)
    command("predict", path, folder / "rows.csv", "--out", folder / "out.csv")
    return pd.read_csv(folder / "out.csv", float_precision="round_trip", dtype={"label": str})


def expect_same_bits(model, rows, said):
    if isinstance(model, VARGPRegressor):
        mean, std = model.predict(rows, return_std=True, with_noise=True)
        np.testing.assert_array_equal(said["mean"], mean)
        np.testing.assert_array_equal(said["sd"], std)
        return
    assert said["label"].tolist() == [str(label) for label in model.predict(rows)]
    P, (mean, std) = model.predict_proba(rows), model.latent(rows)
    for c, label in enumerate(model.classes_):
        np.testing.assert_array_equal(said[f"probability_{label}"], P[:, c])
        np.testing.assert_array_equal(said[f"latent_mean_{label}"], mean[:, c])
        np.testing.assert_array_equal(np.sqrt(said[f"latent_variance_{label}"]), std[:, c])
    np.testing.assert_array_equal(said["entropy"], model.entropy(rows))


@pytest.fixture(scope="module")
def iris():
    frame = load_iris(as_frame=True).frame
    frame.columns = ["sepal length", "sepal width", "petal length", "petal width", "species"]
    frame["species"] = np.array(["setosa", "versicolor", "virginica"])[frame["species"]]
    return frame


@pytest.mark.parametrize("parameters", [
    {}, {"precision": "float"}, {"model": "var-gp", "inducing": 20},
    {"likelihood": "softmax", "standardize": False}], ids=str)
def test_a_classifier_from_python_predicts_the_same_on_the_command_line(parameters, iris, tmp_path):
    X, y = iris.drop(columns="species"), iris["species"]
    model = VARGPClassifier(**parameters).partial_fit(X[50:], y[50:]).partial_fit(X[:50], y[:50])
    model.save(tmp_path / "iris.vargp")
    expect_same_bits(model, X, predicted(tmp_path / "iris.vargp", X, tmp_path))
    again = vargp.load(tmp_path / "iris.vargp")
    assert isinstance(again, VARGPClassifier) and again.n_tasks_ == 2
    expect_same_bits(again, X, predicted(tmp_path / "iris.vargp", X, tmp_path))
    assert again.get_params() == model.get_params()


def test_a_regressor_from_python_predicts_the_same_on_the_command_line(tmp_path):
    X, y = load_diabetes(return_X_y=True)
    model = VARGPRegressor(inducing=50).fit(X[:200], y[:200])
    model.save(tmp_path / "model.vargp")
    rows = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])  # columns without names
    expect_same_bits(model, X, predicted(tmp_path / "model.vargp", rows, tmp_path))


def test_a_model_of_the_command_line_predicts_the_same_in_python_and_learns_on(iris, tmp_path):
    path, X = tmp_path / "iris.vargp", iris.drop(columns="species")
    for task, rows in enumerate([iris[:75], iris[75:]]):
        rows.to_csv(tmp_path / f"{task}.csv", index=False)
        command("learn", path, tmp_path / f"{task}.csv", *(["--label", "species"] * (task == 0)))
    model = VARGPClassifier.load(path)
    assert model.feature_names_in_.tolist() == X.columns.tolist()
    assert model.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert [task["rows"] for task in model.history_] == [75, 75]
    said = predicted(path, X, tmp_path)
    expect_same_bits(model, X, said)
    assert (said["label"] == iris["species"]).mean() > 0.94

    model.partial_fit(X[::2], iris["species"][::2]).save(path)
    expect_same_bits(model, X, predicted(path, X, tmp_path))


def test_labels_come_back_as_what_they_were(tmp_path):
    X = np.arange(12.0)[:, None]
    for labels in ([3, 10, 25], [0.0, 1.0, 20.0], ["a", "b", "1"], [True, False, True]):
        y = np.repeat(labels, 4)
        model = VARGPClassifier().fit(X, y)
        model.save(tmp_path / "model.vargp")
        again = vargp.load(tmp_path / "model.vargp")
        assert again.classes_.dtype == model.classes_.dtype
        assert again.classes_.tolist() == model.classes_.tolist()


def test_files_that_do_not_fit_are_refused_by_name(iris, tmp_path):
    X = iris.drop(columns="species")
    path = tmp_path / "model.vargp"
    VARGPRegressor().fit(X, X["sepal width"]).save(path)
    with pytest.raises(vargp.Error, match="model.vargp: the model is no VARGPClassifier"):
        VARGPClassifier.load(path)
    damaged = bytearray(path.read_bytes())
    damaged[-5] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(vargp.Error, match="model.vargp: tensor .* the file is damaged"):
        vargp.load(path)
    with pytest.raises(vargp.Error, match="nothing.vargp: cannot be read"):
        vargp.load(tmp_path / "nothing.vargp")
