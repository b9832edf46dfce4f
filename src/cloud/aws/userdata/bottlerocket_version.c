// Versions of Bottlerocket, by what names them.
#include "cloud/aws/userdata/bottlerocket_version.h"

// The version in an image's name, such as "bottlerocket-aws-k8s-1.34-x86_64-v1.45.0-0123abcd"; empty: none.
static Slice version_in_name(Slice name) {
    while (name.len) {
        ptrdiff_t dash = slice_find(name, '-');
        Slice word = dash < 0 ? name : slice_first(name, (size_t)dash);

        if (slice_starts_with(word, SLICE("v")) && slice_find(word, '.') > 0)
            return slice_from(word, 1);
        name = slice_from(name, word.len + 1);
    }
    return SLICE("");
}

static Slice version_of_image(const AmiStatusVec *amis, Slice id) {
    for (vec_each(const AmiStatus, ami, amis)) {
        if (slice_eq(ami->id, id))
            return version_in_name(ami->name);
    }
    return SLICE("");
}

static Slice version_of_term(const Ec2SelectorTerm *term, const AmiStatusVec *amis) {
    ptrdiff_t at = slice_find(term->alias, '@');

    if (at >= 0) {
        Slice version = slice_from(term->alias, (size_t)at + 1);

        return slice_starts_with(version, SLICE("v")) ? slice_from(version, 1) : version;
    }
    if (term->name.len)
        return version_in_name(term->name);
    return term->id.len ? version_of_image(amis, term->id) : SLICE("");
}

Slice bottlerocket_version(const Ec2SelectorTermVec *terms, const AmiStatusVec *amis) {
    for (vec_each(const Ec2SelectorTerm, term, terms)) {
        Slice version = version_of_term(term, amis);

        if (version.len)
            return version;
    }
    for (vec_each(const AmiStatus, ami, amis)) {
        Slice version = slice_contains(ami->name, SLICE("bottlerocket")) ? version_in_name(ami->name) : SLICE("");

        if (version.len)
            return version;
    }
    return SLICE("");
}

// The number at the start of a text, and what follows its dot. False: no number there.
static bool read_number(Slice *text, int64_t *ret_number) {
    ptrdiff_t dot = slice_find(*text, '.');
    Slice digits = dot < 0 ? *text : slice_first(*text, (size_t)dot);

    *text = slice_from(*text, digits.len + 1);
    return slice_to_int64(digits, ret_number);
}

bool bottlerocket_needs_directories(Slice version) {
    int64_t major, minor;

    if (slice_eq_text(version, "latest"))
        return false;
    if (!read_number(&version, &major) || !read_number(&version, &minor) || !version.len)
        return true; // it has three numbers
    return major < 1 || (major == 1 && minor < 46);
}
