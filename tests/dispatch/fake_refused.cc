// Registrations that the core refuses, with what it says.
#include <deque>
#include <string>

#include "fake_plugin.h"

namespace fake {
namespace {

tn_status unused(tn_frame*, void*, const tn_value*, uint32_t, tn_value*, uint32_t) {
  return nullptr;
}

// The message of a registration that must fail. Kept for the process.
template <class Register>
const char* refusal(Register&& attempt) {
  try {
    attempt();
    return "";
  } catch (const tn::Error& error) {
    static std::deque<std::string> texts;
    return texts.emplace_back(error.what()).c_str();
  }
}

}  // namespace

void register_refused(tn_plugin* plugin) {
  static FakeRefusals refusals;
  refusals.plan_over_layout = refusal([&] {
    kernel(plugin, "fake::axpy", "fakedev", unused, TN_CAP_PLAN, 0, "fake", nullptr, 0,
           1u << TN_OPAQUE);
  });
  refusals.returned_argument = refusal([&] {
    op(plugin, "fake::itself(Tensor self) -> Tensor", TN_KIND_DIRECT, TN_PROMOTE_COMMON,
       TN_OP_RETURNS_ARGUMENT);
  });
  tn::check(tn::api->register_interface(plugin, "fake.refusals", 1, &refusals));
}

}  // namespace fake
