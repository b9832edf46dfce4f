// What the files of `tenon sim` share.
#pragma once

#include "cli/plan.h"
#include "sim/scenario/run.h"

#include <stdio.h>

typedef struct {
    InputTextVec files;   // scenarios
    InputTextVec applied; // files that scenarios apply
    bool has_seed, json, plain;
    uint64_t seed;
    double speed;       // virtual seconds per second; 0: as fast as it goes
    uint32_t campaign;  // random scenarios; 0: none
    int64_t budget_ns;  // real time that a campaign may take; 0: as long as it needs
    const char *record; // file to write; NULL: none
    const char *replay; // file to run again; NULL: none
    bool log;           // the controller's log, to standard error
    bool print;         // a campaign's scenarios instead of running them
    bool skip_floor;
    Arena arena;
} SimOptions;

enum { SIM_GREEN = 0, SIM_BAD_INPUT = 2, SIM_RED = 3 };

// --- sim_report.c

// At most 100 columns. `real_ns`: how long the run took.
void sim_report_table(Arena *arena, const RunReport *report, int64_t real_ns, Buffer *out);
// One line for a list of many runs.
void sim_report_line(const RunReport *report, int64_t real_ns, Buffer *out);

// What a kind of line is called in front of its text ("fault"); "": nothing.
const char *sim_entry_mark(RunEntryType type);

// A line of the controller's log, to standard error.
void sim_print_log(void *context, int64_t now_ns, const LogIntent *line);

// --- sim_json.c

// docs/scenarios.md, "The report as JSON".
void sim_report_json(Arena *arena, const RunReport *report, Buffer *out);

// --- sim_live.c

typedef struct SimLive SimLive;

// Draws on `stream`, a terminal, as wide as it is at that moment, and leaves nothing behind. While it lives, q asks for
// the end (cli/sim/terminal.h).
SimLive *sim_live_new(FILE *stream);
void sim_live_draw(SimLive *live, Run *run);
void sim_live_free(SimLive *live);

// --- sim_pace.c

int64_t sim_real_ns(void); // monotonic
// To the end of the run, or until q was pressed, at the speed of the options, showing it on the way. `live` may be
// NULL.
void sim_pace(Run *run, const SimOptions *options, SimLive *live);

// --- sim_journal.c

// Writes the journal of a run, with what it takes to run it again.
typedef struct SimRecording SimRecording;
// `texts`: the scenario's file, then those that it names. ERR_IO.
ErrCode sim_recording_open(const char *path, const InputTextVec *texts, uint64_t seed, SimRecording **ret_recording,
                           Err *err);
Journal sim_recording_journal(SimRecording *recording);
ErrCode sim_recording_close(SimRecording *recording, Err *err);

// Reads a journal: its head, and then line by line what is to come again.
typedef struct SimReplay SimReplay;
ErrCode sim_replay_open(Arena *arena, const char *path, InputTextVec *ret_texts, uint64_t *ret_seed,
                        SimReplay **ret_replay, Err *err);
Journal sim_replay_journal(SimReplay *replay);
// ERR_CONFLICT: the run went another way; the text says where.
ErrCode sim_replay_close(SimReplay *replay, Err *err);

// --- sim_campaign.c

// Random scenarios with random faults. Returns the exit status.
int sim_campaign(const SimOptions *options);
