#include "draw.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace fuzz {
namespace {

// What operators take as text, and what they do not.
constexpr const char* kTexts[] = {"none",      "tanh",    "trunc",    "floor",     "mean",    "sum",
                                  "ij,jk->ik", "reflect", "constant", "amax",      "prod",    "xy",
                                  "ij",        "",        "left",     "replicate", "circular"};

// A vendor's object that no operator of the tree knows.
tn_object* foreign_object() {
  static const tn_object_type type = [] {
    tn_object_type made = TN_INIT(tn_object_type);
    made.name = "fuzz.object";
    made.destroy = [](tn_object*) {};
    return made;
  }();
  static tn_object* object = [] {
    static tn_object made;
    tn::api->object_init(&made, &type);
    return &made;
  }();
  return object;
}

tn_object* generator() {
  static tn_object* object = [] {
    tn_object* made = nullptr;
    tn::check(tn::api->generator_create(tn::Device("cpu"), 1, &made));
    return made;
  }();
  return object;
}

bool has(std::string_view name, std::string_view part) {
  return name.find(part) != name.npos;
}

// The input, and in front of it numbers that follow from it: libFuzzer's inputs are short at first,
// the provider takes from the back, and a call whose last arguments are all alike is a dull one.
std::vector<uint8_t> extended(const uint8_t* data, size_t size) {
  uint32_t seed = 2166136261u;
  for (size_t i = 0; i < size; ++i) seed = (seed ^ data[i]) * 16777619u;
  std::minstd_rand numbers(seed);
  std::vector<uint8_t> bytes(1024);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(numbers() >> 8);
  bytes.insert(bytes.end(), data, data + size);
  return bytes;
}

}  // namespace

Draw::Draw(const uint8_t* data, size_t size)
    : bytes_(extended(data, size)), in_(bytes_.data(), bytes_.size()) {
  careful_ = in_.ConsumeBool();
  usual_dtype_ = dtype();
  usual_shape_ = random_shape(4);
  usual_count_ = 1 + index(3);
  const size_t dims = usual_shape_.size();  // of which two may be batch and channels
  usual_length_ = in_.PickValueInArray<size_t>({dims, dims < 2 ? 1 : dims - 2, 1, 2});
  // Matrices that are square can be multiplied, and channels are as many as a kernel has.
  if (careful_ && one_in(2)) std::fill(usual_shape_.begin(), usual_shape_.end(), 1 + index(4));
}

std::vector<tn_value> Draw::arguments(const tn_schema& schema) {
  size_t count = schema.nargs;
  if (misfit(64)) count = index(schema.nargs + 2);
  if (one_in(8)) count = std::min<size_t>(count, schema.nrequired);
  std::vector<tn_value> values;
  for (size_t i = 0; i < count; ++i) {
    tn_param p{};
    p.name = "";
    if (i < schema.nargs) p = schema.args[i];
    values.push_back(argument(p));
  }
  return values;
}

tn_value Draw::output() {
  if (misfit(64)) return scalar();
  if (!one_in(4)) return tn::to_value(tensors.emplace_back(tensor("")));
  return tn::to_value(tensors.emplace_back(strided(careful_ ? usual_dtype_ : dtype(), {0})));
}

tn_value Draw::argument(const tn_param& p) {
  tn_param other{};
  other.name = "";
  if (misfit(64)) return tn_value{};
  if (misfit(48)) {
    other.type = in_.ConsumeIntegralInRange<uint16_t>(TN_TYPE_TENSOR, TN_TYPE_OBJECT);
    return single(other);
  }
  if (misfit(96)) {
    other.type = in_.ConsumeIntegralInRange<uint16_t>(TN_TYPE_TENSOR, TN_TYPE_BOOL);
    return list(other);
  }
  if (p.flags & TN_PARAM_OPTIONAL && one_in(2)) return tn_value{};
  if (p.flags & TN_PARAM_HAS_DEFAULT && one_in(2)) return p.default_value;
  // One integer may stand for a list of a known length.
  const bool one_for_all = p.type == TN_TYPE_INT && p.list_length > 0;
  if (p.flags & TN_PARAM_LIST && !(one_for_all ? one_in(6) : misfit(6))) return list(p);
  return single(p);
}

tn_value Draw::single(const tn_param& p) {
  switch (p.type) {
    case TN_TYPE_TENSOR:
      return misfit(12) ? scalar() : tn::to_value(tensors.emplace_back(tensor(p.name)));
    case TN_TYPE_INT:
      return tn::to_value(careful_ ? fitting_integer(p.name) : integer());
    case TN_TYPE_FLOAT:
      return tn::to_value(real());
    case TN_TYPE_BOOL:
      return tn::to_value(in_.ConsumeBool());
    case TN_TYPE_SCALAR:
      return scalar();
    case TN_TYPE_STRING:
      return text();
    case TN_TYPE_DTYPE:
      return tn::to_value(dtype());
    case TN_TYPE_DEVICE:
      return tn::to_value(device());
    case TN_TYPE_LAYOUT: {
      tn_value v = tn::make_value(TN_TAG_LAYOUT);
      v.u.i = misfit(8) ? integer() : TN_STRIDED;
      return v;
    }
    case TN_TYPE_MEMORY_FORMAT: {
      tn_value v = tn::make_value(TN_TAG_MEMORY_FORMAT);
      v.u.i = misfit(16) ? integer() : in_.ConsumeIntegralInRange<int64_t>(0, 2);
      return v;
    }
    default:
      return object();
  }
}

