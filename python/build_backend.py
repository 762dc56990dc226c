"""What pip calls to build the package (PEP 517): CMake's target vargp_python, packed into a wheel.

Nothing but the standard library, so that pip needs no network. The version is CMakeLists.txt's.
"""
import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROJECT = re.search(r'project\((\w+) VERSION ([\d.]+).*?DESCRIPTION "(.*?)"',
                    (ROOT / "CMakeLists.txt").read_text(), re.DOTALL)
NAME, VERSION, DESCRIPTION = PROJECT.groups()
METADATA = f"""\
Metadata-Version: 2.1
Name: {NAME}
Version: {VERSION}
Summary: {DESCRIPTION}
License: Apache-2.0
Requires-Python: >=3.9
Requires-Dist: numpy
Requires-Dist: scikit-learn >=1.2,<1.6
Description-Content-Type: text/markdown

"""


def _metadata():
    return METADATA + (ROOT / "README.md").read_text()


INFO = f"{NAME}-{VERSION}.dist-info"


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """What pip asks for first: without this it would build everything twice."""
    folder = Path(metadata_directory, INFO)
    folder.mkdir()
    (folder / "METADATA").write_text(_metadata())
    return INFO


def _build(folder):
    """Configures the folder, unless that has been done, and builds the module in it."""
    cmake = os.environ.get("CMAKE", "cmake")
    if not Path(folder, "CMakeCache.txt").exists():
        subprocess.run([cmake, "-S", ROOT, "-B", folder, "-G", "Ninja",
                        "-DCMAKE_BUILD_TYPE=Release", "-DVARGP_TESTS=OFF", "-DVARGP_BENCH=OFF",
                        "-DVARGP_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}",
                        *os.environ.get("CMAKE_ARGS", "").split()], check=True)
    subprocess.run([cmake, "--build", folder, "--target", "vargp_python"], check=True)
    return {f"{NAME}/{path.name}": path.read_bytes()
            for path in sorted(Path(folder, "python", NAME).iterdir()) if path.is_file()}


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds the module for the Python that runs this, and packs it with the package's files.

    pip install --config-settings build-dir=FOLDER . keeps what is compiled, or takes what is there.
    """
    folder = (config_settings or {}).get("build-dir")
    if folder:
        package = _build(folder)
    else:
        with tempfile.TemporaryDirectory() as temporary:
            package = _build(temporary)
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tag = f"{python}-{python}-{re.sub('[-.]', '_', sysconfig.get_platform())}"
    files = {
        **package,
        f"{INFO}/METADATA": _metadata().encode(),
        f"{INFO}/WHEEL": f"Wheel-Version: 1.0\nGenerator: {NAME}\nRoot-Is-Purelib: false\n"
                         f"Tag: {tag}\n".encode(),
        f"{INFO}/LICENSE": (ROOT / "LICENSE").read_bytes(),
    }
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{INFO}/RECORD"] = (record + f"{INFO}/RECORD,,\n").encode()
    wheel = f"{NAME}-{VERSION}-{tag}.whl"
    with zipfile.ZipFile(Path(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    """The files that git knows, as they are now."""
    base = f"{NAME}-{VERSION}"
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True)
    with tempfile.NamedTemporaryFile("w") as metadata, \
            tarfile.open(Path(sdist_directory, f"{base}.tar.gz"), "w:gz") as archive:
        metadata.write(_metadata())
        metadata.flush()
        archive.add(metadata.name, f"{base}/PKG-INFO")
        for name in filter(None, tracked.stdout.decode().split("\0")):
            archive.add(ROOT / name, f"{base}/{name}")
    return f"{base}.tar.gz"
