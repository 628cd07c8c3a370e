// operator_facts.h - an operator's facts in words.
#pragma once
#include <string>
#include <vector>

#include <tenon/operator.h>

namespace command {

struct OperatorFacts {
  std::string name;    // "add.Tensor"
  std::string schema;  // the text that was declared
  std::string doc;
  std::string kind;                // "pointwise", ...
  std::string promotion;           // "common", ...; empty for kinds that promote nothing
  std::string device_rule;         // "same", ...
  std::vector<std::string> tags;   // "view", "rng", ...
  std::vector<std::string> forms;  // of "functional", "out", "in-place"
};

OperatorFacts operator_facts(const tn_op* op);

}  // namespace command
