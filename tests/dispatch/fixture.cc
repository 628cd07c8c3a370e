#include "fixture.h"

#include <cstdlib>
#include <map>
#include <memory>

namespace tn::test {

FakeControl& control() {
  static FakeControl* found = [] {
    const void* table = nullptr;
    check(api->get_interface("fake.control", 1, &table));
    return const_cast<FakeControl*>(static_cast<const FakeControl*>(table));
  }();
  return *found;
}

Device host() {
  tn_device device{};
  check(api->device_host(&device));
  return device;
}

Tensor view(const Tensor& base, std::vector<int64_t> sizes, std::vector<int64_t> strides,
            int64_t offset) {
  tn_tensor* out = nullptr;
  check(api->tensor_view(base.get(), static_cast<int32_t>(sizes.size()), sizes.data(),
                         strides.data(), offset, base.dtype(), 0, &out));
  return Tensor::own(out);
}

const Operator& op(const char* name) {
  static std::map<std::string, std::unique_ptr<Operator>> known;
  auto& found = known[name];
  if (!found) found = std::make_unique<Operator>(name);
  return *found;
}

Operator form(const char* name, tn_form wanted) {
  const tn_op* found = nullptr;
  check(api->op_form(op(name).get(), wanted, &found));
  return Operator(found);
}

}  // namespace tn::test

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  // Away from the tree's own tenon.toml, which is for programs.
  setenv("TENON_CONFIG", "/dev/null", 0);
  // The standard plugins stay out: everything here comes from the fake one.
  tn::api = tn_get_host();
  for (auto [key, value] :
       {std::pair{"plugins.path", "[\"" FAKE_PLUGIN_DIR "\"]"},
        std::pair{
            "plugins.disable",
            "[\"ops\", \"cpu\", \"onednn\", \"meta\", \"autograd\", \"safetensors\", \"null\"]"}})
    if (tn_status s = tn::api->config_set(key, value)) {
      std::fprintf(stderr, "%s\n", tn::api->status_message(s));
      return 1;
    }
  try {
    tn::init();
  } catch (const tn::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return RUN_ALL_TESTS();
}
