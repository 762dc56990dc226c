#!/usr/bin/env python3
"""Makes the first inputs of the fuzz targets that NumPy can make: small arrays of every kind that is read."""

import gzip
import pathlib
import struct

import numpy as np

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"
X = np.array([[0.5, -1.0, 2.0], [3.0, np.nan, 1e-3]])


def main():
    npy = CORPUS / "npy"
    for name in "f2 f4 f8 >f4 >f8 i1 i2 >i4 i8 u1 u2 u4 >u8 b1".split():
        kind = np.nan_to_num(X) if np.dtype(name).kind != "f" else X
        np.save(npy / f"{name.replace('>', 'big_')}.npy", np.abs(kind).astype(name))
    np.save(npy / "fortran.npy", np.asfortranarray(X))
    np.save(npy / "one_dimension.npy", X[:, 0])
    np.save(npy / "pictures.npy", np.arange(12, dtype="u1").reshape(2, 2, 3))
    np.save(npy / "text.npy", np.array([["cat", "käse"], ["", "1.5"]]))
    np.save(npy / "big_text.npy", np.array(["cat", "dog"], dtype=">U3"))
    np.save(npy / "bytes.npy", np.array([b"cat", b"2"]))
    for version in (2, 3):
        with open(npy / f"version_{version}.npy", "wb") as file:
            np.lib.format.write_array(file, X, version=(version, 0))
    (npy / "packed.npy.gz").write_bytes(gzip.compress((npy / "f8.npy").read_bytes(), mtime=0))

    npz = CORPUS / "npz"
    y = np.array(["no", "yes"])
    np.savez(npz / "xy.npz", X=X, y=y)
    np.savez_compressed(npz / "packed.npz", X=np.asfortranarray(X), y=y, names=np.array(["a", "b", "c"]))
    np.savez(npz / "one.npz", X)
    np.savez(npz / "several.npz", age=X[:, 0], size=X[:, 1:], group=np.array([[1], [2]]))
    (npz / "twice.npz.gz").write_bytes(gzip.compress((npz / "xy.npz").read_bytes(), mtime=0))

    idx = CORPUS / "idx"
    images = struct.pack(">BBBBIII", 0, 0, 8, 3, 2, 1, 3) + bytes([0, 51, 255, 102, 0, 204])
    labels = struct.pack(">BBBBI", 0, 0, 8, 1, 2) + bytes([7, 9])
    (idx / "images").write_bytes(images)
    (idx / "labels").write_bytes(labels)
    (idx / "images.gz").write_bytes(gzip.compress(images, mtime=0))


if __name__ == "__main__":
    main()
