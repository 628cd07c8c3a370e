// file.h - an open weights file.
#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <tenon/safetensors.h>
#include <tenon/sdk/tensor.h>

#include "header.h"
#include "mapped_file.h"

// Nothing changes after the constructor, so threads may read one file at once.
struct tn_safetensors_file {
 public:
  // Maps and checks the file at `path`. Throws `Malformed` and what MappedFile throws.
  explicit tn_safetensors_file(const std::string& path);

  const safetensors::Header& header() const { return header_; }
  const std::string& path() const { return path_; }

  // A new tensor over the mapping. Throws `Failure` for a name that the file lacks, tn::Error where
  // the host fails.
  tn::Tensor tensor(std::string_view name) const;

 private:
  const safetensors::TensorEntry& find(std::string_view name) const;

  std::string path_;
  std::shared_ptr<const safetensors::MappedFile> mapping_;  // tensors hold it too
  safetensors::Header header_;
  std::map<std::string_view, std::size_t> index_;  // from names in header_ to positions there
};
