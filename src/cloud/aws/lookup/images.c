// Images: parameters, then descriptions, then the choice.
#include "cloud/aws/lookup/images.h"

#include "aws/service/ssm.h"
#include "base/map.h"
#include "cloud/aws/filters.h"
#include "text/duration.h"

static const int64_t PARAMETER_NS = NS_PER_DAY, NAMED_PARAMETER_NS = 5 * NS_PER_MIN;

enum { PAGE = 1000 };

// --- parameters

// The value of a parameter, of the book or asked for; empty: it is not there, or holds no image's id.
static ErrCode parameter(const ImageLookup *lookup, Arena *arena, const AmiParameter *wanted, int64_t for_ns,
                         Slice *ret_value, Err *err) {
    SsmGetParameterInput input = {.name = wanted->path};
    SsmGetParameterOutput output;
    AwsOutcome outcome = {0};
    ErrCode code;

    *ret_value = parameter_book_get(lookup->book, arena, wanted->path, lookup->now.now);
    if (ret_value->len)
        return OK;
    code = aws_call(lookup->client, arena, &ssm_get_parameter, &input, NULL, &output, &outcome, err);
    if (code != OK)
        return outcome.kind == AWS_NOT_FOUND ? OK : code;
    if (!output.parameter || !slice_starts_with(output.parameter->value, SLICE("ami-")))
        return OK;
    *ret_value = output.parameter->value;
    parameter_book_put(lookup->book, wanted->path, *ret_value, wanted->is_mutable, lookup->now.now,
                       mono_after(lookup->now.now, for_ns));
    return OK;
}

static Slice alias_of(const Ec2SelectorTermVec *terms) {
    for (vec_each(const Ec2SelectorTerm, term, terms)) {
        if (term->alias.len)
            return term->alias;
    }
    return SLICE("");
}

static Slice version_of(Slice alias) {
    ptrdiff_t at = slice_find(alias, '@');

    return at < 0 ? SLICE("latest") : slice_from(alias, (size_t)at + 1);
}

static ErrCode find_alias(const ImageLookup *lookup, Arena *arena, Slice alias, AmiFoundVec *found,
                          Slice *ret_complaint, Err *err) {
    const AmiFamily *family = ami_family_of_alias(alias);
    AmiParameterVec wanted;

    if (!family)
        return err_set(err, ERR_INVALID, "alias \"%.*s\" names no family of images", SLICE_ARG(alias));
    if (!lookup->minor)
        return err_set(err, ERR_INVALID,
                       "the version of Kubernetes is not known yet, so that images of the alias \"%.*s\" wait for it",
                       SLICE_ARG(alias));
    *ret_complaint = ami_alias_complaint(arena, family, lookup->minor);
    if (ret_complaint->len)
        return OK;
    wanted = ami_parameters(arena, family, version_of(alias), lookup->minor);
    for (vec_each(const AmiParameter, one, &wanted)) {
        Slice value = SLICE("");

        TRY(parameter(lookup, arena, one, PARAMETER_NS, &value, err));
        if (value.len)
            vec_push(arena, found, (AmiFound){one->path, value, one->variants});
    }
    if (!found->count)
        return err_set(err, ERR_NOT_FOUND,
                       "none of the parameters of the alias \"%.*s\" is there for Kubernetes 1.%u, as %.*s",
                       SLICE_ARG(alias), lookup->minor, SLICE_ARG(wanted.items[0].path));
    return OK;
}

static ErrCode find_named(const ImageLookup *lookup, Arena *arena, const Ec2SelectorTermVec *terms, AmiFoundVec *found,
                          Err *err) {
    for (vec_each(const Ec2SelectorTerm, term, terms)) {
        AmiParameter wanted = {.path = term->ssm_parameter, .is_mutable = true};
        Slice value = SLICE("");

        if (!term->ssm_parameter.len)
            continue;
        TRY(parameter(lookup, arena, &wanted, NAMED_PARAMETER_NS, &value, err));
        if (value.len)
            vec_push(arena, found, (AmiFound){term->ssm_parameter, value, 0});
    }
    return OK;
}

// --- descriptions

typedef struct {
    Arena *arena;
    Ec2ImageVec *found;
    IndexMap by_id;
} ImagePages;

