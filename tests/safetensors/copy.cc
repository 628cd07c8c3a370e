// safetensors_copy IN OUT [KEY...]: loads all tensors of IN and the metadata of the given keys, and
// saves them as OUT.
#include <cstdio>
#include <vector>

#include <tenon/safetensors.h>
#include <tenon/sdk/tensor.h>

namespace {

void copy(const char* in, const char* out, const std::vector<const char*>& wanted) {
  tn::init();
  const void* found = nullptr;
  tn::check(tn::api->get_interface(TN_SAFETENSORS_INTERFACE, 1, &found));
  const auto* files = static_cast<const tn_safetensors*>(found);

  tn_safetensors_file* file = nullptr;
  tn::check(files->open(in, &file));
  std::vector<const char*> names;
  std::vector<tn::Tensor> tensors;
  std::vector<tn_tensor*> raw;
  for (std::size_t i = 0; i < files->count(file); ++i) {
    names.push_back(files->name(file, i));
    tn_tensor* tensor = nullptr;
    tn::check(files->get(file, names.back(), &tensor));
    tensors.push_back(tn::Tensor::own(tensor));
    raw.push_back(tensor);
  }
  std::vector<const char*> keys, values;
  for (const char* key : wanted) {
    if (const char* value = files->metadata(file, key)) {
      keys.push_back(key);
      values.push_back(value);
    }
  }
  tn::check(files->save(out, names.data(), raw.data(), raw.size(), keys.data(), values.data(),
                        keys.size()));
  files->close(file);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: safetensors_copy IN OUT [KEY...]\n", stderr);
    return 2;
  }
  try {
    copy(argv[1], argv[2], {argv + 3, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
