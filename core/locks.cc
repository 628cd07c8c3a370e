#include "core/locks.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>

#include "core/once.h"

namespace tenon {
namespace {

// Recursive for kCatalog, since a plugin's entry may need other plugins.
constexpr size_t kLocks = static_cast<size_t>(Lock::kCount);
constinit std::recursive_mutex mutexes[kLocks];
constinit std::atomic<bool> installed{false};

// Of all plugins, in the order in which they came. Lock::kCatalog guards it.
constinit Once<std::vector<tn_fork_handlers>> plugins_handlers;

constexpr size_t kBeforePlugins = static_cast<size_t>(Lock::kCatalog) + 1;

void before_fork() {
  for (size_t i = 0; i < kBeforePlugins; ++i) mutexes[i].lock();
  for (const tn_fork_handlers& plugin : plugins_handlers.get())
    if (plugin.before) plugin.before();
  for (size_t i = kBeforePlugins; i < kLocks; ++i) mutexes[i].lock();
}
void after_fork_in_parent() {
  for (size_t i = kLocks; i > kBeforePlugins; --i) mutexes[i - 1].unlock();
  for (const tn_fork_handlers& plugin : plugins_handlers.get())
    if (plugin.in_parent) plugin.in_parent();
  for (size_t i = kBeforePlugins; i > 0; --i) mutexes[i - 1].unlock();
}
// A recursive mutex belongs to a thread's number, and the child's thread has another one than the
// thread that took them.
void after_fork_in_child() {
  for (auto& mutex : mutexes) new (&mutex) std::recursive_mutex;
  for (const tn_fork_handlers& plugin : plugins_handlers.get())
    if (plugin.in_child) plugin.in_child();
}

}  // namespace

Locked::Locked(Lock lock) noexcept : lock_(lock) {
  // No static with a guard: a fork while another thread is in there would leave it shut for good.
  if (!installed.load(std::memory_order_relaxed) && !installed.exchange(true))
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  mutexes[static_cast<size_t>(lock)].lock();
}

Locked::~Locked() {
  mutexes[static_cast<size_t>(lock_)].unlock();
}

void locks_add_fork_handlers(const std::vector<tn_fork_handlers>& added) {
  std::vector<tn_fork_handlers> all = plugins_handlers.get();
  for (const tn_fork_handlers& handlers : added) {
    const bool known = std::any_of(all.begin(), all.end(), [&](const tn_fork_handlers& other) {
      return other.before == handlers.before && other.in_parent == handlers.in_parent &&
             other.in_child == handlers.in_child;
    });
    if (!known) all.push_back(handlers);
  }
  plugins_handlers.get().swap(all);
}

}  // namespace tenon
