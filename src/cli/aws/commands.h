// The commands about AWS, as those of cli/commands.h.
#pragma once

int command_iam_policy(int argc, char **argv);
int command_trace(int argc, char **argv);
