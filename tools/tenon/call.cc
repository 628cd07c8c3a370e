#include "call.h"

#include <sys/mman.h>

#include <algorithm>

#include <tenon/autograd.h>
#include <tenon/sdk/autograd.h>

namespace command {
namespace {

// Addresses without memory behind them, so that tensors may be larger than the machine. Whoever
// touched them would die, but nothing does: no kernel runs.
struct Addresses {
  void* start = nullptr;
  std::size_t nbytes = 0;

  static void release(void* context) {
    auto* addresses = static_cast<Addresses*>(context);
    munmap(addresses->start, addresses->nbytes);
    delete addresses;
  }
};

std::size_t bytes_of(const TensorForm& form) {
  std::size_t nbytes = tn::api->dtype_size(form.dtype);
  const bool empty = std::find(form.sizes.begin(), form.sizes.end(), 0) != form.sizes.end();
  if (empty) return 0;
  for (const std::int64_t size : form.sizes) {
    if (__builtin_mul_overflow(nbytes, static_cast<std::size_t>(size), &nbytes)) {
      tn::fail(TN_INVALID_ARGUMENT, "--args: a tensor has more bytes than 64 bits can count");
    }
  }
  return nbytes;
}

tn::Tensor imagined(const tn_meta& meta, std::size_t nbytes) {
  tn_tensor* made = nullptr;
  if (nbytes == 0 || tn::api->device_flags(meta.device.type) & TN_DEVICE_NO_DATA) {
    tn::check(tn::api->tensor_empty(&meta, &made));
    return tn::Tensor::own(made);
  }
  void* start =
      mmap(nullptr, nbytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) {
    tn::fail(TN_INVALID_ARGUMENT, "--args: no address range has room for a tensor of %zu bytes",
             nbytes);
  }
  auto* addresses = new Addresses{start, nbytes};
  if (tn_status status =
          tn::api->tensor_from_memory(&meta, start, nbytes, Addresses::release, addresses, &made)) {
    Addresses::release(addresses);
    throw tn::Error(status);
  }
  return tn::Tensor::own(made);
}

tn_value tagged(tn_tag tag) {
  tn_value value{};
  value.tag = static_cast<std::uint16_t>(tag);
  return value;
}

[[noreturn]] void no_fit(const tn_param& param, const std::string& what) {
  tn::fail(TN_TYPE_ERROR, "argument '%s' cannot be %s", param.name, what.c_str());
}

// Kind of number or thing that a list holds; Word for what no list can hold.
bool all(const List& list, bool (*is)(const Literal&)) {
  return std::all_of(list.begin(), list.end(), is);
}
template <class... Kinds>
bool is_any(const Literal& literal) {
  return (std::holds_alternative<Kinds>(literal.value) || ...);
}

double as_double(const Literal& literal) {
  if (const auto* integer = std::get_if<std::int64_t>(&literal.value)) {
    return static_cast<double>(*integer);
  }
  return std::get<double>(literal.value);
}

}  // namespace

Call::Call(const tn_op* op, const std::vector<Argument>& arguments, bool grad)
    : op_(op), grad_(grad) {
  const tn_schema& schema = *tn::api->op_schema(op);
  std::vector<bool> given(schema.nargs);
  values_.resize(schema.nargs);
  std::uint32_t position = 0;
  for (const Argument& argument : arguments) {
    std::uint32_t at = position;
    if (argument.name.empty()) {
      if (position++ == schema.npositional) {
        tn::fail(TN_TYPE_ERROR, "takes at most %u positional arguments", schema.npositional);
      }
    } else {
      at = 0;
      while (at < schema.nargs && schema.args[at].name != argument.name) ++at;
      if (at == schema.nargs) {
        tn::fail(TN_TYPE_ERROR, "has no argument '%s'", argument.name.c_str());
      }
    }
    if (given[at]) tn::fail(TN_TYPE_ERROR, "argument '%s' is given twice", schema.args[at].name);
    given[at] = true;
    values_[at] = value_of(argument.literal, schema.args[at]);
  }
  for (std::uint32_t i = 0; i < schema.nargs; ++i) {
    if (given[i]) continue;
    if (!(schema.args[i].flags & TN_PARAM_HAS_DEFAULT)) {
      tn::fail(TN_TYPE_ERROR, "argument '%s' is missing", schema.args[i].name);
    }
    values_[i] = schema.args[i].default_value;
  }
}

tn_value Call::value_of(const Literal& literal, const tn_param& param) {
  tn_value value{};
  if (const auto* truth = std::get_if<bool>(&literal.value)) {
    value = tagged(TN_TAG_BOOL);
    value.u.i = *truth;
  } else if (const auto* integer = std::get_if<std::int64_t>(&literal.value)) {
    value = tagged(TN_TAG_INT);
    value.u.i = *integer;
  } else if (const auto* real = std::get_if<double>(&literal.value)) {
    value = tagged(TN_TAG_FLOAT);
    value.u.f = *real;
  } else if (const auto* complex = std::get_if<std::complex<double>>(&literal.value)) {
    value = tagged(TN_TAG_COMPLEX);
    value.u.floats = keep(floats_, {complex->real(), complex->imag()});
  } else if (const auto* text = std::get_if<std::string>(&literal.value)) {
    value = tagged(TN_TAG_STRING);
    value.len = static_cast<std::uint32_t>(text->size());
    value.u.str = strings_.emplace_back(*text).c_str();
  } else if (const auto* word = std::get_if<Word>(&literal.value)) {
    return value_of(*word, param);
  } else if (const auto* form = std::get_if<TensorForm>(&literal.value)) {
    return value_of(*form);
  } else if (const auto* list = std::get_if<List>(&literal.value)) {
    return value_of(*list, param);
  }
  return value;
}

tn_value Call::value_of(const Word& word, const tn_param& param) {
  tn_value value{};
  switch (param.type) {
    case TN_TYPE_STRING:
      return value_of(Literal{word.text, word.text}, param);
    case TN_TYPE_DTYPE:
      value = tagged(TN_TAG_DTYPE);
      value.u.i = dtype_named(word.text);
      if (value.u.i == TN_DTYPE_NONE) no_fit(param, word.text + ", which is no dtype");
      return value;
    case TN_TYPE_DEVICE:
      value = tagged(TN_TAG_DEVICE);
      value.u.device = tn::Device(word.text);
      return value;
    case TN_TYPE_LAYOUT:
      if (word.text != "strided") break;
      value = tagged(TN_TAG_LAYOUT);
      value.u.i = TN_STRIDED;
      return value;
    case TN_TYPE_MEMORY_FORMAT:
      value = tagged(TN_TAG_MEMORY_FORMAT);
      if (word.text == "contiguous_format") return value.u.i = TN_CONTIGUOUS, value;
      if (word.text == "channels_last") return value.u.i = TN_CHANNELS_LAST, value;
      if (word.text == "preserve_format") return value.u.i = TN_PRESERVE, value;
      break;
    default:
      break;
  }
  no_fit(param, word.text);
}

tn_value Call::value_of(const List& list, const tn_param& param) {
  tn_value value{};
  value.len = static_cast<std::uint32_t>(list.size());
  const bool of_tensors = !list.empty() && all(list, is_any<TensorForm, std::monostate>);
  if (of_tensors || (list.empty() && param.type == TN_TYPE_TENSOR)) {
    std::vector<tn_tensor*> items;
    for (const Literal& literal : list) {
      const auto* form = std::get_if<TensorForm>(&literal.value);
      items.push_back(form ? value_of(*form).u.tensor : nullptr);
    }
    value.tag = TN_TAG_TENSORS;
    value.u.tensors = keep(lists_, std::move(items));
  } else if (!list.empty() && all(list, is_any<bool>)) {
    std::vector<std::uint8_t> items;
    for (const Literal& literal : list) items.push_back(std::get<bool>(literal.value));
    value.tag = TN_TAG_BOOLS;
    value.u.bools = keep(bools_, std::move(items));
  } else if (all(list, is_any<std::int64_t>) && !(list.empty() && param.type == TN_TYPE_FLOAT)) {
    std::vector<std::int64_t> items;
    for (const Literal& literal : list) items.push_back(std::get<std::int64_t>(literal.value));
    value.tag = TN_TAG_INTS;
    value.u.ints = keep(ints_, std::move(items));
  } else if (all(list, is_any<std::int64_t, double>)) {
    std::vector<double> items;
    for (const Literal& literal : list) items.push_back(as_double(literal));
    value.tag = TN_TAG_FLOATS;
    value.u.floats = keep(floats_, std::move(items));
  } else {
    no_fit(param, "a list of things of different kinds, or of words or lists");
  }
  return value;
}

tn_value Call::value_of(const TensorForm& form) {
  tn_meta meta{};
  tn_thread_state thread;
  tn::api->thread_state_get(&thread);
  meta.device = form.device.empty() ? thread.default_device : tn::Device(form.device);
  if (meta.device.type == TN_DEVICE_NONE) tn::check(tn::api->device_host(&meta.device));
  meta.dtype = static_cast<std::uint16_t>(form.dtype);
  meta.layout = TN_STRIDED;
  meta.ndim = static_cast<std::int32_t>(form.sizes.size());
  std::copy(form.sizes.begin(), form.sizes.end(), meta.sizes);
  tn::Tensor& tensor = tensors_.emplace_back(imagined(meta, bytes_of(form)));
  if (grad_ && tn::is_floating(form.dtype)) tensor.requires_grad_();
  tn_value value = tagged(TN_TAG_TENSOR);
  value.u.tensor = tensor.get();
  return value;
}

}  // namespace command
