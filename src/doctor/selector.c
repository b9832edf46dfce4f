// Three answers: yes, no, and that it cannot be told.
#include "doctor/selector.h"

#include "base/glob.h"

// An empty value is one that EC2 compares, too.
static bool pattern_fits(Slice pattern, Slice text) {
    return pattern.len ? glob_matches(pattern, text) : !text.len;
}

bool selector_value_fits(Slice pattern, bool has_alternatives, Slice text) {
    for (;;) {
        ptrdiff_t comma = has_alternatives ? slice_find(pattern, ',') : -1;

        if (pattern_fits(slice_trim(comma < 0 ? pattern : slice_first(pattern, (size_t)comma)), text))
            return true;
        if (comma < 0)
            return false;
        pattern = slice_from(pattern, (size_t)comma + 1);
    }
}

static Fit tag_fit(const FactSelector *selector, const TextPair *tag, const FactTags *tags) {
    const TextPair *found = text_map_get(&tags->pairs, tag->key);

    if (!found)
        return tags->is_open ? FIT_MAYBE : FIT_NO;
    if (!found->value.ptr)
        return FIT_MAYBE;
    return selector_value_fits(tag->value, selector->has_alternatives, found->value) ? FIT_YES : FIT_NO;
}

static bool has_id(const FactTerm *term, const FactResource *resource) {
    for (vec_each(const Slice, wanted, &term->ids)) {
        if (slice_eq(*wanted, resource->name) || slice_eq(*wanted, resource->alias))
            return true;
    }
    return false;
}

static Fit ids_fit(const FactTerm *term, const FactResource *resource) {
    if (!term->ids.count)
        return FIT_YES;
    if (!resource->is_listed)
        return FIT_MAYBE;
    return has_id(term, resource) ? FIT_YES : FIT_NO;
}

static Fit term_fit(const FactSelector *selector, const FactTerm *term, const FactResource *resource) {
    Fit worst = ids_fit(term, resource);

    for (vec_each(const TextPair, tag, &term->tags)) {
        Fit fit = tag_fit(selector, tag, &resource->tags);

        worst = fit < worst ? fit : worst;
    }
    return worst;
}

Fit selector_fit(const FactSelector *selector, const FactResource *resource) {
    Fit best = FIT_NO;

    for (vec_each(const FactTerm, term, &selector->terms)) {
        Fit fit = term_fit(selector, term, resource);

        best = fit > best ? fit : best;
    }
    return best;
}

Fit selector_fit_any(const FactSelector *selector, const FactResourceVec *resources, bool is_listed) {
    Fit best = FIT_NO;

    for (vec_each(const FactResource, resource, resources)) {
        Fit fit = resource->is_listed == is_listed ? selector_fit(selector, resource) : FIT_NO;

        best = fit > best ? fit : best;
    }
    return best;
}

bool selector_tag_is_set(const FactSelector *selector, const TextPair *tag, const FactResourceVec *resources) {
    for (vec_each(const FactResource, resource, resources)) {
        if (!resource->is_listed && tag_fit(selector, tag, &resource->tags) != FIT_NO)
            return true;
    }
    return false;
}
