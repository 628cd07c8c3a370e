#include "reduce_driver.h"

#include <algorithm>
#include <memory>

#include <tenon/sdk/api.h>

#include "convert.h"
#include "parallel.h"
#include "vector_type.h"

namespace tn::cpu {
namespace {

constexpr int64_t kBlockBytes = 4096;
constexpr int64_t kRunChunk = 65536;  // elements that share an accumulator along a run
// Of those, how many are folded at a time: narrow vectors share a piece among fewer lanes.
constexpr int64_t kRunPiece = kRunChunk / (kVectorBytes >= 32 ? 16 : 32);
constexpr int64_t kMostRuns = 64;     // in a tile
constexpr int64_t kRowBytes = 16384;  // of a tile: wide rows are read as one stream
constexpr int64_t kRowChunk = 4096;   // elements that share an accumulator down a column
constexpr int64_t kRowPiece = 512;    // as many are folded in one chain
constexpr int64_t kManyTiles = 16;    // enough for all threads
constexpr int64_t kRowsAtOnce = 64;   // rows in one call of fold_rows
// A reduced dimension as short as this is not worth a run of its own when there are columns.
constexpr int64_t kShortRun = 64;

// Accumulators of a tile, on the stack where they are few.
class Accumulators {
 public:
  explicit Accumulators(int64_t nbytes) {
    if (nbytes <= static_cast<int64_t>(sizeof room_)) return;
    large_.reset(new char[static_cast<size_t>(nbytes)]);
    data_ = large_.get();
  }
  char* data() { return data_; }

