// Pods as JSON: what the cases of the bench use of them. What they do not use is a CHECK, so that no constraint is lost
// on the way to the peer.
#include "write_parts.h"

static void write_selector(SceneWriter *writer, Slice name, const LabelSelector *selector) {
    json_begin(&writer->json, name, '{');
    write_expressions(writer, SLICE("matchExpressions"), &selector->expressions);
    json_end(&writer->json, '}');
}

static void write_requests(SceneWriter *writer, const Resources *requests) {
    json_begin(&writer->json, SLICE("containers"), '[');
    json_begin(&writer->json, NO_NAME, '{');
    json_text(&writer->json, SLICE("name"), SLICE("main"));
    json_begin(&writer->json, SLICE("resources"), '{');
    write_amounts(writer, SLICE("requests"), requests, false);
    json_end(&writer->json, '}');
    json_end(&writer->json, '}');
    json_end(&writer->json, ']');
}

static void write_tolerations(SceneWriter *writer, const TolerationVec *tolerations) {
    if (!tolerations->count)
        return;
    json_begin(&writer->json, SLICE("tolerations"), '[');
    for (vec_each(const Toleration, toleration, tolerations)) {
        CHECK(toleration->op == TOLERATION_EQUAL || toleration->op == TOLERATION_EXISTS, "toleration not written");
        json_begin(&writer->json, NO_NAME, '{');
        write_symbol(writer, SLICE("key"), toleration->key);
        json_text(&writer->json, SLICE("operator"),
                  toleration->op == TOLERATION_EQUAL ? SLICE("Equal") : SLICE("Exists"));
        if (toleration->op == TOLERATION_EQUAL)
            write_symbol(writer, SLICE("value"), toleration->value);
        json_text(&writer->json, SLICE("effect"), slice_of(taint_effect_text(toleration->effect)));
        json_end(&writer->json, '}');
    }
    json_end(&writer->json, ']');
}

static void write_spreads(SceneWriter *writer, const TopologySpreadVec *spreads) {
    if (!spreads->count)
        return;
    json_begin(&writer->json, SLICE("topologySpreadConstraints"), '[');
    for (vec_each(const TopologySpread, spread, spreads)) {
        CHECK(!spread->min_domains && !spread->schedule_anyway && !spread->match_label_keys.count &&
                  !spread->ignore_node_affinity && !spread->honor_node_taints,
              "spread not written");
        json_begin(&writer->json, NO_NAME, '{');
        write_symbol(writer, SLICE("topologyKey"), spread->topology_key);
        json_int(&writer->json, SLICE("maxSkew"), spread->max_skew);
        json_text(&writer->json, SLICE("whenUnsatisfiable"), SLICE("DoNotSchedule"));
        write_selector(writer, SLICE("labelSelector"), spread->selector);
        json_end(&writer->json, '}');
    }
    json_end(&writer->json, ']');
}

static void write_term(SceneWriter *writer, Slice name, const PodAffinityTerm *term) {
    CHECK(!term->namespaces.count && !term->namespace_selector && !term->match_label_keys.count &&
              !term->mismatch_label_keys.count,
          "affinity term not written");
    json_begin(&writer->json, name, '{');
    write_symbol(writer, SLICE("topologyKey"), term->topology_key);
    write_selector(writer, SLICE("labelSelector"), term->selector);
    json_end(&writer->json, '}');
}

static void write_pod_affinity(SceneWriter *writer, Slice name, const PodAffinity *affinity) {
    if (!affinity->required.count && !affinity->preferred.count)
        return;
    json_begin(&writer->json, name, '{');
    json_begin(&writer->json, SLICE("requiredDuringSchedulingIgnoredDuringExecution"), '[');
    for (vec_each(const PodAffinityTerm, term, &affinity->required))
        write_term(writer, NO_NAME, term);
    json_end(&writer->json, ']');
    json_begin(&writer->json, SLICE("preferredDuringSchedulingIgnoredDuringExecution"), '[');
    for (vec_each(const PodAffinityTerm, term, &affinity->preferred)) {
        json_begin(&writer->json, NO_NAME, '{');
        json_int(&writer->json, SLICE("weight"), term->weight);
        write_term(writer, SLICE("podAffinityTerm"), term);
        json_end(&writer->json, '}');
    }
    json_end(&writer->json, ']');
    json_end(&writer->json, '}');
}

static void write_node_affinity(SceneWriter *writer, const PodSpec *spec) {
    CHECK(!spec->has_required_node_terms, "required node terms not written");
    if (!spec->preferred_node_terms.count)
        return;
    json_begin(&writer->json, SLICE("nodeAffinity"), '{');
    json_begin(&writer->json, SLICE("preferredDuringSchedulingIgnoredDuringExecution"), '[');
    for (vec_each(const NodeTerm, term, &spec->preferred_node_terms)) {
        json_begin(&writer->json, NO_NAME, '{');
        json_int(&writer->json, SLICE("weight"), term->weight);
        json_begin(&writer->json, SLICE("preference"), '{');
        write_expressions(writer, SLICE("matchExpressions"), &term->expressions);
        json_end(&writer->json, '}');
        json_end(&writer->json, '}');
    }
    json_end(&writer->json, ']');
    json_end(&writer->json, '}');
}

void write_pod_spec(SceneWriter *writer, const PodSpec *spec, Symbol node_name) {
    CHECK(!spec->host_ports.count && !spec->volumes.count && !spec->has_overhead && !spec->runtime_class,
          "pod spec not written");
    json_begin(&writer->json, SLICE("spec"), '{');
    if (node_name != NAME_EMPTY)
        write_symbol(writer, SLICE("nodeName"), node_name);
    write_requests(writer, &spec->requests);
    write_labels(writer, SLICE("nodeSelector"), &spec->node_selector);
    write_tolerations(writer, &spec->tolerations);
    write_spreads(writer, &spec->spreads);
    json_begin(&writer->json, SLICE("affinity"), '{');
    write_node_affinity(writer, spec);
    write_pod_affinity(writer, SLICE("podAffinity"), &spec->affinity);
    write_pod_affinity(writer, SLICE("podAntiAffinity"), &spec->anti_affinity);
    json_end(&writer->json, '}');
    json_end(&writer->json, '}');
}

void write_pod(SceneWriter *writer, const Pod *pod) {
    ObjectMeta meta = {.ns = pod->ns, .name = pod->name, .uid = pod->uid, .labels = pod->labels};

    write_object(writer, SLICE("v1"), SLICE("Pod"), &meta);
    write_pod_spec(writer, pod->spec, pod->node_name);
    if (pod->node_name != NAME_EMPTY) {
        json_begin(&writer->json, SLICE("status"), '{');
        json_text(&writer->json, SLICE("phase"), SLICE("Running"));
        json_end(&writer->json, '}');
    }
    json_end(&writer->json, '}');
}
