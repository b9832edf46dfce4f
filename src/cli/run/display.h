// Display: /metrics on one port, /healthz and /readyz on another. Reference lifecycle.md 7.5.
//
// A process that waits for the lease serves them as well: it counts its calls, shows that it is not the leader, and is
// ready (a rollout must not wait for the lease). The leader is ready when every kind was listed.
#pragma once

#include "cli/run/manager_options.h"
#include "engine/clock.h"
#include "engine/engine.h"
#include "obs/meter.h"
#include "obs/page.h"

// Ports and their addresses (empty: all); 0: any free port; negative: not served.
typedef struct {
    int32_t metrics, health;
    Slice metrics_address, health_address;
} DisplayPorts;

typedef struct Display Display;

// Starts counting; nothing is served yet. `options` and `clock` are borrowed.
Display *display_new(const ManagerOptions *options, Clock clock);
void display_free(Display *display); // stops serving; NULL is fine

// A Kube that counts the calls of `kube`. The meter is the caller's and must outlive its use.
Kube display_meter(Display *display, KubeMeter *meter, Kube kube);

// Starts serving, and asking `kube` for the CRDs (its calls should end within seconds). ERR_IO: a port cannot be bound;
// ERR_INVALID: not an address; the text names the flag and says what to do.
ErrCode display_serve(Display *display, DisplayPorts ports, Kube kube, Err *err);
// The served ports; 0: none.
uint16_t display_metrics_port(const Display *display);
uint16_t display_health_port(const Display *display);

// What calls are counted in, and shown on.
Registry *display_registry(const Display *display);
Page *display_page(const Display *display);
// The engine's observer. display_follow: after engine_new, and with NULL before engine_free.
const EngineObserver *display_observer(Display *display);
void display_follow(Display *display, Engine *engine);
// Sets whether this process leads; `elected`: by a lease, whose metrics are then shown. Any thread.
void display_lead(Display *display, bool elected, bool leads);
// Sets the number of lease renewals that took more than one call. Any thread.
void display_slow_renewals(Display *display, uint64_t count);
// With --legacy-webhooks the process is not ready before this was said. Any thread.
void display_serves_webhooks(Display *display);
