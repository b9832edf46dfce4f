// The transport: what happens to a request on its way, and who answers it.
#include "sim/wire/wire.h"

#include "aws/protocol/scalar.h"
#include "base/alloc.h"
#include "sim/wire/form.h"
#include "sim/wire/wire_parts.h"
#include "text/duration.h"

static const int64_t SILENCE_NS = 30 * NS_PER_S; // after which a connection that is cut off counts as broken
static const int64_t CLOCK_NS = 5 * NS_PER_MIN;  // a request that is signed at another time is refused

// --- which operation it is

static Slice host_of(Slice url) {
    Slice rest = slice_starts_with(url, SLICE("https://")) ? slice_from(url, strlen("https://")) : url;
    ptrdiff_t end = slice_find(rest, '/');

    return end < 0 ? rest : slice_first(rest, (size_t)end);
}

static Slice path_of(Slice url) {
    Slice host = host_of(url);

    return slice_from(url, (size_t)(host.ptr - url.ptr) + host.len);
}

static Slice header_of(const AwsRequest *request, const char *name) {
    for (uint32_t i = 0; i < request->header_count; i++) {
        if (slice_eq_text(request->headers[i].name, name))
            return request->headers[i].value;
    }
    return (Slice){0};
}

// The name of the operation: of the form, of the header, or, where the path says it, empty.
static Slice name_of(Arena *arena, const AwsRequest *request, AwsProtocol protocol) {
    Slice target = header_of(request, "X-Amz-Target");
    ptrdiff_t dot = slice_find(target, '.');

    if (protocol == AWS_EC2_QUERY || protocol == AWS_QUERY)
        return wire_form_get(arena, request->body, SLICE("Action"));
    return dot < 0 ? (Slice){0} : slice_from(target, (size_t)dot + 1);
}

static bool is_asked(Arena *arena, const AwsRequest *request, const AwsOperation *operation) {
    const AwsService *service = operation->service;
    Slice host = host_of(request->url), prefix = slice_of(service->endpoint_prefix);

    if (!slice_starts_with(host, prefix) || host.ptr[prefix.len] != '.')
        return false;
    if (service->protocol == AWS_REST_JSON)
        return slice_starts_with(path_of(request->url), SLICE("/clusters/"));
    return slice_eq_text(name_of(arena, request, service->protocol), operation->name);
}

static const WireService *find_service(Arena *arena, const AwsRequest *request) {
    for (const WireService *service = wire_services; service->operation; service++) {
        if (is_asked(arena, request, service->operation))
            return service;
    }
    return NULL;
}

// --- reading

// JSON is read by aws/protocol: the answer of an operation whose output is this one's input is its request.
static ErrCode read_json(Arena *arena, const AwsOperation *operation, Slice body, void *ret_input, Err *err) {
    AwsService service = *operation->service;
    const AwsOperation reversed = {.service = &service, .name = operation->name, .output = operation->input};
    const AwsAnswer answer = {.status = 200, .body = body};
    AwsFault fault;

    return aws_read(arena, &reversed, &answer, ret_input, &fault, err);
}

static ErrCode read_input(Arena *arena, const AwsOperation *operation, const AwsRequest *request, void *ret_input,
                          Err *err) {
    switch (operation->service->protocol) {
    case AWS_EC2_QUERY:
    case AWS_QUERY:
        return wire_form_read(arena, operation, request->body, ret_input, err);
    case AWS_REST_JSON: // its one member is the end of the path
        *(Slice *)ret_input = slice_from(path_of(request->url), strlen("/clusters/"));
        return OK;
    default:
        return read_json(arena, operation, request->body, ret_input, err);
    }
}

// --- answering

static Slice http_date(Arena *arena, int64_t wall_ns) {
    static const AwsShape shape = {.kind = AWS_TIME, .time_format = AWS_TIME_HTTP_DATE};
    AwsTime time = aws_time(wall_ns / NS_PER_S * NS_PER_S);
    Buffer out = {0};
    Slice text;

    aws_scalar_write(&out, &shape, AWS_TIME_HTTP_DATE, &time);
    text = arena_slice(arena, buffer_slice(&out));
    buffer_free(&out);
    return text;
}

