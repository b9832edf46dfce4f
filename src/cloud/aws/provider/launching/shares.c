// Which offerings a plan's claims ask for, and how many claims at once: by the room that offerings have
// (trouble_book.h), and the addresses of their zones (subnet_book.h).
#include "cloud/aws/provider/launching/launching.h"
#include "cloud/aws/template/interfaces.h"

typedef struct {
    LaunchCall *call;
    LaunchPlan *plan;
    ShareOfferingVec offerings;
    // of each:
    Vec(Offering *) places; // in the plan's types
    Vec(int64_t) addresses; // that an instance takes
} Sharing;

static bool has_subnet(const LaunchPlan *plan, Symbol zone) {
    for (vec_each(const SubnetStatus, subnet, &plan->class->snapshot->class.subnets)) {
        if (subnet->zone == zone)
            return true;
    }
    return false;
}

static UnavailableMark mark_of(const Sharing *sharing, Symbol type, Symbol zone) {
    const LaunchPlan *plan = sharing->plan;

    return (UnavailableMark){
        .kind = UNAVAILABLE_OFFERING,
        .capacity_type = plan->choice.capacity_type,
        .type = type,
        .zone = zone,
        .group = symbol_intern(&sharing->call->provider->symbols, plan->facts.placement_group_id),
        .partition = plan->partition,
    };
}

static void find_offerings(Sharing *sharing) {
    Arena *scratch = &sharing->call->scratch;

    for (vec_each(const InstanceType, type, &sharing->plan->choice.types)) {
        for (vec_each(Offering, offering, &type->offerings)) {
            if (!has_subnet(sharing->plan, offering->zone))
                continue;
            vec_push(scratch, &sharing->offerings,
                     (ShareOffering){.offering = mark_of(sharing, type->name, offering->zone),
                                     .price = offering->price_per_hour});
            vec_push(scratch, &sharing->places, offering);
            vec_push(scratch, &sharing->addresses,
                     subnet_addresses_for(type, template_is_ipv6(sharing->plan->facts.dns_ip)));
        }
    }
}

// The offerings of the claims' instances.
static UnavailableMarkVec find_launched(const Sharing *sharing, LaunchItem *const *items, uint32_t count) {
    UnavailableMarkVec launched = {0};

    for (uint32_t i = 0; i < count; i++) {
        const CloudInstance *instance = &items[i]->result->instance;

        if (items[i]->result->code == OK)
            vec_push(&sharing->call->scratch, &launched, mark_of(sharing, instance->instance_type, instance->zone));
    }
    return launched;
}

static void find_cramped(Sharing *sharing, uint32_t launches) {
    const LaunchPlan *plan = sharing->plan;
    ProviderLaunches *book = sharing->call->launches;
    uint32_t at = 0;

    pthread_mutex_lock(&book->lock);
    subnet_book_sweep(&book->subnets, provider_now(sharing->call->provider).now.ns);
    for (vec_each(ShareOffering, offering, &sharing->offerings)) {
        int64_t each = sharing->addresses.items[at++];

        offering->is_cramped = !subnets_can_hold(&book->subnets, &plan->class->snapshot->class.subnets,
                                                 offering->offering.zone, each * launches);
    }
    pthread_mutex_unlock(&book->lock);
}

// Launches some of the claims, and returns how many.
static uint32_t launch_share_of(Sharing *sharing, LaunchItem *const *items, uint32_t count, bool is_last) {
    LaunchCall *call = sharing->call;
    const ProviderNeighbours *neighbours = call->provider->neighbours;
    UnavailableMarkVec launched;
    uint32_t share;

    find_cramped(sharing, count);
    share = neighbours->launches_begin(call->provider, &sharing->offerings, count, is_last);
    for (uint32_t i = 0; i < sharing->places.count; i++)
        sharing->places.items[i]->available = !sharing->offerings.items[i].is_left_out;
    sharing->plan->items = (LaunchItemVec){0};
    for (uint32_t i = 0; i < share; i++)
        vec_push(&call->scratch, &sharing->plan->items, items[i]);
    launch_fleet(call, sharing->plan);
    launched = find_launched(sharing, items, share);
    neighbours->launches_end(call->provider, &sharing->offerings, share, &launched);
    return share;
}

// Types that are left out could be those that minValues want; reservations have counts of their own.
void launch_shares(LaunchCall *call, LaunchPlan *plan) {
    Sharing sharing = {.call = call, .plan = plan};
    const LaunchItemVec all = plan->items;
    uint32_t done;

    if (plan->has_min_values || plan->choice.capacity_type == NAME_RESERVED) {
        launch_fleet(call, plan);
        return;
    }
    find_offerings(&sharing);
    done = launch_share_of(&sharing, all.items, all.count, false);
    if (done < all.count)
        launch_share_of(&sharing, &all.items[done], all.count - done, true);
}
