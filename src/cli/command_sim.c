// The command line of `tenon sim`.
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/flags.h"
#include "cli/sim/sim_parts.h"

#include "text/duration.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- flags

static ErrCode take_seed(void *context, const char *value, Err *err) {
    SimOptions *options = context;
    int64_t seed;

    if (!slice_to_int64(slice_of(value), &seed) || seed < 0)
        return err_set(err, ERR_INVALID, "--seed: expected a whole number that is not negative, got \"%s\"", value);
    options->seed = (uint64_t)seed;
    options->has_seed = true;
    return OK;
}

static ErrCode take_speed(void *context, const char *value, Err *err) {
    SimOptions *options = context;
    char *end;

    if (strcmp(value, "max") == 0) {
        options->speed = 0;
        return OK;
    }
    options->speed = strtod(value, &end);
    if (end == value || (*end && strcmp(end, "x") != 0) || !(options->speed > 0 && options->speed <= 1e6))
        return err_set(err, ERR_INVALID, "--speed: expected max, or a factor like 60x or 1x, got \"%s\"", value);
    return OK;
}

static ErrCode take_output(void *context, const char *value, Err *err) {
    SimOptions *options = context;

    if (strcmp(value, "json") != 0 && strcmp(value, "table") != 0)
        return err_set(err, ERR_INVALID, "--output: expected table or json, got \"%s\"", value);
    options->json = strcmp(value, "json") == 0;
    return OK;
}

static ErrCode take_campaign(void *context, const char *value, Err *err) {
    SimOptions *options = context;
    int64_t count;

    if (!slice_to_int64(slice_of(value), &count) || count < 1 || count > 1000000)
        return err_set(err, ERR_INVALID, "--campaign: expected a number from 1 to 1000000, got \"%s\"", value);
    options->campaign = (uint32_t)count;
    return OK;
}

static ErrCode take_budget(void *context, const char *value, Err *err) {
    SimOptions *options = context;
    Err reason;

    if (duration_parse(slice_of(value), &options->budget_ns, &reason) != OK || options->budget_ns <= 0)
        return err_set(err, ERR_INVALID, "--budget: expected a duration (5m), got \"%s\"", value);
    return OK;
}

static ErrCode take_record(void *context, const char *value, Err *err) {
    (void)err;
    ((SimOptions *)context)->record = value;
    return OK;
}

static ErrCode take_replay(void *context, const char *value, Err *err) {
    (void)err;
    ((SimOptions *)context)->replay = value;
    return OK;
}

static ErrCode take_log(void *context, const char *value, Err *err) {
    (void)value, (void)err;
    ((SimOptions *)context)->log = true;
    return OK;
}

static ErrCode take_print(void *context, const char *value, Err *err) {
    (void)value, (void)err;
    ((SimOptions *)context)->print = true;
    return OK;
}

static ErrCode take_plain(void *context, const char *value, Err *err) {
    (void)value, (void)err;
    ((SimOptions *)context)->plain = true;
    return OK;
}

static ErrCode take_no_floor(void *context, const char *value, Err *err) {
    (void)value, (void)err;
    ((SimOptions *)context)->skip_floor = true;
    return OK;
}

static ErrCode take_aws_wire(void *context, const char *value, Err *err) {
    (void)value, (void)err;
    ((SimOptions *)context)->aws_wire = true;
    return OK;
}

static ErrCode take_scenarios(void *context, const char *path, Err *err) {
    SimOptions *options = context;

    return files_read(&options->arena, path, &options->files, err);
}

