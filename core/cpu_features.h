// What the processor and the operating system can run, by the names that manifests use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenon {

// True when the feature can be used. Names are those of Linux's /proc/cpuinfo or of the compiler
// ("avx512f", "bmi2", "avx512_bf16", "avx512bf16"); `_`, `-` and `.` make no difference.
// "x86-64-v2", "-v3" and "-v4" stand for the levels of the x86-64 psABI. A name that is not known,
// such as one of another architecture, is a feature this machine lacks.
bool cpu_has(std::string_view feature);

// Those of `features` that the machine lacks, separated by ", ".
std::string cpu_lacks(const std::vector<std::string>& features);

// Those of the features known here that this processor has, in alphabetical order.
std::vector<std::string> cpu_features();

}  // namespace tenon
