// From manifests to the report of a launch.
#include "cli/aws/trace.h"

#include "cli/aws/trace_input.h"
#include "cli/aws/trace_print.h"
#include "cloud/aws/instance_types.h"

#define ASSUMED_CLUSTER  "CLUSTER"
#define ASSUMED_ENDPOINT "https://ENDPOINT"
#define ASSUMED_CIDR     "10.100.0.0/16" // EKS's own choice

typedef struct {
    const TraceOptions *options;
    TraceInput input;
    InstanceTypeVec types;
    LaunchTraceFacts facts;
    LaunchTrace trace;
    TraceReport report;
} Tracing;

// The text, or what is assumed instead, which the report then says.
static Slice or_assumed(Tracing *tracing, Slice text, const char *assumed, const char *flag, const char *what) {
    if (text.len)
        return text;
    vec_push(&tracing->input.arena, &tracing->report.assumed,
             arena_printf(&tracing->input.arena, "%s is %s (--%s)", what, assumed, flag));
    return slice_of(assumed);
}

// The region of a zone: "us-east-1a" gives "us-east-1", and so does "us-east-1-bos-1a".
static Slice region_of_zone(Slice zone) {
    size_t end = 0;

    while (end < zone.len && !(zone.ptr[end] >= '0' && zone.ptr[end] <= '9'))
        end++;
    while (end < zone.len && zone.ptr[end] >= '0' && zone.ptr[end] <= '9')
        end++;
    return slice_first(zone, end);
}

static ErrCode check_status(Tracing *tracing, Err *err) {
    TraceInput *input = &tracing->input;
    SliceVec missing = launch_trace_missing(&input->arena, &input->class);
    Slice name = symbol_text(&input->symbols, input->class.meta.name), list = SLICE("");

    for (vec_each(const Slice, member, &missing))
        list = arena_printf(&input->arena, "%.*s%s%.*s", SLICE_ARG(list), list.len ? ", " : "", SLICE_ARG(*member));
    if (!missing.count)
        return OK;
    return err_set(err, ERR_INVALID,
                   "EC2NodeClass %.*s has no %.*s: what tenon run has found in EC2 stands there, so take the object "
                   "from the cluster (kubectl get ec2nodeclass %.*s -o yaml), or write it in",
                   SLICE_ARG(name), SLICE_ARG(list), SLICE_ARG(name));
}

static ErrCode find_types(Tracing *tracing, Err *err) {
    TraceInput *input = &tracing->input;
    Ec2Catalogue catalogue;
    Ec2TypeOptions options = EC2_TYPE_OPTIONS(tracing->facts.region);

    options.vm_memory_overhead_percent = tracing->options->vm_memory_overhead_percent;
    options.reserved_enis = tracing->options->reserved_enis;
    TRY(ec2_catalogue_parse(&input->arena, SLICE("built-in EC2 catalogue"), ec2_catalogue_embedded(), &catalogue, err));
    return ec2_instance_types(&input->arena, &input->symbols, &catalogue, &options, &input->class, &tracing->types,
                              err);
}

// Only nodes of AL2023 are told.
static Slice service_cidr(Tracing *tracing) {
    Slice given = tracing->options->service_cidr;

    if (!slice_eq_text(tracing->input.class.ami_family, "AL2023"))
        return given;
    return or_assumed(tracing, given, ASSUMED_CIDR, "service-cidr", "the range of addresses of Services");
}

static void fill_facts(Tracing *tracing) {
    const TraceOptions *options = tracing->options;
    TraceInput *input = &tracing->input;
    Slice zone = symbol_text(&input->symbols, input->class.subnets.items[0].zone);

    tracing->facts = (LaunchTraceFacts){
        .symbols = &input->symbols,
        .claim = &input->claim,
        .class = &input->class,
        .types = &tracing->types,
        .region = options->region.len ? options->region : region_of_zone(zone),
        .cluster_name =
            or_assumed(tracing, options->cluster_name, ASSUMED_CLUSTER, "cluster-name", "the name of the cluster"),
        .cluster_endpoint = or_assumed(tracing, options->cluster_endpoint, ASSUMED_ENDPOINT, "cluster-endpoint",
                                       "the endpoint of the cluster"),
        .ca_bundle = options->cluster_ca_bundle,
        .service_cidr = service_cidr(tracing),
        .dns_ip = options->dns_ip,
        .reserved_capacity = true,
        .min_values_strict = true,
    };
}

// A class that is not ready is launched with nowhere; what would be asked for is of use all the same.
static void fill_report(Tracing *tracing) {
    const TraceInput *input = &tracing->input;
    TraceReport *report = &tracing->report;
    Arena *arena = &tracing->input.arena;

    report->symbols = &input->symbols;
    report->trace = &tracing->trace;
    report->claim = symbol_text(&input->symbols, input->claim.meta.name);
    report->class = symbol_text(&input->symbols, input->class.meta.name);
    report->region = tracing->facts.region;
    vec_push(arena, &report->assumed,
             SLICE("types and prices are those of the built-in catalogue, and everything has capacity"));
    for (vec_each(const Condition, condition, &input->class.conditions)) {
        Slice status = symbol_text(&input->symbols, condition->status);

        if (slice_eq_text(symbol_text(&input->symbols, condition->type), "Ready") && !slice_eq_text(status, "True"))
            vec_push(arena, &report->warnings,
                     arena_printf(arena, "the EC2NodeClass is not ready, so nothing is launched: %.*s",
                                  SLICE_ARG(condition->message)));
    }
}

static ErrCode trace(Tracing *tracing, Err *err) {
    CloudError error = {0};

    TRY(trace_input_read(&tracing->options->inputs, tracing->options->claim, &tracing->input, err));
    TRY(check_status(tracing, err));
    fill_facts(tracing);
    TRY(find_types(tracing, err));
    fill_report(tracing);
    if (launch_trace(&tracing->input.arena, &tracing->facts, &tracing->trace, &error) != OK)
        return err_set(err, error.err.code, "nothing is launched: %s", error.err.text);
    return OK;
}

ErrCode trace_run(const TraceOptions *options, Buffer *out, Err *err) {
    Tracing tracing = {.options = options};
    ErrCode code = trace(&tracing, err);

    if (code == OK && options->json)
        trace_print_json(out, &tracing.report);
    else if (code == OK)
        trace_print_text(out, &tracing.report);
    trace_input_free(&tracing.input);
    return code;
}
