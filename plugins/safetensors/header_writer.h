// header_writer.h - from a description of tensors to a file's first bytes.
#pragma once
#include <string>

#include "header.h"

namespace safetensors {

// Puts the tensors in the order in which they are to be written (by alignment, then by name) and
// sets their byte ranges, for which dtype and shape must be given. Throws `Failure` where a size
// overflows.
void lay_out(Header& described);

// The length, the header as compact JSON, and spaces up to a multiple of 8 bytes, so that the data
// that follows is aligned. Throws `Failure` where a name or metadata is not UTF-8 or there twice,
// or the header is too long.
std::string write_header(const Header& described);

}  // namespace safetensors
