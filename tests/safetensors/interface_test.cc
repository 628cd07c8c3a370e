// The interface "tenon.safetensors" through libtenon: what it maps, what it copies, and what it
// refuses.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <tenon/safetensors.h>
#include <tenon/sdk/tensor.h>

namespace {

namespace fs = std::filesystem;

class SafetensorsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    tn::init();
    const void* found = nullptr;
    tn::check(tn::api->get_interface(TN_SAFETENSORS_INTERFACE, 1, &found));
    files = static_cast<const tn_safetensors*>(found);
  }

  SafetensorsTest() {
    std::string pattern = testing::TempDir() + "tenon_safetensors_XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    path_ = folder_ / "weights.safetensors";
  }
  ~SafetensorsTest() override { fs::remove_all(folder_); }

  static tn::Tensor empty(const char* device, tn_dtype dtype, std::vector<int64_t> sizes) {
    tn_meta meta{};
    tn::check(tn::api->device_parse(device, &meta.device));
    meta.dtype = static_cast<uint16_t>(dtype);
    meta.ndim = static_cast<int32_t>(sizes.size());
    std::copy(sizes.begin(), sizes.end(), meta.sizes);
    tn_tensor* tensor = nullptr;
    tn::check(tn::api->tensor_empty(&meta, &tensor));
    return tn::Tensor::own(tensor);
  }

  // 0, 1, 2, ... as f32.
  static tn::Tensor counting(std::vector<int64_t> sizes) {
    tn::Tensor tensor = empty("cpu", TN_F32, std::move(sizes));
    std::vector<float> values(static_cast<std::size_t>(tensor.numel()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    tn::check(tn::api->tensor_write(tensor.get(), values.data(), values.size() * sizeof(float)));
    return tensor;
  }

  static std::vector<float> values(const tn::Tensor& tensor) {
    std::vector<float> result(static_cast<std::size_t>(tensor.numel()));
    tn::check(tn::api->tensor_read(tensor.get(), result.data(), result.size() * sizeof(float)));
    return result;
  }

  static tn_status save(const fs::path& path, const char* name, const tn::Tensor& tensor) {
    tn_tensor* raw = tensor.get();
    return files->save(path.c_str(), &name, &raw, 1, nullptr, nullptr, 0);
  }

  static tn::Tensor get(tn_safetensors_file* file, const char* name) {
    tn_tensor* tensor = nullptr;
    tn::check(files->get(file, name, &tensor));
    return tn::Tensor::own(tensor);
  }

  // The one tensor of a file that is closed again.
  static tn::Tensor load(const fs::path& path, const char* name) {
    tn_safetensors_file* file = nullptr;
    tn::check(files->open(path.c_str(), &file));
    tn::Tensor tensor = get(file, name);
    files->close(file);
    return tensor;
  }

  static void expect_error(tn_status status, tn_code code, const std::string& part) {
    ASSERT_NE(status, nullptr);
    EXPECT_EQ(tn::api->status_code(status), code);
    const std::string message = tn::api->status_message(status);
    EXPECT_NE(message.find(part), std::string::npos) << message;
    tn::api->status_release(status);
  }

  static std::string bytes(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  static inline const tn_safetensors* files = nullptr;
  fs::path folder_;
  fs::path path_;
};

TEST_F(SafetensorsTest, WhatWasSavedIsLoaded) {
  tn::check(save(path_, "w", counting({2, 3})));
  const tn::Tensor loaded = load(path_, "w");
  EXPECT_EQ(loaded.sizes().vector(), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(loaded.dtype(), TN_F32);
  EXPECT_EQ(values(loaded), (std::vector<float>{0, 1, 2, 3, 4, 5}));
}

TEST_F(SafetensorsTest, TensorsOutliveTheFileObjectAndTheFile) {
  tn::check(save(path_, "w", counting({4})));
  const tn::Tensor loaded = load(path_, "w");
  fs::remove(path_);
  EXPECT_EQ(values(loaded), (std::vector<float>{0, 1, 2, 3}));
}

TEST_F(SafetensorsTest, LoadingCopiesNothing) {
  tn::check(save(path_, "w", counting({4})));
  tn_safetensors_file* file = nullptr;
  tn::check(files->open(path_.c_str(), &file));
  EXPECT_EQ(get(file, "w").get()->dl.data, get(file, "w").get()->dl.data);
  files->close(file);
}

TEST_F(SafetensorsTest, WritingToATensorLeavesTheFile) {
  tn::check(save(path_, "w", counting({4})));
  const std::string before = bytes(path_);
  const tn::Tensor loaded = load(path_, "w");
  const float ones[] = {1, 1, 1, 1};
  tn::check(tn::api->tensor_write(loaded.get(), ones, sizeof ones));
  EXPECT_EQ(values(loaded), (std::vector<float>{1, 1, 1, 1}));
  EXPECT_EQ(bytes(path_), before);
}

TEST_F(SafetensorsTest, AFileCanBeReplacedByWhatWasLoadedFromIt) {
  tn::check(save(path_, "w", counting({4})));
  const std::string before = bytes(path_);
  const tn::Tensor loaded = load(path_, "w");
  tn::check(save(path_, "w", loaded));
  EXPECT_EQ(bytes(path_), before);
  EXPECT_EQ(values(loaded), (std::vector<float>{0, 1, 2, 3}));
}

TEST_F(SafetensorsTest, ATransposedTensorIsSavedInItsOwnOrder) {
  const tn::Tensor base = counting({2, 3});
  const int64_t sizes[] = {3, 2}, strides[] = {1, 3};
  tn_tensor* view = nullptr;
  tn::check(tn::api->tensor_view(base.get(), 2, sizes, strides, 0, TN_F32, 0, &view));
  tn::check(save(path_, "w", tn::Tensor::own(view)));
  EXPECT_EQ(values(load(path_, "w")), (std::vector<float>{0, 3, 1, 4, 2, 5}));
}

TEST_F(SafetensorsTest, NamesComeInOrderOfDataAndMetadataByKey) {
  const char* names[] = {"b", "a", "scale"};
  const tn::Tensor tensors[] = {counting({1}), counting({2}), empty("cpu", TN_F64, {})};
  tn_tensor* raw[] = {tensors[0].get(), tensors[1].get(), tensors[2].get()};
  const char* keys[] = {"format"};
  const char* texts[] = {"tenon"};
  tn::check(files->save(path_.c_str(), names, raw, 3, keys, texts, 1));
  tn_safetensors_file* file = nullptr;
  tn::check(files->open(path_.c_str(), &file));
  EXPECT_EQ(files->count(file), 3u);
  EXPECT_STREQ(files->name(file, 0), "scale");
  EXPECT_STREQ(files->name(file, 1), "a");
  EXPECT_STREQ(files->name(file, 2), "b");
  EXPECT_EQ(files->name(file, 3), nullptr);
  EXPECT_STREQ(files->metadata(file, "format"), "tenon");
  EXPECT_EQ(files->metadata(file, "other"), nullptr);
  files->close(file);
}

TEST_F(SafetensorsTest, AnUnknownNameIsAnErrorThatSuggestsOne) {
  tn::check(save(path_, "encoder.weight", counting({1})));
  tn_safetensors_file* file = nullptr;
  tn::check(files->open(path_.c_str(), &file));
  tn_tensor* tensor = nullptr;
  expect_error(files->get(file, "encoder.wieght", &tensor), TN_NOT_FOUND, "encoder.weight");
  EXPECT_EQ(tensor, nullptr);
  files->close(file);
}

TEST_F(SafetensorsTest, WhatCannotBeOpenedIsAnErrorWithItsErrno) {
  tn_safetensors_file* file = nullptr;
  tn_status status = files->open(path_.c_str(), &file);
  ASSERT_NE(status, nullptr);
  EXPECT_STREQ(tn::api->status_domain(status), "errno");
  EXPECT_EQ(tn::api->status_native_code(status), ENOENT);
  expect_error(status, TN_IO_ERROR, path_.string());
  expect_error(files->open(folder_.c_str(), &file), TN_INVALID_ARGUMENT, "no regular file");
  std::ofstream(path_) << "text";
  expect_error(files->open(path_.c_str(), &file), TN_INVALID_ARGUMENT, "the file has 4 bytes");
  EXPECT_EQ(file, nullptr);
}

TEST_F(SafetensorsTest, AFailedSaveLeavesTheOldFile) {
  tn::check(save(path_, "w", counting({4})));
  const std::string before = bytes(path_);
  expect_error(save(path_, "w", empty("cpu", TN_C128, {2})), TN_INVALID_ARGUMENT, "dtype");
  expect_error(save(path_, "__metadata__", counting({1})), TN_INVALID_ARGUMENT, "__metadata__");
  expect_error(save(path_, "w", empty("meta", TN_F32, {2})), TN_INVALID_ARGUMENT, "without data");
  expect_error(save(folder_ / "missing" / "w", "w", counting({1})), TN_IO_ERROR, "No such file");
  EXPECT_EQ(bytes(path_), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(SafetensorsTest, NullArgumentsAreErrors) {
  tn_safetensors_file* file = nullptr;
  tn_tensor* tensor = nullptr;
  const char* name = "w";
  expect_error(files->open(nullptr, &file), TN_INVALID_ARGUMENT, "path is null");
  expect_error(files->open("x", nullptr), TN_INVALID_ARGUMENT, "out is null");
  expect_error(files->get(nullptr, "x", &tensor), TN_INVALID_ARGUMENT, "file is null");
  expect_error(files->save(path_.c_str(), &name, &tensor, 1, nullptr, nullptr, 0),
               TN_INVALID_ARGUMENT, "tensor \"w\" is null");
  expect_error(files->save(path_.c_str(), nullptr, nullptr, 1, nullptr, nullptr, 0),
               TN_INVALID_ARGUMENT, "names is null");
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(SafetensorsTest, NothingIsLeftBehind) {
  const uint64_t before = tn::api->tensor_live_count();
  {
    tn::check(save(path_, "w", counting({4})));
    const tn::Tensor loaded = load(path_, "w");
    EXPECT_EQ(tn::api->tensor_live_count(), before + 1);
  }
  EXPECT_EQ(tn::api->tensor_live_count(), before);
}

}  // namespace
