// --onednn: with oneDNN's kernels first, for all calls that it takes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include <tenon/sdk/error.h>

#include "sweep.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // Away from the tree's own tenon.toml, which is for programs.
  setenv("TENON_CONFIG", "/dev/null", 0);
  const bool onednn = argc > 1 && std::strcmp(argv[1], "--onednn") == 0;
  tn::api = tn_get_host();
  tn::check(tn::api->config_set("providers.cpu", onednn ? "[\"onednn\", \"cpu\"]" : "[\"cpu\"]"));
  if (onednn) {
    tn::check(tn::api->config_set("plugin.onednn.all_products", "true"));
    // oneDNN makes its own descriptors without looking whether there was memory for them.
    faults::spare_the_heap();
  }
  tn::init();
  return RUN_ALL_TESTS();
}
