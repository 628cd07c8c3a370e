#include "convert_table.h"

namespace tn::cpu {

const std::array<ConvertRow, 4> convert_to_float = {convert_row<TN_F16>, convert_row<TN_BF16>,
                                                    convert_row<TN_F32>, convert_row<TN_F64>};

}  // namespace tn::cpu
