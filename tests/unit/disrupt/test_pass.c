// Passes: the order of the methods, and what each leaves to those after it. Reference lifecycle.md 4.1 to 4.4.
#include "disrupt/support/fleet.h"

#define DEFAULT_POOL(more) .name = "default", .spec = "disruption: {consolidateAfter: 0s" more "}"

TEST_F(Fleet, f, an_empty_node_goes) {
    world_pool(f->world, DEFAULT_POOL(""));
    fleet_node(f, .name = "a", .type = "small");
    fleet_read(f);
    assert_string_equal(fleet_pass(f), "emptiness a");
}
