#include "suggestion.h"

#include <gtest/gtest.h>

namespace safetensors {
namespace {

using Names = std::vector<std::string>;

TEST(CloseNames, TheClosestComesFirst) {
  EXPECT_EQ(close_names("weigt", {"bias", "weights", "weight"}), (Names{"weight", "weights"}));
}

TEST(CloseNames, NamesThatAreFarAreLeftOut) {
  EXPECT_TRUE(close_names("weight", {"bias", "", "a.very.different.name"}).empty());
}

TEST(CloseNames, ThereAreThreeAtMost) {
  EXPECT_EQ(close_names("w0", {"w1", "w2", "w3", "w4"}), (Names{"w1", "w2", "w3"}));
}

}  // namespace
}  // namespace safetensors
