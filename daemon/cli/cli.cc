// SPDX-License-Identifier: MIT
#include "cli/cli.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "cli/commands.h"

namespace quipd::cli {
namespace {

constexpr int kUsage = 2;
constexpr const char* kDefaultFile = "/etc/quipd/quipd.yaml";

struct Arguments {
  std::string file;
  std::vector<std::string> rules;
  std::vector<std::string> listen;
  std::string profile;
  ExplainRequest explain;
};

// Options follow the command, so each command has its own.
CLI::App* AddCommand(CLI::App* app, const char* name, const char* what, Arguments* arguments) {
  CLI::App* command = app->add_subcommand(name, what);
  command->add_option(
      "-c,--config", arguments->file,
      std::string("configuration file, - for standard input (default: ") + kDefaultFile + ")");
  command
      ->add_option("-e,--rule", arguments->rules,
                   "a rule as YAML, such as 'GET / echo: Hello'; may be repeated")
      ->expected(1)
      ->take_all();
  command
      ->add_option("--listen", arguments->listen,
                   "listen here instead of where the file says; may be repeated")
      ->expected(1)
      ->take_all();
  command->add_option("--profile", arguments->profile, "dev, prod or one of the file's");
  return command;
}

Source SourceOf(const Arguments& arguments) {
  Source source;
  if (!arguments.file.empty()) {
    source.load.file = arguments.file;
  } else if (arguments.rules.empty()) {
    source.load.file = kDefaultFile;
  }
  source.name = source.load.file ? *source.load.file : "-e";
  source.load.rules = arguments.rules;
  source.load.listen = arguments.listen;
  if (!arguments.profile.empty()) source.load.profile = arguments.profile;
  return source;
}

int Dispatch(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Answers HTTP from a YAML file", "quipd");
  app.require_subcommand(1);
  const CLI::App* run = AddCommand(&app, "run", "serve in the foreground", &arguments);
  const CLI::App* check =
      AddCommand(&app, "check", "say what is wrong with a configuration", &arguments);
  const CLI::App* routes = AddCommand(&app, "routes", "list the rules", &arguments);
  CLI::App* explain =
      AddCommand(&app, "explain", "say which rule answers a request, and why", &arguments);
  explain->add_option("METHOD", arguments.explain.method, "such as GET")->required();
  explain->add_option("URL", arguments.explain.url, "/path or http://host/path")->required();
  explain->add_option("-H,--header", arguments.explain.headers, "'Name: value'; may be repeated")
      ->expected(1)
      ->take_all();
  const CLI::App* version = app.add_subcommand("version", "versions of quipd and its libraries");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& fault) {
    return app.exit(fault) == 0 ? 0 : kUsage;
  }
  if (version->parsed()) return Version();
  const Source source = SourceOf(arguments);
  if (run->parsed()) return Run(source);
  if (check->parsed()) return Check(source);
  if (routes->parsed()) return Routes(source);
  return Explain(source, arguments.explain);
}

}  // namespace

int Main(int argc, char** argv) {
  try {
    return Dispatch(argc, argv);
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "quipd: %s\n", fault.what());
    return 1;
  }
}

}  // namespace quipd::cli
