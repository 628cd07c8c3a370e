// Runs the tests with kernels of the cpu plugin alone or, with --onednn, of onednn first; with
// --onednn-all also for the products that onednn leaves to cpu because they are small.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include <tenon/sdk/error.h>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // Away from the tree's own tenon.toml, which is for programs.
  setenv("TENON_CONFIG", "/dev/null", 0);
  const bool all = argc > 1 && std::strcmp(argv[1], "--onednn-all") == 0;
  const bool onednn = all || (argc > 1 && std::strcmp(argv[1], "--onednn") == 0);
  tn::api = tn_get_host();
  tn::check(tn::api->config_set("providers.cpu", onednn ? "[\"onednn\", \"cpu\"]" : "[\"cpu\"]"));
  if (!onednn) tn::check(tn::api->config_set("plugins.disable", "[\"onednn\"]"));
  if (all) tn::check(tn::api->config_set("plugin.onednn.all_products", "true"));
  tn::init();
  return RUN_ALL_TESTS();
}
