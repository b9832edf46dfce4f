// Forms taken apart, and printed.
#include "cli/aws/trace_print.h"

#include "text/json.h"
#include "text/quote.h"

typedef struct {
    Slice name, value;
} FormField;
typedef Vec(FormField) FormFieldVec;

// --- forms

static int hex_of(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static Slice decode(Arena *arena, Slice text) {
    char *bytes = arena_alloc(arena, text.len + 1);
    size_t len = 0;

    for (size_t i = 0; i < text.len; i++) {
        bool is_escaped =
            text.ptr[i] == '%' && i + 2 < text.len && hex_of(text.ptr[i + 1]) >= 0 && hex_of(text.ptr[i + 2]) >= 0;

        bytes[len++] = is_escaped ? (char)(hex_of(text.ptr[i + 1]) * 16 + hex_of(text.ptr[i + 2])) : text.ptr[i];
        i += is_escaped ? 2 : 0;
    }
    return (Slice){bytes, len};
}

// What is said besides the name of the call.
static bool is_content(Slice name) {
    return !slice_eq_text(name, "Action") && !slice_eq_text(name, "Version");
}

static FormFieldVec fields_of(Arena *arena, const AwsOperation *operation, const void *input) {
    FormFieldVec fields = {0};
    AwsMessage message;
    Slice rest;

    if (aws_write(arena, operation, input, &message, NULL) != OK) // forms are always written
        return fields;
    for (rest = message.body; rest.len;) {
        ptrdiff_t end = slice_find(rest, '&');
        Slice pair = end < 0 ? rest : slice_first(rest, (size_t)end);
        ptrdiff_t equals = slice_find(pair, '=');

        rest = end < 0 ? SLICE("") : slice_from(rest, (size_t)end + 1);
        if (equals >= 0 && is_content(slice_first(pair, (size_t)equals)))
            vec_push(arena, &fields,
                     (FormField){decode(arena, slice_first(pair, (size_t)equals)),
                                 decode(arena, slice_from(pair, (size_t)equals + 1))});
    }
    return fields;
}

// --- text

static void print_lines(Buffer *out, Arena *arena, Slice text) {
    while (text.len) {
        ptrdiff_t end = slice_find(text, '\n');
        Slice line = end < 0 ? text : slice_first(text, (size_t)end);

        if (line.len && line.ptr[line.len - 1] == '\r')
            line.len--;
        buffer_printf(out, "    | %.*s\n", SLICE_ARG(printable(arena, line)));
        text = end < 0 ? SLICE("") : slice_from(text, (size_t)end + 1);
    }
}

// A tag's two fields are one line. Returns whether they were.
static bool print_tag(Buffer *out, Arena *arena, const FormField *key, const FormField *value) {
    Slice place = slice_first(key->name, key->name.len - (slice_ends_with(key->name, SLICE(".Key")) ? 4 : 0));

    if (place.len == key->name.len || !slice_contains(place, SLICE(".Tag.")) ||
        !slice_eq(value->name, arena_printf(arena, "%.*s.Value", SLICE_ARG(place))))
        return false;
    buffer_printf(out, "  %.*s: %.*s = %.*s\n", SLICE_ARG(place), SLICE_ARG(printable(arena, key->value)),
                  SLICE_ARG(printable(arena, value->value)));
    return true;
}

static void print_fields(Buffer *out, Arena *arena, const FormFieldVec *fields, Slice user_data) {
    for (uint32_t i = 0; i < fields->count; i++) {
        const FormField *field = &fields->items[i];
        bool is_user_data = slice_ends_with(field->name, SLICE("LaunchTemplateData.UserData"));

        if (i + 1 < fields->count && print_tag(out, arena, field, field + 1)) {
            i++;
            continue;
        }
        if (is_user_data)
            buffer_printf(out, "  %.*s = %zu bytes, in Base64; decoded:\n", SLICE_ARG(field->name), user_data.len);
        else
            buffer_printf(out, "  %.*s = %.*s\n", SLICE_ARG(field->name), SLICE_ARG(printable(arena, field->value)));
        if (is_user_data)
            print_lines(out, arena, user_data);
    }
}

static Slice plural(uint32_t count) {
    return count == 1 ? SLICE("") : SLICE("s");
}

static void print_notes(Buffer *out, const char *title, Arena *arena, const SliceVec *notes) {
    for (vec_each(const Slice, note, notes))
        buffer_printf(out, "%s: %.*s\n", title, SLICE_ARG(printable(arena, *note)));
}

void trace_print_text(Buffer *out, const TraceReport *report) {
    const LaunchTrace *trace = report->trace;
    Arena arena = {0};
    FormFieldVec fleet;

    buffer_printf(out, "NodeClaim %.*s, EC2NodeClass %.*s, %.*s: %u instance type%.*s, %.*s\n",
                  SLICE_ARG(printable(&arena, report->claim)), SLICE_ARG(printable(&arena, report->class)),
                  SLICE_ARG(printable(&arena, report->region)), trace->types, SLICE_ARG(plural(trace->types)),
                  SLICE_ARG(symbol_text(report->symbols, trace->capacity_type)));
    for (vec_each(const LaunchTraceTemplate, template, &trace->templates)) {
        FormFieldVec fields = fields_of(&arena, &ec2_create_launch_template, &template->input);

        buffer_printf(out, "\nec2 CreateLaunchTemplate, for %u instance type%.*s, where there is none of that name\n",
                      template->types, SLICE_ARG(plural(template->types)));
        print_fields(out, &arena, &fields, template->user_data);
    }
    fleet = fields_of(&arena, &ec2_create_fleet, &trace->fleet);
    buffer_append(out, SLICE("\nec2 CreateFleet\n"));
    print_fields(out, &arena, &fleet, SLICE(""));
    buffer_append(out, report->assumed.count || report->warnings.count ? SLICE("\n") : SLICE(""));
    print_notes(out, "assumed", &arena, &report->assumed);
    print_notes(out, "warning", &arena, &report->warnings);
    arena_free(&arena);
}

// --- JSON

static Value request_value(Arena *arena, const AwsOperation *operation, const void *input, Slice user_data) {
    FormFieldVec fields = fields_of(arena, operation, input);
    Value request = value_map(), parameters = value_map();

    value_put(arena, &request, SLICE("service"), value_string(slice_of(operation->service->id)));
    value_put(arena, &request, SLICE("action"), value_string(slice_of(operation->name)));
    for (vec_each(const FormField, field, &fields))
        value_put(arena, &parameters, field->name, value_string(field->value));
    value_put(arena, &request, SLICE("parameters"), parameters);
    if (user_data.len)
        value_put(arena, &request, SLICE("userData"), value_string(user_data));
    return request;
}

static Value notes_value(Arena *arena, const SliceVec *notes) {
    Value list = value_list();

    for (vec_each(const Slice, note, notes))
        value_append(arena, &list, value_string(*note));
    return list;
}

void trace_print_json(Buffer *out, const TraceReport *report) {
    const LaunchTrace *trace = report->trace;
    Value root = value_map(), requests = value_list();
    Arena arena = {0};

    for (vec_each(const LaunchTraceTemplate, template, &trace->templates))
        value_append(&arena, &requests,
                     request_value(&arena, &ec2_create_launch_template, &template->input, template->user_data));
    value_append(&arena, &requests, request_value(&arena, &ec2_create_fleet, &trace->fleet, SLICE("")));
    value_put(&arena, &root, SLICE("nodeClaim"), value_string(report->claim));
    value_put(&arena, &root, SLICE("nodeClass"), value_string(report->class));
    value_put(&arena, &root, SLICE("region"), value_string(report->region));
    value_put(&arena, &root, SLICE("capacityType"), value_string(symbol_text(report->symbols, trace->capacity_type)));
    value_put(&arena, &root, SLICE("instanceTypes"), value_int(&arena, trace->types));
    value_put(&arena, &root, SLICE("requests"), requests);
    value_put(&arena, &root, SLICE("assumed"), notes_value(&arena, &report->assumed));
    value_put(&arena, &root, SLICE("warnings"), notes_value(&arena, &report->warnings));
    json_print(out, &root, true);
    buffer_append(out, SLICE("\n"));
    arena_free(&arena);
}
