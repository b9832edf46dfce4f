// Formats of the journal: {"decided":1,"controller":"…","name":"…","intents":[…]} and {"told":1,"results":[…]}.
#include "engine/journal.h"

#include "text/json.h"

static void put_text(Buffer *line, const char *key, Slice text) {
    buffer_printf(line, ",\"%s\":", key);
    json_print_string(line, text);
}

static void put_value(Buffer *line, const char *key, const Value *value) {
    buffer_printf(line, ",\"%s\":", key);
    json_print(line, value, false);
}

const char *journal_ns_label(const Controller *controller) {
    return controller->ns_label ? controller->ns_label : "namespace";
}

static void put_head(const Engine *engine, Buffer *line, const char *what, const EngineJob *job) {
    const Symbols *symbols = engine->shared->symbols;
    const Controller *controller = engine->config.controllers[job->controller];

    buffer_printf(line, "{\"%s\":%llu", what, (unsigned long long)job->number);
    put_text(line, "controller", slice_of(controller->name));
    if (job->key.ns != SYMBOL_EMPTY)
        put_text(line, journal_ns_label(controller), symbol_text(symbols, job->key.ns));
    if (job->key.name != SYMBOL_EMPTY)
        put_text(line, "name", symbol_text(symbols, job->key.name));
    if (job->aside)
        buffer_printf(line, ",\"aside\":true");
}

static void put_ref(Buffer *line, const KubeRef *ref) {
    put_text(line, "kind", kube_kind(ref->kind)->kind);
    if (ref->ns.len)
        put_text(line, "namespace", ref->ns);
    if (ref->name.len)
        put_text(line, "name", ref->name);
}

static void put_deletion(Buffer *line, const KubeDeletion *deletion) {
    if (deletion->uid.len)
        put_text(line, "uid", deletion->uid);
    if (deletion->has_grace)
        buffer_printf(line, ",\"graceSeconds\":%lld", (long long)deletion->grace_s);
}

static void put_intent(const Engine *engine, Buffer *line, const EngineJob *job, uint32_t step) {
    const Intent *intent = &job->intents[step];
    const CloudLaunch *launch = &job->steps[step].launch;

    buffer_printf(line, "%s{\"intent\":\"%s\"", step ? "," : "", intent_text(intent->type));
    switch (intent->type) {
    case INTENT_CREATE:
        put_text(line, "kind", kube_kind(intent->ref.kind)->kind);
        put_value(line, "object", intent->object);
        break;
    case INTENT_PATCH:
        put_ref(line, &intent->ref);
        if (intent->part == KUBE_STATUS)
            buffer_printf(line, ",\"part\":\"status\"");
        put_value(line, "patch", intent->patch.body);
        break;
    case INTENT_GET:
        put_ref(line, &intent->ref);
        break;
    case INTENT_REMOVE:
    case INTENT_EVICT:
        put_ref(line, &intent->ref);
        put_deletion(line, &intent->deletion);
        break;
    case INTENT_READ:
        put_text(line, "kind", kube_kind(intent->list.kind)->kind);
        put_text(line, "labels", intent->list.labels);
        put_text(line, "fields", intent->list.fields);
        break;
    case INTENT_LAUNCH:
    case INTENT_CHECK_DRIFT:
    case INTENT_TAG:
    case INTENT_LEARN:
        put_text(line, "claim",
                 launch->claim ? symbol_text(engine->shared->symbols, launch->claim->meta.name) : SLICE(""));
        break;
    case INTENT_TERMINATE:
    case INTENT_REBOOT:
    case INTENT_GET_INSTANCE:
        put_text(line, "providerID", symbol_text(engine->shared->symbols, intent->provider_id));
        break;
    case INTENT_RESOLVE_CLASS:
    case INTENT_FINALIZE_CLASS:
        put_text(line, "name", intent->ref.name);
        break;
    case INTENT_REFRESH:
        put_text(line, "what", slice_of(cloud_refresh_text(intent->refresh)));
        break;
    case INTENT_SOLVE:
        buffer_printf(line, ",\"pods\":%u", job->pods);
        break;
    case INTENT_DISRUPT:
        buffer_printf(line, ",\"proposals\":%u", intent->disrupt.proposals.count);
        break;
    default:
        break;
    }
    buffer_append_char(line, '}');
}

