"""Arrays of every layout, as they are."""
import resource

import numpy as np
import pytest

from vargp import VARGPClassifier, VARGPRegressor


@pytest.fixture(scope="module")
def data():
    rng = np.random.RandomState(0)
    X = rng.randn(60, 3)
    return X, np.sin(X[:, 0]) + X[:, 1]


def layouts(X, tmp_path):
    path = tmp_path / "rows.npy"
    np.save(path, X)
    wide = np.zeros((len(X) * 2, X.shape[1] * 3), X.dtype)
    wide[::2, ::3] = X
    record = np.zeros(len(X), [("flag", "i1"), ("X", X.dtype, X.shape[1])])  # not aligned
    record["X"] = X
    read_only = X.copy()
    read_only.flags.writeable = False
    return {
        "C order": X,
        "Fortran order": np.asfortranarray(X),
        "every other row and third column": wide[::2, ::3],
        "backwards": X[::-1].copy()[::-1],
        "a field of records": record["X"],
        "read-only": read_only,
        "a read-only memory map": np.load(path, mmap_mode="r"),
        "the other byte order": X.astype(X.dtype.newbyteorder()),
        "a list": X.tolist(),
    }


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_layout_does_not_matter(data, dtype, tmp_path):
    X, y = data[0].astype(dtype), data[1]
    model = VARGPRegressor().fit(X, y)
    expected = model.predict(X)
    for name, same in layouts(X, tmp_path).items():
        np.testing.assert_array_equal(model.predict(same), expected, err_msg=name)
        np.testing.assert_array_equal(VARGPRegressor().fit(same, y).predict(X), expected,
                                      err_msg=name)


def test_float32_and_float64_of_the_same_numbers_are_the_same(data):
    X, y = data
    X32 = X.astype(np.float32)
    np.testing.assert_array_equal(VARGPRegressor().fit(X32, y).predict(X32),
                                  VARGPRegressor().fit(X32.astype(float), y).predict(X32))


def test_whole_numbers_and_booleans_are_numbers():
    X = np.arange(12).reshape(6, 2)
    model = VARGPClassifier().fit(X, X[:, 0] > 5)
    np.testing.assert_array_equal(model.predict(X), X[:, 0] > 5)
    assert model.classes_.dtype == bool


def test_predicting_copies_no_array(data):
    """Two million rows that take 1.6 GB if anybody copies them, and nothing as they are."""
    X, y = np.tile(data[0], (1, 34))[:, :100], data[1]
    model = VARGPRegressor(inducing=5, hyper="fixed", precision="float").fit(X, y)
    rows = np.broadcast_to(X[0], (2_000_000, 100))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    predicted = model.predict(rows)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 300_000  # kB
    assert (predicted == predicted[0]).all()


def test_no_rows_or_not_numbers_are_refused(data):
    model = VARGPRegressor().fit(*data)
    with pytest.raises(ValueError, match="0 sample"):
        model.predict(np.zeros((0, 3)))
    with pytest.raises(ValueError, match="NaN"):
        model.predict([[np.nan, 0, 0]])
    with pytest.raises(ValueError, match="expecting 3 features"):
        model.predict(np.zeros((2, 4)))


def test_missing_values_may_stand_for_the_mean(data):
    X, y = data
    model = VARGPRegressor(missing="mean").fit(X, y)
    with_gap, at_mean = X[:1].copy(), X[:1].copy()
    with_gap[0, 1], at_mean[0, 1] = np.nan, X[:, 1].mean()
    np.testing.assert_allclose(model.predict(with_gap), model.predict(at_mean), rtol=1e-12)
    with pytest.raises(ValueError, match="infinity"):
        model.predict([[np.inf, 0, 0]])
    with pytest.raises(ValueError, match="missing = nearest: must be one of error, mean"):
        VARGPRegressor(missing="nearest").fit(X, y)
