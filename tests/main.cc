// The main function of test programs that need no configuration of their own.
#include <gtest/gtest.h>

#include <cstdlib>

#include <tenon/sdk/error.h>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // Away from the tree's own tenon.toml, which is for programs.
  setenv("TENON_CONFIG", "/dev/null", 0);
  tn::init();
  return RUN_ALL_TESTS();
}
