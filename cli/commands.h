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
void AddFixCommand(CLI::App* program, int* exit_code);      // fix.cc
void AddMergeReportsCommand(CLI::App* program,
                            int* exit_code);                   // merge_reports.cc
void AddShowCommand(CLI::App* program, int* exit_code);        // show.cc
void AddDumpCommand(CLI::App* program, int* exit_code);        // inspect.cc
void AddRenderCommand(CLI::App* program, int* exit_code);      // render.cc
void AddDequantizeCommand(CLI::App* program, int* exit_code);  // dequantize.cc
void AddStatsCommand(CLI::App* program, int* exit_code);       // inspect.cc
void AddDigestCommand(CLI::App* program, int* exit_code);      // inspect.cc
void AddRulesCommand(CLI::App* program, int* exit_code);       // explain.cc
void AddExplainCommand(CLI::App* program, int* exit_code);     // explain.cc
void AddProfilesCommand(CLI::App* program, int* exit_code);    // explain.cc
void AddConfigCommands(CLI::App* program, int* exit_code);     // explain.cc
void AddCorpusCommand(CLI::App* program, int* exit_code);      // corpus.cc
void AddReadersCommand(CLI::App* program, int* exit_code);     // readers.cc
void AddAssembleCommands(CLI::App* corpus, int* exit_code);    // corpus.cc
void AddReadersRunCommand(CLI::App* readers, int* exit_code);  // readers_run.cc
void AddReadersFuzzCommand(CLI::App* readers,
                           int* exit_code);  // readers_fuzz.cc
void AddReadersReportCommand(CLI::App* readers,
                             int* exit_code);  // readers.cc

}  // namespace gguf

#endif  // GGUF_CLI_COMMANDS_H_
