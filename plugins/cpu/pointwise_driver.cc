#include "pointwise_driver.h"

#include <algorithm>
#include <cstdlib>

#include "convert.h"
#include "parallel.h"
#include "transpose.h"
#include "vector_type.h"

namespace tn::cpu {
namespace {

constexpr int64_t kBlockBytes = 4096;
// Rows of at least this many elements are worked on one by one; shorter ones are gathered together.
constexpr int64_t kLongRow = 256;
// Tiles for strided operands, as high as memory allows, so that several lines in a row are used.
constexpr int64_t kTileColumns = 256, kTileBytes = 32768;
// Fewer rows than this are not worth a tile.
constexpr int64_t kLowTile = 8;
// Outputs of this size do not stay in the caches anyway.
constexpr int64_t kStreamBytes = int64_t{8} << 20;

}  // namespace

// An element's number taken apart: `coordinates` of the dimensions beyond the first, and `column`.
struct PointwiseDriver::Position {
  int64_t index;   // of the element
  int64_t column;  // within its row
  int64_t coordinates[TN_MAX_DIMS];

  Position(const tn_plan& plan, int64_t at) : index(at), column(0) {
    if (plan.ndim == 0) return;
    column = at % plan.shape[0];
    seek_row(plan, at / plan.shape[0]);
  }
  void seek_row(const tn_plan& plan, int64_t row) {
    for (int d = 1; d < plan.ndim; ++d) {
      coordinates[d] = row % plan.shape[d];
      row /= plan.shape[d];
    }
  }
  void next_row(const tn_plan& plan) {
    for (int d = 1; d < plan.ndim && ++coordinates[d] == plan.shape[d]; ++d) coordinates[d] = 0;
  }
  void advance(const tn_plan& plan, int64_t count) {
    index += count;
    if (plan.ndim == 0) return;
    column += count;
    while (column >= plan.shape[0]) {
      column -= plan.shape[0];
      next_row(plan);
    }
  }
  int64_t row_offset(const tn_plan& plan, const tn_plan_operand& operand) const {
    int64_t offset = 0;
    for (int d = 1; d < plan.ndim; ++d) offset += coordinates[d] * operand.strides[d];
    return offset;
  }
};

namespace {

// Moves `count` elements from `at` on between an operand and a block, row by row.
template <class Position, class Move>
void walk(const tn_plan& plan, const OperandView& v, Position at, int64_t count, char* block,
          Move move) {
  const int64_t stride = plan.ndim ? v.operand->strides[0] : 0;
  const int64_t length = plan.ndim ? plan.shape[0] : 1;
  while (true) {
    const int64_t n = std::min(count, length - at.column);
    move(v.data + at.row_offset(plan, *v.operand) + at.column * stride, stride, block, n);
    count -= n;
    if (count == 0) return;
    block += n * v.size;
    at.column = 0;
    at.next_row(plan);
  }
}

}  // namespace

OperandView PointwiseDriver::view(const tn_plan_operand& operand, DType wanted) const {
  OperandView v{&operand, static_cast<char*>(operand.data), wanted, OperandView::Dense,
                element_size(wanted)};
  const bool same = operand.dtype == wanted;
  bool number = true, dense = same;
  int64_t expected = operand.element_size;
  for (int d = 0; d < plan_.ndim; ++d) {
    number = number && operand.strides[d] == 0;
    dense = dense && operand.strides[d] == expected;
    expected *= plan_.shape[d];
  }
  if (dense || (number && same && plan_.numel == 1)) return v;
  const int64_t inner = plan_.ndim ? operand.strides[0] : 0;
  if (number)
    v.kind = OperandView::Number;
  else if (same && inner == operand.element_size)
    v.kind = OperandView::Rows;
  else
    v.kind = OperandView::Other;
  return v;
}

void PointwiseDriver::set_output(const tn_plan_operand& operand, DType wanted) {
  has_output_ = true;
  output_ = view(operand, wanted);
  if (output_.kind == OperandView::Number) output_.kind = OperandView::Other;
}
void PointwiseDriver::add_input(const tn_plan_operand& operand, DType wanted) {
  inputs_[ninputs_++] = view(operand, wanted);
}
void PointwiseDriver::add_number(const void* element, DType wanted) {
  inputs_[ninputs_++] = {nullptr, static_cast<char*>(const_cast<void*>(element)), wanted,
                         plan_.numel == 1 ? OperandView::Dense : OperandView::Number,
                         element_size(wanted)};
}

int64_t PointwiseDriver::largest_element() const {
  int64_t size = has_output_ ? output_.size : 1;
  for (int i = 0; i < ninputs_; ++i) size = std::max(size, inputs_[i].size);
  return size;
}
int64_t PointwiseDriver::block_length() const {
  return kBlockBytes / largest_element();
}
int64_t PointwiseDriver::tile_rows() const {
  return kTileBytes / (kTileColumns * largest_element());
}

void PointwiseDriver::spread_numbers(char* const* blocks, int64_t count) const {
  for (int i = 0; i < ninputs_; ++i) {
    const OperandView& v = inputs_[i];
    if (v.kind != OperandView::Number) continue;
    const tn_dtype from = v.operand ? static_cast<tn_dtype>(v.operand->dtype) : v.dtype;
    alignas(16) char element[16];
    convert_function(v.dtype, from)(element, v.size, v.data, 0, 1);
    convert_function(v.dtype, v.dtype)(blocks[i], v.size, element, 0, count);
  }
}

void PointwiseDriver::block(const Position& at, int64_t count, char* const* blocks) const {
  Run r{};
  r.params = params_;
  r.n = count;
  for (int i = 0; i < ninputs_; ++i) {
    const OperandView& v = inputs_[i];
    if (v.kind == OperandView::Dense) {
      r.in[i] = v.data + at.index * v.size;
    } else if (v.kind == OperandView::Rows && whole_rows_) {
      r.in[i] = v.data + at.row_offset(plan_, *v.operand) + at.column * v.size;
    } else {
      r.in[i] = blocks[i];
      if (v.kind == OperandView::Number) continue;
      const ConvertFn gather = convert_function(v.dtype, static_cast<tn_dtype>(v.operand->dtype));
      walk(plan_, v, at, count, blocks[i], [&](char* data, int64_t stride, char* to, int64_t n) {
        gather(to, v.size, data, stride, n);
      });
    }
  }
  if (!has_output_) return run_(r);
  if (output_.kind == OperandView::Dense) {
    r.out = output_.data + at.index * output_.size;
    r.streams = streams_ && reinterpret_cast<uintptr_t>(r.out) % kVectorBytes == 0;
    return run_(r);
  }
  if (output_.kind == OperandView::Rows && whole_rows_) {
    r.out = output_.data + at.row_offset(plan_, *output_.operand) + at.column * output_.size;
    return run_(r);
  }
  r.out = blocks[kMaxInputs];
  run_(r);
  const ConvertFn scatter =
      convert_function(static_cast<tn_dtype>(output_.operand->dtype), output_.dtype);
  walk(plan_, output_, at, count, blocks[kMaxInputs],
       [&](char* data, int64_t stride, char* from, int64_t n) {
         scatter(data, stride, from, output_.size, n);
       });
}

void PointwiseDriver::work(int64_t begin, int64_t end) const {
  alignas(kVectorBytes) char memory[kMaxInputs + 1][kBlockBytes];
  char* const blocks[] = {memory[0], memory[1], memory[2], memory[3], memory[4]};
  const int64_t longest = blocks_ ? block_length() : end - begin;
  spread_numbers(blocks, std::min(longest, end - begin));
  Position at(plan_, begin);
  while (at.index < end) {
    int64_t count = std::min(longest, end - at.index);
    if (whole_rows_) count = std::min(count, plan_.shape[0] - at.column);
    block(at, count, blocks);
    at.advance(plan_, count);
  }
}

// Tiles of kTileColumns columns, for operands that are strided along a row: the cache
// lines that its first row brings in hold what the other rows need.
void PointwiseDriver::work_tiles(int64_t begin, int64_t end) const {
  alignas(kVectorBytes) char memory[kMaxInputs + 1][kTileBytes];
  char* const blocks[] = {memory[0], memory[1], memory[2], memory[3], memory[4]};
  spread_numbers(blocks, kTileColumns);
  const int64_t length = plan_.shape[0], height = plan_.shape[1];
  const int64_t most = tile_rows();
  const int64_t across = (length + kTileColumns - 1) / kTileColumns,
                down = (height + most - 1) / most;
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t column = unit / down % across * kTileColumns, row = unit % down * most;
    const int64_t width = std::min(kTileColumns, length - column),
                  rows = std::min(most, height - row);
    Position at(plan_, (unit / (across * down) * height + row) * length + column);
    for (int i = 0; i < ninputs_; ++i) {
      const OperandView& v = inputs_[i];
      if (v.kind != OperandView::Other) continue;
      const ConvertFn gather = convert_function(v.dtype, static_cast<tn_dtype>(v.operand->dtype));
      const int64_t inner = v.operand->strides[0], size = v.operand->element_size;
      if (v.operand->strides[1] == size) {
        const Transpose plane{width, rows,   kTileColumns * v.size,       inner, v.size,
                              size,  gather, v.operand->dtype == v.dtype, false};
        plane.run(blocks[i], v.data + at.row_offset(plan_, *v.operand) + at.column * inner);
        continue;
      }
      move_tile(v, at, rows, width,
                [&](char* data, int64_t data_stride, int64_t place, int64_t stride, int64_t n) {
                  gather(blocks[i] + place * v.size, stride * v.size, data, data_stride, n);
                });
    }
    for (int64_t r = 0; r < rows; ++r) {
      run_row(at, width, blocks, r);
      at.index += length;
      ++at.coordinates[1];
    }
    if (!has_output_ || output_.kind != OperandView::Other) continue;
    at.coordinates[1] -= rows;
    const ConvertFn scatter =
        convert_function(static_cast<tn_dtype>(output_.operand->dtype), output_.dtype);
    move_tile(output_, at, rows, width,
              [&](char* data, int64_t data_stride, int64_t place, int64_t stride, int64_t n) {
                scatter(data, data_stride, blocks[kMaxInputs] + place * output_.size,
                        stride * output_.size, n);
              });
  }
}

