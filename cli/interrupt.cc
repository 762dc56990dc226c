#include "cli/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <ctime>
#include <iterator>

#include "vargp/core/error.h"

namespace vargp {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGALRM};
constexpr long kGrace = 1'600'000'000;  // ns: everything is over within 2 s

std::atomic<bool> asked = false;
static_assert(std::atomic<bool>::is_always_lock_free);
const char* said = Interrupted::kResume;
timer_t timer;
struct sigaction old[std::size(kSignals)];

// Only calls that a signal handler may make.
void handle(int signal) {
  if (signal == SIGALRM) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, said, std::strlen(said));
    _exit(130);
  }
  if (asked.exchange(true)) _exit(130);
  const itimerspec grace{{}, {kGrace / 1'000'000'000, kGrace % 1'000'000'000}};
  timer_settime(timer, 0, &grace, nullptr);
}

}  // namespace

Interrupt::Interrupt(const char* text) {
  asked = false;
  said = text;
  VARGP_CHECK(timer_create(CLOCK_MONOTONIC, nullptr, &timer) == 0);  // which sends SIGALRM
  struct sigaction action {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &action, &old[i]);
}

Interrupt::~Interrupt() {
  timer_delete(timer);
  for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &old[i], nullptr);
}

bool Interrupt::requested() const { return asked; }

}  // namespace vargp
