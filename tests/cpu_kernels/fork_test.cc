// After fork the child computes on its own thread, although the parent's team is gone.
#include <sys/wait.h>
#include <unistd.h>

#include "tensors.h"

namespace {

TEST(Fork, Rule25LeavesAChildThatCanCompute) {
  tn::Tensor x = make({1 << 20}, wave);
  const double want = tn::sum(tn::add(x, x)).item();
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // a hang ends the child, and the test fails
    _exit(tn::sum(tn::add(x, x)).item() == want ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
