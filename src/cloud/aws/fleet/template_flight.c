// Flights, counted by those who have one.
#include "cloud/aws/fleet/template_flight.h"

#include "base/alloc.h"
#include "base/check.h"

#include <stdlib.h>

// A call of EC2's takes a hundred milliseconds.
static const int64_t LOOK_NS = 5 * NS_PER_MS;

struct TemplateFlight {
    char *name;
    uint32_t holders;
    bool has_ended;
    Err err;
};

void template_flights_free(TemplateFlights *flights) {
    CHECK(!flights->count, "a template is being made");
    free(flights->items);
}

static void let_go(TemplateFlight *flight) {
    if (--flight->holders)
        return;
    free(flight->name);
    free(flight);
}

TemplateFlight *template_flight_join(TemplateFlights *flights, Slice name, bool *ret_is_own) {
    TemplateFlight *flight;

    *ret_is_own = false;
    for (uint32_t i = 0; i < flights->count; i++) {
        if (slice_eq_text(name, flights->items[i]->name)) {
            flights->items[i]->holders++;
            return flights->items[i];
        }
    }
    flight = NEW(TemplateFlight);
    flight->name = alloc_raw(name.len + 1);
    if (name.len)
        memcpy(flight->name, name.ptr, name.len);
    flight->name[name.len] = '\0';
    flight->holders = 1;
    GROW(flights->items, flights->capacity, flights->count + 1);
    flights->items[flights->count++] = flight;
    *ret_is_own = true;
    return flight;
}

void template_flight_end(TemplateFlights *flights, TemplateFlight *flight, const Err *err) {
    uint32_t kept = 0;

    for (uint32_t i = 0; i < flights->count; i++) {
        if (flights->items[i] != flight)
            flights->items[kept++] = flights->items[i];
    }
    flights->count = kept;
    flight->has_ended = true;
    if (err)
        flight->err = *err;
    let_go(flight);
}

// False: the client is being stopped.
static bool rest(const AwsClient *client, pthread_mutex_t *lock) {
    bool goes_on;

    pthread_mutex_unlock(lock);
    goes_on = aws_client_rest(client, LOOK_NS);
    pthread_mutex_lock(lock);
    return goes_on;
}

static ErrCode outcome_of(const TemplateFlight *flight, Err *err) {
    if (!flight->has_ended)
        return err_set(err, ERR_IO, "stopped while another launch made the template");
    if (flight->err.code != OK)
        *err = flight->err;
    return flight->err.code;
}

ErrCode template_flight_wait(TemplateFlights *flights, TemplateFlight *flight, const AwsClient *client,
                             pthread_mutex_t *lock, Err *err) {
    bool goes_on = true;
    ErrCode code;

    flights->waiting++;
    while (goes_on && !flight->has_ended)
        goes_on = rest(client, lock);
    flights->waiting--;
    code = outcome_of(flight, err);
    let_go(flight);
    return code;
}
