// Runs commands against libtenon and prints one answer each: the process in which the tests of the
// loader and of the configuration look at a fresh start of the runtime.
//
//   probe COMMAND [ARGUMENT...] [-- COMMAND [ARGUMENT...]]...
//
// An answer is "ok", "ok VALUE", or "error CODE: MESSAGE".
#include <dlfcn.h>
#include <tenon/tenon.h>

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

using Arguments = std::vector<std::string>;

// The beginning of the table of test.good.
struct TestTable {
  int64_t answer;
  int32_t layered;
};

std::string answer(tn_status status, const std::string& value = "") {
  if (status == nullptr) return value.empty() ? "ok" : "ok " + value;
  std::string text = std::string("error ") + tn_code_name(tn_status_code(status)) + ": " +
                     tn_status_message(status);
  tn_status_release(status);
  return text;
}

std::string init(const Arguments&) {
  return answer(tn_init(TN_ABI_MAJOR, TN_ABI_MINOR));
}

std::string init_with(const Arguments& args) {
  return answer(tn_init(static_cast<uint32_t>(std::stoi(args.at(0))),
                        static_cast<uint32_t>(std::stoi(args.at(1)))));
}

std::string get(const Arguments& args) {
  const char *value = "", *origin = "";
  tn_status status = tn_config_get(args.at(0).c_str(), &value, &origin);
  return answer(status, std::string(value) + " from " + origin);
}

std::string set(const Arguments& args) {
  return answer(tn_config_set(args.at(0).c_str(), args.at(1).c_str()));
}

std::string keys(const Arguments&) {
  std::string text;
  for (size_t i = 0; i < tn_config_count(); ++i) {
    const char* key = nullptr;
    if (tn_status status = tn_config_at(i, &key, nullptr, nullptr)) return answer(status);
    text += std::string(i == 0 ? "" : " ") + key;
  }
  return answer(nullptr, text);
}

std::string load(const Arguments& args) {
  return answer(tn_plugin_load(args.at(0).c_str()));
}

std::string unload(const Arguments& args) {
  return answer(tn_plugin_unload(args.at(0).c_str()));
}

std::string state(const Arguments& args) {
  for (size_t i = 0; i < tn_plugin_count(); ++i) {
    tn_plugin_info info = TN_INIT(tn_plugin_info);
    if (tn_status status = tn_plugin_get_info(i, &info)) return answer(status);
    if (args.at(0) != info.name) continue;
    const std::string reason = info.reason;
    return answer(nullptr, tn_plugin_state_name(static_cast<tn_plugin_state>(info.state)) +
                               (reason.empty() ? "" : ": " + reason));
  }
  return "ok not found";
}

// State of every plugin with the name, in the order of discovery.
std::string states(const Arguments& args) {
  std::string text;
  for (size_t i = 0; i < tn_plugin_count(); ++i) {
    tn_plugin_info info = TN_INIT(tn_plugin_info);
    if (tn_status status = tn_plugin_get_info(i, &info)) return answer(status);
    if (args.at(0) == info.name) text += std::to_string(info.state) + " " + info.manifest + "; ";
  }
  return answer(nullptr, text);
}

std::string interface(const Arguments& args) {
  const void* table = nullptr;
  tn_status status =
      tn_get_interface(args.at(0).c_str(), static_cast<uint32_t>(std::stoi(args.at(1))), &table);
  if (status != nullptr || args.at(0) != "test.good") return answer(status);
  const auto* good = static_cast<const TestTable*>(table);
  return answer(nullptr,
                std::to_string(good->answer) + (good->layered != 0 ? " layered" : " unlayered"));
}

std::string device(const Arguments& args) {
  int32_t type = 0;
  return answer(tn_device_find(args.at(0).c_str(), &type));
}

// Calls an operator without arguments that returns an integer.
std::string call(const Arguments& args) {
  const tn_op* op = nullptr;
  if (tn_status status = tn_resolve_op(args.at(0).c_str(), nullptr, 0, &op)) return answer(status);
  tn_value result{};
  tn_status status = tn_call(op, nullptr, 0, &result, 1);
  return answer(status, std::to_string(result.u.i));
}

// The names of the layers given, those that run first in front.
std::string layers(const Arguments& args) {
  std::map<uint64_t, std::string, std::greater<>> by_bit;
  for (const std::string& name : args) {
    const uint64_t bit = tn_layer_bit(name.c_str());
    if (bit == 0) continue;
    if (tn_layer_name(bit) != name) return "error: the bit of " + name + " has another name";
    by_bit[bit] = name;
  }
  std::string text;
  for (const auto& [bit, name] : by_bit) text += (text.empty() ? "" : " ") + name;
  return answer(nullptr, text);
}

// Every call of this thread visits a layer from now on.
std::string include(const Arguments& args) {
  tn_thread_state state;
  tn_thread_state_get(&state);
  state.include |= tn_layer_bit(args.at(0).c_str());
  tn_thread_state_set(&state, nullptr);
  return answer(nullptr);
}

