/* mine.h - what the user's plugin and program agree on: the interface "mine" version 1. */
#ifndef MINE_H
#define MINE_H

struct mine_interface {
  int answer;
};

#endif
