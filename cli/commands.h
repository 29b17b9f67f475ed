// The subcommands.  Each function adds one to the program.  A subcommand that
// ran stores its exit code in `*exit_code`.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_COMMANDS_H_
#define GGUF_CLI_COMMANDS_H_

#include "CLI/CLI.hpp"

namespace gguf {

void AddCheckCommand(CLI::App* program, int* exit_code);    // check.cc
void AddCompareCommand(CLI::App* program, int* exit_code);  // check.cc
void AddMergeReportsCommand(CLI::App* program,
                            int* exit_code);                   // merge_reports.cc
void AddDumpCommand(CLI::App* program, int* exit_code);        // dump.cc
void AddDequantizeCommand(CLI::App* program, int* exit_code);  // dequantize.cc
void AddStatsCommand(CLI::App* program, int* exit_code);       // stats.cc
void AddDigestCommand(CLI::App* program, int* exit_code);      // digest.cc
void AddRulesCommand(CLI::App* program, int* exit_code);       // rules.cc
void AddExplainCommand(CLI::App* program, int* exit_code);     // rules.cc
void AddProfilesCommand(CLI::App* program, int* exit_code);    // profiles.cc
void AddConfigCommands(CLI::App* program, int* exit_code);     // config.cc
void AddCorpusCommand(CLI::App* program, int* exit_code);      // corpus.cc
void AddReadersCommand(CLI::App* program, int* exit_code);     // readers.cc
void AddAssembleCommands(CLI::App* corpus, int* exit_code);    // assemble.cc
void AddReadersRunCommand(CLI::App* readers, int* exit_code);  // readers_run.cc
void AddReadersReportCommand(CLI::App* readers,
                             int* exit_code);  // readers_report.cc

}  // namespace gguf

#endif  // GGUF_CLI_COMMANDS_H_
