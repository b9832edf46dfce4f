// Forms: names are paths, "Filter.1.Value.2"; the tables say which there can be.
#include "sim/wire/form.h"

#include "aws/protocol/scalar.h"

typedef struct {
    Slice name, value;
} Parameter;

typedef struct {
    Arena *arena;
    Vec(Parameter) parameters;
    bool is_ec2;
    Err *err;
} FormReader;

// --- parameters

static int digit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
}

static Slice decode(Arena *arena, Slice text) {
    char *out = arena_alloc(arena, text.len + 1);
    size_t len = 0;

    for (size_t i = 0; i < text.len; i++) {
        bool is_escape = text.ptr[i] == '%' && i + 2 < text.len;
        int high = is_escape ? digit(text.ptr[i + 1]) : -1, low = is_escape ? digit(text.ptr[i + 2]) : -1;

        if (high >= 0 && low >= 0) {
            out[len++] = (char)(high * 16 + low);
            i += 2;
        } else {
            out[len++] = text.ptr[i] == '+' ? ' ' : text.ptr[i];
        }
    }
    return (Slice){out, len};
}

// Takes the next parameter off the form.
static bool next_parameter(Arena *arena, Slice *form, Parameter *ret_parameter) {
    ptrdiff_t end = slice_find(*form, '&'), equals;
    Slice one;

    if (!form->len)
        return false;
    one = end < 0 ? *form : slice_first(*form, (size_t)end);
    *form = end < 0 ? (Slice){0} : slice_from(*form, (size_t)end + 1);
    equals = slice_find(one, '=');
    ret_parameter->name = decode(arena, equals < 0 ? one : slice_first(one, (size_t)equals));
    ret_parameter->value = equals < 0 ? SLICE("") : decode(arena, slice_from(one, (size_t)equals + 1));
    return true;
}

Slice wire_form_get(Arena *arena, Slice form, Slice name) {
    Parameter parameter;

    while (next_parameter(arena, &form, &parameter)) {
        if (slice_eq(parameter.name, name))
            return parameter.value;
    }
    return (Slice){0};
}

static const Parameter *find(const FormReader *reader, Slice name) {
    for (vec_each(const Parameter, parameter, &reader->parameters)) {
        if (slice_eq(parameter->name, name))
            return parameter;
    }
    return NULL;
}

// Whether there is a value of that name, or one within it.
static bool has(const FormReader *reader, Slice name) {
    for (vec_each(const Parameter, parameter, &reader->parameters)) {
        if (slice_starts_with(parameter->name, name) &&
            (parameter->name.len == name.len || parameter->name.ptr[name.len] == '.'))
            return true;
    }
    return false;
}

// --- values

static ErrCode read_value(FormReader *reader, const AwsShape *shape, Slice name, void *ret_field);

static Slice name_of_member(const FormReader *reader, Slice prefix, Slice member) {
    char *name = arena_alloc(reader->arena, prefix.len + member.len + 2);
    size_t at = prefix.len ? prefix.len + 1 : 0;

    if (prefix.len) {
        memcpy(name, prefix.ptr, prefix.len);
        name[prefix.len] = '.';
    }
    memcpy(name + at, member.ptr, member.len);
    if (reader->is_ec2 && name[at] >= 'a' && name[at] <= 'z')
        name[at] = (char)(name[at] - 'a' + 'A');
    return (Slice){name, at + member.len};
}

static ErrCode read_structure(FormReader *reader, const AwsShape *shape, Slice prefix, char *ret_object) {
    for (uint32_t i = 0; i < shape->member_count; i++) {
        const AwsMember *member = &shape->members[i];
        Slice name = name_of_member(reader, prefix, member->name);
        void *field = ret_object + member->offset;

        if (!has(reader, name))
            continue;
        if (member->shape->kind == AWS_STRUCTURE)
            field = *(void **)field = arena_alloc(reader->arena, member->shape->size);
        TRY(read_value(reader, member->shape, name, field));
    }
    return OK;
}

static ErrCode read_list(FormReader *reader, const AwsShape *shape, Slice name, AwsItems *ret_list) {
    const char *element = shape->element_name ? shape->element_name : "member";
    bool is_flat = shape->is_flat || reader->is_ec2;

    aws_items_begin(reader->arena, ret_list);
    for (uint32_t number = 1;; number++) {
        Slice one = is_flat ? arena_printf(reader->arena, "%.*s.%u", SLICE_ARG(name), number)
                            : arena_printf(reader->arena, "%.*s.%s.%u", SLICE_ARG(name), element, number);

        if (!has(reader, one))
            return OK;
        TRY(read_value(reader, shape->element, one, aws_items_add(reader->arena, shape, ret_list)));
    }
}

static ErrCode read_value(FormReader *reader, const AwsShape *shape, Slice name, void *ret_field) {
    const Parameter *parameter;

    switch (shape->kind) {
    case AWS_STRUCTURE:
        return read_structure(reader, shape, name, ret_field);
    case AWS_LIST:
        return read_list(reader, shape, name, ret_field);
    case AWS_MAP:
        return OK;
    default:
        parameter = find(reader, name);
        return parameter ? aws_scalar_read(reader->arena, shape, parameter->value, ret_field, reader->err) : OK;
    }
}

ErrCode wire_form_read(Arena *arena, const AwsOperation *operation, Slice form, void *ret_input, Err *err) {
    FormReader reader = {.arena = arena, .is_ec2 = operation->service->protocol == AWS_EC2_QUERY, .err = err};
    Parameter parameter;

    while (next_parameter(arena, &form, &parameter))
        vec_push(arena, &reader.parameters, parameter);
    return read_structure(&reader, operation->input, (Slice){0}, ret_input);
}
