// Instance ids in provider ids.
#include "cloud/aws/provider_id.h"
#include "harness/test.h"

typedef struct {
    const char *name, *provider_id, *id;
} IdRow;

static const IdRow id_rows[] = {
    {"cloud provider: R055: id of a provider id", "aws:///us-east-1a/i-1", "i-1"},
    {"cloud provider: no zone", "aws:///i-1", ""},
    {"cloud provider: no id", "aws:///us-east-1a/", ""},
    {"cloud provider: more than a zone", "aws:///a/b/i-1", ""},
    {"cloud provider: the scheme alone", "aws:///", ""},
    {"cloud provider: another provider", "kwok://i-1", ""},
    {"cloud provider: an id alone", "i-1", ""},
    {"cloud provider: nothing", "", ""},
};

static void list_ids(TestCases *cases) {
    for (size_t i = 0; i < sizeof id_rows / sizeof *id_rows; i++)
        test_case(cases, id_rows[i].name, (void *)(uintptr_t)&id_rows[i]);
}

TEST_EACH(const IdRow, row, provider_ids_name_instances, list_ids) {
    assert_true(slice_eq_text(provider_instance_id(slice_of(row->provider_id)), row->id));
}
