#include "header_reader.h"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "failure.h"
#include "json_reader.h"
#include "text.h"

namespace safetensors {
namespace {

// Of the tensor about to be described and where its description begins.
struct Subject {
  const std::string& name;
  std::size_t position;

  [[noreturn]] void fail(const std::string& why) const {
    throw Malformed("tensor " + quoted(name) + ": " + why, position);
  }
};

std::vector<std::int64_t> read_shape(JsonReader& json) {
  std::vector<std::int64_t> shape;
  json.expect('[', "a shape, [");
  if (json.take(']')) return shape;
  do {
    const std::size_t position = json.position();
    const std::uint64_t extent = json.read_natural("an extent");
    if (extent > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      throw Malformed("an extent does not fit 63 bits", position);
    }
    if (shape.size() == TN_MAX_DIMS) {
      throw Malformed("a shape has more than " + std::to_string(TN_MAX_DIMS) + " dimensions",
                      position);
    }
    shape.push_back(static_cast<std::int64_t>(extent));
  } while (json.take(','));
  json.expect(']', "] or , in a shape");
  return shape;
}

const DtypeRow* read_dtype(JsonReader& json) {
  const std::size_t position = json.position();
  const std::string name = json.read_string("a dtype");
  const DtypeRow* row = find_dtype(name);
  if (row == nullptr) {
    throw Malformed("dtype " + quoted(name) + " is none of " + dtype_names(), position);
  }
  return row;
}

// The size in bytes that shape and dtype ask for.
std::uint64_t byte_size(const TensorEntry& entry, const Subject& tensor) {
  std::uint64_t bytes = entry.dtype->size;
  for (const std::int64_t extent : entry.shape) {
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent), &bytes)) {
      tensor.fail("its shape asks for more than 2^64 bytes");
    }
  }
  return bytes;
}

void check_range(const TensorEntry& entry, std::uint64_t data_size, const Subject& tensor) {
  const std::string range =
      "[" + std::to_string(entry.begin) + ", " + std::to_string(entry.end) + ")";
  if (entry.begin > entry.end) tensor.fail("data_offsets " + range + " end before they begin");
  if (entry.end > data_size) {
    tensor.fail("data_offsets " + range + " reach outside the file's " + std::to_string(data_size) +
                " bytes of data");
  }
  const std::uint64_t wanted = byte_size(entry, tensor);
  if (entry.end - entry.begin != wanted) {
    tensor.fail("data_offsets " + range + " hold " + std::to_string(entry.end - entry.begin) +
                " bytes, but shape and dtype ask for " + std::to_string(wanted));
  }
}

TensorEntry read_tensor(JsonReader& json, std::string name, std::uint64_t data_size) {
  TensorEntry entry;
  entry.name = std::move(name);
  const Subject tensor{entry.name, json.position()};
  bool has_shape = false, has_offsets = false;
  json.expect('{', "a tensor's description, {");
  if (!json.take('}')) {
    do {
      const std::string key = json.read_string("dtype, shape or data_offsets");
      json.expect(':', ":");
      const bool again = (key == "dtype" && entry.dtype != nullptr) ||
                         (key == "shape" && has_shape) || (key == "data_offsets" && has_offsets);
      if (again) tensor.fail("key " + quoted(key) + " is there twice");
      if (key == "dtype") {
        entry.dtype = read_dtype(json);
      } else if (key == "shape") {
        entry.shape = read_shape(json);
        has_shape = true;
      } else if (key == "data_offsets") {
        json.expect('[', "two offsets, [");
        entry.begin = json.read_natural("an offset");
        json.expect(',', ", and a second offset");
        entry.end = json.read_natural("an offset");
        json.expect(']', "] after two offsets");
        has_offsets = true;
      } else {
        tensor.fail("key " + quoted(key) + " is none of dtype, shape and data_offsets");
      }
    } while (json.take(','));
    json.expect('}', "} or , in a tensor's description");
  }
  if (entry.dtype == nullptr) tensor.fail("dtype is missing");
  if (!has_shape) tensor.fail("shape is missing");
  if (!has_offsets) tensor.fail("data_offsets are missing");
  check_range(entry, data_size, tensor);
  return entry;
}