// Row r of a tile whose strided operands are in blocks.
void PointwiseDriver::run_row(const Position& at, int64_t width, char* const* blocks,
                              int64_t r) const {
  const auto place = [&](const OperandView& v, char* block) {
    switch (v.kind) {
      case OperandView::Dense:
        return v.data + at.index * v.size;
      case OperandView::Number:
        return block;
      case OperandView::Rows:
        return v.data + at.row_offset(plan_, *v.operand) + at.column * v.size;
      default:
        return block + r * kTileColumns * v.size;
    }
  };
  Run run{};
  run.params = params_;
  run.n = width;
  for (int i = 0; i < ninputs_; ++i) run.in[i] = place(inputs_[i], blocks[i]);
  if (has_output_) run.out = place(output_, blocks[kMaxInputs]);
  run_(run);
}

// Calls move(data, data_stride, place, stride, n) for the lines of a tile, along the direction in
// which the operand's memory lies closer together; `place` and `stride` count elements in the
// tile's block.
template <class Move>
void PointwiseDriver::move_tile(const OperandView& v, const Position& at, int64_t rows,
                                int64_t width, Move move) const {
  const int64_t inner = v.operand->strides[0], outer = v.operand->strides[1];
  char* data = v.data + at.row_offset(plan_, *v.operand) + at.column * inner;
  if (std::abs(outer) < std::abs(inner)) {
    for (int64_t c = 0; c < width; ++c) move(data + c * inner, outer, c, kTileColumns, rows);
  } else {
    for (int64_t r = 0; r < rows; ++r) move(data + r * outer, inner, r * kTileColumns, 1, width);
  }
}

