// Pacing a run: virtual time by real time, and when the live view is drawn.
#include "cli/sim/sim_parts.h"
#include "cli/sim/terminal.h"

#include <time.h>

static const int64_t FRAME_NS = 100 * NS_PER_MS; // ten pictures a second

int64_t sim_real_ns(void) {
    return clock_system_mono().ns;
}

static void sleep_until(int64_t real_ns) {
    struct timespec until = timespec_of_ns(real_ns);

    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

// Virtual time until the next picture: exact for a given speed, otherwise what took about FRAME_NS before.
static int64_t next_step(int64_t step_ns, int64_t took_ns, double speed) {
    if (speed > 0)
        return (int64_t)((double)FRAME_NS * speed);
    if (took_ns < FRAME_NS / 2 && step_ns < INT64_MAX / 4)
        return step_ns * 2;
    return took_ns > FRAME_NS && step_ns > NS_PER_S ? step_ns / 2 : step_ns;
}

void sim_pace(Run *run, const SimOptions *options, SimLive *live) {
    int64_t step_ns = next_step(NS_PER_S, FRAME_NS, options->speed), began_ns = sim_real_ns();

    if (!live && options->speed <= 0) {
        run_advance(run, run_end_ns(run));
        return;
    }
    while (run_now_ns(run) < run_end_ns(run) && !terminal_quit_asked()) {
        int64_t frame_ns = sim_real_ns();

        run_advance(run, run_now_ns(run) + step_ns);
        step_ns = next_step(step_ns, sim_real_ns() - frame_ns, options->speed);
        if (live)
            sim_live_draw(live, run);
        if (options->speed > 0)
            sleep_until(began_ns + (int64_t)((double)(run_now_ns(run) - run_start_ns(run)) / options->speed));
    }
}
