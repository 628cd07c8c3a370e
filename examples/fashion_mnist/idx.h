// IDX: the format of the MNIST files (yann.lecun.com/exdb/mnist), compressed with gzip.
//
// Four bytes 0, 0, element type, rank; then rank sizes of 32 bits, the highest byte first; then the
// elements in row-major order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fashion {

struct Idx {
  std::vector<int64_t> sizes;
  std::vector<uint8_t> bytes;
};

// Reads a file of unsigned bytes with that many dimensions. Throws std::runtime_error that names
// the file: it is not there, no IDX file, of another type or rank, damaged, shorter or longer than
// its header says.
Idx read_idx(const std::string& path, int rank);

}  // namespace fashion
