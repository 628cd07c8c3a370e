#include "convert.h"

#include "convert_table.h"

namespace tn::cpu {

const std::array<ConvertRow, 4> convert_to_other = {convert_row<TN_C64>, convert_row<TN_C128>,
                                                    convert_row<TN_F8E4M3>, convert_row<TN_F8E5M2>};

ConvertFn convert_function(tn_dtype to, tn_dtype from) {
  const int row = to;
  if (row < TN_U16) return convert_to_signed[row - TN_BOOL][from];
  if (row < TN_F16) return convert_to_unsigned[row - TN_U16][from];
  if (row < TN_C64) return convert_to_float[row - TN_F16][from];
  return convert_to_other[row - TN_C64][from];
}

}  // namespace tn::cpu