static void set_answer(const SimAws *aws, Arena *arena, int status, Slice body, AwsAnswer *ret_answer) {
    HttpHeader *headers = arena_array(arena, HttpHeader, 2);

    headers[0] = (HttpHeader){SLICE("Date"), http_date(arena, world_now_ns(aws->world))};
    headers[1] = (HttpHeader){SLICE("X-Amzn-RequestId"), SLICE("simulated")};
    *ret_answer = (AwsAnswer){.status = status, .headers = headers, .header_count = 2, .body = body};
}

// Whether the signature is of this time: 20260105T000000Z.
static bool is_timely(const SimAws *aws, Arena *arena, const AwsRequest *request) {
    Slice date = header_of(request, "X-Amz-Date");
    int64_t signed_ns, late_ns;

    if (date.len != strlen("20260105T000000Z"))
        return false;
    date = arena_printf(arena, "%.4s-%.2s-%.2sT%.2s:%.2s:%.2sZ", date.ptr, date.ptr + 4, date.ptr + 6, date.ptr + 9,
                        date.ptr + 11, date.ptr + 13);
    if (time_parse(date, &signed_ns, NULL) != OK)
        return false;
    late_ns = world_now_ns(aws->world) - signed_ns;
    return late_ns < CLOCK_NS && late_ns > -CLOCK_NS;
}

static WireFault untimely(const AwsOperation *operation) {
    return wire_refuse(operation->service->protocol == AWS_EC2_QUERY ? "RequestExpired" : "InvalidSignatureException",
                       "the request was signed at another time");
}

static WireFault handle(const WireService *service, WireCall *call, const AwsRequest *request) {
    const AwsOperation *operation = service->operation;
    void *input = arena_alloc(call->arena, operation->input->size);
    Err err = {0};

    if (read_input(call->arena, operation, request, input, &err) != OK)
        return wire_refuse("MalformedQueryString", err.text);
    call->input = input;
    call->output = operation->output ? arena_alloc(call->arena, operation->output->size) : NULL;
    return service->handle(call);
}

// The answer that is kept for such a request; empty: none.
static Slice kept_answer(const SimAws *aws, const WireService *service, uint64_t request) {
    if (!service->is_lasting)
        return (Slice){0};
    for (vec_each(const WireKept, kept, &aws->kept)) {
        if (kept->request == request)
            return kept->body;
    }
    return (Slice){0};
}

static void keep_answer(SimAws *aws, const WireService *service, uint64_t request, Slice body) {
    if (service->is_lasting)
        vec_push(&aws->arena, &aws->kept, (WireKept){request, arena_slice(&aws->arena, body)});
}

// Carries out a request, if it is of this time. Gives the body of the answer, and its status.
static int answer_of(const WireService *service, WireCall *call, const AwsRequest *request, Slice *ret_body) {
    uint64_t hash = hash_combine(slice_hash(slice_of(service->operation->name)), slice_hash(request->body));
    bool is_of_now = is_timely(call->aws, call->arena, request);
    WireFault fault;

    *ret_body = is_of_now ? kept_answer(call->aws, service, hash) : (Slice){0};
    if (ret_body->len)
        return 200;
    fault = is_of_now ? handle(service, call, request) : untimely(service->operation);
    *ret_body = fault.status ? wire_fault(call->arena, service->operation, &fault)
                             : wire_answer(call->arena, service->operation, call->output);
    if (!fault.status)
        keep_answer(call->aws, service, hash, *ret_body);
    return fault.status ? fault.status : 200;
}

// Carries out a request. `host` NULL: nobody waits for the answer.
static void serve(SimAws *aws, Arena *arena, const AwsRequest *request, const SimAwsHost *host, AwsAnswer *ret_answer) {
    const WireService *service = find_service(arena, request);
    WireCall call = {.aws = aws, .arena = arena, .body = request->body, .host = host};
    Slice body = SLICE("there is nobody at this address");
    int status = 404;

    aws->counts.requests++;
    if (service)
        status = answer_of(service, &call, request, &body);
    set_answer(aws, arena, status, body, ret_answer);
}