static bool is_listed(const ImagePages *pages, Slice id, uint64_t hash) {
    uint32_t cursor = 0, number;

    while ((number = index_map_next(&pages->by_id, hash, &cursor)) != INDEX_NONE) {
        if (slice_eq(pages->found->items[number].image_id, id))
            return true;
    }
    return false;
}

static bool take_images(void *context, const void *output) {
    const Ec2DescribeImagesOutput *page = output;
    ImagePages *pages = context;
    Arena *arena = pages->arena;

    for (vec_each(const Ec2Image, image, &page->images)) {
        uint64_t hash = slice_hash(image->image_id);

        if (!image->image_id.len || is_listed(pages, image->image_id, hash))
            continue;
        index_map_add(arena, &pages->by_id, hash, pages->found->count);
        vec_push(arena, pages->found,
                 (Ec2Image){arena_slice(arena, image->image_id), arena_slice(arena, image->name),
                            arena_slice(arena, image->architecture), arena_slice(arena, image->creation_date),
                            arena_slice(arena, image->deprecation_time), arena_slice(arena, image->state)});
    }
    return pages->found->count <= LOOKUP_IMAGES_MAX;
}

static ErrCode describe(AwsClient *client, Arena *arena, const AmiQueryVec *queries, Ec2ImageVec *ret_images,
                        Err *err) {
    ImagePages pages = {.arena = arena, .found = ret_images};
    AwsPageVisitor visitor = {take_images, &pages};

    for (vec_each(const Ec2DescribeImagesInput, query, queries)) {
        TRY(aws_pages(client, arena, &ec2_describe_images, query, NULL, &visitor, NULL, err));
        if (ret_images->count > LOOKUP_IMAGES_MAX)
            return err_set(err, ERR_TOO_LARGE, "the terms of spec.amiSelectorTerms fit more than %d images",
                           LOOKUP_IMAGES_MAX);
    }
    return OK;
}

// --- all of it

static Slice windows_build_of(const EC2NodeClass *class, Slice alias) {
    const AmiFamily *family = alias.len ? ami_family_of_alias(alias) : ami_family(class->ami_family);

    return family ? family->windows_build : SLICE("");
}

ErrCode lookup_images(const ImageLookup *lookup, Arena *arena, const EC2NodeClass *class, ImagesFound *ret_found,
                      Err *err) {
    const Ec2SelectorTermVec *terms = &class->launch.ami_terms;
    Slice alias = alias_of(terms);
    ImagesFound result = {0};
    AmiFoundVec found = {0};
    Ec2ImageVec images = {0};
    AmiQueryVec queries;

    if (alias.len)
        TRY(find_alias(lookup, arena, alias, &found, &result.complaint, err));
    if (!result.complaint.len) {
        TRY(find_named(lookup, arena, terms, &found, err));
        queries = ami_queries(arena, terms, &found);
        TRY(describe(lookup->client, arena, &queries, &images, err));
        result.amis =
            ami_select(arena, lookup->symbols, &images, &found, windows_build_of(class, alias), lookup->now.wall_ns);
    }
    *ret_found = result;
    return OK;
}

// --- remembered parameters

static bool is_current(const Ec2ImageVec *images, Slice id, int64_t wall_ns) {
    for (vec_each(const Ec2Image, image, images)) {
        int64_t deprecated_ns;

        if (!slice_eq(image->image_id, id))
            continue;
        return time_parse(image->deprecation_time, &deprecated_ns, NULL) != OK || deprecated_ns > wall_ns;
    }
    return false;
}

ErrCode lookup_images_recheck(const ImageLookup *lookup, Err *err) {
    Arena arena = {0};
    SliceVec ids = parameter_book_mutable(lookup->book, &arena);
    Ec2DescribeImagesInput input = {.include_deprecated = aws_bool(true), .max_results = aws_integer(PAGE)};
    AmiQueryVec queries = {0};
    Ec2ImageVec images = {0};
    ErrCode code = OK;

    if (ids.count) {
        vec_push(&arena, &input.filters, (Ec2Filter){SLICE("image-id"), ids});
        vec_push(&arena, &queries, input);
        code = describe(lookup->client, &arena, &queries, &images, err);
    }
    for (uint32_t i = 0; code == OK && i < ids.count; i++) {
        if (!is_current(&images, ids.items[i], lookup->now.wall_ns))
            parameter_book_forget(lookup->book, ids.items[i]);
    }
    arena_free(&arena);
    return code;
}
