// The command of the doctor, as those of cli/commands.h.
#pragma once

int command_doctor(int argc, char **argv);
