#!/usr/bin/env python3
"""Times one training step of the PyTorch peer (peer_model.py) and of our C++ at each task, same sizes, same run.

Peer and C++ take turns, so that a noisy machine troubles both alike; medians are compared. Debian's OpenBLAS does not
know every processor and then falls back to code of 2004: that is put right here, for both (--blas as-shipped leaves
it). The peer is timed with one and with two BLAS threads at each size, and the faster of the two counts.
"""

import argparse
import ctypes
import datetime
import json
import os
import pathlib
import platform
import re
import resource
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
THREADS = 2
PRESETS = {
    "split": {"inducing": 60, "N": 12000, "beta": 10.0, "lr": 0.003},
    "permuted": {"inducing": 100, "N": 50000, "beta": 1.64, "lr": 0.0037},
}
PREDICT = {"tasks": 5, "inducing": 100, "layout": "shared"}
SETTLE = 0.3  # seconds for the idle workers of the side that just ran to stop spinning
QUIET = 0.15  # cores that others may keep busy while we time
OURS_PER_ROUND = 3  # timed repeats of ours in a round, after one that is not counted


def arguments():
    def task_list(text):
        tasks = [] if text == "none" else [int(t) for t in text.split(",")]
        if any(t < 1 for t in tasks):
            raise ValueError
        return tasks

    def positive(text):
        if int(text) < 1:
            raise ValueError
        return int(text)

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write every timing here")
    parser.add_argument("--tasks", type=task_list, default=[1, 2, 3, 4, 5], help="default 1,2,3,4,5; or none")
    parser.add_argument("--preset", choices=PRESETS, default="split", help="the paper's sizes for it")
    parser.add_argument("--repeats", type=positive, default=5, help="rounds of peer and ours, default 5")
    parser.add_argument("--predict", action="store_true", help="time prediction after 5 tasks too")
    parser.add_argument("--rows", type=positive, default=10000, help="rows to predict, default 10000")
    parser.add_argument("--chunk", type=positive, default=1000, help="rows the peer predicts at once, default 1000")
    parser.add_argument("--classes", type=positive, default=10)
    parser.add_argument("--dims", type=positive, default=784)
    parser.add_argument("--batch", type=positive, default=512)
    parser.add_argument("--zeros", type=float, default=0.81, help="share of the points' entries that are 0, default 0.81 as in MNIST")
    parser.add_argument("--theta-samples", type=positive, default=3)
    parser.add_argument("--function-samples", type=positive, default=10)
    parser.add_argument("--patience", type=float, default=60, help="seconds to wait in all for others to pause, default 60")
    parser.add_argument("--blas", choices=("right", "as-shipped"), default="right", help="OpenBLAS' choice of code")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "vargp_step", help="our C++ program")
    args = parser.parse_args()
    if not 0 <= args.zeros < 1:
        parser.error(f"--zeros {args.zeros}: expected a share, from 0 to below 1")
    if not args.tasks and not args.predict:
        parser.error("nothing to time: --tasks none without --predict")
    return args


def openblas():
    """The OpenBLAS behind this process's BLAS, or None if it has another."""
    for line in pathlib.Path("/proc/self/maps").read_text().splitlines():
        path = line.split()[-1]
        if "openblas" in pathlib.Path(path).name:
            library = ctypes.CDLL(path)
            library.openblas_get_corename.restype = ctypes.c_char_p
            library.openblas_get_config.restype = ctypes.c_char_p
            return library
    return None


def right_blas_core():
    """Names the processor to OpenBLAS where it fell back to a far older one. Before torch is loaded; ours inherits it."""
    if "OPENBLAS_CORETYPE" in os.environ:
        return
    ask = "import ctypes; f = ctypes.CDLL('libopenblas.so.0').openblas_get_corename; f.restype = ctypes.c_char_p; print(f().decode())"
    core = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True).stdout.strip()
    if core not in ("Prescott", "Core2", "Nehalem", "Sandybridge"):
        return
    flags = next((l for l in open("/proc/cpuinfo") if l.startswith("flags")), "").split()
    if {"avx512f", "avx512bw", "avx512dq", "avx512vl"} <= set(flags):
        os.environ["OPENBLAS_CORETYPE"] = "SKYLAKEX"
    elif {"avx2", "fma"} <= set(flags):
        os.environ["OPENBLAS_CORETYPE"] = "HASWELL"