// --- what happens on the way

typedef enum { WAY_FINE, WAY_LOST, WAY_LATE, WAY_UNANSWERED, WAY_CUT, WAY_DOUBLED, WAY_THROTTLED } Way;

static Way draw_way(SimAws *aws) {
    const SimAwsFaults *faults = &aws->faults;
    uint32_t *counts[] = {NULL,
                          &aws->counts.faults.lost,
                          &aws->counts.faults.late,
                          &aws->counts.faults.unanswered,
                          &aws->counts.faults.cut,
                          &aws->counts.faults.doubled,
                          &aws->counts.faults.throttled};
    const uint32_t chances[] = {0,           faults->lost,    faults->late,     faults->unanswered,
                                faults->cut, faults->doubled, faults->throttled};
    uint32_t drawn = random_below(&aws->random, 1000);

    for (Way way = WAY_LOST; way <= WAY_THROTTLED; way++) {
        if (drawn < chances[way]) {
            ++*counts[way];
            return way;
        }
        drawn -= chances[way];
    }
    return WAY_FINE;
}

static ErrCode broken(Err *err) {
    return err_set(err, ERR_IO, "the connection was reset");
}

static ErrCode stopped(Err *err) {
    return err_set(err, ERR_IO, "stopped");
}

// A request that is on its way longer than its sender waits.
struct WireLate {
    SimAws *aws;
    Arena arena; // of what follows
    AwsRequest request;
    WireLate *next, **link;
};

static void free_late(WireLate *late) {
    arena_free(&late->arena);
    free(late);
}

static void arrive(void *context) {
    WireLate *late = context;
    AwsAnswer answer;

    serve(late->aws, &late->arena, &late->request, NULL, &answer);
    *late->link = late->next;
    if (late->next)
        late->next->link = late->link;
    free_late(late);
}

static void send_late(SimAws *aws, const AwsRequest *request) {
    WireLate *late = NEW(WireLate);
    HttpHeader *headers = arena_array(&late->arena, HttpHeader, request->header_count);

    for (uint32_t i = 0; i < request->header_count; i++)
        headers[i] = (HttpHeader){arena_slice(&late->arena, request->headers[i].name),
                                  arena_slice(&late->arena, request->headers[i].value)};
    late->aws = aws;
    late->request = *request;
    late->request.url = arena_slice(&late->arena, request->url);
    late->request.body = arena_slice(&late->arena, request->body);
    late->request.headers = headers;
    late->next = aws->late;
    late->link = &aws->late;
    if (late->next)
        late->next->link = &late->next;
    aws->late = late;
    world_alarm(aws->world, world_now_ns(aws->world) + random_below(&aws->random, 10000) * NS_PER_MS, arrive, late);
}

static int64_t draw_latency(const SimAws *aws, Arena *arena, const AwsRequest *request) {
    const WireService *service = find_service(arena, request);
    bool is_fleet = service && service->operation == &ec2_create_fleet;

    return sim_cloud_latency_ns(aws->cloud, is_fleet ? "launch" : "get");
}

static void set_throttled(const SimAws *aws, Arena *arena, const AwsRequest *request, AwsAnswer *ret_answer) {
    const WireService *service = find_service(arena, request);
    bool is_ec2 = service && service->operation->service->protocol == AWS_EC2_QUERY;
    const WireFault fault = is_ec2 ? (WireFault){503, "RequestLimitExceeded", SLICE("Request limit exceeded.")}
                                   : (WireFault){400, "ThrottlingException", SLICE("Rate exceeded")};

    set_answer(aws, arena, fault.status, service ? wire_fault(arena, service->operation, &fault) : SLICE(""),
               ret_answer);
}

