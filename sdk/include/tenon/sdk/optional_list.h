// A list that may be absent, as a parameter: `sum(x, {1}, true)`, `sum(x, std::nullopt)`.
//
// std::optional<Ints> alone cannot be made from a braced list.
#pragma once

#include <optional>

#include <tenon/sdk/types.h>

namespace tn {

template <class T>
struct OptionalList : std::optional<List<T>> {
  using Base = std::optional<List<T>>;
  OptionalList(std::nullopt_t) {}
  OptionalList(Base list) : Base(list) {}
  OptionalList(List<T> list) : Base(list) {}
  OptionalList(const std::vector<T>& list) : Base(List<T>(list)) {}
  OptionalList(std::initializer_list<T> list) : Base(List<T>(list)) {}
};

using OptionalInts = OptionalList<int64_t>;
using OptionalFloats = OptionalList<double>;

}  // namespace tn