class Others:
    """Cores that other processes and the host kept busy since the start: what makes a measurement worth less."""

    def __init__(self):
        self.start = self.read()

    @staticmethod
    def read():
        user, nice, system, _, _, irq, softirq, steal = (int(v) for v in open("/proc/stat").readline().split()[1:9])
        tick = os.sysconf("SC_CLK_TCK")
        mine = sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))
        return time.monotonic(), (user + nice + system + irq + softirq) / tick - mine, steal / tick

    def cores(self):
        elapsed, busy, stolen = (b - a for a, b in zip(self.start, self.read()))
        return max(0.0, (busy + stolen) / elapsed)


class Quiet:
    """Waits for the others to pause, as long as there is patience left (seconds, for the whole run)."""

    def __init__(self, patience):
        self.deadline = time.monotonic() + patience

    def wait(self):
        while True:
            others = Others()
            time.sleep(SETTLE)
            if others.cores() < QUIET or time.monotonic() > self.deadline:
                return


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


class Ours:
    """Our C++ program, or its absence."""

    def __init__(self, program):
        self.program = program
        self.present = program.is_file() and os.access(program, os.X_OK)

    def times(self, **flags):
        words = [str(self.program)]
        for name, value in {**flags, "repeats": 1 + OURS_PER_ROUND}.items():
            words += ["--" + name.replace("_", "-"), str(value)]
        run = subprocess.run(words, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"peer.py: {' '.join(words)} failed ({run.returncode}): {run.stderr.strip()}")
        answer = json.loads(run.stdout.strip().splitlines()[-1])
        if answer["threads"] != THREADS:
            sys.exit(f"peer.py: {self.program.name} ran with {answer['threads']} threads, the peer with {THREADS}")
        return answer["seconds_per_prediction" if "predict" in flags else "seconds_per_step"][1:]


def build_model(args, tasks, inducing, layout):
    """Random blocks at random inputs in [0, 1]^D; a kernel that sees them, so that no product meets denormals."""
    import torch
    from peer_model import Block, Hyper, VarGp

    C, D = args.classes, args.dims
    blocks = [
        Block(
            torch.rand(C if layout == "per-class" else 1, inducing, D),
            0.1 * torch.randn(C, inducing),
            0.1 * torch.randn(C, inducing * (inducing + 1) // 2),
        )
        for _ in range(tasks)
    ]
    log_lengthscale = 0.5 * torch.tensor(D / 49).log()  # 4 at D = 784; typical distances are 2.9 lengthscales
    theta = log_lengthscale.repeat(D + 1)
    hyper = Hyper(theta, torch.full((D + 1,), -6.0), theta.clone(), torch.zeros(D + 1))
    model = VarGp(blocks, hyper, jitter=1e-5)
    for p in model.parameters():
        p.requires_grad_()
    return model


def rounds(args, quiet, peer_work, ours, flags):
    """Peer with 1 and with 2 BLAS threads, then ours, over and over. Peer's work returns {what: seconds}.

    Also: the cores that others kept busy during each timing.
    """
    blas = openblas()
    settings = [1, THREADS] if blas else [0]
    peer = {n: [] for n in settings}
    our_times, busy = [], []
    for r in range(args.repeats + 1):  # the first round warms up
        for n in settings:
            if blas:
                blas.openblas_set_num_threads(n)
            if r > 0:
                quiet.wait()
            others = Others()
            times = peer_work()
            if r > 0:
                peer[n].append(times)
                busy.append(others.cores())
        if ours.present and r > 0:
            quiet.wait()
            others = Others()
            our_times += ours.times(**flags)
            busy.append(others.cores())
    return peer, our_times, busy


def compare(peer, our_times, what):
    """The peer's better setting against ours, by medians."""
    medians = {n: statistics.median(t[what] for t in times) for n, times in peer.items()}
    best = min(medians, key=medians.get)
    result = {
        "peer_seconds": medians[best],
        "peer_blas_threads": best,
        "peer_all": {str(n): [t[what] for t in times] for n, times in peer.items()},
        "ours_seconds": statistics.median(our_times) if our_times else None,
        "ours_all": our_times,
    }
    result["ratio"] = medians[best] / result["ours_seconds"] if our_times else None
    return result


def table_row(label, n, result):
    ours = f"{1e3 * result['ours_seconds']:9.1f}" if result["ours_seconds"] else f"{'-':>9}"
    ratio = f"{result['ratio']:6.1f}x" if result["ratio"] else f"{'-':>7}"
    print(f"{label:<28}{n:>6}{1e3 * result['peer_seconds']:>10.1f}{ours:>10}{ratio:>9}", flush=True)


def measure_steps(args, quiet, ours):
    import torch
    from peer_model import Yogi, training_step

    preset = PRESETS[args.preset]
    X, y = torch.rand(args.batch, args.dims), torch.randint(args.classes, (args.batch,))
    X[torch.rand_like(X) < args.zeros] = 0
    results = []
    for t in args.tasks:
        model = build_model(args, t, preset["inducing"], "per-class")
        optimizer = Yogi(model.parameters(), preset["lr"])

        def step():
            return training_step(
                model, optimizer, X, y, preset["N"], preset["beta"], args.theta_samples, args.function_samples
            )

        flags = {
            "tasks": t, "classes": args.classes, "inducing": preset["inducing"], "dims": args.dims, "batch": args.batch,
            "theta_samples": args.theta_samples, "function_samples": args.function_samples, "layout": "per-class",
            "zeros": args.zeros,
        }  # fmt: skip
        peer, our_times, busy = rounds(args, quiet, lambda: {"step": seconds(step)}, ours, flags)
        result = compare(peer, our_times, "step")
        results.append({"task": t, "n": t * preset["inducing"], **result, "others_busy_cores": busy})
        table_row(f"step, {args.preset}, task {t}", t * preset["inducing"], result)
    return results


def measure_prediction(args, quiet, ours):
    """The whole call, joint included; the rows alone stand in the JSON too."""
    import torch

    model = build_model(args, PREDICT["tasks"], PREDICT["inducing"], PREDICT["layout"])
    X = torch.rand(args.rows, args.dims)
    X[torch.rand_like(X) < args.zeros] = 0

    def work():
        prepared = []
        prepare = seconds(lambda: prepared.append(model.prepare(args.theta_samples)))
        rows = seconds(lambda: model.predict(X, prepared[0], args.function_samples, args.chunk))
        return {"prepare": prepare, "rows": rows, "call": prepare + rows}

    flags = {
        "predict": args.rows, **PREDICT, "classes": args.classes, "dims": args.dims, "batch": args.batch,
        "theta_samples": args.theta_samples, "function_samples": args.function_samples, "zeros": args.zeros,
    }  # fmt: skip
    peer, our_times, busy = rounds(args, quiet, work, ours, flags)
    call, rows = compare(peer, our_times, "call"), compare(peer, our_times, "rows")
    n = PREDICT["tasks"] * PREDICT["inducing"]
    table_row(f"predict {args.rows} rows, shared", n, call)
    return {**PREDICT, "rows": args.rows, "n": n, "chunk": args.chunk, "call": call, "rows_only": rows,
            "others_busy_cores": busy}  # fmt: skip


def machine():
    cpu = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), platform.machine())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    system = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    return {"cpu": cpu, "cores": os.cpu_count(), "memory_bytes": memory, "system": system, "kernel": platform.release()}


