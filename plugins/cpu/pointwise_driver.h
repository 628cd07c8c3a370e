// pointwise_driver.h - takes an iteration plan apart into dense runs of one dtype.
//
// Elements are numbered through the nest, innermost dimension first. The range is split over
// threads and cut into blocks. An operand that lies densely in the wanted dtype is used where it
// is; any other is gathered into a block on the stack (converted, broadcast, collected from
// strides), and an output is scattered from one. A number is spread into a block once.
#pragma once

#include <tenon/plan.h>

#include "pointwise_kernel.h"

namespace tn::cpu {

// What a run wants in place of an operand: its dtype, and whether the data is used as it lies.
struct OperandView {
  enum Kind : uint8_t {
    Dense,   // lies as the nest is numbered, in the wanted dtype
    Number,  // one element for all
    Rows,    // dense along the innermost dimension only, in the wanted dtype
    Other    // through a block
  };
  const tn_plan_operand* operand;
  char* data;
  DType dtype;
  Kind kind;
  int64_t size;  // of an element of the wanted dtype
};

class PointwiseDriver {
 public:
  // The operands beyond the first are inputs. Without output, `out_dtype` is TN_DTYPE_NONE.
  PointwiseDriver(const tn_plan& plan, RunFn run, const void* params, bool streams)
      : plan_(plan), run_(run), params_(params), streams_(streams) {}
  void set_output(const tn_plan_operand& operand, DType wanted);
  void add_input(const tn_plan_operand& operand, DType wanted);
  // An input that is one number, already in the wanted dtype.
  void add_number(const void* element, DType wanted);
  void go();

 private:
  struct Position;
  OperandView view(const tn_plan_operand& operand, DType wanted) const;
  void work(int64_t begin, int64_t end) const;
  void work_tiles(int64_t begin, int64_t end) const;
  void run_row(const Position& at, int64_t width, char* const* blocks, int64_t r) const;
  template <class Move>
  void move_tile(const OperandView& v, const Position& at, int64_t rows, int64_t width,
                 Move move) const;
  void block(const Position& at, int64_t count, char* const* blocks) const;
  int64_t largest_element() const;
  int64_t block_length() const;
  int64_t tile_rows() const;
  void spread_numbers(char* const* blocks, int64_t count) const;

  const tn_plan& plan_;
  RunFn run_;
  const void* params_;
  bool streams_;
  bool has_output_ = false;
  bool blocks_ = false;      // some operand goes through a block or is a number
  bool strided_ = false;     // some operand is strided along the innermost dimension
  bool whole_rows_ = false;  // blocks end where rows end
  int ninputs_ = 0;
  OperandView output_{};
  OperandView inputs_[kMaxInputs]{};
};

}  // namespace tn::cpu