std::map<std::string, std::string> read_metadata(JsonReader& json) {
  std::map<std::string, std::string> metadata;
  json.expect('{', "the metadata, {");
  if (json.take('}')) return metadata;
  do {
    const std::size_t position = json.position();
    std::string key = json.read_string("a metadata key");
    json.expect(':', ":");
    std::string value = json.read_string("metadata text");
    const auto [where, inserted] = metadata.emplace(std::move(key), std::move(value));
    if (!inserted) {
      throw Malformed("metadata key " + quoted(where->first) + " is there twice", position);
    }
  } while (json.take(','));
  json.expect('}', "} or , in the metadata");
  return metadata;
}

// Sorts by place and checks that the ranges cover the data without overlap or hole.
void check_coverage(Header& result, std::uint64_t data_size) {
  std::sort(result.tensors.begin(), result.tensors.end(), [](const auto& a, const auto& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  std::uint64_t covered = 0;
  for (const TensorEntry& entry : result.tensors) {
    const Subject tensor{entry.name, result.data_start + entry.begin};
    if (entry.begin < covered) tensor.fail("its data overlaps with another tensor's");
    if (entry.begin > covered) {
      tensor.fail("no tensor describes the " + std::to_string(entry.begin - covered) +
                  " bytes before its data");
    }
    covered = entry.end;
  }
  if (covered != data_size) {
    throw Malformed("no tensor describes the last " + std::to_string(data_size - covered) +
                        " bytes of the file",
                    result.data_start + covered);
  }
}

std::uint64_t read_length(std::string_view file) {
  if (file.size() < kLengthBytes) {
    throw Malformed("the file has " + std::to_string(file.size()) +
                        " bytes, fewer than the 8 of the header's length",
                    0);
  }
  std::uint64_t length = 0;
  for (std::size_t i = kLengthBytes; i-- > 0;) {
    length = length << 8 | static_cast<unsigned char>(file[i]);
  }
  if (length > kMaxHeaderBytes) {
    throw Malformed("the header's length is " + std::to_string(length) + ", more than " +
                        std::to_string(kMaxHeaderBytes),
                    0);
  }
  if (length > file.size() - kLengthBytes) {
    throw Malformed("the header's length is " + std::to_string(length) + ", but only " +
                        std::to_string(file.size() - kLengthBytes) + " bytes follow",
                    0);
  }
  return length;
}

}  // namespace

Header read_header(std::string_view file) {
  const std::string_view text = file.substr(kLengthBytes, read_length(file));
  const std::size_t valid = valid_utf8_prefix(text);
  if (valid != text.size()) throw Malformed("the header is not UTF-8", kLengthBytes + valid);
  if (!text.starts_with('{')) throw Malformed("the header does not start with {", kLengthBytes);

  Header result;
  result.data_start = kLengthBytes + text.size();
  const std::uint64_t data_size = file.size() - result.data_start;
  JsonReader json(text, kLengthBytes);
  json.expect('{', "{");
  if (!json.take('}')) {
    std::set<std::string> names;
    do {
      const std::size_t position = json.position();
      std::string name = json.read_string("a tensor's name");
      if (!names.insert(name).second) {
        throw Malformed("name " + quoted(name) + " is there twice", position);
      }
      json.expect(':', ":");
      if (name == kMetadataKey) {
        result.metadata = read_metadata(json);
      } else {
        result.tensors.push_back(read_tensor(json, std::move(name), data_size));
      }
    } while (json.take(','));
    json.expect('}', "} or , after a tensor's description");
  }
  json.expect_end();
  check_coverage(result, data_size);
  return result;
}

}  // namespace safetensors
