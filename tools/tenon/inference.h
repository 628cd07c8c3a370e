// inference.h - what a call would return, found by making it on a device without data.
#pragma once
#include "call.h"
#include "json.h"

namespace command {

struct Inference {
  Json outputs;         // one for each result, or null where they are not known
  std::string unknown;  // why they are not known
  std::string error;    // the call's own error, when it would fail
};

// `device` is where the call would run: outputs are said to be there.
Inference infer(const Call& call, const std::string& device);

}  // namespace command
