// Requests for images.
#include "cloud/aws/ami/queries.h"

#include "cloud/aws/filters.h"

enum { PAGE = 1000 };

static bool is_image_id(Slice text) {
    return slice_starts_with(text, SLICE("ami-"));
}

static Slice value_of(const AmiFoundVec *found, Slice path) {
    for (vec_each(const AmiFound, parameter, found)) {
        if (slice_eq(parameter->path, path))
            return parameter->value;
    }
    return SLICE("");
}

static Ec2DescribeImagesInput *add_query(Arena *arena, AmiQueryVec *queries) {
    Ec2DescribeImagesInput *query = vec_add(arena, queries);

    ec2_filter_add(arena, &query->filters, SLICE("state"), SLICE("available"));
    query->include_deprecated = aws_bool(true);
    query->max_results = aws_integer(PAGE);
    return query;
}

static void collect_ids(Arena *arena, const Ec2SelectorTermVec *terms, const AmiFoundVec *found, SliceVec *ret_ids) {
    for (vec_each(const AmiFound, parameter, found)) {
        if (parameter->variants && is_image_id(parameter->value))
            vec_push(arena, ret_ids, parameter->value);
    }
    for (vec_each(const Ec2SelectorTerm, term, terms)) {
        Slice held = term->ssm_parameter.len ? value_of(found, term->ssm_parameter) : SLICE("");

        if (term->id.len)
            vec_push(arena, ret_ids, term->id);
        else if (is_image_id(held))
            vec_push(arena, ret_ids, held);
    }
}

static void add_term(Arena *arena, AmiQueryVec *queries, const Ec2SelectorTerm *term) {
    Ec2DescribeImagesInput *query = add_query(arena, queries);

    if (term->owner.len) {
        vec_push(arena, &query->owners, term->owner);
    } else if (term->name.len) { // anybody can publish an image under any name
        vec_push(arena, &query->owners, SLICE("self"));
        vec_push(arena, &query->owners, SLICE("amazon"));
    }
    if (term->name.len)
        ec2_filter_add(arena, &query->filters, SLICE("name"), term->name);
    ec2_filter_add_tags(arena, &query->filters, &term->tags);
}

AmiQueryVec ami_queries(Arena *arena, const Ec2SelectorTermVec *terms, const AmiFoundVec *found) {
    AmiQueryVec queries = {0};
    SliceVec ids = {0};

    collect_ids(arena, terms, found, &ids);
    if (ids.count) {
        Ec2DescribeImagesInput *query = add_query(arena, &queries);
        Ec2Filter *filter = vec_add(arena, &query->filters);

        *filter = (Ec2Filter){SLICE("image-id"), ids};
    }
    for (vec_each(const Ec2SelectorTerm, term, terms)) {
        if (!term->id.len && !term->ssm_parameter.len && !term->alias.len)
            add_term(arena, &queries, term);
    }
    return queries;
}
