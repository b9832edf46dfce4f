// Telemetry, its servers, and readiness.
#include "cli/run/display.h"

#include "base/alloc.h"
#include "cli/run/definitions.h"
#include "cli/version.h"
#include "obs/telemetry.h"

#include <stdatomic.h>

enum { CHECKS_MAX = 5 };

// How much longer than its deadline a plan may take before something is wrong: reading the cluster is no part of it.
enum { SOLVE_MARGIN_S = 10 };

struct Display {
    const ManagerOptions *options;
    Clock clock;
    Telemetry *telemetry;
    Definitions *definitions;
    atomic_bool leads, serves_webhooks;
    HealthCheck items[CHECKS_MAX];
    HealthChecks checks;
    Server *metrics, *health;
};

// --- readiness checks, named as in controller-runtime and Karpenter

static bool manager_passes(void *self, Buffer *why) {
    Display *display = self;

    if (!atomic_load(&display->leads) || telemetry_is_synced(display->telemetry))
        return true;
    buffer_append(why, SLICE("not every kind was listed yet"));
    return false;
}

static bool definitions_pass(void *self, Buffer *why) {
    return definitions_are_known(((Display *)self)->definitions, why);
}

static bool solver_passes(void *self, Buffer *why) {
    Display *display = self;
    int64_t taken_ns = telemetry_solving_ns(display->telemetry);
    int64_t deadline_ns = display->options->settings.search.deadline_ns;

    if (taken_ns <= deadline_ns + SOLVE_MARGIN_S * NS_PER_S)
        return true;
    buffer_printf(why, "a plan has been under way for %lld s, and should have ended after %.3g s",
                  (long long)(taken_ns / NS_PER_S), ns_to_s(deadline_ns));
    return false;
}

static bool webhooks_pass(void *self, Buffer *why) {
    if (atomic_load(&((Display *)self)->serves_webhooks))
        return true;
    buffer_append(why, SLICE("the webhooks are not served yet"));
    return false;
}

static bool ping_passes(void *self, Buffer *why) {
    (void)self, (void)why;
    return true;
}

// --- making

static void add_check(Display *display, HealthCheck check) {
    display->items[display->checks.count++] = check;
}

static void add_checks(Display *display) {
    display->checks.items = display->items;
    add_check(display, (HealthCheck){"manager", manager_passes, display});
    add_check(display, (HealthCheck){"crd", definitions_pass, display});
    add_check(display, (HealthCheck){"solver", solver_passes, display});
    if (display->options->legacy_webhooks)
        add_check(display, (HealthCheck){"webhooks", webhooks_pass, display});
    add_check(display, (HealthCheck){"readyz", ping_passes, NULL});
}

Display *display_new(const ManagerOptions *options, Clock clock) {
    Display *display = NEW(Display);

    display->options = options;
    display->clock = clock;
    display->telemetry = telemetry_new(options->provider, slice_of(tenon_commit()), clock,
                                       !options->disable_cluster_state_observability);
    atomic_init(&display->leads, false);
    atomic_init(&display->serves_webhooks, false);
    add_checks(display);
    return display;
}

void display_free(Display *display) {
    if (!display)
        return;
    server_stop(display->metrics);
    server_stop(display->health);
    definitions_free(display->definitions);
    telemetry_free(display->telemetry);
    free(display);
}

// --- serving

// Adds to the error of a server which flags are about its port.
static ErrCode explain(Err *err, ErrCode code, const char *name) {
    Err cause;

    if (code == OK)
        return OK;
    cause = *err;
    if (code == ERR_INVALID)
        return err_set(err, code, "--%s-address: %s", name, cause.text);
    return err_set(err, code, "--%s-port: %s; choose another port, or 0 for none", name, cause.text);
}

ErrCode display_serve(Display *display, DisplayPorts ports, Kube kube, Err *err) {
    const ServerPlace metrics = {ports.metrics_address, (uint16_t)ports.metrics};
    const ServerPlace health = {ports.health_address, (uint16_t)ports.health};

    TRY(definitions_new(kube, &display->definitions, err));
    if (ports.metrics >= 0)
        TRY(explain(err,
                    page_serve(telemetry_page(display->telemetry), &metrics, display->options->enable_profiling,
                               &display->metrics, err),
                    "metrics"));
    if (ports.health >= 0)
        TRY(explain(err, health_serve(&display->checks, &health, &display->health, err), "health-probe"));
    return OK;
}

uint16_t display_metrics_port(const Display *display) {
    return display->metrics ? server_port(display->metrics) : 0;
}

uint16_t display_health_port(const Display *display) {
    return display->health ? server_port(display->health) : 0;
}

// --- what is shown

Kube display_meter(Display *display, KubeMeter *meter, Kube kube) {
    *meter = (KubeMeter){kube, telemetry_registry(display->telemetry), display->clock.now, display->clock.self};
    return kube_metered(meter);
}

Page *display_page(const Display *display) {
    return telemetry_page(display->telemetry);
}

Registry *display_registry(const Display *display) {
    return telemetry_registry(display->telemetry);
}

const EngineObserver *display_observer(Display *display) {
    return telemetry_observer(display->telemetry);
}

void display_follow(Display *display, Engine *engine) {
    telemetry_follow(display->telemetry, engine);
}

static LabelValues lease_label(const Display *display) {
    return (LabelValues){&display->options->leader_election_name, 1};
}

void display_lead(Display *display, bool elected, bool leads) {
    atomic_store(&display->leads, leads);
    if (elected)
        registry_set(telemetry_registry(display->telemetry), METRIC_LEADER, leads, lease_label(display));
}

void display_slow_renewals(Display *display, uint64_t count) {
    if (count)
        registry_set(telemetry_registry(display->telemetry), METRIC_LEADER_SLOW, (double)count, lease_label(display));
}

void display_serves_webhooks(Display *display) {
    atomic_store(&display->serves_webhooks, true);
}
