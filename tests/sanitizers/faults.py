"""One fault each, made from Python, which the build's sanitizer must report."""

import ctypes
import sys
import threading

import numpy as np
import tenon as tn


def overflow() -> None:
    x = tn.ones([3])
    ctypes.memset(x.numpy().ctypes.data, 0, 16)


def leak() -> None:
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(tn.ones([3])))


def race() -> None:
    x = tn.tensor(np.zeros(1 << 17, dtype=np.float32))
    threads = [threading.Thread(target=x.fill_, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    {"overflow": overflow, "leak": leak, "race": race}[sys.argv[1]]()
