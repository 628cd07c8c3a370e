// The Python interpreter as a program of this build: the sanitizer's runtime is in it from the
// start, so that the extension, libtenon and the plugins, which come later, find it. Programs that
// a test starts are not touched, as they would be by a preloaded runtime. It is C++ so that the
// runtime finds what it intercepts of libstdc++.
#include <Python.h>

int main(int argc, char** argv) {
  return Py_BytesMain(argc, argv);
}
