// Marks that double, budgets that halve.
#include "cloud/aws/launch/trouble.h"

static int64_t next_mark_ns(const Trouble *former) {
    int64_t twice_ns = 2 * former->mark_ns;

    if (!former->mark_ns || former->is_trusted)
        return TROUBLE_LEAST_NS;
    return twice_ns < TROUBLE_MOST_NS ? twice_ns : TROUBLE_MOST_NS;
}

static uint32_t half(uint32_t launches) {
    return launches > 1 ? launches / 2 : 1;
}

Trouble trouble_failed(Trouble former, int64_t now_ns) {
    if (trouble_is_over(&former, now_ns))
        former = (Trouble){0};
    if (!former.mark_ns || former.until_ns <= now_ns) {
        former.launches = half(former.mark_ns ? former.launches : TROUBLE_LAUNCHES_FIRST);
        former.mark_ns = next_mark_ns(&former);
        former.is_trusted = false;
    }
    former.until_ns = now_ns + former.mark_ns;
    return former;
}

Trouble trouble_launched(Trouble former, int64_t now_ns) {
    if (now_ns < former.until_ns)
        return former;
    former.is_trusted = true;
    if (former.launches < TROUBLE_LAUNCHES_MOST)
        former.launches++;
    return former;
}

uint32_t trouble_allows(const Trouble *trouble, int64_t now_ns) {
    if (now_ns < trouble->until_ns)
        return 0;
    return trouble->is_trusted ? trouble->launches : 1;
}

bool trouble_is_over(const Trouble *trouble, int64_t now_ns) {
    return now_ns - TROUBLE_MOST_NS >= trouble->until_ns;
}
