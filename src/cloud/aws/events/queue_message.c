// Bodies of messages: the envelope, then the members of its detail that its kind has.
#include "cloud/aws/events/queue_message.h"

#include "base/map.h"
#include "text/decode.h"
#include "text/json.h"

#include <strings.h>

typedef struct {
    Slice value;
} Entity;

// The details of all kinds; each kind fills its part.
typedef struct {
    Slice instance_id, state, service, category;
    Vec(Entity) entities;
} Detail;

static const Field entity_fields[] = {FIELD(Entity, value, "entityValue", FIELD_STRING)};
static const FieldTable entity_table = FIELD_TABLE(Entity, entity_fields);

static const Field instance_fields[] = {FIELD(Detail, instance_id, "instance-id", FIELD_STRING)};
static const FieldTable instance_table = FIELD_TABLE(Detail, instance_fields);

static const Field state_fields[] = {
    FIELD(Detail, instance_id, "instance-id", FIELD_STRING),
    FIELD(Detail, state, "state", FIELD_STRING),
};
static const FieldTable state_table = FIELD_TABLE(Detail, state_fields);

static const Field health_fields[] = {
    FIELD(Detail, service, "service", FIELD_STRING),
    FIELD(Detail, category, "eventTypeCategory", FIELD_STRING),
    FIELD(Detail, entities, "affectedEntities", FIELD_LIST, .table = &entity_table),
};
static const FieldTable health_table = FIELD_TABLE(Detail, health_fields);

static CloudMessageKind kind_of_state(const Detail *detail) {
    static const struct {
        const char *state;
        CloudMessageKind kind;
    } kinds[] = {
        {"stopping", CLOUD_MESSAGE_STOPPED},
        {"stopped", CLOUD_MESSAGE_STOPPED},
        {"shutting-down", CLOUD_MESSAGE_TERMINATED},
        {"terminated", CLOUD_MESSAGE_TERMINATED},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (detail->state.len == strlen(kinds[i].state) &&
            strncasecmp(detail->state.ptr, kinds[i].state, detail->state.len) == 0)
            return kinds[i].kind;
    }
    return CLOUD_MESSAGE_OTHER;
}

static CloudMessageKind kind_of_health(const Detail *detail) {
    return slice_eq_text(detail->service, "EC2") && slice_eq_text(detail->category, "scheduledChange")
               ? CLOUD_MESSAGE_SCHEDULED_CHANGE
               : CLOUD_MESSAGE_OTHER;
}

// Events that somebody acts on; all are of version "0".
typedef struct {
    QueueEvent event;
    const FieldTable *table;                  // of the detail
    CloudMessageKind (*tell)(const Detail *); // the kind, where the detail tells
} EventKind;

static const EventKind event_kinds[] = {
    {{"aws.ec2", "EC2 Spot Instance Interruption Warning", CLOUD_MESSAGE_SPOT_INTERRUPTED}, &instance_table, NULL},
    {{"aws.ec2", "EC2 Instance Rebalance Recommendation", CLOUD_MESSAGE_REBALANCE}, &instance_table, NULL},
    {{"aws.ec2", "EC2 Instance State-change Notification", CLOUD_MESSAGE_OTHER}, &state_table, kind_of_state},
    {{"aws.ec2", "EC2 Capacity Reservation Instance Interruption Warning", CLOUD_MESSAGE_RESERVATION_INTERRUPTED},
     &instance_table,
     NULL},
    {{"aws.health", "AWS Health Event", CLOUD_MESSAGE_OTHER}, &health_table, kind_of_health},
};
enum { EVENT_KINDS = sizeof event_kinds / sizeof *event_kinds };

const QueueEvent *queue_event(uint32_t number) {
    return number < EVENT_KINDS ? &event_kinds[number].event : NULL;
}

typedef struct {
    Slice version, source, detail_type;
    int64_t time_ns;
    const Value *detail;
} Envelope;

static const Field envelope_fields[] = {
    FIELD(Envelope, version, "version", FIELD_STRING),
    FIELD(Envelope, source, "source", FIELD_STRING),
    FIELD(Envelope, detail_type, "detail-type", FIELD_STRING),
    FIELD(Envelope, time_ns, "time", FIELD_TIME),
    FIELD(Envelope, detail, "detail", FIELD_VALUE),
};
static const FieldTable envelope_table = FIELD_TABLE(Envelope, envelope_fields);

