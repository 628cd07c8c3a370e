#include "providers.h"

#include <initializer_list>

namespace fashion {
namespace {

// The word after "kernel": in the story that tn_explain tells as JSON; "" for a decomposition.
std::string provider(const char* op, std::initializer_list<tn_value> args) {
  const tn::Operator resolved(op);
  tn_value story{};
  tn::check(tn::api->explain(resolved.get(), args.begin(), static_cast<uint32_t>(args.size()), 1,
                             &story));
  const std::string text = story.u.str;
  tn::api->value_drop(&story);
  const std::string key = "\"kernel\":";
  size_t at = text.find(key);
  if (at == std::string::npos) return "";
  at = text.find('"', at + key.size());
  return text.substr(at + 1, text.find('"', at + 1) - at - 1);
}

std::string phrase(const std::string& op, const std::string& provider) {
  return op + (provider.empty() ? " by other operators" : " by " + provider);
}

}  // namespace

std::string providers(const Network& network, const tn::Tensor& images) {
  const tn::NoGrad no_grad;
  using tn::to_value;
  const auto& conv = network.conv1;
  const tn::Ints stride = conv.stride, padding = conv.padding, dilation = conv.dilation;
  const std::string convolution =
      provider("convolution", {to_value(images), to_value(conv.weight), to_value(conv.bias),
                               to_value(stride), to_value(padding), to_value(dilation),
                               to_value(false), to_value(padding), to_value(int64_t{1})});
  const tn::Tensor features = tn::zeros({images.size(0), network.linear.weight.size(1)});
  const std::string product =
      provider("mm", {to_value(features), to_value(tn::t(network.linear.weight))});
  return phrase("convolution", convolution) + ", " + phrase("mm", product);
}

}  // namespace fashion