 private:
  alignas(kVectorBytes) char room_[kBlockBytes];
  std::unique_ptr<char[]> large_;
  char* data_ = room_;
};

}  // namespace

void ReduceDriver::Nest::add(const Dim& d) {
  dims[ndim++] = d;
  numel *= d.size;
}
void ReduceDriver::Nest::offsets(int64_t index, int64_t* in, int64_t* out) const {
  *in = *out = 0;
  for (int d = 0; d < ndim; ++d) {
    const int64_t at = index % dims[d].size;
    index /= dims[d].size;
    *in += at * dims[d].in;
    *out += at * dims[d].out;
  }
}

ReduceDriver::ReduceDriver(const tn_plan& plan, const ReduceLoops& loops, double correction)
    : plan_(plan),
      loops_(loops),
      correction_(correction),
      in_dtype_(static_cast<tn_dtype>(plan.operands[1].dtype)),
      wanted_(arithmetic_dtype(static_cast<tn_dtype>(plan.compute_dtype))),
      wanted_size_(element_size(wanted_)),
      chunk_(kRunChunk) {
  for (int d = 0; d < plan.ndim; ++d) {
    const Dim dim{plan.shape[d], plan.operands[1].strides[d], plan.operands[0].strides[d]};
    (plan.reduced >> d & 1 ? reduced_ : kept_).add(dim);
  }
  if (kept_.ndim != 0) choose_tiles();
  chunks_ = std::max<int64_t>(1, (reduced_.numel + chunk_ - 1) / chunk_);
}

void ReduceDriver::choose_tiles() {
  columns_ = kept_.dims[0];
  by_rows_ = !(plan_.reduced & 1 && (plan_.shape[0] >= kShortRun || columns_.size < kShortRun));
  for (int d = 1; d < kept_.ndim; ++d) kept_.dims[d - 1] = kept_.dims[d];
  --kept_.ndim;
  kept_.numel = 1;
  for (int d = 0; d < kept_.ndim; ++d) kept_.numel *= kept_.dims[d].size;
  const bool direct = in_dtype_ == wanted_ && columns_.in == wanted_size_;
  tile_ = by_rows_
              ? (direct ? kRowBytes : kBlockBytes) / wanted_size_
              : std::clamp<int64_t>(kRunChunk / std::max<int64_t>(reduced_.numel, 1), 1, kMostRuns);
  tiles_per_row_ = (columns_.size + tile_ - 1) / tile_;
  // A few wide tiles are shared out by rows, which stay whole streams so.
  const bool many = kept_.numel * tiles_per_row_ >= kManyTiles;
  if (by_rows_) chunk_ = many ? kRowChunk : kRowPiece;
}

int64_t ReduceDriver::tile_width(int64_t tile) const {
  return std::min(tile_, columns_.size - tile % tiles_per_row_ * tile_);
}
const char* ReduceDriver::tile_input(int64_t tile, int64_t* out) const {
  int64_t in;
  kept_.offsets(tile / tiles_per_row_, &in, out);
  const int64_t column = tile % tiles_per_row_ * tile_;
  *out += column * columns_.out;
  return static_cast<const char*>(plan_.operands[1].data) + in + column * columns_.in;
}

// Elements [begin, end) of one output, in dense pieces.
void ReduceDriver::fold_run(char* accumulator, const char* in, int64_t begin, int64_t end) const {
  const ConvertFn gather = convert_function(wanted_, in_dtype_);
  alignas(kVectorBytes) char block[kBlockBytes];
  const int64_t longest = kBlockBytes / wanted_size_;
  const int64_t length = reduced_.ndim ? reduced_.dims[0].size : 1;
  const int64_t stride = reduced_.ndim ? reduced_.dims[0].in : wanted_size_;
  const bool direct = in_dtype_ == wanted_ && stride == wanted_size_ && length >= kShortRun;
  int64_t filled = 0;
  for (int64_t i = begin; i < end;) {
    int64_t offset, unused;
    reduced_.offsets(i, &offset, &unused);
    int64_t n = std::min({end - i, length - i % length, direct ? kRunPiece : longest - filled});
    if (direct) {
      loops_.fold_run(accumulator, in + offset, n);
    } else {
      gather(block + filled * wanted_size_, wanted_size_, in + offset, stride, n);
      filled += n;
      if (filled == longest) {
        loops_.fold_run(accumulator, block, filled);
        filled = 0;
      }
    }
    i += n;
  }
  if (filled) loops_.fold_run(accumulator, block, filled);
}

// Rows [begin, end) of a tile of `width` columns.
void ReduceDriver::fold_columns(char* accumulators, const char* in, int64_t width, int64_t begin,
                                int64_t end) const {
  const ConvertFn gather = convert_function(wanted_, in_dtype_);
  alignas(kVectorBytes) char block[4 * kBlockBytes];
  const bool direct = in_dtype_ == wanted_ && columns_.in == wanted_size_;
  const int64_t row_bytes = width * wanted_size_;
  const int64_t most = direct ? kRowsAtOnce : std::min(kRowsAtOnce, 4 * kBlockBytes / row_bytes);
  const int64_t length = reduced_.ndim ? reduced_.dims[0].size : 1;
  const int64_t stride = reduced_.ndim ? reduced_.dims[0].in : 0;
  int64_t filled = 0;
  for (int64_t i = begin; i < end;) {
    int64_t offset, unused;
    reduced_.offsets(i, &offset, &unused);
    const int64_t n = std::min({end - i, length - i % length, most - filled});
    if (direct) {
      loops_.fold_rows(accumulators, in + offset, stride, n, width);
    } else {
      for (int64_t r = 0; r < n; ++r)
        gather(block + (filled + r) * row_bytes, wanted_size_, in + offset + r * stride,
               columns_.in, width);
      filled += n;
      if (filled == most) {
        loops_.fold_rows(accumulators, block, row_bytes, filled, width);
        filled = 0;
      }
    }
    i += n;
  }
  if (filled) loops_.fold_rows(accumulators, block, row_bytes, filled, width);
}

void ReduceDriver::fold(char* accumulators, int64_t tile, int64_t chunk) const {
  int64_t out;
  const char* in = tile_input(tile, &out);
  const int64_t begin = chunk * chunk_, end = std::min(reduced_.numel, begin + chunk_),
                width = tile_width(tile), size = loops_.accumulator_size;
  loops_.identity(accumulators, width);
  if (!by_rows_) {
    for (int64_t c = 0; c < width; ++c)
      fold_run(accumulators + c * size, in + c * columns_.in, begin, end);
    return;
  }
  // Pieces of a chunk are merged as well, so that no column is summed in one long chain.
  if (end - begin <= kRowPiece) return fold_columns(accumulators, in, width, begin, end);
  Accumulators part(width * size);
  for (int64_t i = begin; i < end; i += kRowPiece) {
    loops_.identity(part.data(), width);
    fold_columns(part.data(), in, width, i, std::min(end, i + kRowPiece));
    loops_.merge(accumulators, part.data(), width);
  }
}

void ReduceDriver::write(const char* accumulators, int64_t tile) const {
  int64_t out;
  tile_input(tile, &out);
  const tn_plan_operand& o = plan_.operands[0];
  const tn_dtype from = static_cast<tn_dtype>(loops_.out_dtype);
  const int64_t size = element_size(from), width = tile_width(tile), most = kBlockBytes / size;
  const ConvertFn store = convert_function(static_cast<tn_dtype>(o.dtype), from);
  alignas(kVectorBytes) char results[kBlockBytes];
  for (int64_t c = 0; c < width; c += most) {
    const int64_t n = std::min(most, width - c);
    loops_.finish(results, accumulators + c * loops_.accumulator_size, n, plan_.reduced_numel,
                  correction_);
    store(static_cast<char*>(o.data) + out + c * columns_.out, columns_.out, results, size, n);
  }
}

void ReduceDriver::go() {
  const int64_t tiles = kept_.numel * tiles_per_row_;
  const int64_t width = std::min(tile_, columns_.size);
  const int64_t tile_bytes = width * loops_.accumulator_size;
  const int64_t work = std::max<int64_t>(1, std::min(chunk_, reduced_.numel) * width);
  const int64_t grain = std::max<int64_t>(1, kGrain / work);
  if (chunks_ == 1) {
    parallel_for(tiles, grain, [&](int64_t begin, int64_t end) {
      Accumulators accumulators(tile_bytes);
      for (int64_t tile = begin; tile < end; ++tile) {
        fold(accumulators.data(), tile, 0);
        write(accumulators.data(), tile);
      }
    });
    return;
  }
  const std::unique_ptr<char[]> parts(new char[static_cast<size_t>(tiles * chunks_ * tile_bytes)]);
  const auto part = [&](int64_t tile, int64_t chunk) {
    return parts.get() + (tile * chunks_ + chunk) * tile_bytes;
  };
  // Neighbouring tiles of a chunk go together: they read neighbouring memory.
  parallel_for(tiles * chunks_, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) fold(part(i % tiles, i / tiles), i % tiles, i / tiles);
  });
  for (int64_t tile = 0; tile < tiles; ++tile) {
    for (int64_t step = 1; step < chunks_; step *= 2)
      for (int64_t c = 0; c + step < chunks_; c += 2 * step)
        loops_.merge(part(tile, c), part(tile, c + step), tile_width(tile));
    write(part(tile, 0), tile);
  }
}

}  // namespace tn::cpu
