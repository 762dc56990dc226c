// The program: what people type.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "vargp/core/exceptions.h"
#include "vargp/io/environment.h"

int main(int argc, char** argv) {
  CLI::App app(
      "Continual learning with Gaussian processes: one data set after another, none kept.");
  app.set_version_flag("--version", "vargp " + vargp::version());
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "The help of every command");
  vargp::add_learn(app);
  vargp::add_predict(app);
  vargp::add_evaluate(app);
  vargp::add_inspect(app);
  vargp::add_run(app);
  vargp::add_reproduce(app);
  vargp::add_tune(app);
  vargp::add_report(app);
  vargp::add_data(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const int code = app.exit(e);
    return code == 0 ? 0 : 2;
  } catch (const vargp::Interrupted& stopped) {
    std::fputs(stopped.text, stderr);
    return 130;
  } catch (const vargp::Error& e) {
    std::fprintf(stderr, "vargp: %s\n", e.what());
    return 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "vargp: %s\n", e.what());
    return 1;
  }
  // What was printed may still wait in a buffer, for a disk that is full.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::fputs("vargp: standard output: cannot be written\n", stderr);
    return 1;
  }
  return 0;
}