static const Flag flags[] = {
    {"--seed", NULL, "N", "of all that is drawn, instead of the scenario's", take_seed},
    {"--speed", NULL, "max|60x|1x", "virtual seconds per second (default max)", take_speed},
    {"--output", "-o", "FORMAT", "table (default) or json (docs/scenarios.md)", take_output},
    {"--plain", NULL, NULL, "no live view on a terminal", take_plain},
    {"--no-floor", NULL, NULL, "do not compute what the pods would have to cost at least", take_no_floor},
    {"--log", NULL, NULL, "the controller's log to standard error", take_log},
    {"--record", NULL, "FILE", "write the journal: every decision and what came of it", take_record},
    {"--replay", NULL, "FILE", "run a journal's scenario again and compare every line", take_replay},
    {"--campaign", NULL, "N", "N random clusters with random faults, from --seed on (default 1)", take_campaign},
    {"--budget", NULL, "DURATION", "end a campaign after so much real time", take_budget},
    {"--aws-wire", NULL, NULL, "the cloud speaks AWS's API to tenon's AWS provider, over a bad line", take_aws_wire},
    {"--print", NULL, NULL, "print a campaign's scenarios instead of running them", take_print},
};

static const FlagTable table = {
    .command = "sim",
    .usage = "FILE... [flags]",
    .about = "Runs scenarios: an embedded cluster with nodes, pods, kube-scheduler and a cloud like EC2, and tenon in\n"
             "it. Days pass in seconds. Needs no cluster and no cloud account. docs/scenarios.md describes the files.",
    .flags = flags,
    .count = sizeof flags / sizeof *flags,
    .footer = "Exit status: 0 everything was as expected, 3 something was not or a promise was broken, 2 the input is\n"
              "wrong.",
    .operand = take_scenarios,
};

// --- one scenario

typedef struct {
    SimOptions *options;
    SimRecording *recording;
    SimReplay *replay;
    uint32_t scenarios; // total number of scenarios
    bool ended_by_hand; // q was pressed: the others are not run
    Buffer out;
} Session;

static Journal session_journal(const Session *session) {
    if (session->recording)
        return sim_recording_journal(session->recording);
    return session->replay ? sim_replay_journal(session->replay) : (Journal){0};
}

static void report(Session *session, const RunReport *report, int64_t real_ns) {
    Arena arena = {0};

    if (session->options->json)
        sim_report_json(&arena, report, &session->out);
    else if (session->scenarios > 1 && run_is_green(report))
        sim_report_line(report, real_ns, &session->out);
    else
        sim_report_table(&arena, report, real_ns, &session->out);
    fwrite(session->out.bytes, 1, session->out.len, stdout);
    fflush(stdout);
    session->out.len = 0;
    arena_free(&arena);
}

static ErrCode run_one(Session *session, const Scenario *scenario, bool *ret_green, Err *err) {
    SimOptions *options = session->options;
    RunOptions run_options = {.has_seed = options->has_seed,
                              .seed = options->seed,
                              .aws_wire = options->aws_wire,
                              .skip_floor = options->skip_floor,
                              .journal = session_journal(session),
                              .log = options->log ? sim_print_log : NULL};
    int64_t began_ns = sim_real_ns();
    SimLive *live = NULL;
    Run *run;

    TRY(run_new(scenario, &run_options, &run, err));
    if (isatty(STDERR_FILENO) && !options->plain && !options->log)
        live = sim_live_new(stderr);
    sim_pace(run, options, live);
    sim_live_free(live);
    if (run_now_ns(run) >= run_end_ns(run))
        run_finish(run);
    else
        session->ended_by_hand = true;
    report(session, run_report(run), sim_real_ns() - began_ns);
    *ret_green = run_is_green(run_report(run));
    run_free(run);
    return OK;
}

// --- reading

static ErrCode load_applied(void *context, Arena *arena, Slice path, Slice *ret_text, Err *err) {
    SimOptions *options = context;
    InputText input;

    for (vec_each(const InputText, known, &options->applied)) {
        if (slice_eq(known->file, path)) {
            *ret_text = known->text;
            return OK;
        }
    }
    if (options->replay)
        return err_set(err, ERR_NOT_FOUND, "%.*s: not in the journal", SLICE_ARG(path));
    TRY(file_read(&options->arena, arena_text(arena, path), &input, err));
    vec_push(&options->arena, &options->applied, input);
    *ret_text = input.text;
    return OK;
}

