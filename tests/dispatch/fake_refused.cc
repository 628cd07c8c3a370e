// Registrations that the core refuses, with what it says, and one that it takes in part.
#include <cstddef>
#include <deque>
#include <string>

#include "fake_plugin.h"

namespace fake {
namespace {

tn_status unused(tn_frame*, void*, const tn_value*, uint32_t, tn_value*, uint32_t) {
  return nullptr;
}

tn_status never_asked(tn_frame*, void*, tn_dtype, const tn_value*, uint32_t) {
  return tn::api->status_make(TN_INTERNAL, nullptr, 0, "", 0, "a check was asked that is none");
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

// As a plugin built against older headers does: what follows its struct is not the core's.
void register_short(tn_plugin* plugin) {
  tn_op_desc d = TN_INIT(tn_op_desc);
  d.size = offsetof(tn_op_desc, check);
  d.schema = "fake::older(Tensor self) -> Tensor";
  d.kind = TN_KIND_POINTWISE;
  d.check = never_asked;
  tn::check(tn::api->register_op(plugin, &d));
}

}  // namespace

void register_refused(tn_plugin* plugin) {
  register_short(plugin);
  static FakeRefusals refusals;
  refusals.plan_over_layout = refusal([&] {
    kernel(plugin, "fake::axpy", "fakedev", unused, TN_CAP_PLAN, 0, "fake", nullptr, 0,
           1u << TN_OPAQUE);
  });
  refusals.returned_argument = refusal([&] {
    op(plugin, "fake::itself(Tensor self) -> Tensor", TN_KIND_DIRECT, TN_PROMOTE_COMMON,
       TN_OP_RETURNS_ARGUMENT);
  });
  refusals.checked_view = refusal([&] {
    tn_op_desc d = TN_INIT(tn_op_desc);
    d.schema = "fake::checked(Tensor self) -> Tensor";
    d.kind = TN_KIND_DIRECT;
    d.check = never_asked;
    tn::check(tn::api->register_op(plugin, &d));
  });
  refusals.no_operator = refusal([&] { tn::check(tn::api->register_op(plugin, nullptr)); });
  refusals.no_kernel = refusal([&] { tn::check(tn::api->register_kernel(plugin, nullptr)); });
  tn::check(tn::api->register_interface(plugin, "fake.refusals", 1, &refusals));
}

}  // namespace fake