void PointwiseDriver::go() {
  const auto note = [&](const OperandView& v) {
    if (v.kind == OperandView::Dense) return;
    blocks_ = blocks_ || v.kind != OperandView::Rows;
    whole_rows_ = whole_rows_ || v.kind == OperandView::Rows;
    if (v.kind != OperandView::Other || plan_.ndim == 0) return;
    const int64_t stride = v.operand->strides[0];
    strided_ = strided_ || (stride != 0 && stride != v.operand->element_size);
  };
  for (int i = 0; i < ninputs_; ++i) note(inputs_[i]);
  if (has_output_) note(output_);
  if (plan_.ndim > 0 && plan_.shape[0] < kLongRow && whole_rows_) {
    whole_rows_ = false;
    blocks_ = true;
  }
  streams_ = streams_ && has_output_ && output_.kind == OperandView::Dense &&
             plan_.numel * output_.size >= kStreamBytes;
  // A line that is read as well is in the cache already.
  for (int i = 0; i < ninputs_; ++i) streams_ = streams_ && inputs_[i].data != output_.data;

  if (strided_ && plan_.ndim > 1 && plan_.shape[0] >= kTileColumns && plan_.shape[1] >= kLowTile) {
    const int64_t across = (plan_.shape[0] + kTileColumns - 1) / kTileColumns;
    const int64_t down = (plan_.shape[1] + tile_rows() - 1) / tile_rows();
    const int64_t units = across * down * (plan_.numel / (plan_.shape[0] * plan_.shape[1]));
    parallel_for(units, std::max<int64_t>(1, kGrain / (kTileColumns * tile_rows())),
                 [&](int64_t begin, int64_t end) { work_tiles(begin, end); });
  } else {
    parallel_for(plan_.numel, kGrain, kVectorBytes,
                 [&](int64_t begin, int64_t end) { work(begin, end); });
  }
}

}  // namespace tn::cpu
