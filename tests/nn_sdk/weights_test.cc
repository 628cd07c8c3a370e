// Weights files.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support.h"

namespace {

using namespace test;

struct Weights : testing::Test {
  std::filesystem::path folder;

  void SetUp() override {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "tenon-weights-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string path(const char* name) const { return (folder / name).string(); }
};

TEST_F(Weights, AModuleReadsBackWhatItSaved) {
  const tn::nn::Sequential from(tn::nn::Linear(3, 4), tn::nn::Linear(4, 2, false));
  tn::nn::Sequential to(tn::nn::Linear(3, 4), tn::nn::Linear(4, 2, false));
  tn::save(path("net.safetensors"), from.state_dict(), {{"classes", "cat,dog"}});
  to.load_state_dict(tn::load(path("net.safetensors")));
  const auto a = from.parameters(), b = to.parameters();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(numbers(a[i]), numbers(b[i]));
}

TEST_F(Weights, AFileHasMetadataAndTensorsThatOutliveIt) {
  tn::save(path("file"), {{"x", tensor({1, 2})}, {"y", indices({3})}}, {{"key", "value"}});
  Tensor x;
  {
    const tn::WeightsFile file(path("file"));
    EXPECT_EQ(file.metadata("key"), "value");
    EXPECT_EQ(file.metadata("other"), "");
    EXPECT_EQ(file.tensors().size(), 2u);
    EXPECT_EQ(file.get("y").dtype(), TN_I64);
    x = file.get("x");
    expect_error(TN_NOT_FOUND, "\"z\"", [&] { file.get("z"); });
  }
  EXPECT_THAT(numbers(x), ElementsAre(1, 2));
}

TEST_F(Weights, AMissingOrMalformedFileIsAnError) {
  expect_error(TN_IO_ERROR, "nothing", [&] { tn::load(path("nothing")); });
  std::ofstream(path("text")) << "these are no weights";
  expect_error(TN_INVALID_ARGUMENT, "text", [&] { tn::load(path("text")); });
}

}  // namespace
