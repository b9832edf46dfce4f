// The solver's job: from a snapshot to a plan. All of it is in the job's arena, which lives until the completion was
// delivered. Behaviour: reference scheduling.md 4.1 (pods), 5.1 (pools), 7.2 (nodes).
#include "engine/job_solve.h"

#include "engine/job_cluster.h"
#include "sched/set_aside.h"

void job_solve(EngineJob *job, uint32_t step) {
    const SolveIntent *intent = &job->intents[step].solve;
    JobCluster of = job_cluster_make(job);
    PlanInput *input = arena_new(&job->arena, PlanInput);
    Plan *plan = arena_new(&job->arena, Plan);
    Solved *solved = arena_new(&job->arena, Solved);

    input->cluster = of.cluster;
    input->pools = of.growing;
    input->nodes = of.nodes;
    input->pending = pending_select(&job->arena, input->cluster, &input->nodes, job->decided_ns);
    input->default_spread = job->shared->settings.default_spread;
    input->preferences = intent->preferences;
    input->min_values = intent->min_values;
    input->max_instance_types = intent->max_instance_types;
    input->search = job_search(job, &intent->search);
    set_aside_uids(&job->arena, input, &intent->set_aside);
    input->digests = job->shared->digests;
    plan_solve(&job->arena, input, plan);
    type_digests_sweep(job->shared->digests);
    *solved = (Solved){input, plan};
    if (plan->cancelled)
        job->completions[step].code = ERR_GONE; // it is told to nobody
    job->completions[step].solved = solved;
}
