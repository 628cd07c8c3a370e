#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

void test_thread(void) {
  tn_thread_state state, previous, now;
  tn_thread_state_get(&state);
  CHECK(state.include == 0 && state.level == ~(uint64_t)0 && state.default_dtype == TN_F32);
  state.flags |= TN_THREAD_NO_GRAD;
  tn_thread_state_set(&state, &previous);
  tn_thread_state_get(&now);
  CHECK(now.flags & TN_THREAD_NO_GRAD && !(previous.flags & TN_THREAD_NO_GRAD));
  tn_thread_state_set(&previous, NULL);
  const uint64_t bit = tn_layer_bit("abi_layer");
  CHECK(bit != 0 && (bit & (bit - 1)) == 0 && !strcmp(tn_layer_name(bit), "abi_layer"));
  CHECK(tn_layer_bit("no_such_layer") == 0);
  const int32_t threads = tn_num_threads();
  CHECK(threads >= 1);
  OK(tn_set_num_threads(1));
  CHECK(tn_num_threads() == 1);
  FAILS(tn_set_num_threads(0), TN_INVALID_ARGUMENT, "at least 1");
  OK(tn_set_num_threads(threads));
}

void test_device(void) {
  tn_device device;
  int32_t type = 0, count = 0;
  OK(tn_device_find("cpu", &type));
  CHECK(type == 1 && !strcmp(tn_device_name(type), "cpu"));
  OK(tn_device_count(type, &count));
  CHECK(count == 1);
  OK(tn_device_host(&device));
  CHECK(device.type == type && tn_device_flags(type) & TN_DEVICE_HOST);
  tn_device_properties properties = TN_INIT(tn_device_properties);
  OK(tn_device_get_properties(device, &properties));
  CHECK(properties.name[0] != '\0');
  OK(tn_device_synchronize(device));
  FAILS(tn_device_parse("cpu:1", &device), TN_INDEX_ERROR, "[0, 1)");
  FAILS(tn_device_parse("cpu:x", &device), TN_INVALID_ARGUMENT, "NAME:INDEX");
  FAILS(tn_device_parse("gpu", &device), TN_NOT_FOUND, "cpu");
  CHECK(!strcmp(tn_device_name(31), "?") && tn_device_flags(31) == 0);
  OK(tn_device_find("abi_device", &type));
  CHECK(type >= TN_DEVICE_TYPE_FIRST);
}

void test_plugin(void) {
  size_t found = tn_plugin_count();
  tn_plugin_info info = TN_INIT(tn_plugin_info);
  for (size_t i = 0; i < tn_plugin_count(); ++i) {
    OK(tn_plugin_get_info(i, &info));
    if (!strcmp(info.name, "abi_good")) found = i;
  }
  OK(tn_plugin_get_info(found, &info));
  CHECK(info.state == TN_PLUGIN_LOADED);
  CHECK(!strcmp(tn_plugin_state_name(TN_PLUGIN_LOADED), "loaded"));
  CHECK(!strcmp(tn_plugin_state_name((tn_plugin_state)7), "?"));
  FAILS(tn_plugin_get_info(tn_plugin_count(), &info), TN_INDEX_ERROR, "");

  /* What the plugin registered is there, and its layer, scratch memory and redispatch work. */
  const void* table = NULL;
  OK(tn_get_interface("abi.test", 1, &table));
  CHECK(*(const int*)table == 42);
  FAILS(tn_get_interface("abi.test", 2, &table), TN_NOT_FOUND, "abi.test");
  const int* answer_before_after = table;
  const pid_t child = fork();
  const int told = answer_before_after[1] == 1 && answer_before_after[2] == 1;
  if (child == 0) _exit(told ? 0 : 1);
  int ending = -1;
  CHECK(child > 0 && told && waitpid(child, &ending, 0) == child && ending == 0);
  const tn_op* negate = NULL;
  OK(tn_resolve_op("abi.negate", "", 0, &negate));
  CHECK(tn_op_attribute(negate, "abi.fact", 0, 1) != NULL);
  tn_tensor* a = counting(1, 2, -1);
  tn_value arg = tensor_value(a), result = {0};
  OK(tn_call(negate, &arg, 1, &result, 1));
  CHECK(((float*)result.u.tensor->dl.data)[1] == -2);
  tn_value_drop(&result);
  tn_tensor_set_layers(a, tn_layer_bit("abi_layer"), 1);
  OK(tn_call(negate, &arg, 1, &result, 1));
  CHECK(((float*)result.u.tensor->dl.data)[1] == -2);
  tn_value_drop(&result);
  tn_tensor_release(a);

  /* Its manifest's defaults for the environment, which do not replace what is set. */
  CHECK(getenv("ABI_TEST_UNSET") && !strcmp(getenv("ABI_TEST_UNSET"), "from the manifest"));
  CHECK(getenv("ABI_TEST_SET") && !strcmp(getenv("ABI_TEST_SET"), "from the test"));

  /* A role that is bound already: the whole registration is refused, and its operator with it. */
  FAILS(tn_plugin_load("abi_role"), TN_ALREADY_EXISTS, "role");
  FAILS(tn_resolve_op("abi_role.negate", "", 0, &negate), TN_ALREADY_EXISTS, "role");
  for (size_t i = 0; i < tn_op_count(); ++i)
    CHECK(strcmp(tn_op_schema(tn_op_at(i))->name, "abi_role::negate") != 0);
  FAILS(tn_plugin_load("no_such_plugin"), TN_NOT_FOUND, "no_such_plugin");
  FAILS(tn_plugin_unload("no_such_plugin"), TN_NOT_FOUND, "no_such_plugin");
}
