// Which file reads which document.
#include "doctor/gather.h"

#include "doctor/gather_parts.h"

static bool is_list(const Value *object) {
    const Value *items = value_get_text(object, "items");

    return slice_ends_with(gather_text(object, "kind"), SLICE("List")) && items && items->kind == VALUE_LIST;
}

// `kind`: of the list; an API server writes it on no element of its own kinds.
static void gather_object(Gathering *gathering, const Value *object, Slice list_kind) {
    Slice own = gather_text(object, "kind"), kind = own.len ? own : list_kind;
    OldKind old = old_kind_of(object);

    if (old == OLD_PROVISIONER || old == OLD_NODE_TEMPLATE)
        gather_old(gathering, old, object);
    else if (slice_eq(kind, SLICE("NodePool")))
        gather_pool(gathering, object);
    else if (slice_eq(kind, SLICE("EC2NodeClass")))
        gather_class(gathering, object);
    else if (kind.len)
        gather_cluster(gathering, kind, object);
    else
        gather_aws(gathering, object);
}

// As deep as the parser allows a document to be.
static void gather_all(Gathering *gathering, const Value *object, Slice list_kind) {
    Slice kind = gather_text(object, "kind");

    if (!is_list(object)) {
        gather_object(gathering, object, list_kind);
        return;
    }
    for (vec_each(const Value, element, &value_get_text(object, "items")->list))
        gather_all(gathering, element, slice_first(kind, kind.len - strlen("List")));
}

void gather_documents(Arena *arena, const DocumentVec *documents, Facts *facts) {
    for (vec_each(const Document, document, documents)) {
        Gathering gathering = {arena, facts, document->file};

        gather_all(&gathering, &document->root, SLICE(""));
    }
}

// "<file>:<line>: key …"
void gather_duplicates(Arena *arena, Slice file, const WarningVec *warnings, Facts *facts) {
    for (vec_each(const Warning, warning, warnings)) {
        Slice rest = slice_from(warning->text, file.len + 1);
        ptrdiff_t colon = slice_find(rest, ':');
        int64_t line = 0;

        if (colon < 0 || !slice_to_int64(slice_first(rest, (size_t)colon), &line))
            colon = -1;
        vec_push(arena, &facts->duplicates,
                 (FactRemark){.place = {file, (uint32_t)line},
                              .text = slice_trim(slice_from(rest, (size_t)(colon + 1))),
                              .fix = SLICE("put both values under one key, or remove the one that is not meant")});
    }
}
