"""One fault each, made from Python, which the build's sanitizer must report."""

import ctypes
import sys
import threading

import tenon as tn


def overflow() -> None:
    x = tn.ones([3])
    ctypes.memset(x.numpy().ctypes.data, 0, 16)


def leak() -> None:
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(tn.ones([3])))


def race() -> None:
    x = tn.zeros([1 << 17])  # so large that other threads may run meanwhile

    def fill() -> None:
        for i in range(100):  # until both threads are at it: a single fill may end before the other
            x.fill_(i)

    threads = [threading.Thread(target=fill) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    {"overflow": overflow, "leak": leak, "race": race}[sys.argv[1]]()
