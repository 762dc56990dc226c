"""VAR-GP the paper's way, in PyTorch: the peer that our C++ is timed against.

Written from the paper (section 4 and the appendix "Computing the auto-regressive distributions"), as somebody
who knows PyTorch would write it: batched over theta samples and classes, torch.linalg, autograd. It computes the
same bound as our C++ by another road, the paper's: the joint q(u_<=t | theta) = N(mu, Sigma) is built task by task,

    A_j   = K(Z_j, Z_<j) K(Z_<j, Z_<j)^-1                          a Cholesky factor of every prefix of K
    mu    = [ mu_<j ;  A_j mu_<j + m_j ]
    Sigma = [ Sigma_<j ,      Sigma_<j A_j'              ]
            [ A_j Sigma_<j ,  S_j + A_j Sigma_<j A_j'    ]

and f(x) has, with P = K^-1 K(Z_<=t, x),

    mean(x) = P' mu,    var(x) = k(x, x) - K(x, Z_<=t) P + P' Sigma P.

Shapes: S theta samples, C classes, n = sum of M_j inducing points, D inputs, B rows, F samples of f. Inducing inputs
are [C, M, D], each class its own, or [1, M, D], shared by all: then everything that depends on Z alone ([S, 1, ...])
is computed once for all classes. theta is [S, D+1]: log lengthscales, then log scale; k(x, x) = exp(2 theta_D).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import softplus


@dataclass
class Block:
    """q(u_j | u_<j) = N(A_j u_<j + m, Ls Ls') at the inducing inputs Z of one task."""

    Z: Tensor  # [C, M, D], or [1, M, D] shared by all classes
    mean: Tensor  # [C, M]
    tril_vec: Tensor  # [C, M(M+1)/2]: row-major lower triangle of Ls, its diagonal before softplus

    def factor(self) -> Tensor:
        """Ls [C, M, M]."""
        C, M = self.mean.shape
        row, col = torch.tril_indices(M, M)
        values = torch.where(row == col, softplus(self.tril_vec), self.tril_vec)
        Ls = values.new_zeros(C, M, M)
        Ls[:, row, col] = values
        return Ls

    def parameters(self) -> list[Tensor]:
        return [self.Z, self.mean, self.tril_vec]


@dataclass
class Hyper:
    """q(theta) = N(mean, exp(logvar)), mean-field, and the same of the task before (or the first prior); each [D+1]."""

    mean: Tensor
    logvar: Tensor
    prior_mean: Tensor
    prior_logvar: Tensor

    def sample(self, eps: Tensor) -> Tensor:
        return self.mean + torch.exp(0.5 * self.logvar) * eps

    def kl(self) -> Tensor:
        ratio = torch.exp(self.logvar - self.prior_logvar)
        distance = (self.mean - self.prior_mean) ** 2 / torch.exp(self.prior_logvar)
        return 0.5 * (ratio + distance - 1 + self.prior_logvar - self.logvar).sum()

    def parameters(self) -> list[Tensor]:
        return [self.mean, self.logvar]


def classwise_matmul(A: Tensor, B: Tensor) -> Tensor:
    """[S, C, a, b] @ [S, C or 1, b, c]. With B shared by the classes: one product of [C a, b], not C copies of B."""
    if B.shape[1] == 1 and A.shape[1] > 1:
        return (A.flatten(1, 2) @ B[:, 0]).unflatten(1, A.shape[1:3])
    return A @ B


def rbf(A: Tensor, B: Tensor, log_scale: Tensor) -> Tensor:
    """exp(2 log_scale - |a - b|^2 / 2) [S, C, a, b] of inputs already divided by the lengthscales, log_scale [S]."""
    a2 = (A * A).sum(-1)[..., :, None]
    b2 = (B * B).sum(-1)[..., None, :]
    distance = (a2 + b2 - 2 * classwise_matmul(A, B.mT)).clamp_min(0)
    return torch.exp(2 * log_scale[:, None, None, None] - 0.5 * distance)


@dataclass
class Joint:
    """q(u_<=t | theta) for each theta sample, and what predicting and the last KL need besides."""

    Zs: Tensor  # [S, C or 1, n, D] inducing inputs over lengthscales
    L: Tensor  # [S, C or 1, n, n] Cholesky factor of K(Z_<=t, Z_<=t)
    mu: Tensor  # [S, C, n]
    Sigma: Tensor  # [S, C, n, n]
    prior_cov: Tensor  # [S, C or 1, M_t, M_t] covariance of p(u_t | u_<t, theta)


class VarGp:
    """Frozen blocks of earlier tasks, then the block of the task at hand, and q(theta)."""

    def __init__(self, blocks: list[Block], hyper: Hyper, jitter: float = 0.0):
        self.blocks = blocks
        self.hyper = hyper
        self.jitter = jitter  # times k(x, x)

    def parameters(self) -> list[Tensor]:
        """What is learned: the last block and q(theta)."""
        return self.blocks[-1].parameters() + self.hyper.parameters()

    def joint(self, theta: Tensor) -> Joint:
        lengthscale, log_scale = torch.exp(theta[:, None, None, :-1]), theta[:, -1]
        Zs = torch.cat([block.Z for block in self.blocks], dim=1) / lengthscale
        K = rbf(Zs, Zs, log_scale)
        if self.jitter:
            jitter = self.jitter * torch.exp(2 * log_scale)[:, None, None, None]
            K = K + jitter * torch.eye(K.shape[-1], dtype=K.dtype)

        S = theta.shape[0]
        Ls = self.blocks[0].factor()
        mu = self.blocks[0].mean.expand(S, -1, -1)
        Sigma = (Ls @ Ls.mT).expand(S, -1, -1, -1)
        a = mu.shape[-1]
        prior_cov = K[..., :a, :a]
        for block in self.blocks[1:]:
            b = a + block.mean.shape[-1]
            K_old_new = K[..., :a, a:b]
            At = torch.cholesky_solve(K_old_new, torch.linalg.cholesky(K[..., :a, :a]))  # A_j' [S, C or 1, n_<j, M_j]
            Ls = block.factor()
            Sigma_At = classwise_matmul(Sigma, At)
            A_Sigma_At = classwise_matmul(Sigma_At.mT, At).mT
            mean = classwise_matmul(mu[:, :, None, :], At)[:, :, 0] + block.mean
            mu = torch.cat([mu, mean], dim=-1)
            Sigma = torch.cat(
                [torch.cat([Sigma, Sigma_At], dim=-1), torch.cat([Sigma_At.mT, Ls @ Ls.mT + A_Sigma_At], dim=-1)],
                dim=-2,
            )
            prior_cov = K[..., a:b, a:b] - K_old_new.mT @ At
            a = b
        return Joint(Zs, torch.linalg.cholesky(K), mu, Sigma, prior_cov)

    def marginals(self, theta: Tensor, joint: Joint, X: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance [S, C, B] of f at the rows of X [B, D]."""
        lengthscale, log_scale = torch.exp(theta[:, None, None, :-1]), theta[:, -1]
        Kzx = rbf(joint.Zs, X / lengthscale, log_scale)
        P = torch.cholesky_solve(Kzx, joint.L)  # [S, C or 1, n, B]
        mean = classwise_matmul(joint.mu[:, :, None, :], P)[:, :, 0]
        explained = (Kzx * P).sum(-2)
        added = (P * classwise_matmul(joint.Sigma.mT, P)).sum(-2)
        return mean, torch.exp(2 * log_scale)[:, None, None] - explained + added

    def kl_u(self, joint: Joint) -> Tensor:
        """KL[q(u_t | u_<t) || p(u_t | u_<t)], the same whatever u_<t: summed over classes, mean over theta."""
        L = torch.linalg.cholesky(joint.prior_cov)
        Ls, m = self.blocks[-1].factor(), self.blocks[-1].mean
        R = torch.linalg.solve_triangular(L, torch.cat([Ls, m[..., None]], dim=-1), upper=False)
        logdet = lambda T: T.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        kl = 0.5 * ((R * R).sum((-2, -1)) - m.shape[-1]) + logdet(L) - logdet(Ls)
        return kl.sum(-1).mean()

    def bound(self, X: Tensor, y: Tensor, N: int, beta: float, eps_theta: Tensor, eps_f: Tensor) -> dict[str, Tensor]:
        """The loss (minus the bound) and its parts on a batch X [B, D], y [B] of a task with N points.

        eps_theta [S, D+1] and eps_f [S, F, C, B] are standard normal noise.
        """
        theta = self.hyper.sample(eps_theta)
        joint = self.joint(theta)
        mean, var = self.marginals(theta, joint, X)
        f = mean[:, None] + var.sqrt()[:, None] * eps_f
        log_p = f.gather(2, y.expand(*f.shape[:2], 1, -1))[:, :, 0] - f.logsumexp(2)  # [S, F, B]
        nll = -log_p.mean((0, 1)).sum()
        kl_hypers, kl_u = self.hyper.kl(), self.kl_u(joint)
        loss = beta * kl_hypers + kl_u + N / X.shape[0] * nll
        return {"loss": loss, "kl_hypers": kl_hypers, "kl_u": kl_u, "nll": nll, "mean": mean, "var": var, "f": f}

    def prepare(self, S: int) -> tuple[Tensor, Joint]:
        """S samples of theta and the joint q(u_<=t) at each: what prediction needs that no row changes."""
        with torch.inference_mode():
            mean = self.hyper.mean
            theta = self.hyper.sample(torch.randn(S, mean.shape[0], dtype=mean.dtype))
            return theta, self.joint(theta)

    def predict(self, X: Tensor, prepared: tuple[Tensor, Joint], F: int, chunk: int) -> tuple[Tensor, Tensor, Tensor]:
        """Class probabilities, latent mean and latent variance at the rows of X, each [B, C]."""
        theta, joint = prepared
        parts = []
        with torch.inference_mode():
            for rows in X.split(chunk):
                mean, var = self.marginals(theta, joint, rows)
                eps = torch.randn(mean.shape[0], F, *mean.shape[1:], dtype=X.dtype)
                f = mean[:, None] + var.sqrt()[:, None] * eps
                centre = mean.mean(0)
                spread = (var + (mean - centre) ** 2).mean(0)
                parts.append((f.softmax(2).mean((0, 1)).T, centre.T, spread.T))
            return tuple(torch.cat(part) for part in zip(*parts))


class Yogi:
    """Zaheer et al. 2018: Adam whose second moment moves by at most (1 - beta2) g^2, towards g^2."""

    def __init__(self, parameters: list[Tensor], lr: float, betas=(0.9, 0.999), eps: float = 1e-3, start: float = 1e-6):
        self.parameters = parameters
        self.lr, self.betas, self.eps = lr, betas, eps
        self.first = [torch.full_like(p, start) for p in parameters]
        self.second = [torch.full_like(p, start) for p in parameters]
        self.steps = 0

    @torch.no_grad()
    def step(self) -> None:
        self.steps += 1
        beta1, beta2 = self.betas
        correction1, correction2 = 1 - beta1**self.steps, 1 - beta2**self.steps
        for p, m, v in zip(self.parameters, self.first, self.second):
            g2 = p.grad * p.grad
            m.mul_(beta1).add_(p.grad, alpha=1 - beta1)
            v.addcmul_(torch.sign(v - g2), g2, value=beta2 - 1)
            p.addcdiv_(m, (v / correction2).sqrt_().add_(self.eps), value=-self.lr / correction1)


def training_step(model: VarGp, optimizer: Yogi, X: Tensor, y: Tensor, N: int, beta: float, S: int, F: int) -> float:
    """One step of Algorithm 1: draw noise, forward, backward, Yogi. Returns the loss."""
    C = model.blocks[-1].mean.shape[0]
    eps_theta = torch.randn(S, X.shape[1] + 1, dtype=X.dtype)
    eps_f = torch.randn(S, F, C, X.shape[0], dtype=X.dtype)
    loss = model.bound(X, y, N, beta, eps_theta, eps_f)["loss"]
    for p in optimizer.parameters:
        p.grad = None
    loss.backward()
    optimizer.step()
    return loss.item()
