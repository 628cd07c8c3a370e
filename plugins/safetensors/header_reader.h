// header_reader.h - from a file's bytes to its header.
#pragma once
#include <string_view>

#include "header.h"

namespace safetensors {

// `file` is the whole file. Throws `Malformed` unless all of this holds: the header's length is at
// most kMaxHeaderBytes and inside the file; the header is UTF-8 and a JSON object of tensors and
// text metadata without duplicate keys; every tensor's byte range has the size that its shape and
// dtype ask for; the ranges cover the data exactly, without overlap or hole. So a tensor of the
// result never reaches outside the file.
Header read_header(std::string_view file);

}  // namespace safetensors