// What the sender gets of an answer that was made.
static ErrCode reply(SimAwsLine *line, Way way, AwsAnswer *answer, Err *err) {
    SimAws *aws = line->aws;

    if (way == WAY_UNANSWERED && random_chance(&aws->random, 20)) {
        if (!line->host.rest(line->host.self, SILENCE_NS))
            return stopped(err);
        return err_set(err, ERR_TIMEOUT, "no answer in time");
    }
    if (way == WAY_UNANSWERED)
        return broken(err);
    if (way == WAY_CUT && answer->body.len)
        answer->body = slice_first(answer->body, random_below(&aws->random, (uint32_t)answer->body.len));
    return OK;
}

static ErrCode travel(SimAwsLine *line, Arena *arena, const AwsRequest *request, Way way, AwsAnswer *ret_answer,
                      Err *err) {
    SimAws *aws = line->aws;
    const SimAwsHost *host = &line->host;
    int64_t latency_ns = draw_latency(aws, arena, request);
    AwsAnswer answer = {0};

    if (!host->rest(host->self, latency_ns / 2)) { // it had left when the sender died
        if (random_chance(&aws->random, 50))
            serve(aws, arena, request, NULL, &answer);
        return stopped(err);
    }
    if (way == WAY_LATE)
        send_late(aws, request);
    if (way == WAY_LOST || way == WAY_LATE)
        return broken(err);
    if (way == WAY_DOUBLED)
        serve(aws, arena, request, NULL, &answer);
    if (way == WAY_THROTTLED)
        set_throttled(aws, arena, request, &answer);
    else
        serve(aws, arena, request, host, &answer);
    if (!host->rest(host->self, latency_ns - latency_ns / 2))
        return stopped(err);
    *ret_answer = answer;
    return reply(line, way, ret_answer, err);
}

// --- the table

static ErrCode send(void *self, Arena *arena, const AwsRequest *request, AwsAnswer *ret_answer, Err *err) {
    SimAwsLine *line = self;
    const SimAwsHost *host = &line->host;

    if (!host->rest(host->self, 0))
        return stopped(err);
    if (host->is_cut_off(host->self)) {
        if (!host->rest(host->self, SILENCE_NS))
            return stopped(err);
        return err_set(err, ERR_IO, "no connection within 30 s");
    }
    return travel(line, arena, request, draw_way(line->aws), ret_answer, err);
}

static Moment now(void *self) {
    SimAwsLine *line = self;

    return line->host.now(line->host.self);
}

static bool rest(void *self, int64_t ns) {
    SimAwsLine *line = self;

    return line->host.rest(line->host.self, ns);
}

AwsTransport sim_aws_transport(SimAwsLine *line) {
    return (AwsTransport){send, now, rest, line};
}

// --- making

static void free_aws(void *self) {
    SimAws *aws = self;
    WireLate *next;

    for (WireLate *late = aws->late; late; late = next) {
        next = late->next;
        free_late(late);
    }
    sim_view_free(aws->view);
    arena_free(&aws->arena);
    free(aws);
}

// Most ways are fine most of the time.
static SimAwsFaults draw_faults(Random *random) {
    static const uint32_t chances[] = {0, 2, 5, 20};
    uint32_t drawn[6];

    for (size_t i = 0; i < 6; i++)
        drawn[i] = chances[random_below(random, 4)];
    return (SimAwsFaults){drawn[0], drawn[1], drawn[2], drawn[3], drawn[4], drawn[5]};
}

SimAws *sim_aws_new(World *world, SimCloud *cloud, const SimAwsFaults *faults) {
    static const ComponentTable table = {.name = "aws", .free = free_aws};
    SimAws *aws = NEW(SimAws);

    aws->world = world;
    aws->cloud = cloud;
    aws->view = sim_view_new(cloud, world_symbols(world));
    aws->random = world_random(world, "the wire");
    aws->faults = faults ? *faults : draw_faults(&aws->random);
    world_add(world, &table, aws);
    return aws;
}

SimAwsCounts sim_aws_counts(const SimAws *aws) {
    return aws->counts;
}
