"""Learning one task after another."""
import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.multioutput import MultiOutputRegressor

from vargp import VARGPClassifier, VARGPRegressor


def test_four_tasks_with_all_points_inducing_equal_the_exact_gp_on_their_union():
    rng = np.random.RandomState(0)
    X = rng.uniform(-3, 3, (120, 2))  # the tasks overlap
    y = np.sin(X[:, 0]) * np.cos(X[:, 1]) + 0.1 * rng.randn(120)
    exact = GaussianProcessRegressor(ConstantKernel(1.5**2) * RBF(0.8), alpha=0.01, optimizer=None)
    mean, std = exact.fit(X, y).predict(X_new := rng.uniform(-4, 4, (200, 2)), return_std=True)

    model = VARGPRegressor(inducing_share=1, validation=0, hyper="fixed", lengthscale=0.8,
                           scale=1.5, noise=0.01, learn_noise=False, standardize=False, jitter=1e-11)
    for rows in np.split(np.arange(120), 4):
        model.partial_fit(X[rows], y[rows])
    ours, deviation = model.predict(X_new, return_std=True)
    assert model.n_tasks_ == 4
    np.testing.assert_allclose(ours, mean, atol=1e-5)
    np.testing.assert_allclose(deviation, std, atol=1e-5)


def test_classes_grow_and_stay_sorted():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = VARGPClassifier()
    for label in ("virginica", "setosa", "versicolor"):  # not in the order of the alphabet
        model.partial_fit(X[names == label], names[names == label])
    assert model.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    P = model.predict_proba(X)
    assert (model.classes_[P.argmax(axis=1)] == names).mean() > 0.9
    np.testing.assert_allclose(P.sum(axis=1), 1)
    mean, std = model.latent(X)
    assert mean.shape == std.shape == P.shape


def test_one_class_is_enough_to_begin_with():
    X, y = load_iris(return_X_y=True)
    model = VARGPClassifier().partial_fit(X[y == 0], y[y == 0])
    np.testing.assert_array_equal(model.predict_proba(X), np.ones((150, 1)))
    model.partial_fit(X[y == 1], y[y == 1])
    assert model.score(X[y < 2], y[y < 2]) > 0.95


def test_classes_given_at_the_start_are_all_there_are():
    X, y = load_iris(return_X_y=True)
    model = VARGPClassifier().partial_fit(X[y == 0], y[y == 0], classes=[0, 1, 2])
    assert model.predict_proba(X[:3]).shape == (3, 3)
    with pytest.raises(ValueError, match=r"label 7 in row 0, which is none of the classes"):
        model.partial_fit(X, y + 7)
    with pytest.raises(ValueError, match="not what the first call"):
        model.partial_fit(X, y, classes=[0, 1])
    model.partial_fit(X[y > 0], y[y > 0], classes=[0, 1, 2])
    assert model.score(X, y) > 0.9
    assert VARGPClassifier(classes=[0, 1, 2, 3]).fit(X, y).predict_proba(X).shape == (150, 4)
    with pytest.raises(ValueError, match="classes = 'all': must be 'grow'"):
        VARGPClassifier(classes="all").fit(X, y)


@pytest.mark.parametrize("first, later", [(int, float), (float, int), (np.uint8, np.int64)])
def test_a_class_is_the_same_in_every_type_of_number(first, later):
    X, y = load_iris(return_X_y=True)
    model = VARGPClassifier().partial_fit(X[y < 2], y[y < 2].astype(first))
    model.partial_fit(X, y.astype(later))
    assert model.classes_.tolist() == [0, 1, 2]
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    fixed = VARGPClassifier(classes=np.arange(3).astype(first)).fit(X, y.astype(later))
    assert fixed.score(X, y) > 0.9


@pytest.mark.parametrize("later", [bool, str])
def test_labels_of_another_type_are_refused(later):
    X, y = load_iris(return_X_y=True)
    model = VARGPClassifier().fit(X, y)
    with pytest.raises(ValueError, match=r"not of the type of the classes \[0, 1, 2\]"):
        model.partial_fit(X, y.astype(later))
    assert model.n_tasks_ == 1 and model.classes_.tolist() == [0, 1, 2]


