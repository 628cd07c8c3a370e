// Which files the process may take code from.
#pragma once

#include <string>

#include "core/problem.h"

namespace tenon {

// Error when somebody else could have put the file or folder at `path` there or could change it:
// its owner is neither root, nor the user, nor the owner of this core; or everyone may write it. A
// folder with the sticky bit may be open to everyone, since its files are checked on their own.
// Links are followed. Also an error for anything but regular files and folders.
Problem check_trust(const std::string& path);

// The absolute path of the library or program that this code is in, links resolved.
std::string own_path();

}  // namespace tenon
