#include "picture.h"

#include <stdio.h>

void picture_print(const uint8_t* const* pictures, const char* const* captions, int count) {
  static const char shades[] = " .:-=+*#%@";
  for (int i = 0; i < count; ++i) printf("%-30s", captions[i]);
  for (int row = 0; row < 28; row += 2) {
    printf("\n");
    for (int i = 0; i < count; ++i) {
      for (int column = 0; column < 28; ++column) {
        const uint8_t* pixel = pictures[i] + (size_t)row * 28 + column;
        putchar(shades[(pixel[0] + pixel[28]) * 9 / (2 * 255)]);
      }
      printf("  ");
    }
  }
  printf("\n");
}