static void write_line(const Engine *engine, Buffer *line) {
    const Journal *journal = &engine->config.journal;

    buffer_append(line, SLICE("]}"));
    journal->write(journal->self, engine->own_wall_ns, buffer_slice(line));
    buffer_free(line);
}

void journal_decided(Engine *engine, const EngineJob *job) {
    Buffer line = {0};

    if (!engine->config.journal.write)
        return;
    put_head(engine, &line, "decided", job);
    buffer_append(&line, SLICE(",\"intents\":["));
    for (uint32_t i = 0; i < job->count; i++)
        put_intent(engine, &line, job, i);
    write_line(engine, &line);
}

static void put_failure(Buffer *line, const Completion *completion) {
    const Err *err = completion->kube_error    ? &completion->kube_error->err
                     : completion->cloud_error ? &completion->cloud_error->err
                                               : NULL;

    put_text(line, "failed", slice_of(err_code_text(completion->code)));
    if (err)
        put_text(line, "error", slice_of(err->text));
}

static void put_solved(Buffer *line, const Solved *solved) {
    buffer_printf(line,
                  ",\"pods\":%u,\"claims\":%u,\"nodes\":%u,\"unplaced\":%u,"
                  "\"pricePerHour\":%.6f",
                  solved->input->pending.count, solved->plan->claims.count, solved->plan->nodes.count,
                  solved->plan->unplaced.count, solved->plan->price_per_hour);
}

static void put_disrupted(Buffer *line, const Disrupted *disrupted) {
    uint32_t stand = 0;

    for (vec_each(const ProvenProposal, proven, &disrupted->proven))
        stand += proven->looked_at && proven->verdict == PROPOSAL_STANDS;
    buffer_printf(line, ",\"commands\":%u,\"notes\":%u,\"stand\":%u", disrupted->pass.commands.count,
                  disrupted->pass.notes.count, stand);
}

static void put_result(const Engine *engine, Buffer *line, const EngineJob *job, uint32_t step) {
    const Completion *completion = &job->completions[step];
    const Symbols *symbols = engine->shared->symbols;

    buffer_printf(line, "%s{\"intent\":\"%s\"", step ? "," : "", intent_text(completion->type));
    if (completion->code != OK)
        put_failure(line, completion);
    if (completion->object) {
        put_text(line, "name", kube_name(completion->object));
        buffer_printf(line, ",\"revision\":%llu", (unsigned long long)kube_revision(completion->object));
    }
    if (completion->instance) {
        put_text(line, "providerID", symbol_text(symbols, completion->instance->provider_id));
        put_text(line, "instanceType", symbol_text(symbols, completion->instance->instance_type));
        put_text(line, "zone", symbol_text(symbols, completion->instance->zone));
        put_text(line, "capacityType", symbol_text(symbols, completion->instance->capacity_type));
    }
    if (completion->instances)
        buffer_printf(line, ",\"instances\":%u", completion->instances->count);
    if (completion->solved)
        put_solved(line, completion->solved);
    if (completion->disrupted)
        put_disrupted(line, completion->disrupted);
    buffer_append_char(line, '}');
}

void journal_results(Engine *engine, const EngineJob *job) {
    Buffer line = {0};

    if (!engine->config.journal.write)
        return;
    put_head(engine, &line, "told", job);
    buffer_append(&line, SLICE(",\"results\":["));
    for (uint32_t i = 0; i < job->done; i++)
        put_result(engine, &line, job, i);
    write_line(engine, &line);
}
