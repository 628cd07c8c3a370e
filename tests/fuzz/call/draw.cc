#include "draw.h"

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
  usual_dtype_ = dtype();
  usual_shape_ = random_shape(4);
}

std::vector<tn_value> Draw::arguments(const tn_schema& schema) {
  size_t count = schema.nargs;
  if (one_in(64)) count = index(schema.nargs + 2);
  if (one_in(8)) count = std::min<size_t>(count, schema.nrequired);
  std::vector<tn_value> values;
  for (size_t i = 0; i < count; ++i) {
    tn_param p{};
    if (i < schema.nargs) p = schema.args[i];
    values.push_back(argument(p));
  }
  return values;
}

tn_value Draw::output() {
  if (one_in(64)) return scalar();
  return tn::to_value(tensors.emplace_back(one_in(4) ? strided(dtype(), {0}) : tensor()));
}

tn_value Draw::argument(const tn_param& p) {
  if (one_in(64)) return tn_value{};
  if (one_in(48))
    return single(in_.ConsumeIntegralInRange<uint16_t>(TN_TYPE_TENSOR, TN_TYPE_OBJECT));
  if (one_in(96)) {
    tn_param other{};
    other.type = in_.ConsumeIntegralInRange<uint16_t>(TN_TYPE_TENSOR, TN_TYPE_BOOL);
    return list(other);
  }
  if (p.flags & TN_PARAM_OPTIONAL && one_in(2)) return tn_value{};
  if (p.flags & TN_PARAM_HAS_DEFAULT && one_in(2)) return p.default_value;
  if (p.flags & TN_PARAM_LIST && !(p.type != TN_TYPE_TENSOR && one_in(6))) return list(p);
  return single(p.type);
}

tn_value Draw::single(uint16_t type) {
  switch (type) {
    case TN_TYPE_TENSOR:
      return one_in(24) ? scalar() : tn::to_value(tensors.emplace_back(tensor()));
    case TN_TYPE_INT:
      return tn::to_value(integer());
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
      v.u.i = one_in(8) ? integer() : TN_STRIDED;
      return v;
    }
    case TN_TYPE_MEMORY_FORMAT: {
      tn_value v = tn::make_value(TN_TAG_MEMORY_FORMAT);
      v.u.i = one_in(16) ? integer() : in_.ConsumeIntegralInRange<int64_t>(0, 2);
      return v;
    }
    default:
      return object();
  }
}

tn_value Draw::list(const tn_param& p) {
  size_t count = one_in(48) ? in_.ConsumeIntegralInRange<size_t>(0, 70)
                            : in_.ConsumeIntegralInRange<size_t>(0, 4);
  if (p.list_length != 0 && !one_in(6)) count = p.list_length;
  switch (p.type) {
    case TN_TYPE_TENSOR: {
      auto& made = lists_.emplace_back();
      for (; made.size() < count && made.size() < 70;) {
        const bool none = one_in(p.flags & TN_PARAM_LIST_OPTIONAL ? 3 : 48);
        made.push_back(none ? nullptr : tensors.emplace_back(tensor()).get());
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
    default: {
      auto& made = ints_.emplace_back();
      if (one_in(4)) made = usual_shape_;
      while (made.size() < count) made.push_back(integer());
      return tn::to_value(tn::Ints(made));
    }
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
  auto& made = texts_.emplace_back(one_in(8) ? in_.ConsumeRandomLengthString(12)
                                             : in_.PickValueInArray(kTexts));
  made = made.c_str();  // up to the first null
  return tn::to_value(made.c_str());
}

tn_value Draw::object() {
  return one_in(3) ? tn_value{} : tn::to_value(one_in(4) ? foreign_object() : generator());
}

// Sizes that are no mistake are small, and others far beyond memory, so that no call takes long.
int64_t Draw::integer() {
  if (!one_in(16)) return in_.ConsumeIntegralInRange<int64_t>(-3, 6);
  return in_.PickValueInArray<int64_t>({INT64_MIN, INT64_MAX, INT64_MIN + 1, int64_t{1} << 62,
                                        int64_t{1} << 40, -(int64_t{1} << 40), INT32_MAX, INT32_MIN,
                                        100, -100, 64, 63, 255, 256});
}

double Draw::real() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!one_in(8)) return in_.PickValueInArray({0.0, 1.0, -1.0, 0.5, 2.0, 3.0, 1e-5, 0.1});
  return in_.PickValueInArray(
      {kInfinity, -kInfinity, std::nan(""), -0.0, 1e30, -1e300, 1e-320, 9.3e18, -9.3e18});
}

}  // namespace fuzz
