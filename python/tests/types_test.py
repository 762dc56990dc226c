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


def test_a_type_checker_agrees():
    """mypy's stubtest compares the stub with the module, mypy the package with the stub."""
    mypy = pytest.importorskip("mypy", reason="Debian's mypy is not installed")
    assert mypy
    environment = {**os.environ, "MYPYPATH": str(PACKAGE.parent)}
    for command in (["mypy.stubtest", "vargp._core", "--ignore-missing-stub"],
                    ["mypy", "--ignore-missing-imports", "--follow-imports=silent",
                     *map(str, sorted(PACKAGE.glob("*.py")))]):
        done = subprocess.run([sys.executable, "-m", *command], env=environment, text=True,
                              capture_output=True, cwd=PACKAGE.parent)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("estimator", [vargp.VARGPClassifier, vargp.VARGPRegressor])
def test_everything_public_is_explained(estimator):
    for name, member in inspect.getmembers(estimator):
        if not name.startswith("_") and member.__module__.startswith("vargp") \
                if hasattr(member, "__module__") else False:
            assert inspect.getdoc(member), name
    parameters = set(inspect.signature(estimator).parameters)
    text = estimator.__doc__.split("Attributes")[0]
    assert parameters <= set(re.findall(r"\w+", text)), parameters


@pytest.mark.parametrize("name", ["vargp", "vargp.metrics", "vargp._classifier",
                                  "vargp._regressor", "vargp._estimator", "vargp._experiment"])
def test_the_examples_run(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0 and result.attempted > 0


def test_the_examples_of_the_guide_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = doctest.testfile(str(SOURCE / "docs" / "python.md"), module_relative=False)
    assert result.failed == 0 and result.attempted > 0
