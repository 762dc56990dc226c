// Ctrl-C (or SIGTERM), once: whoever works asks requested() between steps, saves, and throws
// Interrupted. What has not come to that within kGrace ends anyway, and the file saved last stands.
// Twice: the program ends at once. The exit code is 130 in all cases.
#pragma once

namespace vargp {

// Ends the program with a word on how to go on.
struct Interrupted {
  static constexpr const char* kResume =
      "vargp: stopped; the same command with --resume goes on from what was saved\n";
  const char* text = kResume;
};

// Signals are handled so while one of these exists. The text, which stays where it is, is for the
// end that does not come through Interrupted.
class Interrupt {
 public:
  explicit Interrupt(const char* text = Interrupted::kResume);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool requested() const;
};

}  // namespace vargp
