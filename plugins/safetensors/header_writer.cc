#include "header_writer.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "failure.h"
#include "text.h"

namespace safetensors {
namespace {

constexpr std::size_t kAlignment = 8;

void append_string(std::string& json, const char* what, std::string_view text) {
  if (valid_utf8_prefix(text) != text.size()) {
    throw Failure(TN_INVALID_ARGUMENT, std::string(what) + " " + quoted(text) + " is not UTF-8");
  }
  json.push_back('"');
  for (const char c : text) {
    switch (c) {
      case '"':
        json += "\\\"";
        break;
      case '\\':
        json += "\\\\";
        break;
      case '\b':
        json += "\\b";
        break;
      case '\f':
        json += "\\f";
        break;
      case '\n':
        json += "\\n";
        break;
      case '\r':
        json += "\\r";
        break;
      case '\t':
        json += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          const char* hex = "0123456789abcdef";
          json += "\\u00";
          json += {hex[c >> 4], hex[c & 15]};
        } else {
          json.push_back(c);
        }
    }
  }
  json.push_back('"');
}

void append_metadata(std::string& json, const std::map<std::string, std::string>& metadata) {
  append_string(json, "name", kMetadataKey);
  json += ":{";
  for (const auto& [key, value] : metadata) {
    if (json.back() != '{') json.push_back(',');
    append_string(json, "metadata key", key);
    json.push_back(':');
    append_string(json, "metadata text", value);
  }
  json.push_back('}');
}

void append_tensor(std::string& json, const TensorEntry& entry) {
  append_string(json, "tensor name", entry.name);
  json += ":{\"dtype\":\"";
  json += entry.dtype->name;
  json += "\",\"shape\":[";
  for (std::size_t i = 0; i < entry.shape.size(); ++i) {
    if (i != 0) json.push_back(',');
    json += std::to_string(entry.shape[i]);
  }
  json += "],\"data_offsets\":[" + std::to_string(entry.begin) + "," + std::to_string(entry.end);
  json += "]}";
}

}  // namespace

void lay_out(Header& described) {
  std::sort(described.tensors.begin(), described.tensors.end(), [](const auto& a, const auto& b) {
    const auto rank_a = dtype_rank(*a.dtype), rank_b = dtype_rank(*b.dtype);
    return rank_a != rank_b ? rank_a < rank_b : a.name < b.name;
  });
  std::uint64_t at = 0;
  for (TensorEntry& entry : described.tensors) {
    std::uint64_t bytes = entry.dtype->size;
    bool overflow = false;
    for (const std::int64_t extent : entry.shape) {
      overflow |= __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent), &bytes);
    }
    entry.begin = at;
    overflow |= __builtin_add_overflow(at, bytes, &at);
    entry.end = at;
    if (overflow) {
      throw Failure(TN_INVALID_ARGUMENT,
                    "tensor " + quoted(entry.name) + " makes the file larger than 2^64 bytes");
    }
  }
}

std::string write_header(const Header& described) {
  std::string json = "{";
  if (!described.metadata.empty()) append_metadata(json, described.metadata);
  std::set<std::string_view> names{kMetadataKey};
  for (const TensorEntry& entry : described.tensors) {
    if (!names.insert(entry.name).second) {
      throw Failure(TN_INVALID_ARGUMENT, entry.name == kMetadataKey
                                             ? "a tensor cannot be named " + quoted(kMetadataKey)
                                             : "two tensors are named " + quoted(entry.name));
    }
    if (json.size() > 1) json.push_back(',');
    append_tensor(json, entry);
  }
  json.push_back('}');
  json.append((kAlignment - json.size() % kAlignment) % kAlignment, ' ');
  if (json.size() > kMaxHeaderBytes) {
    throw Failure(TN_INVALID_ARGUMENT, "names, shapes and metadata take " +
                                           std::to_string(json.size()) + " bytes, more than " +
                                           std::to_string(kMaxHeaderBytes));
  }

  std::string bytes(kLengthBytes, '\0');
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    bytes[i] = static_cast<char>(json.size() >> (8 * i) & 0xFF);
  }
  return bytes + json;
}

}  // namespace safetensors
