// manual_page.h - the manual page, made from the command's definitions.
#pragma once
#include <CLI/CLI.hpp>

#include <string>

namespace command {

// tenon.1 in the language of man(7).
std::string manual_page(const CLI::App& app);

// "[--device DEVICE] [NAME]": an application's options on one line, help left out.
std::string synopsis(const CLI::App& app);

}  // namespace command
