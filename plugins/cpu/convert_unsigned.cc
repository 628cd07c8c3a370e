#include "convert_table.h"

namespace tn::cpu {

const std::array<ConvertRow, 3> convert_to_unsigned = {convert_row<TN_U16>, convert_row<TN_U32>,
                                                       convert_row<TN_U64>};

}  // namespace tn::cpu
