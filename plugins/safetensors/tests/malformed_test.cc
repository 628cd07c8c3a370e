// Every file here breaks the format in one way, and is refused with that reason.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bytes.h"
#include "failure.h"
#include "header_reader.h"

namespace safetensors {
namespace {

struct BadFile {
  const char* name;
  std::string bytes;
  const char* reason;
};

std::string dimensions(int count) {
  std::string shape = "1";
  for (int i = 1; i < count; ++i) shape += ",1";
  return shape;
}

// A header that describes one f32 tensor "a", from its shape and offsets.
std::string one(const std::string& shape, const std::string& offsets) {
  return R"({"a":{"dtype":"F32","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

// Of the file that is right, and of which most of the others are variations.
const std::string kGood = one("[2]", "[0,8]");
const std::string kB = R"("b":{"dtype":"U8","shape":[4],"data_offsets":)";

std::vector<BadFile> bad_files() {
  return {
      // The length.
      {"empty", "", "the file has 0 bytes"},
      {"shorter_than_length", std::string(3, '\2'), "fewer than the 8 of the header's length"},
      {"no_header", length_bytes(0), "does not start with {"},
      {"length_outside_file", length_bytes(100) + kGood, "bytes follow"},
      {"length_by_one_too_long", length_bytes(kGood.size() + 1) + kGood, "bytes follow"},
      {"length_over_limit", length_bytes(kMaxHeaderBytes + 1) + kGood, "more than 100000000"},
      {"length_wraps_64_bits", length_bytes(~std::uint64_t{0} - 7) + kGood, "more than 100000000"},
      {"length_cuts_header", length_bytes(5) + kGood, "the header ends where"},
      // The text.
      {"byte_order_mark", file_of("\xEF\xBB\xBF" + kGood, 8), "does not start with {"},
      {"space_before_object", file_of(" " + kGood, 8), "does not start with {"},
      {"array", file_of("[]", 0), "does not start with {"},
      {"not_utf8", file_of("{\"\xFF\":{}}", 0), "not UTF-8, at byte 10"},
      {"overlong_utf8", file_of("{\"\xC0\xAF\":{}}", 0), "not UTF-8"},
      {"surrogate_in_utf8", file_of("{\"\xED\xA0\x80\":{}}", 0), "not UTF-8"},
      {"utf8_cut_short", file_of("{\"\xE2\x82", 0), "not UTF-8"},
      {"utf8_beyond_last", file_of("{\"\xF4\x90\x80\x80\":{}}", 0), "not UTF-8"},
      {"not_json", file_of("{a}", 0), "expected a tensor's name"},
      {"cut_in_string", file_of("{\"abc", 0), "ends inside a string"},
      {"cut_after_name", file_of("{\"abc\"", 0), "the header ends where : is expected"},
      {"nested_too_deep", file_of("{\"a\":" + std::string(100000, '['), 0), "description, {"},
      {"trailing_comma", file_of(kGood.substr(0, kGood.size() - 1) + ",}", 8), "tensor's name"},
      {"second_object", file_of(kGood + "{}", 8), "follows the header's object"},
      {"null_byte_after_object", file_of(kGood + std::string(1, '\0'), 8), "follows the header's"},
      {"comment", file_of("{/**/}", 0), "expected a tensor's name"},
      {"control_character", file_of("{\"a\nb\":{}}", 0), "control character"},
      {"unknown_escape", file_of(R"({"\x41":{}})", 0), "escape that JSON lacks"},
      {"null_character_in_name", file_of(R"({"a\u0000b":{}})", 0), "U+0000"},
      {"lone_high_surrogate", file_of(R"({"\ud800":{}})", 0), "surrogate pair"},
      {"lone_low_surrogate", file_of(R"({"\udc00":{}})", 0), "surrogate pair"},
      {"high_surrogate_twice", file_of(R"({"\ud800\ud800":{}})", 0), "surrogate pair"},
      {"short_unicode_escape", file_of(R"({"\u12":{}})", 0), "four hexadecimal digits"},
      // A tensor's keys.
      {"tensor_is_no_object", file_of(R"({"a":1})", 0), "expected a tensor's description"},
      {"description_empty", file_of(R"({"a":{}})", 0), "dtype is missing"},
      {"dtype_missing", file_of(R"({"a":{"shape":[0],"data_offsets":[0,0]}})", 0), "dtype is"},
      {"shape_missing", file_of(R"({"a":{"dtype":"F32","data_offsets":[0,0]}})", 0), "shape is"},
      {"offsets_missing", file_of(R"({"a":{"dtype":"F32","shape":[0]}})", 0), "offsets are"},
      {"unknown_key", file_of(R"({"a":{"dtype":"F32","strides":[1]}})", 0), "key \"strides\""},
      {"key_twice", file_of(R"({"a":{"dtype":"F32","dtype":"F32"}})", 0), "key \"dtype\""},
      {"shape_twice", file_of(R"({"a":{"shape":[],"shape":[]}})", 0), "key \"shape\""},
      {"name_twice", file_of("{" + kB + "[0,4]}," + kB + "[4,8]}}", 8), "name \"b\" is there tw"},
      {"same_name_escaped",
       file_of("{" + kB + R"([0,4]},"\u0062":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})", 8),
       "name \"b\" is there twice"},
      // Dtype and shape.
      {"dtype_unknown", file_of(R"({"a":{"dtype":"F31"}})", 0), "dtype \"F31\" is none of"},
      {"dtype_in_lower_case", file_of(R"({"a":{"dtype":"f32"}})", 0), "dtype \"f32\" is none of"},
      {"dtype_is_no_string", file_of(R"({"a":{"dtype":3}})", 0), "expected a dtype"},
      {"shape_is_no_array", file_of(one("2", "[0,8]"), 8), "expected a shape"},
      {"extent_negative", file_of(one("[-2]", "[0,8]"), 8), "an extent is negative"},
      {"extent_fraction", file_of(one("[2.0]", "[0,8]"), 8), "not a whole number"},
      {"extent_exponent", file_of(one("[2e0]", "[0,8]"), 8), "not a whole number"},
      {"extent_leading_zero", file_of(one("[02]", "[0,8]"), 8), "starts with a zero"},
      {"extent_string", file_of(one("[\"2\"]", "[0,8]"), 8), "expected an extent"},
      {"extent_null", file_of(one("[null]", "[0,8]"), 8), "expected an extent"},
      {"extent_64_bits", file_of(one("[9223372036854775808]", "[0,8]"), 8), "63 bits"},
      {"extent_65_bits", file_of(one("[18446744073709551616]", "[0,8]"), 8), "64 bits"},
      {"size_overflows", file_of(one("[4294967296,4294967296]", "[0,8]"), 8), "2^64 bytes"},
      {"element_size_overflows", file_of(one("[4611686018427387904]", "[0,0]"), 0), "2^64 bytes"},
      {"rank_65", file_of(one("[" + dimensions(65) + "]", "[0,4]"), 4), "more than 64 dimens"},
      {"shape_nested", file_of(one("[[2]]", "[0,8]"), 8), "expected an extent"},
      // Offsets.
      {"one_offset", file_of(one("[2]", "[0]"), 8), "a second offset"},
      {"three_offsets", file_of(one("[2]", "[0,8,8]"), 8), "] after two offsets"},
      {"offset_negative", file_of(one("[2]", "[-8,0]"), 8), "an offset is negative"},
      {"offset_65_bits", file_of(one("[2]", "[0,18446744073709551616]"), 8), "64 bits"},
      {"offsets_reversed", file_of(one("[2]", "[8,0]"), 8), "end before they begin"},
      {"outside_file", file_of(kGood, 7), "reach outside the file's 7 bytes"},
      {"far_outside_file", file_of(one("[2]", "[18446744073709551600,18446744073709551608]"), 8),
       "reach outside"},
      {"range_too_short", file_of(one("[2]", "[0,4]"), 4), "hold 4 bytes, but shape and dtype a"},
      {"range_too_long", file_of(one("[2]", "[0,12]"), 12), "hold 12 bytes"},
      {"scalar_without_bytes", file_of(one("[]", "[0,0]"), 0), "ask for 4"},
      // How tensors lie together.
      {"overlap", file_of("{" + kB + "[0,4]}," + one("[1]", "[2,6]").substr(1), 6), "overlaps"},
      {"same_range", file_of("{" + kB + "[0,4]}," + one("[1]", "[0,4]").substr(1), 4), "overlaps"},
      {"hole_in_front", file_of(one("[2]", "[4,12]"), 12), "no tensor describes the 4 bytes"},
      {"hole_between", file_of("{" + kB + "[0,4]}," + one("[1]", "[6,10]").substr(1), 10),
       "no tensor describes the 2 bytes"},
      {"bytes_at_end", file_of(kGood, 9), "no tensor describes the last 1 bytes"},
      {"data_without_tensors", file_of("{}", 1), "no tensor describes the last 1 bytes"},
      // Metadata.
      {"metadata_no_object", file_of(R"({"__metadata__":[]})", 0), "expected the metadata"},
      {"metadata_null", file_of(R"({"__metadata__":null})", 0), "expected the metadata"},
      {"metadata_number", file_of(R"({"__metadata__":{"a":1}})", 0), "expected metadata text"},
      {"metadata_nested", file_of(R"({"__metadata__":{"a":{}}})", 0), "expected metadata text"},
      {"metadata_key_twice", file_of(R"({"__metadata__":{"a":"","a":""}})", 0),
       "metadata key \"a\" is there twice"},
      {"metadata_twice", file_of(R"({"__metadata__":{},"__metadata__":{}})", 0),
       "name \"__metadata__\" is there twice"},
  };
}

// The bytes in a block of their own, so that the address sanitizer sees a read past their end.
Header read_exact(const std::string& bytes) {
  const auto copy = std::make_unique<char[]>(bytes.size());
  std::memcpy(copy.get(), bytes.data(), bytes.size());
  return read_header({copy.get(), bytes.size()});
}

TEST(Malformed, EachFileIsRefusedForItsOwnReason) {
  for (const BadFile& file : bad_files()) {
    SCOPED_TRACE(file.name);
    try {
      read_exact(file.bytes);
      ADD_FAILURE() << "accepted";
    } catch (const Malformed& error) {
      EXPECT_NE(std::string(error.what()).find(file.reason), std::string::npos) << error.what();
      EXPECT_LE(error.position(), file.bytes.size());
    }
  }
}

TEST(Malformed, TheFileThatTheOthersVaryIsAccepted) {
  EXPECT_EQ(read_exact(file_of(kGood, 8)).tensors.size(), 1u);
}

TEST(Malformed, EveryPrefixOfAGoodFileIsRefused) {
  const std::string good = file_of(R"({"__metadata__":{"k":"\u00e9\\"},)" + kGood.substr(1), 8);
  ASSERT_NO_THROW(read_exact(good));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(read_exact(good.substr(0, size)), Malformed) << size << " bytes";
  }
}

TEST(Malformed, NoChangedByteLeadsOutOfBounds) {
  const std::string good = file_of("{" + kB + "[8,12]}," + kGood.substr(1), 12);
  ASSERT_NO_THROW(read_exact(good));
  for (std::size_t at = 0; at < good.size() - 12; ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = good;
      changed[at] = static_cast<char>(value);
      try {
        const Header header = read_exact(changed);
        for (const TensorEntry& entry : header.tensors) {
          ASSERT_LE(header.data_start + entry.end, changed.size());
        }
      } catch (const Malformed&) {
      }
    }
  }
}

}  // namespace
}  // namespace safetensors
