#include "file.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "failure.h"
#include "header_reader.h"
#include "suggestion.h"
#include "text.h"

using safetensors::MappedFile;
using safetensors::TensorEntry;

namespace {

// A tensor's share of the mapping.
using MappingShare = std::shared_ptr<const MappedFile>;

void release_share(void* context) {
  delete static_cast<MappingShare*>(context);
}

tn_meta describe(const TensorEntry& entry) {
  tn_meta meta{};
  tn::check(tn::api->device_host(&meta.device));
  meta.dtype = static_cast<std::uint16_t>(entry.dtype->dtype);
  meta.layout = TN_STRIDED;
  meta.memory_format = TN_CONTIGUOUS;
  meta.ndim = static_cast<std::int32_t>(entry.shape.size());
  std::copy(entry.shape.begin(), entry.shape.end(), meta.sizes);
  return meta;
}

tn::Tensor wrap(const tn_meta& meta, char* data, std::size_t size, const MappingShare& mapping) {
  auto share = std::make_unique<MappingShare>(mapping);
  tn_tensor* tensor = nullptr;
  tn::check(tn::api->tensor_from_memory(&meta, data, size, release_share, share.get(), &tensor));
  static_cast<void>(share.release());  // the tensor's now
  return tn::Tensor::own(tensor);
}

tn::Tensor copy(const tn_meta& meta, const char* data, std::size_t size) {
  tn_tensor* raw = nullptr;
  tn::check(tn::api->tensor_empty(&meta, &raw));
  tn::Tensor tensor = tn::Tensor::own(raw);
  tn::check(tn::api->tensor_write(raw, data, size));
  return tensor;
}

}  // namespace

tn_safetensors_file::tn_safetensors_file(const std::string& path)
    : path_(path),
      mapping_(std::make_shared<const MappedFile>(path)),
      header_(safetensors::read_header(mapping_->bytes())) {
  for (std::size_t i = 0; i < header_.tensors.size(); ++i) index_[header_.tensors[i].name] = i;
}

tn::Tensor tn_safetensors_file::tensor(std::string_view name) const {
  const TensorEntry& entry = find(name);
  const auto size = static_cast<std::size_t>(entry.end - entry.begin);
  char* data = mapping_->data() + header_.data_start + entry.begin;
  // The format aligns the start of the data but not each tensor. Writers that sort by alignment, as
  // ours does, leave none misaligned; kernels may rely on alignment, so a misaligned tensor is
  // copied rather than mapped.
  const bool aligned = reinterpret_cast<std::uintptr_t>(data) % entry.dtype->alignment == 0;
  const tn_meta meta = describe(entry);
  return aligned ? wrap(meta, data, size, mapping_) : copy(meta, data, size);
}

const TensorEntry& tn_safetensors_file::find(std::string_view name) const {
  const auto found = index_.find(name);
  if (found != index_.end()) return header_.tensors[found->second];
  std::vector<std::string_view> names;
  for (const auto& [known, position] : index_) names.push_back(known);
  std::string message = "it holds no tensor " + safetensors::quoted(name);
  const std::vector<std::string> close = safetensors::close_names(name, names);
  for (std::size_t i = 0; i < close.size(); ++i) {
    message += (i == 0 ? "; close to it: " : ", ") + safetensors::quoted(close[i]);
  }
  if (close.empty()) message += "; none of its " + std::to_string(names.size()) + " is close";
  throw safetensors::Failure(TN_NOT_FOUND, message);
}
