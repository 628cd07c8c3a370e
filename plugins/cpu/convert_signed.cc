#include "convert_table.h"

namespace tn::cpu {

const std::array<ConvertRow, 6> convert_to_signed = {convert_row<TN_BOOL>, convert_row<TN_U8>,
                                                     convert_row<TN_I8>,   convert_row<TN_I16>,
                                                     convert_row<TN_I32>,  convert_row<TN_I64>};

}  // namespace tn::cpu
