#include <gtest/gtest.h>

#include <cstdlib>

#include <tenon/sdk/error.h>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // Away from the tree's own tenon.toml, which is for programs.
  setenv("TENON_CONFIG", "/dev/null", 0);
  tn::api = tn_get_host();
  tn::check(tn::api->config_set("plugins.path", "[\"" TENON_TEST_PLUGIN_DIR "\"]"));
  tn::init();
  return RUN_ALL_TESTS();
}