def versions():
    import numpy
    import torch

    blas = openblas()
    commit = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return {
        "vargp": commit.stdout.strip() or None,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "torch_instructions": re.search(r"CPU capability usage: (\S+)", torch.__config__.show()).group(1),
        "numpy": numpy.__version__,
        "blas": blas.openblas_get_config().decode().strip() if blas else "not OpenBLAS",
        "blas_core": blas.openblas_get_corename().decode() if blas else None,
    }


def main():
    args = arguments()
    if args.blas == "right":
        right_blas_core()
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    try:
        import torch
    except ImportError:
        sys.exit(f"peer.py: {sys.executable} has no torch; use Debian's: apt-get install python3-torch, /usr/bin/python3")
    torch.set_num_threads(THREADS)
    torch.manual_seed(0)

    ours = Ours(args.program)
    about = {"machine": machine(), "versions": versions()}
    print(f"{about['machine']['cpu']}, {THREADS} threads; torch {about['versions']['torch']}, BLAS code for {about['versions']['blas_core']}")
    if not ours.present:
        print(f"{args.program} is not there (./dev build makes it): the peer alone is timed.")
    print(f"\n{'':<28}{'n':>6}{'peer ms':>10}{'ours ms':>10}{'ratio':>9}")
    quiet = Quiet(args.patience)
    steps = measure_steps(args, quiet, ours)
    prediction = measure_prediction(args, quiet, ours) if args.predict else None

    busy = max(statistics.median(p["others_busy_cores"]) for p in steps + ([prediction] if prediction else []))
    if busy > QUIET:
        print(
            f"\nNot alone: others kept {busy:.1f} of {os.cpu_count()} cores busy. That slows the peer, whose threads wait "
            "by spinning, more than it slows ours: measure again on a quiet machine, or with more --patience."
        )
    if args.json:
        settings = {k: v for k, v in vars(args).items() if k not in ("json", "program")}
        record = {
            "what": "PyTorch peer against vargp, seconds",
            "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            **about,
            "settings": {**settings, **PRESETS[args.preset], "threads": THREADS, "dtype": "float32"},
            "steps": steps,
            "prediction": prediction,
        }
        args.json.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
