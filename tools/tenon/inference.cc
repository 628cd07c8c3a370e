#include "inference.h"

#include <deque>

namespace command {
namespace {

constexpr const char* kDevice = "meta";

// The call's arguments without data. Owns the tensors.
class Twin {
 public:
  Twin(const Call& call, tn_device device) : device_(device) {
    for (const tn_value& value : call.values()) values_.push_back(twin_of(value));
  }
  const std::vector<tn_value>& values() const { return values_; }

 private:
  tn_tensor* twin_of(const tn_tensor* tensor) {
    if (!tensor) return nullptr;
    tn_meta meta{};
    meta.device = device_;
    meta.dtype = tensor->dtype;
    meta.layout = tensor->layout;
    meta.has_strides = 1;
    meta.ndim = tensor->dl.ndim;
    std::copy_n(tensor->dl.shape, meta.ndim, meta.sizes);
    std::copy_n(tensor->dl.strides, meta.ndim, meta.strides);
    tn_tensor* made = nullptr;
    tn::check(tn::api->tensor_empty(&meta, &made));
    return tensors_.emplace_back(tn::Tensor::own(made)).get();
  }

  tn_value twin_of(tn_value value) {
    if (value.tag == TN_TAG_TENSOR) value.u.tensor = twin_of(value.u.tensor);
    if (value.tag == TN_TAG_DEVICE) value.u.device = device_;
    if (value.tag == TN_TAG_TENSORS) {
      std::vector<tn_tensor*> items;
      for (std::uint32_t i = 0; i < value.len; ++i) items.push_back(twin_of(value.u.tensors[i]));
      value.u.tensors = lists_.emplace_back(std::move(items)).data();
    }
    return value;
  }

  tn_device device_;
  std::vector<tn_value> values_;
  std::deque<tn::Tensor> tensors_;
  std::deque<std::vector<tn_tensor*>> lists_;
};

Json describe(const tn_tensor* tensor, const std::string& device) {
  if (!tensor) return nullptr;
  const auto dtype = static_cast<tn_dtype>(tensor->dtype);
  const auto ndim = static_cast<std::size_t>(tensor->dl.ndim);
  return {{"dtype", tn::api->dtype_name(dtype)},
          {"sizes", std::vector(tensor->dl.shape, tensor->dl.shape + ndim)},
          {"strides", std::vector(tensor->dl.strides, tensor->dl.strides + ndim)},
          {"device", device}};
}

Json describe(const tn_value& value, const std::string& device) {
  switch (value.tag) {
    case TN_TAG_TENSOR:
      return describe(value.u.tensor, device);
    case TN_TAG_TENSORS: {
      Json list = Json::array();
      for (std::uint32_t i = 0; i < value.len; ++i) {
        list.push_back(describe(value.u.tensors[i], device));
      }
      return list;
    }
    case TN_TAG_INT:
      return value.u.i;
    case TN_TAG_BOOL:
      return value.u.i != 0;
    case TN_TAG_FLOAT:
      return value.u.f;
    default:
      return nullptr;
  }
}

// Where the results lie: on the device that an argument names, else where the call runs.
std::string results_on(const Call& call, const std::string& device) {
  for (const tn_value& value : call.values()) {
    if (value.tag == TN_TAG_DEVICE) return tn::Device(value.u.device).name();
  }
  return device;
}

// Without the line that names the call: it tells of the twin's device.
std::string reason_of(const tn::Error& error) {
  const std::string text = error.what();
  const std::size_t end = text.find("\n  ");
  return text.starts_with("in ") && end != text.npos ? text.substr(end + 3) : text;
}

}  // namespace

Inference infer(const Call& call, const std::string& device) {
  Inference found;
  if (tn::api->op_own_form(call.op()) == TN_OUT) {
    found.unknown = "the caller brings the outputs";
    return found;
  }
  tn_device nowhere{};
  if (tn_status status = tn::api->device_parse(kDevice, &nowhere)) {
    found.unknown = tn::Error(status).what();
    return found;
  }
  const Twin twin(call, nowhere);
  const std::vector<tn_value>& values = twin.values();
  std::vector<tn_value> results(tn::api->op_schema(call.op())->nrets);
  if (tn_status status =
          tn::api->call(call.op(), values.data(), static_cast<std::uint32_t>(values.size()),
                        results.data(), static_cast<std::uint32_t>(results.size()))) {
    const tn::Error error(status);
    // What needs values cannot be found out without them; everything else the real call would say
    // too.
    (error.code() == TN_NOT_IMPLEMENTED ? found.unknown : found.error) = reason_of(error);
    return found;
  }
  found.outputs = Json::array();
  for (tn_value& result : results) {
    found.outputs.push_back(describe(result, results_on(call, device)));
    if (tn::api->op_own_form(call.op()) == TN_FUNCTIONAL) tn::api->value_drop(&result);
  }
  return found;
}

}  // namespace command