tn_value Draw::list(const tn_param& p) {
  size_t count = misfit(48) ? in_.ConsumeIntegralInRange<size_t>(0, 70)
                            : in_.ConsumeIntegralInRange<size_t>(0, 4);
  if (p.list_length != 0 && !misfit(6)) count = p.list_length;
  switch (p.type) {
    case TN_TYPE_TENSOR: {
      if (careful_) count = usual_count_;
      auto& made = lists_.emplace_back();
      for (; made.size() < count && made.size() < 70;) {
        const bool none = p.flags & TN_PARAM_LIST_OPTIONAL ? one_in(3) : misfit(48);
        made.push_back(none ? nullptr : tensors.emplace_back(tensor(p.name)).get());
      }
      tn_value v = tn::make_value(TN_TAG_TENSORS);
      v.len = static_cast<uint32_t>(made.size());
      v.u.tensors = made.data();
      return v;
    }
    case TN_TYPE_FLOAT: {
      auto& made = floats_.emplace_back();
      while (made.size() < count) made.push_back(real());
      return tn::to_value(tn::Floats(made));
    }
    case TN_TYPE_BOOL: {
      auto& made = bools_.emplace_back();
      while (made.size() < count) made.push_back(in_.ConsumeBool());
      tn_value v = tn::make_value(TN_TAG_BOOLS);
      v.len = static_cast<uint32_t>(made.size());
      v.u.bools = made.data();
      return v;
    }
    default:
      return tn::to_value(tn::Ints(ints_.emplace_back(integers(p, count))));
  }
}

tn_value Draw::scalar() {
  switch (in_.ConsumeIntegralInRange(0, 7)) {
    case 0:
      return tn::to_value(in_.ConsumeBool());
    case 1: {
      auto& parts = floats_.emplace_back();
      parts = {real(), real()};
      tn_value v = tn::make_value(TN_TAG_COMPLEX);
      v.u.floats = parts.data();
      return v;
    }
    case 2:
    case 3:
    case 4:
      return tn::to_value(real());
    default:
      return tn::to_value(integer());
  }
}

tn_value Draw::text() {
  auto& made = texts_.emplace_back(misfit(8) ? in_.ConsumeRandomLengthString(12)
                                             : in_.PickValueInArray(kTexts));
  made = made.c_str();  // up to the first null
  return tn::to_value(made.c_str());
}

tn_value Draw::object() {
  return one_in(3) ? tn_value{} : tn::to_value(one_in(4) ? foreign_object() : generator());
}

// Sizes that are no mistake are small, and others far beyond memory, so that no call takes long.
int64_t Draw::integer() {
  return one_in(16) ? extreme() : in_.ConsumeIntegralInRange<int64_t>(-3, 6);
}

int64_t Draw::extreme() {
  return in_.PickValueInArray<int64_t>({INT64_MIN, INT64_MAX, INT64_MIN + 1, int64_t{1} << 62,
                                        int64_t{1} << 40, -(int64_t{1} << 40), INT32_MAX, INT32_MIN,
                                        100, -100, 64, 63, 255, 256});
}

// Names that many operators share say what fits. A single extreme in a call that fits otherwise is
// the one that gets furthest.
int64_t Draw::fitting_integer(std::string_view name) {
  if (one_in(32)) return extreme();
  const auto dims = static_cast<int64_t>(usual_shape_.size());
  if (dims > 0 && has(name, "dim")) return in_.ConsumeIntegralInRange<int64_t>(-dims, dims - 1);
  if (has(name, "padding")) return in_.PickValueInArray<int64_t>({0, 0, 0, 1});
  return in_.PickValueInArray<int64_t>({1, 1, 1, 1, 2, 2, 0, 3, -1});
}

std::vector<int64_t> Draw::integers(const tn_param& p, size_t count) {
  const std::string_view name = p.name;
  std::vector<int64_t> made;
  if (!careful_) {
    if (one_in(4)) made = usual_shape_;
    while (made.size() < count) made.push_back(integer());
    return made;
  }
  const bool any_length = p.list_length == 0;
  if (any_length && (has(name, "size") || has(name, "shape")) && !one_in(4)) {
    // All of the usual shape, or only its last dimensions.
    const size_t from = usual_shape_.empty() || one_in(2) ? 0 : index(usual_shape_.size());
    return {usual_shape_.begin() + static_cast<ptrdiff_t>(from), usual_shape_.end()};
  }
  if (any_length && !one_in(8)) count = usual_length_;
  while (made.size() < count) made.push_back(fitting_integer(name));
  return made;
}

double Draw::real() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!one_in(8)) return in_.PickValueInArray({0.0, 1.0, -1.0, 0.5, 2.0, 3.0, 1e-5, 0.1});
  return in_.PickValueInArray(
      {kInfinity, -kInfinity, std::nan(""), -0.0, 1e30, -1e300, 1e-320, 9.3e18, -9.3e18});
}

}  // namespace fuzz
