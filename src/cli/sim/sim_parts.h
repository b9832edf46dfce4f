// Internals of `tenon sim`, shared by its files.
#pragma once

#include "cli/plan.h"
#include "sim/scenario/run.h"

#include <stdio.h>

typedef struct {
    InputTextVec files;   // scenarios
    InputTextVec applied; // files that the scenarios refer to
    bool has_seed, json, plain;
    uint64_t seed;
    double speed;       // virtual seconds per second; 0: as fast as possible
    uint32_t campaign;  // number of random scenarios; 0: no campaign
    int64_t budget_ns;  // real time limit of a campaign; 0: none
    const char *record; // file to record to; NULL: none
    const char *replay; // recording to run again; NULL: none
    bool log;           // the controller's log, to standard error
    bool print;         // print a campaign's scenarios instead of running them
    bool skip_floor;
    bool aws_wire; // tenon's AWS provider over AWS's API, instead of the simulator's cloud
    Arena arena;
} SimOptions;

enum { SIM_GREEN = 0, SIM_BAD_INPUT = 2, SIM_RED = 3 };

// --- sim_report.c

// Prints at most 100 columns. `real_ns`: duration of the run.
void sim_report_table(Arena *arena, const RunReport *report, int64_t real_ns, Buffer *out);
// One line per run, for many runs.
void sim_report_line(const RunReport *report, int64_t real_ns, Buffer *out);

// Prefix of a timeline entry of that type ("fault"); "": none.
const char *sim_entry_mark(RunEntryType type);

// Prints a line of the controller's log to standard error.
void sim_print_log(void *context, int64_t now_ns, const LogIntent *line);

// --- sim_json.c

// Prints the format of docs/scenarios.md, "The report as JSON".
void sim_report_json(Arena *arena, const RunReport *report, Buffer *out);

// --- sim_live.c

typedef struct SimLive SimLive;

// A live view on `stream`, a terminal, as wide as the terminal is at the moment; it is erased at the end. While it
// exists, the key q ends the run (cli/sim/terminal.h).
SimLive *sim_live_new(FILE *stream);
void sim_live_draw(SimLive *live, Run *run);
void sim_live_free(SimLive *live);

// --- sim_pace.c

int64_t sim_real_ns(void); // monotonic
// Runs at the speed of the options until the end or until q is pressed, and updates the live view (may be NULL).
void sim_pace(Run *run, const SimOptions *options, SimLive *live);

// --- sim_journal.c

// Records the journal of a run, with everything needed to run it again.
typedef struct SimRecording SimRecording;
// `texts`: the scenario's file, then the files that it refers to. ERR_IO.
ErrCode sim_recording_open(const char *path, const InputTextVec *texts, uint64_t seed, SimRecording **ret_recording,
                           Err *err);
Journal sim_recording_journal(SimRecording *recording);
ErrCode sim_recording_close(SimRecording *recording, Err *err);

// Replays a recording: reads its head, and then compares the journal line by line.
typedef struct SimReplay SimReplay;
ErrCode sim_replay_open(Arena *arena, const char *path, InputTextVec *ret_texts, uint64_t *ret_seed,
                        SimReplay **ret_replay, Err *err);
Journal sim_replay_journal(SimReplay *replay);
// ERR_CONFLICT: the run differs from the recording; the text says where.
ErrCode sim_replay_close(SimReplay *replay, Err *err);

// --- sim_campaign.c

// Runs random scenarios with random faults. Returns the exit status.
int sim_campaign(const SimOptions *options);
