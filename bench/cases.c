#include "cases.h"

const BenchCase bench_cases[] = {
    {"diverse", "Karpenter's own benchmark: spread, affinity, anti-affinity and plain pods, 400 types", 20000,
     case_diverse},
    {"preference", "Karpenter's benchmark of preferences: equal pods that prefer a zone and each other's absence", 4000,
     case_preference},
    {"preference-ignore", "the same with --preference-policy Ignore", 4000, case_preference_ignore},
    {"distinct", "every pod a class of its own: odd sizes, own labels", 20000, case_distinct},
    {"hostname-anti-affinity", "four workloads whose pods keep away from each other's nodes", 5000,
     case_hostname_anti_affinity},
    {"zone-spread-500", "500 deployments, each spread over the zones", 10000, case_zone_spread},
    {"pools-50", "50 NodePools with requirements, taints and weights; every type of EC2", 5000, case_pools},
    {"nodes-5000", "5,000 nodes nearly full of running pods (--nodes)", 5000, case_nodes},
    {"openb", "sizes of real pods (Alibaba's openb), c7i, m7i and r7i of all sizes", 8152, case_openb},
    {"openb-32", "the same with types of at most 32 CPUs and the pods that fit them", 8152, case_openb_32},
};
const size_t bench_case_count = sizeof bench_cases / sizeof *bench_cases;

const BenchCase *bench_case_find(Slice name) {
    for (size_t i = 0; i < bench_case_count; i++) {
        if (slice_eq_text(name, bench_cases[i].name))
            return &bench_cases[i];
    }
    return NULL;
}