// NULL: nobody acts on it.
static const EventKind *find_kind(const Envelope *envelope) {
    if (!slice_eq_text(envelope->version, "0"))
        return NULL;
    for (size_t i = 0; i < EVENT_KINDS; i++) {
        if (slice_eq_text(envelope->source, event_kinds[i].event.source) &&
            slice_eq_text(envelope->detail_type, event_kinds[i].event.detail_type))
            return &event_kinds[i];
    }
    return NULL;
}

static ErrCode parse_body(Arena *arena, Slice body, Value *ret_root, Err *err) {
    const ParseOptions options = {.depth_max = QUEUE_BODY_DEPTH_MAX, .values_max = QUEUE_BODY_VALUES_MAX};
    DocumentVec documents = {0};
    WarningVec warnings = {0};

    if (body.len > QUEUE_BODY_BYTES_MAX)
        return err_set(err, ERR_TOO_LARGE, "more than %d bytes", QUEUE_BODY_BYTES_MAX);
    TRY(json_parse(arena, SLICE("body"), body, &options, &documents, &warnings, err));
    if (documents.count != 1)
        return err_set(err, ERR_INVALID, "expected one JSON object, got %u", documents.count);
    *ret_root = documents.items[0].root;
    return OK;
}

// Adds an id that is not there yet; the empty one is none.
static ErrCode add_id(Arena *arena, IndexMap *seen, SliceVec *ids, Slice id, Err *err) {
    uint64_t hash = slice_hash(id);
    uint32_t cursor = 0, at;

    if (!id.len)
        return OK;
    while ((at = index_map_next(seen, hash, &cursor)) != INDEX_NONE) {
        if (slice_eq(ids->items[at], id))
            return OK;
    }
    if (ids->count == QUEUE_BODY_INSTANCES_MAX)
        return err_set(err, ERR_TOO_LARGE, "more than %d instances", QUEUE_BODY_INSTANCES_MAX);
    index_map_add(arena, seen, hash, ids->count);
    vec_push(arena, ids, id);
    return OK;
}

static ErrCode gather_ids(Arena *arena, const Detail *detail, SliceVec *ids, Err *err) {
    IndexMap seen = {0};

    TRY(add_id(arena, &seen, ids, detail->instance_id, err));
    for (vec_each(const Entity, entity, &detail->entities))
        TRY(add_id(arena, &seen, ids, entity->value, err));
    return OK;
}

static ErrCode read_detail(Decoder *decoder, const EventKind *kind, const Value *value, QueueMessage *message,
                           Err *err) {
    Detail detail = {0};

    if (value && value->kind != VALUE_NULL) {
        decode_enter(decoder, SLICE("detail"));
        TRY(decode_object(decoder, value, kind->table, &detail, err));
        decode_leave(decoder);
    }
    message->kind = kind->tell ? kind->tell(&detail) : kind->event.kind;
    return message->kind == CLOUD_MESSAGE_OTHER ? OK : gather_ids(decoder->arena, &detail, &message->instance_ids, err);
}

static ErrCode read_body(Arena *arena, Slice body, QueueMessage *message, Err *err) {
    Decoder decoder = {.arena = arena, .file = SLICE("body")};
    Envelope envelope = {0};
    const EventKind *kind;
    Value root;

    TRY(parse_body(arena, body, &root, err));
    TRY(decode_object(&decoder, &root, &envelope_table, &envelope, err));
    message->sent_ns = envelope.time_ns;
    kind = find_kind(&envelope);
    return kind ? read_detail(&decoder, kind, envelope.detail, message, err) : OK;
}

ErrCode queue_message_read(Arena *arena, Slice body, QueueMessage *ret_message, Err *err) {
    QueueMessage message = {.kind = CLOUD_MESSAGE_OTHER};
    ErrCode code = body.len ? read_body(arena, body, &message, err) : OK;

    if (code != OK) {
        err_prefix(err, "message of the interruption queue");
        return code;
    }
    *ret_message = message;
    return OK;
}
