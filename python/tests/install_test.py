"""`pip install .` into a new environment, without a network."""
import os
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(os.environ["VARGP_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["VARGP_PROGRAM"]).parent


def test_pip_installs_a_package_that_works(tmp_path):
    # Only what is built already is packed: compiling all of it again would take minutes.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment.update(PIP_NO_INDEX="1", PIP_DISABLE_PIP_VERSION_CHECK="1")
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", tmp_path / "env"],
                   check=True)
    python = tmp_path / "env" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", "--config-settings",
                    f"build-dir={BUILD}", SOURCE], check=True, env=environment)
    program = ("import vargp, importlib.metadata as m; print(vargp.__file__, m.version('vargp'),"
               " vargp.VARGPClassifier().fit([[0.0], [0.1], [2.0], [2.1]], [0, 0, 1, 1])"
               ".predict([[2.0]]))")
    out = subprocess.run([python, "-c", program], check=True, env=environment, text=True,
                         capture_output=True, cwd=tmp_path).stdout
    file, version, predicted = out.split(maxsplit=2)
    assert file.startswith(str(tmp_path)) and predicted.strip() == "[1]"
    # The version stands in CMakeLists.txt and nowhere else.
    assert f"project(vargp VERSION {version} " in (SOURCE / "CMakeLists.txt").read_text()


def test_the_documentation_names_every_package_that_the_build_needs():
    needed = re.search(r"build_packages='(.*?)'", (SOURCE / "dev").read_text(), re.DOTALL)[1]
    told = re.search(r"apt-get install (.*?)\n    python3", (SOURCE / "docs" / "python.md").read_text(),
                     re.DOTALL)[1]
    assert set(needed.split()) <= set(told.replace("\\", " ").split())
