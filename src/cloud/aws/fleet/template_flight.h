// Flights: templates that somebody is making now. Who needs the same one meanwhile waits for that answer, also if it is
// a failure, and asks EC2 for nothing: parallel launches for one NodeClass begin together, and CreateLaunchTemplate is
// a call that AWS throttles early.
//
// Whoever waits is a worker that has nothing else to do, and ends with the call of the other one, whose time is
// bounded. Before a caller waits it has ended the flights of its own, so nobody waits in a circle. It waits by the
// client's transport and looks again, as whatever takes time does: in the simulation all callers share one turn, and
// who waits for a condition there would wait for ever.
#pragma once

#include "aws/call/client.h"

#include <pthread.h>

typedef struct TemplateFlight TemplateFlight;

typedef struct {
    TemplateFlight **items;
    uint32_t count, capacity;
    uint32_t waiting; // callers
} TemplateFlights;

void template_flights_free(TemplateFlights *flights); // nothing is under way

// The rest is called with the lock that guards the flights and what they make known.

// The flight for the template of that name: the caller's own, to be ended (`ret_is_own`), or another's, to be waited
// for. O(flights).
TemplateFlight *template_flight_join(TemplateFlights *flights, Slice name, bool *ret_is_own);
// The template is there (`err` NULL), or why not. The flight is not the caller's any more.
void template_flight_end(TemplateFlights *flights, TemplateFlight *flight, const Err *err);
// Waits for the end of another's flight, without the lock meanwhile. The flight is not the caller's any more. ERR_IO:
// the client is being stopped.
ErrCode template_flight_wait(TemplateFlights *flights, TemplateFlight *flight, const AwsClient *client,
                             pthread_mutex_t *lock, Err *err);
