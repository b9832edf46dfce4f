// The job of disruption: from a snapshot to commands. All of it is in the job's arena, which lives until the completion
// was delivered. It has a thread of its own, so that no plan for pending pods waits for it.
#include "engine/job_disrupt.h"

#include "ctl/disruption/answer.h"
#include "engine/job_cluster.h"

static const RepairPolicies *repair_policies(EngineJob *job, const PlanPoolVec *pools) {
    RepairPolicies *policies = arena_array(&job->arena, RepairPolicies, pools->count);

    for (uint32_t i = 0; i < pools->count; i++)
        policies[i] = cloud_repair_policies(job->shared->cloud, pools->items[i].pool);
    return policies;
}

void job_disrupt(EngineJob *job, uint32_t step) {
    const DisruptIntent *intent = &job->intents[step].disrupt;
    JobCluster of = job_cluster_make(job);
    DisruptFacts *facts = arena_new(&job->arena, DisruptFacts);
    Disrupted *disrupted = arena_new(&job->arena, Disrupted);
    DisruptOptions options = intent->options;

    options.search = job_search(job, &options.search);
    *facts = (DisruptFacts){.cluster = of.cluster,
                            .nodes = of.nodes,
                            .pools = of.pools,
                            .growing = of.growing,
                            .repair_policies = repair_policies(job, &of.pools),
                            .default_spread = job->shared->settings.default_spread,
                            .cost_rules = intent->cost_rules,
                            .digests = job->shared->disruption_digests,
                            .wall_ns = job->decided_ns};
    disruption_mark_nodes(&job->arena, facts, intent);
    disruption_answer(&job->arena, facts, &options, intent, disrupted);
    type_digests_sweep(job->shared->disruption_digests);
    if (atomic_load(&job->shared->ends))
        job->completions[step].code = ERR_GONE; // it is told to nobody
    job->completions[step].disrupted = disrupted;
}