static ErrCode read_scenarios(SimOptions *options, ScenarioVec *scenarios, Err *err) {
    ScenarioFiles files = {load_applied, options};

    for (vec_each(const InputText, file, &options->files))
        TRY(scenario_read(&options->arena, file->file, file->text, &files, scenarios, err));
    if (!scenarios->count)
        return err_set(err, ERR_INVALID, "no scenarios: name files or folders of them; see tenon sim --help");
    if (options->record && scenarios->count != 1)
        return err_set(err, ERR_INVALID, "--record: takes one scenario, got %u", scenarios->count);
    return OK;
}

static ErrCode open_journal(Session *session, const ScenarioVec *scenarios, Err *err) {
    SimOptions *options = session->options;
    InputTextVec texts = {0};
    uint64_t seed = options->has_seed ? options->seed : scenarios->items[0].seed;

    if (!options->record)
        return OK;
    vec_push(&options->arena, &texts, options->files.items[0]);
    for (vec_each(const InputText, text, &options->applied))
        vec_push(&options->arena, &texts, *text);
    return sim_recording_open(options->record, &texts, seed, &session->recording, err);
}

static ErrCode open_replay(Session *session, Err *err) {
    SimOptions *options = session->options;
    InputTextVec texts = {0};

    if (!options->replay)
        return OK;
    if (options->files.count || options->record || options->has_seed)
        return err_set(err, ERR_INVALID,
                       "--replay: the journal says what is run; no FILE, --record or --seed beside it");
    TRY(sim_replay_open(&options->arena, options->replay, &texts, &options->seed, &session->replay, err));
    options->has_seed = true;
    vec_push(&options->arena, &options->files, texts.items[0]);
    for (uint32_t i = 1; i < texts.count; i++)
        vec_push(&options->arena, &options->applied, texts.items[i]);
    return OK;
}

static ErrCode close_journals(Session *session, Err *err) {
    if (session->recording)
        TRY(sim_recording_close(session->recording, err));
    return session->replay ? sim_replay_close(session->replay, err) : OK;
}

static ErrCode run_all(SimOptions *options, int *ret_status, Err *err) {
    Session session = {.options = options};
    ScenarioVec scenarios = {0};
    uint32_t ran = 0, red = 0;
    ErrCode code;

    TRY(open_replay(&session, err));
    TRY(read_scenarios(options, &scenarios, err));
    TRY(open_journal(&session, &scenarios, err));
    session.scenarios = scenarios.count;
    for (vec_each(const Scenario, scenario, &scenarios)) {
        bool green;

        if (session.ended_by_hand)
            break;
        TRY(run_one(&session, scenario, &green, err));
        red += !green;
        ran++;
    }
    if (scenarios.count > 1 && !options->json)
        printf("%u scenarios, %u green, %u red\n", ran, ran - red, red);
    buffer_free(&session.out);
    code = close_journals(&session, err);
    *ret_status = red || code == ERR_CONFLICT ? SIM_RED : SIM_GREEN;
    return code;
}

// --- the command

static ErrCode check_campaign(const SimOptions *options, Err *err) {
    if (options->campaign && (options->files.count || options->record || options->replay))
        return err_set(
            err, ERR_INVALID,
            "--campaign: its clusters are drawn; no FILE, --record or --replay beside it (--print writes them)");
    return OK;
}

int command_sim(int argc, char **argv) {
    SimOptions options = {0};
    Err err = {0};
    bool help = false;
    int status = SIM_BAD_INPUT;
    ErrCode code = flags_take(&table, argc, argv, &options, &help, &err);

    if (code == OK)
        code = check_campaign(&options, &err);
    if (code == OK && help) {
        flags_print_help(&table);
        status = SIM_GREEN;
    } else if (code == OK && options.campaign) {
        status = sim_campaign(&options);
    } else if (code == OK) {
        code = run_all(&options, &status, &err);
    }
    if (code != OK) {
        fprintf(stderr, "error: %s\n", err.text);
        status = status == SIM_GREEN ? SIM_BAD_INPUT : status;
    }
    arena_free(&options.arena);
    return status;
}
