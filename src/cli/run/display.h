// What a process shows of itself: /metrics on one port, /healthz and /readyz on another. Reference lifecycle.md 7.5.
//
// A process that waits for the lease shows it all as well: it counts its calls, says that it does not lead, and is
// ready, because it is (a rollout must not wait for the lease). Leading, it is ready when every kind was listed.
#pragma once

#include "cli/run/manager_options.h"
#include "engine/clock.h"
#include "engine/engine.h"
#include "obs/meter.h"

// Where: ports, of these addresses (empty: of all); 0: a free one; negative: nowhere.
typedef struct {
    int32_t metrics, health;
    Slice metrics_address, health_address;
} DisplayPorts;

typedef struct Display Display;

// Counts, but serves nothing yet. `options` and `clock` are borrowed.
Display *display_new(const ManagerOptions *options, Clock clock);
void display_free(Display *display); // stops serving; NULL is allowed

// The client with its calls counted. The meter is the caller's and must outlive what is called through the Kube.
Kube display_meter(Display *display, KubeMeter *meter, Kube kube);

// Serves from now on, and asks `kube` for the definitions of tenon's kinds (its calls should end within seconds).
// ERR_IO: a port cannot be had; ERR_INVALID: an address is none; the text names the flag and says what to do.
ErrCode display_serve(Display *display, DisplayPorts ports, Kube kube, Err *err);
// The ports that are served; 0: none.
uint16_t display_metrics_port(const Display *display);
uint16_t display_health_port(const Display *display);

// Who looks on at the engine; after engine_new, and NULL before engine_free.
const EngineObserver *display_observer(Display *display);
void display_follow(Display *display, Engine *engine);
// Whether this process leads; `elected`: by a lease, whose metrics are shown then. Any thread.
void display_lead(Display *display, bool elected, bool leads);
// Renewals of the lease that took more than one call, so far. Any thread.
void display_slow_renewals(Display *display, uint64_t count);