def test_what_was_learned_first_is_kept():
    X, y = load_digits(return_X_y=True)
    test = np.arange(len(y)) % 3 == 0
    model = VARGPClassifier(standardize=False)
    for pair in range(0, 10, 2):
        rows = ~test & (y // 2 == pair // 2)
        model.partial_fit(X[rows], y[rows])
    assert model.score(X[test], y[test]) > 0.95


def test_fit_forgets_what_was_before():
    X, y = load_iris(return_X_y=True)
    model = VARGPClassifier().fit(X, y)
    again = model.partial_fit(X, y).fit(X[:100], y[:100])
    assert again.n_tasks_ == 1 and again.classes_.tolist() == [0, 1]


def test_entropy_is_low_at_the_data_and_high_far_away():
    X, y = load_iris(return_X_y=True)
    model = VARGPClassifier().fit(X, y)
    far = np.full((1, 4), 100.0)
    assert model.entropy(X[y == 0]).mean() < 0.3
    np.testing.assert_allclose(model.entropy(far), np.log(3), atol=0.02)
    np.testing.assert_allclose(model.latent(far)[0], 0, atol=1e-6)


def test_the_deviation_grows_away_from_the_data_and_noise_adds_to_it():
    X = np.linspace(0, 5, 60)[:, None]
    y = np.sin(X[:, 0]) + 0.1 * np.random.RandomState(0).randn(60)
    model = VARGPRegressor().fit(X, y)
    _, near = model.predict([[2.0]], return_std=True)
    _, far = model.predict([[50.0]], return_std=True)
    _, noisy = model.predict([[2.0]], return_std=True, with_noise=True)
    assert near < 0.1 < far
    np.testing.assert_allclose(noisy**2, near**2 + model.noise_)
    assert 0.05 < np.sqrt(model.noise_) < 0.2
    np.testing.assert_allclose(model.entropy([[2.0]]), 0.5 * np.log(2 * np.pi * np.e * noisy**2))


def test_several_targets_by_scikit_learns_means():
    X = np.linspace(0, 5, 40)[:, None]
    Y = np.column_stack([np.sin(X[:, 0]), 10 + 5 * np.cos(X[:, 0])])
    model = MultiOutputRegressor(VARGPRegressor())
    model.partial_fit(X[:20], Y[:20])
    model.partial_fit(X[20:], Y[20:])
    assert model.score(X, Y) > 0.99


def test_inducing_points_and_lengthscales_are_in_the_units_of_the_features():
    rng = np.random.RandomState(0)
    X = rng.randn(200, 2) * [1, 1000] + [5, 0]
    y = np.sin(2 * X[:, 0])
    model = VARGPRegressor(inducing=40, ard=True).fit(X, y)
    (Z,) = model.inducing_points_
    assert Z.shape[1] == 2 and len(Z) <= 40
    assert abs(Z[:, 0].mean() - 5) < 0.5 and Z[:, 1].std() > 300
    short, long = model.lengthscales_
    assert short < 3 and long > 500  # the second feature does not matter
    low, high = model.lengthscales_interval_.T
    assert (low <= model.lengthscales_).all() and (model.lengthscales_ <= high).all()


def test_the_paper_s_model_knows_how_unsure_its_lengthscales_are():
    X, y = load_iris(return_X_y=True)
    model = VARGPClassifier("var-gp", inducing=20, settings={"epochs": 5}).fit(X, y)
    low, high = model.lengthscales_interval_.T
    assert (low < model.lengthscales_).all() and (model.lengthscales_ < high).all()


def test_verbose_shows_every_task(capsys):
    X, y = load_iris(return_X_y=True)
    VARGPClassifier(verbose=1).partial_fit(X[:75], y[:75]).partial_fit(X[75:], y[75:])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in lines] == ["task 1: 75 rows", "task 2: 75 rows"]
