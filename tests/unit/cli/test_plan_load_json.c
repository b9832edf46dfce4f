// JSON is taken object by object while it is parsed; what is planned, and what is complained about, does not show it.
#include "cli/support/run.h"
#include "harness/test.h"

#define POOL_JSON(name, spec)                                                                                          \
    "{\"apiVersion\": \"karpenter.sh/v1\", \"kind\": \"NodePool\", \"metadata\": {\"name\": \"" name "\"}, "           \
    "\"spec\": {" spec "\"template\": {\"spec\": {\"requirements\": [], \"nodeClassRef\": "                            \
    "{\"group\": \"karpenter.kwok.sh\", \"kind\": \"KWOKNodeClass\", \"name\": \"default\"}}}}}"
#define POD_JSON(name, cpu)                                                                                            \
    "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"" name "\"}, \"spec\": {\"containers\": "  \
    "[{\"name\": \"c\", \"resources\": {\"requests\": {\"cpu\": " cpu "}}}]}}"
#define LIST_JSON(items) "{\"apiVersion\": \"v1\", \"items\": [\n" items "\n], \"kind\": \"List\"}\n"
// A word that only the definition of the kind knows to be wrong.
#define WRONG_JSON                                                                                                     \
    "{\"apiVersion\": \"karpenter.k8s.aws/v1\", \"kind\": \"EC2NodeClass\", \"metadata\": {\"name\": \"x\"}, "         \
    "\"spec\": {\"metadataOptions\": {\"httpTokens\": \"maybe\"}}}"

static void assert_messages(Run *run, const char *expected) {
    assert_string_equal(run_messages(run), expected);
}

TEST_F(Run, run, json_list_may_say_its_kind_before_or_after_its_items) {
    run_add(run, "after.json", LIST_JSON(POOL_JSON("default", "") ",\n" POD_JSON("a", "1")));
    run_add(run, "before.json",
            "{\"kind\": \"PodList\", \"apiVersion\": \"v1\", \"items\": [{\"metadata\": {\"name\": \"b\"}, "
            "\"spec\": {\"containers\": [{\"name\": \"c\"}]}}]}");
    run_add(run, "nested.json", LIST_JSON(LIST_JSON(POD_JSON("c", "1"))));
    run_options(run)->format = OUTPUT_JSON;

    assert_int_equal(run_plan(run), 0);

    assert_path(run, run_json(run), "nodeClaims 0 pods", "default/a default/b default/c");
}

TEST_F(Run, run, json_items_of_what_is_no_list_are_ignored) {
    run_add(run, "pool.json", POOL_JSON("default", ""));
    run_add(run, "other.json",
            "{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"x\"}, "
            "\"items\": [" POD_JSON("a", "1") "]}");
    run_options(run)->format = OUTPUT_JSON;

    run_plan(run);

    assert_path(run, run_json(run), "stats pods", "0");
}

// What begins like JSON turns out to be YAML when the first list has been taken already.
TEST_F(Run, run, json_that_turns_out_to_be_yaml_is_read_once) {
    run_add(run, "first.yaml",
            LIST_JSON(POOL_JSON("default", "\"limit\": 3, ") ",\n" POD_JSON("a", "1")) POD("b", "1", ""));
    run_add(run, "second.yaml", LIST_JSON(POD_JSON("c", "1")) POD("d", "1", ""));
    run_add(run, "third.json", LIST_JSON(POD_JSON("e", "1")));
    run_options(run)->format = OUTPUT_JSON;

    assert_int_equal(run_plan(run), 0);

    assert_path(run, run_json(run), "stats pods", "5");
    assert_messages(run, "warning: first.yaml:2, NodePool default: spec.limit is no field of it and is ignored; did "
                         "you mean limits?\n");
}

TEST_F(Run, run, json_complaints_about_a_text_come_before_those_about_objects) {
    run_add(run, "pods.json",
            LIST_JSON(
                POD_JSON("large", "\"9999999999999999999999\"") ",\n" POD_JSON("a", "[]") ",\n" POD_JSON("b", "nul")));

    assert_int_equal(run_plan(run), 2);

    assert_messages(run, "error: pods.json:4: not JSON: The JSON element does not have the requested type.\n");
}

TEST_F(Run, run, json_complaint_about_an_element_names_its_line) {
    run_add(run, "pods.json", LIST_JSON(POD_JSON("a", "1") ",\n\n" POD_JSON("b", "[]")));

    assert_int_equal(run_plan(run), 2);

    assert_messages(run, "error: spec.containers[0].resources.requests.cpu: expected a quantity such as \"500m\" or "
                         "\"2Gi\", got list (pods.json:4, Pod default/b)\n");
}

TEST_F(Run, run, json_complaint_about_the_frame_names_its_line) {
    run_add(run, "pods.json",
            "{\"items\": [\n" POD_JSON("a", "1") ",\n" POD_JSON("b", "1") "],\n\"apiVersion\": \"v1\",\n"
                                                                          "\"kind\": 7}");

    assert_int_equal(run_plan(run), 2);

    assert_messages(run, "error: kind: expected string, got number; quote it (pods.json:5)\n");
}

TEST_F(Run, run, json_complaint_about_a_word_gives_way_to_one_about_a_later_object) {
    run_add(run, "pods.json", LIST_JSON(WRONG_JSON ",\n" POD_JSON("b", "[]")));

    assert_int_equal(run_plan(run), 2);

    assert_messages(run, "error: spec.containers[0].resources.requests.cpu: expected a quantity such as \"500m\" or "
                         "\"2Gi\", got list (pods.json:3, Pod default/b)\n");
}

TEST_F(Run, run, json_words_that_are_wrong_are_refused_in_lists_too) {
    run_add(run, "pods.json", LIST_JSON(WRONG_JSON ",\n" POD_JSON("b", "1")) POD_JSON("c", "[]"));

    assert_int_equal(run_plan(run), 2);

    assert_non_null(strstr(run_messages(run), "error: spec.metadataOptions.httpTokens: expected one of "));
    assert_non_null(strstr(run_messages(run), "(pods.json:2, EC2NodeClass x)\n"));
}

TEST_F(Run, run, json_warnings_about_keys_come_before_those_about_fields) {
    run_add(run, "pods.json", LIST_JSON(POOL_JSON("default", "\"limit\": 3, ") ",\n" POD_JSON("a", "1, \"cpu\": 1")));

    assert_int_equal(run_plan(run), 0);

    assert_messages(run, "warning: pods.json:3: key \"cpu\" is given again (first at line 3); the last one counts\n"
                         "warning: pods.json:2, NodePool default: spec.limit is no field of it and is ignored; did you "
                         "mean limits?\n");
}
