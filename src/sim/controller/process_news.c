// What watches tell takes 1 to 5 ms, and longer by the fault "watch delay"; while the network is cut it waits. Each
// kind has a connection of its own: its order is kept, that between kinds is not.
#include "sim/controller/process_news.h"

#include <stdlib.h>

static void arrive(void *context);

static void set_alarm(NewsLine *line) {
    world_cancel(line->process->world, line->alarm);
    line->alarm = 0;
    if (line->first < line->count && !line->process->partitioned)
        line->alarm = world_alarm(line->process->world, line->items[line->first].at_ns, arrive, line);
}

static void arrive(void *context) {
    NewsLine *line = context;
    int64_t now_ns = world_now_ns(line->process->world);

    line->alarm = 0;
    while (line->first < line->count && line->items[line->first].at_ns <= now_ns)
        watch_event_deliver(line->items[line->first++].news);
    if (line->first == line->count)
        line->first = line->count = 0;
    set_alarm(line);
}

static void make_room(NewsLine *line) {
    uint32_t waiting = line->count - line->first;

    if (line->count < line->capacity)
        return;
    if (waiting <= line->capacity / 2 && line->first) {
        memmove(line->items, &line->items[line->first], sizeof *line->items * waiting);
    } else {
        struct NewsItem *larger = calloc(line->capacity ? line->capacity * 2 : 64, sizeof *larger);

        CHECK(larger, "no memory for %u news on their way", line->capacity * 2);
        if (waiting)
            memcpy(larger, &line->items[line->first], sizeof *larger * waiting);
        free(line->items);
        line->items = larger;
        line->capacity = line->capacity ? line->capacity * 2 : 64;
    }
    line->first = 0;
    line->count = waiting;
}

static void take(void *self, WatchEvent *news) {
    SimProcess *process = self;
    NewsLine *line = &process->lines[watch_event_kind(news)];
    int64_t now_ns = world_now_ns(process->world), at_ns;

    if (line->drawn_at_ns != now_ns) {
        line->drawn_at_ns = now_ns;
        line->latency_ns = MILLISECOND_NS + random_below(&process->delays, 4 * MILLISECOND_NS);
    }
    at_ns = now_ns + line->latency_ns + process->watch_delay_ns;
    if (at_ns > line->last_ns)
        line->last_ns = at_ns;
    make_room(line);
    line->items[line->count++] = (struct NewsItem){news, line->last_ns};
    if (!line->alarm)
        set_alarm(line);
}

Relay process_relay(SimProcess *process) {
    for (KubeKind kind = 0; kind < KUBE_KIND_COUNT; kind++)
        process->lines[kind].process = process;
    return (Relay){take, process};
}

void process_rearm_news(SimProcess *process) {
    for (KubeKind kind = 0; kind < KUBE_KIND_COUNT; kind++) {
        if (process->lines[kind].process)
            set_alarm(&process->lines[kind]);
    }
}

void process_drop_news(SimProcess *process) {
    for (KubeKind kind = 0; kind < KUBE_KIND_COUNT; kind++) {
        NewsLine *line = &process->lines[kind];

        world_cancel(process->world, line->alarm);
        while (line->first < line->count)
            watch_event_drop(line->items[line->first++].news);
        free(line->items);
        *line = (NewsLine){0};
    }
}

bool process_has_news(const SimProcess *process) {
    for (KubeKind kind = 0; kind < KUBE_KIND_COUNT; kind++) {
        if (process->lines[kind].first < process->lines[kind].count)
            return true;
    }
    return false;
}