std::string bit(const Arguments& args) {
  return answer(nullptr, std::to_string(__builtin_ctzll(tn_layer_bit(args.at(0).c_str()))));
}

std::string host(const Arguments&) {
  tn_device device;
  return answer(tn_device_host(&device));
}

// Asks the core for a copy that it cannot make without an operator: row-major, of a transposed
// tensor.
std::string contiguous(const Arguments& args) {
  tn_meta meta{};
  meta.dtype = TN_F32;
  meta.ndim = 2;
  meta.sizes[0] = meta.sizes[1] = 2;
  if (tn_status status = tn_device_parse(args.at(0).c_str(), &meta.device)) return answer(status);
  tn_tensor *made = nullptr, *out = nullptr;
  if (tn_status status = tn_tensor_empty(&meta, &made)) return answer(status);
  const int64_t strides[] = {1, 2};
  tn_status status = tn_tensor_restride(made, 2, meta.sizes, strides, 0);
  if (status == nullptr) status = tn_tensor_contiguous(made, TN_CONTIGUOUS, &out);
  tn_tensor_release(out);
  tn_tensor_release(made);
  return answer(status);
}

// Starts a second libtenon: a copy, at the path given, of the one that is in the process.
std::string second(const Arguments& args) {
  Dl_info own;
  if (dladdr(reinterpret_cast<void*>(tn_init), &own) == 0) return "error: dladdr";
  std::filesystem::copy_file(std::filesystem::canonical(own.dli_fname), args.at(0));
  void* library = dlopen(args.at(0).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::string("error: ") + dlerror();
  const auto start = reinterpret_cast<decltype(&tn_init)>(dlsym(library, "tn_init"));
  return answer(start(TN_ABI_MAJOR, TN_ABI_MINOR));
}

std::string doctor(const Arguments& args) {
  tn_value text{};
  tn_status status = tn_doctor(args.at(0) == "json" ? 1 : 0, &text);
  if (status != nullptr) return answer(status);
  std::string copy(text.u.str, text.len);
  tn_value_drop(&text);
  return copy;
}

// Whether a large block of memory asks the kernel for huge pages.
std::string huge_pages(const Arguments&) {
  constexpr size_t kSize = size_t{16} << 20;
  if (tn_status status = tn_init(TN_ABI_MAJOR, TN_ABI_MINOR)) return answer(status);
  void* block = tn_memory_allocate(kSize);
  const auto middle = reinterpret_cast<uintptr_t>(block) + kSize / 2;
  std::ifstream maps("/proc/self/smaps");
  std::string line, flags = "none";
  bool here = false;
  while (std::getline(maps, line)) {
    uintptr_t first = 0, end = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &first, &end) == 2)
      here = first <= middle && middle < end;
    else if (here && line.starts_with("VmFlags:"))
      flags = line + " ";
  }
  tn_memory_free(block, kSize);
  return answer(nullptr, flags.find(" hg ") == std::string::npos ? "no" : "yes");
}

// Eight threads load one plugin at once.
std::string race(const Arguments& args) {
  std::vector<std::string> answers(8);
  std::vector<std::thread> threads;
  for (std::string& slot : answers) threads.emplace_back([&] { slot = load(args); });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : answers) {
    if (text != answers.front()) return "error: threads disagree: " + text;
  }
  return answers.front();
}

// One thread loads a plugin whose entry does not return. The others go on with what is loaded, and
// the process ends with that thread in it.
std::string stuck(const Arguments& args) {
  std::thread([args] { load(args); }).detach();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  return answer(nullptr, get({"threads"}).substr(0, 3) + host({}));
}

const std::map<std::string, std::string (*)(const Arguments&)> kCommands = {
    {"init", init},
    {"init_with", init_with},
    {"get", get},
    {"set", set},
    {"keys", keys},
    {"load", load},
    {"unload", unload},
    {"state", state},
    {"states", states},
    {"interface", interface},
    {"device", device},
    {"layers", layers},
    {"include", include},
    {"bit", bit},
    {"doctor", doctor},
    {"race", race},
    {"call", call},
    {"host", host},
    {"second", second},
    {"stuck", stuck},
    {"contiguous", contiguous},
    {"huge_pages", huge_pages},
};

}  // namespace

int main(int argc, char** argv) {
  Arguments words;
  for (int i = 1; i <= argc; ++i) {
    if (i < argc && std::string(argv[i]) != "--") {
      words.emplace_back(argv[i]);
      continue;
    }
    if (words.empty()) continue;
    const auto command = kCommands.find(words.front());
    if (command == kCommands.end()) {
      std::cerr << "probe: no command " << words.front() << "\n";
      return 2;
    }
    std::cout << command->second(Arguments(words.begin() + 1, words.end())) << std::endl;
    words.clear();
  }
  return 0;
}
