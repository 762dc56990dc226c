"""The peer computes what the authors' code computed (golden cases), so that its step times mean something."""

import json
import math
import os
import pathlib
import sys

import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from peer_model import Block, Hyper, VarGp, Yogi, training_step  # noqa: E402

GOLDEN = pathlib.Path(
    os.environ.get("VARGP_GOLDEN_DIR") or pathlib.Path(__file__).resolve().parents[1] / "tests" / "golden"
)
CASES = sorted(GOLDEN.glob("*.json"))


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


def random_model(T, C, M, D, shared=False, dtype=torch.float64, seed=0):
    """T blocks with Ls near 0.7 I, each class with its own inducing inputs unless they are shared."""
    torch.manual_seed(seed)
    blocks = []
    for _ in range(T):
        Z = torch.randn(1 if shared else C, M, D, dtype=dtype)
        mean = torch.randn(C, M, dtype=dtype)
        tril = 0.1 * torch.randn(C, M * (M + 1) // 2, dtype=dtype)
        blocks.append(Block(Z, mean, tril))
    theta = 0.1 * torch.randn(D + 1, dtype=dtype)
    hyper = Hyper(theta, torch.full_like(theta, -4), torch.zeros_like(theta), torch.zeros_like(theta))
    model = VarGp(blocks, hyper)
    for p in model.parameters():
        p.requires_grad_()
    return model


def test_golden_cases_are_there():
    assert CASES, f"no golden cases in {GOLDEN}"


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_bound_and_gradients_equal_the_authors(path):
    case = json.loads(path.read_text())
    blocks = [Block(tensor(b["Z"]), tensor(b["u_mean"]), tensor(b["u_tril_vec"])) for b in case["blocks"]]
    h = case["hyper"]
    hyper = Hyper(*(tensor(h[k]) for k in ("log_mean", "log_logvar", "prior_log_mean", "prior_log_logvar")))
    model = VarGp(blocks, hyper)
    for p in model.parameters():
        p.requires_grad_()
    got = model.bound(
        tensor(case["X"]), torch.tensor(case["y"]), case["N"], case["beta"], tensor(case["eps_theta"]),
        tensor(case["eps_f"]),
    )  # fmt: skip
    got["loss"].backward()
    got["probs"] = got.pop("f").softmax(2).mean((0, 1)).T

    want = case["out"]
    for name in ("mean", "var", "kl_hypers", "kl_u", "nll", "loss", "probs"):
        torch.testing.assert_close(got[name].detach(), tensor(want[name]), rtol=1e-9, atol=1e-9, msg=lambda m: f"{name}: {m}")
    for name, p in zip(("Z", "u_mean", "u_tril_vec", "log_mean", "log_logvar"), model.parameters()):
        torch.testing.assert_close(p.grad, tensor(want["grad"][name]), rtol=1e-8, atol=1e-8, msg=lambda m: f"{name}: {m}")


def test_joint_covariance_equals_the_orthogonal_form():
    """Design section 3: one Cholesky factor, mean = sum_j W_j' alpha_j, var = k - |W|^2 + sum_j |R_j' W_j|^2."""
    T, C, M, D, B = 4, 3, 5, 2, 6
    model = random_model(T, C, M, D)
    X, theta = torch.randn(B, D, dtype=torch.float64), model.hyper.mean[None]
    joint = model.joint(theta)
    mean, var = model.marginals(theta, joint, X)
    lengthscale, scale = theta[0, :-1].exp(), (2 * theta[0, -1]).exp()
    for c in range(C):
        Z = torch.cat([b.Z[c] for b in model.blocks]) / lengthscale
        W = torch.linalg.solve(joint.L[0, c], scale * torch.exp(-0.5 * torch.cdist(Z, X / lengthscale) ** 2))
        want_mean, want_var = 0, scale - (W * W).sum(0)
        for j, block in enumerate(model.blocks):
            part = slice(j * M, (j + 1) * M)
            Ljj, Wj = joint.L[0, c, part, part], W[part]
            want_mean = want_mean + Wj.T @ torch.linalg.solve(Ljj, block.mean[c])
            want_var = want_var + ((torch.linalg.solve(Ljj, block.factor()[c]).T @ Wj) ** 2).sum(0)
        torch.testing.assert_close(mean[0, c], want_mean)
        torch.testing.assert_close(var[0, c], want_var)


def test_shared_inducing_inputs_equal_the_same_inputs_given_to_every_class():
    T, C, M, D, B, S, F = 3, 4, 5, 2, 6, 2, 3
    shared = random_model(T, C, M, D, shared=True)
    copies = VarGp([Block(b.Z.expand(C, -1, -1), b.mean, b.tril_vec) for b in shared.blocks], shared.hyper)
    X, y = torch.randn(B, D, dtype=torch.float64), torch.arange(B) % C
    noise = torch.randn(S, D + 1, dtype=torch.float64), torch.randn(S, F, C, B, dtype=torch.float64)
    one, other = (model.bound(X, y, 100, 2.0, *noise) for model in (shared, copies))
    for name in one:
        torch.testing.assert_close(one[name], other[name], msg=lambda m: f"{name}: {m}")


def test_prediction_is_the_same_in_chunks():
    model = random_model(2, 3, 4, 2, shared=True)
    X = torch.randn(7, 2, dtype=torch.float64)
    prepared = model.prepare(S=3)
    probs, mean, var = model.predict(X, prepared, F=10, chunk=7)
    _, mean2, var2 = model.predict(X, prepared, F=10, chunk=2)
    torch.testing.assert_close(mean, mean2)
    torch.testing.assert_close(var, var2)
    assert (var > 0).all()
    torch.testing.assert_close(probs.sum(1), torch.ones(7, dtype=torch.float64))


def test_yogi_takes_its_first_two_steps_as_by_hand():
    p = torch.tensor([1.0], dtype=torch.float64)
    yogi = Yogi([p], lr=0.1)
    m = v = 1e-6
    want = 1.0
    for k, g in enumerate((2.0, -1.0), start=1):
        p.grad = torch.tensor([g], dtype=torch.float64)
        yogi.step()
        m = 0.9 * m + 0.1 * g
        v = v - 0.001 * math.copysign(1, v - g * g) * g * g
        want -= 0.1 * (m / (1 - 0.9**k)) / (math.sqrt(v / (1 - 0.999**k)) + 1e-3)
        assert p.item() == pytest.approx(want, rel=1e-12)


def test_training_steps_in_float_lower_the_loss():
    model = random_model(2, 3, 4, 2, dtype=torch.float32)
    model.jitter = 1e-5
    centres = torch.tensor([[-2.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
    y = torch.arange(60) % 3
    X = centres[y] + 0.3 * torch.randn(60, 2)
    yogi = Yogi(model.parameters(), lr=0.02)
    losses = [training_step(model, yogi, X, y, N=60, beta=1.0, S=3, F=10) for _ in range(60)]
    assert sum(losses[-5:]) < 0.7 * sum(losses[:5])


def test_random_features_learn_from_sums_in_any_order_what_ridge_regression_learns_at_once():
    np = pytest.importorskip("numpy")
    from random_features import RandomFeatureRidge

    rng = np.random.default_rng(0)
    X, y = rng.uniform(size=(200, 5)).astype(np.float32), rng.integers(0, 3, 200)
    parts = [slice(0, 70), slice(70, 120), slice(120, 200)]
    forward, backward = (RandomFeatureRidge(5, 3, 40, 1.5, seed=1) for _ in range(2))
    for part in parts:
        forward.learn(X[part], y[part])
    for part in reversed(parts):
        backward.learn(X[part], y[part])
    phi = forward.features(X).astype(np.float64)
    want = np.linalg.lstsq(np.vstack([phi, np.sqrt(0.1) * np.eye(40)]), np.vstack([np.eye(3)[y], np.zeros((40, 3))]), rcond=None)
    np.testing.assert_allclose(forward.weights(0.1), want[0], rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(forward.weights(0.1), backward.weights(0.1), rtol=1e-3, atol=1e-4)


def test_random_features_approach_the_rbf_kernel():
    np = pytest.importorskip("numpy")
    from random_features import RandomFeatureRidge

    X = np.random.default_rng(0).uniform(size=(20, 3)).astype(np.float32)
    phi = RandomFeatureRidge(3, 2, 4000, 0.7, seed=0).features(X)
    distance = ((X[:, None] - X[None]) ** 2).sum(-1)
    assert np.abs(phi @ phi.T - np.exp(-0.5 * distance / 0.7**2)).max() < 0.08
