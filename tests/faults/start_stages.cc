#include "start_stages.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstring>

#include <tenon/safetensors.h>
#include <tenon/sdk/autograd.h>
#include <tenon/sdk/operators.h>

namespace faults {
namespace {

void init() {
  tn::check(tn::api->init(TN_ABI_MAJOR, TN_ABI_MINOR));
}
void first_call() {
  const tn::Tensor sum = tn::ones({2, 3}) + 1;
  if (sum.to_vector<float>()[5] != 2) tn::fail(TN_INTERNAL, "a wrong sum");
}
void first_gradient() {
  const tn::Tensor x = tn::ones({3}).requires_grad_();
  tn::sum(tn::exp(x) * x).backward();
  if (std::abs(x.grad().to_vector<float>()[2] - 5.4365637f) > 1e-5f)
    tn::fail(TN_INTERNAL, "a wrong gradient");
}
void first_file() {
  const void* table = nullptr;
  tn::check(tn::api->get_interface(TN_SAFETENSORS_INTERFACE, 1, &table));
}
void doctor() {
  tn_value text{};
  tn::check(tn::api->doctor(1, &text));
  tn::api->value_drop(&text);
}

// exp() in the layer that the plugin brings.
tn_status exp_in_late_layer(tn_value* out) {
  const tn::Operator exp("exp");
  tn_thread_state state;
  tn::api->thread_state_get(&state);
  state.include |= tn::api->layer_bit("faults_late");
  const tn::Tensor x = tn::zeros({1});
  const tn_value arg = tn::to_value(x);
  return tn::api->call_with(&state, exp.get(), &arg, 1, out, 1);
}
void late_plugin() {
  tn::check(tn::api->plugin_load("faults_late"));
  const tn::Tensor x = tn::ones({2});
  const tn::Tensor y = tn::Operator("faults_late.same").call<tn::Tensor>(x);
  if (y.data<float>() != x.data<float>()) tn::fail(TN_INTERNAL, "a wrong tensor");
  tn_value out{};
  tn_status status = exp_in_late_layer(&out);
  if (tn::api->status_code(status) != TN_RUNTIME_ERROR)
    tn::check(status ? status : tn::api->status_out_of_memory());  // ran without its layer
  tn::api->status_release(status);
}
void no_late_plugin() {
  tn_plugin_info info = TN_INIT(tn_plugin_info);
  for (size_t i = 0; i < tn::api->plugin_count(); ++i) {
    tn::check(tn::api->plugin_get_info(i, &info));
    if (std::strcmp(info.name, "faults_late") == 0 && info.state == TN_PLUGIN_LOADED) return;
  }
  // A call in its layer, or of its operator, would load it.
  const tn::Operator exp("exp");
  if (tn::api->op_attribute(exp.get(), "faults_late.mark", 0, 1))
    tn::fail(TN_INTERNAL, "an attribute of a plugin that failed");
}

constexpr Stage kStages[] = {{"init", init},
                             {"first_call", first_call},
                             {"first_gradient", first_gradient},
                             {"first_file", first_file},
                             {"late_plugin", late_plugin, no_late_plugin},
                             {"doctor", doctor}};

}  // namespace

std::span<const Stage> start_stages() {
  return kStages;
}

int ending(const std::function<int()>& body) {
  constexpr unsigned kHang = 600;  // seconds after which a process is ended
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(kHang);
    _exit(body());
  }
  int status = -1;
  if (waitpid(child, &status, 0) != child) status = -1;
  if (alarm(0) > 0) alarm(kHang);  // a process whose children end does not hang
  return status;
}

}  // namespace faults
