/* A program that does not link libtenon: argument 1 is the library's path. */
#include <stdlib.h>
#include <string.h>
#include <tenon/dl.h>

int main(int argc, char** argv) {
  char error[256] = "";
  if (tn_dl_open("/nowhere/libtenon.so.0", error, sizeof error) || !strstr(error, "/nowhere"))
    return 1;
  const tn_host* tn = argc == 2 ? tn_dl_open(argv[1], error, sizeof error) : NULL;
  if (!tn) {
    fprintf(stderr, "%s\n", error);
    return 2;
  }
  tn_status status = tn->init(TN_ABI_MAJOR, TN_ABI_MINOR);
  if (status) {
    fprintf(stderr, "%s\n", tn->status_message(status));
    return 3;
  }
  /* The one that is there now is taken, whatever path is named. */
  return tn_dl_open("/nowhere/libtenon.so.0", error, sizeof error) == tn ? 0 : 4;
}
