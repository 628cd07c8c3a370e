// cat: parts that lie row-major in a row-major result are copied as bytes; others go through copy_,
// which converts.
#include <cstring>

#include <tenon/ops/join.h>
#include <tenon/sdk/entry.h>

#include "kernels.h"
#include "parallel.h"

namespace tn::cpu {
namespace {

void cat(Tensors tensors, int64_t dim, Out out) {
  const int64_t d = ops::wrap_dim(dim, out->dim());
  const int64_t element = api->dtype_size(out->dtype());
  int64_t inner = element, outer = 1;
  for (int64_t k = 0; k < out->dim(); ++k) (k < d ? outer : inner) *= k == d ? 1 : out->size(k);
  const int64_t row = inner * out->size(d);  // bytes of the result for one index before d
  const int64_t base = out->storage_offset();
  ops::Cat::each_part(tensors, dim, *out, [&](const Tensor& part, const ops::Geometry& place) {
    if (!out->is_contiguous() || !part.is_contiguous() || part.dtype() != out->dtype()) {
      ops::Cat::copy_part(part, place, *out);
      return;
    }
    const int64_t length = inner * part.size(d);
    const char* from = part.data<char>();
    char* to = out->data<char>() + (place.offset - base) * element;
    if (outer == 1) {
      parallel_for(length, kGrain * 4, 64, [&](int64_t begin, int64_t end) {
        std::memcpy(to + begin, from + begin, static_cast<size_t>(end - begin));
      });
      return;
    }
    parallel_for(outer, std::max<int64_t>(kGrain * 4 / length, 1), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        std::memcpy(to + i * row, from + i * length, static_cast<size_t>(length));
    });
  });
}

}  // namespace

void register_join(tn_plugin* plugin) {
  tn_caps caps = TN_INIT(tn_caps);
  caps.flags = TN_CAP_DETERMINISTIC;
  register_kernel<cat>(plugin, "cat", "cpu", caps);
}

}  // namespace tn::cpu
