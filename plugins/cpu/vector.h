// vector.h - everything an element-wise kernel needs to run an operator's value line on vectors.
#pragma once
#include "vector_math.h"
#include "vector_memory.h"
#include "vector_type.h"
