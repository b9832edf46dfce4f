// Watch events are delivered after 1 to 5 ms, later with the fault "watch delay", and not during a partition. Each kind
// has a connection of its own: the order within a kind is kept, that between kinds is not.
#include "sim/controller/process_watch.h"

#include "base/alloc.h"

static void arrive(void *context);

static void set_alarm(EventDelay *delay) {
    world_cancel(delay->process->world, delay->alarm);
    delay->alarm = 0;
    if (delay->first < delay->count && !delay->process->partitioned)
        delay->alarm = world_alarm(delay->process->world, delay->items[delay->first].at_ns, arrive, delay);
}

static void arrive(void *context) {
    EventDelay *delay = context;
    int64_t now_ns = world_now_ns(delay->process->world);

    delay->alarm = 0;
    while (delay->first < delay->count && delay->items[delay->first].at_ns <= now_ns)
        watch_event_deliver(delay->items[delay->first++].event);
    if (delay->first == delay->count)
        delay->first = delay->count = 0;
    set_alarm(delay);
}

static void make_room(EventDelay *delay) {
    uint32_t waiting = delay->count - delay->first;

    if (delay->count < delay->capacity)
        return;
    if (waiting)
        memmove(delay->items, &delay->items[delay->first], sizeof *delay->items * waiting);
    if (waiting > delay->capacity / 2 || !delay->first)
        GROW(delay->items, delay->capacity, delay->capacity + 1);
    delay->first = 0;
    delay->count = waiting;
}

static void take(void *self, WatchEvent *event) {
    SimProcess *process = self;
    EventDelay *delay = &process->event_delays[watch_event_kind(event)];
    int64_t now_ns = world_now_ns(process->world), at_ns;

    if (delay->drawn_at_ns != now_ns) {
        delay->drawn_at_ns = now_ns;
        delay->latency_ns = NS_PER_MS + random_below(&process->delays, 4 * NS_PER_MS);
    }
    at_ns = now_ns + delay->latency_ns + process->watch_delay_ns;
    if (at_ns > delay->last_ns)
        delay->last_ns = at_ns;
    make_room(delay);
    delay->items[delay->count++] = (struct DelayedEvent){event, delay->last_ns};
    if (!delay->alarm)
        set_alarm(delay);
}

Relay process_relay(SimProcess *process) {
    for (KubeKind kind = 0; kind < KUBE_KIND_COUNT; kind++)
        process->event_delays[kind].process = process;
    return (Relay){take, process};
}

void process_rearm_events(SimProcess *process) {
    for (KubeKind kind = 0; kind < KUBE_KIND_COUNT; kind++) {
        if (process->event_delays[kind].process)
            set_alarm(&process->event_delays[kind]);
    }
}

void process_drop_events(SimProcess *process) {
    for (KubeKind kind = 0; kind < KUBE_KIND_COUNT; kind++) {
        EventDelay *delay = &process->event_delays[kind];

        world_cancel(process->world, delay->alarm);
        while (delay->first < delay->count)
            watch_event_drop(delay->items[delay->first++].event);
        free(delay->items);
        *delay = (EventDelay){0};
    }
}

bool process_has_events(const SimProcess *process) {
    for (KubeKind kind = 0; kind < KUBE_KIND_COUNT; kind++) {
        if (process->event_delays[kind].first < process->event_delays[kind].count)
            return true;
    }
    return false;
}
