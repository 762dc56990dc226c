"""The stub file says what the module has, the hints of the package hold, and so do its examples."""
import ast
import doctest
import importlib
import inspect
import os
import pathlib
import re
import subprocess
import sys

import pytest

import vargp
from vargp import _core

PACKAGE = pathlib.Path(vargp.__file__).parent
SOURCE = pathlib.Path(os.environ["VARGP_SOURCE_DIR"])


def public(names):
    return {name for name in names if not name.startswith("_")}


def described():
    """The stub's classes with their members, and its functions with their arguments."""
    classes, functions = {}, {}
    for node in ast.parse((PACKAGE / "_core.pyi").read_text()).body:
        if isinstance(node, ast.ClassDef):
            classes[node.name] = public(n.name for n in node.body if isinstance(n, ast.FunctionDef))
        elif isinstance(node, ast.FunctionDef):
            functions[node.name] = [argument.arg for argument in node.args.args]
    return classes, functions


def test_the_stub_has_what_the_module_has():
    classes, functions = described()
    assert public(vars(_core)) == public({*classes, *functions})
    for name, members in classes.items():
        if name not in ("Error", "NumericalError"):
            assert members == public(vars(getattr(_core, name))), name


def test_the_stub_has_the_arguments_of_the_module():
    for name, arguments in described()[1].items():
        signature = getattr(_core, name).__doc__.splitlines()[0]
        assert re.findall(r"(\w+): ", signature) == arguments, name


def test_a_type_checker_agrees(tmp_path):
    """mypy's stubtest compares the stub with the module, mypy the package with the stub."""
    environment = {**os.environ, "MYPYPATH": str(PACKAGE.parent)}
    config = str(SOURCE / "python" / "mypy.ini")
    # pybind11's classes have a metaclass, and an __init__ where none is defined, that nobody calls.
    allowed = tmp_path / "allowed"
    allowed.write_text("vargp._core.AccuracyMatrix\nvargp._core.Model\n"
                       "vargp._core.Model.__init__\n")
    for command in (["mypy.stubtest", "vargp._core", "--mypy-config-file", config,
                     "--allowlist", str(allowed)],
                    ["mypy", "--cache-dir", str(tmp_path), "--config-file", config,
                     *map(str, sorted(PACKAGE.glob("*.py")))]):
        done = subprocess.run([sys.executable, "-m", *command], env=environment, text=True,
                              capture_output=True, cwd=PACKAGE.parent)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("estimator", [vargp.VARGPClassifier, vargp.VARGPRegressor])
def test_everything_public_is_explained(estimator):
    for kind in estimator.__mro__:
        for name, member in vars(kind).items():
            if kind.__module__.startswith("vargp") and not name.startswith("_"):
                assert inspect.getdoc(member), name
    parameters = set(inspect.signature(estimator).parameters)
    text = estimator.__doc__.split("Attributes")[0]
    assert parameters <= set(re.findall(r"\w+", text)), parameters


@pytest.mark.parametrize("name", ["vargp", "vargp.metrics", "vargp._classifier",
                                  "vargp._regressor", "vargp._estimator", "vargp._experiment",
                                  "vargp._settings"])
def test_the_examples_run(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0 and result.attempted > 0


def test_the_examples_of_the_guide_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = doctest.testfile(str(SOURCE / "docs" / "python.md"), module_relative=False)
    assert result.failed == 0 and result.attempted > 0
