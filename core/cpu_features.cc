#include "core/cpu_features.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/split.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace tenon {
namespace {

std::string normalised(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c != '_' && c != '-' && c != '.') text += c;
  }
  return text;
}

#if defined(__x86_64__)

enum Register {
  kEax,
  kEbx,
  kEcx,
  kEdx
};

// Register states that the system must save for a feature to be usable: bits of XCR0.
constexpr uint64_t kNoState = 0;
constexpr uint64_t kAvx = 0x6;
constexpr uint64_t kAvx512 = 0xe6;
constexpr uint64_t kAmx = 0x60000;

// Where CPUID reports a feature; Intel's Software Developer's Manual, volume 2, CPUID.
struct Feature {
  std::string_view name;
  uint32_t leaf;
  uint32_t subleaf;
  Register reg;
  uint32_t bit;
  uint64_t state;
};

constexpr Feature kFeatures[] = {
    {"sse3", 1, 0, kEcx, 0, kNoState},
    {"pclmulqdq", 1, 0, kEcx, 1, kNoState},
    {"ssse3", 1, 0, kEcx, 9, kNoState},
    {"fma", 1, 0, kEcx, 12, kAvx},
    {"cx16", 1, 0, kEcx, 13, kNoState},
    {"sse41", 1, 0, kEcx, 19, kNoState},
    {"sse42", 1, 0, kEcx, 20, kNoState},
    {"movbe", 1, 0, kEcx, 22, kNoState},
    {"popcnt", 1, 0, kEcx, 23, kNoState},
    {"aes", 1, 0, kEcx, 25, kNoState},
    {"avx", 1, 0, kEcx, 28, kAvx},
    {"f16c", 1, 0, kEcx, 29, kAvx},
    {"sse2", 1, 0, kEdx, 26, kNoState},
    {"bmi", 7, 0, kEbx, 3, kNoState},
    {"bmi1", 7, 0, kEbx, 3, kNoState},
    {"avx2", 7, 0, kEbx, 5, kAvx},
    {"bmi2", 7, 0, kEbx, 8, kNoState},
    {"avx512f", 7, 0, kEbx, 16, kAvx512},
    {"avx512dq", 7, 0, kEbx, 17, kAvx512},
    {"avx512ifma", 7, 0, kEbx, 21, kAvx512},
    {"avx512cd", 7, 0, kEbx, 28, kAvx512},
    {"avx512bw", 7, 0, kEbx, 30, kAvx512},
    {"avx512vl", 7, 0, kEbx, 31, kAvx512},
    {"avx512vbmi", 7, 0, kEcx, 1, kAvx512},
    {"avx512vbmi2", 7, 0, kEcx, 6, kAvx512},
    {"gfni", 7, 0, kEcx, 8, kNoState},
    {"vaes", 7, 0, kEcx, 9, kAvx},
    {"vpclmulqdq", 7, 0, kEcx, 10, kAvx},
    {"avx512vnni", 7, 0, kEcx, 11, kAvx512},
    {"avx512bitalg", 7, 0, kEcx, 12, kAvx512},
    {"avx512vpopcntdq", 7, 0, kEcx, 14, kAvx512},
    {"amxbf16", 7, 0, kEdx, 22, kAmx},
    {"avx512fp16", 7, 0, kEdx, 23, kAvx512},
    {"amxtile", 7, 0, kEdx, 24, kAmx},
    {"amxint8", 7, 0, kEdx, 25, kAmx},
    {"avxvnni", 7, 1, kEax, 4, kAvx},
    {"avx512bf16", 7, 1, kEax, 5, kAvx512},
    {"lahflm", 0x80000001, 0, kEcx, 0, kNoState},
    {"lzcnt", 0x80000001, 0, kEcx, 5, kNoState},
    {"abm", 0x80000001, 0, kEcx, 5, kNoState},
};

// x86-64 psABI, "Micro-architecture levels"; each contains the one before it.
struct Level {
  std::string_view name;
  std::string_view below;
  std::string_view features;
};

constexpr Level kLevels[] = {
    {"x8664v2", "", "cx16,lahf_lm,popcnt,sse3,sse4.1,sse4.2,ssse3"},
    {"x8664v3", "x8664v2", "avx,avx2,bmi1,bmi2,f16c,fma,lzcnt,movbe"},
    {"x8664v4", "x8664v3", "avx512f,avx512bw,avx512cd,avx512dq,avx512vl"},
};

// XCR0, read by XGETBV when the system has switched it on (OSXSAVE).
uint64_t saved_state() {
  uint32_t eax, ebx, ecx, edx;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & (1u << 27)) == 0) return 0;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

bool has(const std::string& name) {
  for (const Feature& feature : kFeatures) {
    if (feature.name != name) continue;
    uint32_t regs[4];
    if (__get_cpuid_count(feature.leaf, feature.subleaf, &regs[kEax], &regs[kEbx], &regs[kEcx],
                          &regs[kEdx]) == 0) {
      return false;
    }
    return (regs[feature.reg] >> feature.bit & 1) != 0 &&
           (saved_state() & feature.state) == feature.state;
  }
  for (const Level& level : kLevels) {
    if (level.name == name) {
      return (level.below.empty() || cpu_has(level.below)) &&
             cpu_lacks(split_list(level.features, ',')).empty();
    }
  }
  return false;
}

#elif defined(__aarch64__)

struct Feature {
  std::string_view name;
  unsigned long type;  // of the auxiliary vector's entry
  unsigned long bit;
};

constexpr Feature kFeatures[] = {
    {"neon", AT_HWCAP, HWCAP_ASIMD},      {"asimd", AT_HWCAP, HWCAP_ASIMD},
    {"asimdhp", AT_HWCAP, HWCAP_ASIMDHP}, {"asimddp", AT_HWCAP, HWCAP_ASIMDDP},
    {"sve", AT_HWCAP, HWCAP_SVE},         {"sve2", AT_HWCAP2, HWCAP2_SVE2},
    {"i8mm", AT_HWCAP2, HWCAP2_I8MM},     {"bf16", AT_HWCAP2, HWCAP2_BF16},
};

bool has(const std::string& name) {
  for (const Feature& feature : kFeatures) {
    if (feature.name == name) return (getauxval(feature.type) & feature.bit) != 0;
  }
  return false;
}

#else

struct Feature {
  std::string_view name;
};

constexpr std::array<Feature, 0> kFeatures;

bool has(const std::string&) {
  return false;
}

#endif

}  // namespace

bool cpu_has(std::string_view feature) {
  return has(normalised(feature));
}

std::string cpu_lacks(const std::vector<std::string>& features) {
  std::string lacking;
  for (const std::string& feature : features) {
    if (cpu_has(feature)) continue;
    if (!lacking.empty()) lacking += ", ";
    lacking += feature;
  }
  return lacking;
}

std::vector<std::string> cpu_features() {
  std::vector<std::string> found;
  for (const Feature& feature : kFeatures) {
    if (has(std::string(feature.name))) found.emplace_back(feature.name);
  }
#if defined(__x86_64__)
  for (const Level& level : kLevels) {
    if (has(std::string(level.name))) found.push_back(std::string("x86-64-v") + level.name.back());
  }
#endif
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace tenon
