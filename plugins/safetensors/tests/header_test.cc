// What right files mean, and that the writer's headers are right.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bytes.h"
#include "failure.h"
#include "header_reader.h"
#include "header_writer.h"

namespace safetensors {
namespace {

TEST(ReadHeader, AFileWithoutTensorsIsFine) {
  const Header header = read_header(file_of("{}", 0));
  EXPECT_TRUE(header.tensors.empty());
  EXPECT_TRUE(header.metadata.empty());
  EXPECT_EQ(header.data_start, 10u);
}

TEST(ReadHeader, TensorsComeInOrderOfDataWhateverTheOrderOfNames) {
  const Header header =
      read_header(file_of(R"({"z":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                          R"("a":{"data_offsets":[1,5],"shape":[2,1],"dtype":"BF16"}})",
                          5));
  ASSERT_EQ(header.tensors.size(), 2u);
  EXPECT_EQ(header.tensors[0].name, "z");
  EXPECT_EQ(header.tensors[1].name, "a");
  EXPECT_EQ(header.tensors[1].dtype->dtype, TN_BF16);
  EXPECT_EQ(header.tensors[1].shape, (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(header.tensors[1].begin, 1u);
  EXPECT_EQ(header.tensors[1].end, 5u);
}

TEST(ReadHeader, WhiteSpaceMayStandBetweenTokensAndAtTheEnd) {
  const Header header = read_header(file_of(
      "{ \"a\" :\t{\n\"dtype\": \"F64\",\r\"shape\": [ ], \"data_offsets\": [ 0 , 8 ] } } \n  ",
      8));
  ASSERT_EQ(header.tensors.size(), 1u);
  EXPECT_TRUE(header.tensors[0].shape.empty());
}

TEST(ReadHeader, EscapesAreResolved) {
  const Header header = read_header(
      file_of(R"({"__metadata__":{"\u00e9\/\"\\\b\f\n\r\t":"\ud83d\ude00\u20ac"}})", 0));
  ASSERT_EQ(header.metadata.size(), 1u);
  EXPECT_EQ(header.metadata.begin()->first, "\xC3\xA9/\"\\\b\f\n\r\t");
  EXPECT_EQ(header.metadata.begin()->second, "\xF0\x9F\x98\x80\xE2\x82\xAC");
}

TEST(ReadHeader, EmptyTensorsTakeNoPlace) {
  const Header header =
      read_header(file_of(R"({"a":{"dtype":"F32","shape":[0,3],"data_offsets":[0,0]},)"
                          R"("b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                          R"("c":{"dtype":"F32","shape":[2,0],"data_offsets":[4,4]}})",
                          4));
  EXPECT_EQ(header.tensors.size(), 3u);
}

TEST(ReadHeader, EveryDtypeIsKnownByItsName) {
  const std::pair<const char*, tn_dtype> rows[] = {
      {"BOOL", TN_BOOL}, {"U8", TN_U8},          {"I8", TN_I8},     {"U16", TN_U16},
      {"I16", TN_I16},   {"U32", TN_U32},        {"I32", TN_I32},   {"U64", TN_U64},
      {"I64", TN_I64},   {"F16", TN_F16},        {"BF16", TN_BF16}, {"F32", TN_F32},
      {"F64", TN_F64},   {"F8_E4M3", TN_F8E4M3}, {"C64", TN_C64},   {"F8_E5M2", TN_F8E5M2},
  };
  for (const auto& [name, dtype] : rows) {
    const DtypeRow* row = find_dtype(std::string_view(name));
    ASSERT_NE(row, nullptr) << name;
    EXPECT_EQ(row->dtype, dtype);
    EXPECT_EQ(find_dtype(dtype), row);
  }
  EXPECT_EQ(find_dtype(TN_C128), nullptr);
}

TensorEntry entry(const char* name, tn_dtype dtype, std::vector<std::int64_t> shape) {
  TensorEntry result;
  result.name = name;
  result.dtype = find_dtype(dtype);
  result.shape = std::move(shape);
  return result;
}

TEST(WriteHeader, BytesAreThoseOfTheFormat) {
  Header described;
  described.tensors = {entry("b", TN_F32, {2, 3}), entry("a", TN_F32, {}), entry("c", TN_I64, {1})};
  described.metadata = {{"format", "pt"}};
  lay_out(described);
  const std::string json = R"({"__metadata__":{"format":"pt"},)"
                           R"("c":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},)"
                           R"("a":{"dtype":"F32","shape":[],"data_offsets":[8,12]},)"
                           R"("b":{"dtype":"F32","shape":[2,3],"data_offsets":[12,36]}})";
  const std::string padding((8 - json.size() % 8) % 8, ' ');
  EXPECT_EQ(write_header(described), length_bytes(json.size() + padding.size()) + json + padding);
}

TEST(WriteHeader, AnyTextComesBackFromTheReader) {
  std::string all;
  for (char c = 1; c < 127; ++c) all.push_back(c);
  Header described;
  described.tensors = {entry(all.c_str(), TN_U8, {3}), entry("", TN_F8E5M2, {0}),
                       entry("\xF0\x9F\x98\x80", TN_C64, {1, 2})};
  described.metadata = {{all, all}, {"", ""}};
  lay_out(described);
  const Header header = read_header(write_header(described) + std::string(19, '\0'));
  EXPECT_EQ(header.metadata, described.metadata);
  ASSERT_EQ(header.tensors.size(), 3u);
  EXPECT_EQ(header.tensors[2].name, all);
  EXPECT_EQ(header.data_start % 8, 0u);
}

TEST(WriteHeader, RefusesWhatTheReaderWould) {
  const auto refused = [](Header described, const char* reason) {
    try {
      lay_out(described);
      write_header(described);
      ADD_FAILURE() << "accepted: " << reason;
    } catch (const Failure& error) {
      EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
    }
  };
  Header described;
  described.tensors = {entry("a", TN_U8, {1}), entry("a", TN_F32, {1})};
  refused(described, "two tensors are named \"a\"");
  described.tensors = {entry(kMetadataKey, TN_U8, {1})};
  refused(described, "cannot be named");
  described.tensors = {entry("\xFF", TN_U8, {1})};
  refused(described, "not UTF-8");
  described.tensors = {entry("a", TN_U8, {INT64_MAX, 4})};
  refused(described, "2^64 bytes");
  described.tensors = {entry("a", TN_U8, {INT64_MAX}), entry("b", TN_U8, {INT64_MAX}),
                       entry("c", TN_U8, {2})};
  refused(described, "2^64 bytes");
  described.tensors.clear();
  described.metadata = {{"k", "\x80"}};
  refused(described, "not UTF-8");
  described.metadata = {{"k", std::string(kMaxHeaderBytes, 'x')}};
  refused(described, "more than 100000000");
}

}  // namespace
}  // namespace safetensors
