// The commands of tenon: each parses its own arguments and returns the exit status.
#pragma once

// argv[0] is the command's name. Output goes to stdout, messages to stderr.
int command_plan(int argc, char **argv);
int command_explain(int argc, char **argv);
int command_convert(int argc, char **argv);
int command_catalog(int argc, char **argv);
int command_sim(int argc, char **argv);
int command_run(int argc, char **argv);
int command_crds(int argc, char **argv);
int command_metrics(int argc, char **argv);
