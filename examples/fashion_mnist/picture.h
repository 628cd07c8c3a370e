/* Pictures as text. */
#ifndef FASHION_PICTURE_H
#define FASHION_PICTURE_H

#include <stdint.h>

/* Prints `count` (at most 4) grey pictures of 28 x 28 bytes side by side on stdout, each under its
 * caption. Characters are twice as high as wide, so one stands for two rows. */
void picture_print(const uint8_t* const* pictures, const char* const* captions, int count);

#endif
