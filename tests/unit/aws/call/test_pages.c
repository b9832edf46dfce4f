// Pages over a transport in memory.
#include "aws/call/pages.h"

#include "aws/service/ec2_network.h"
#include "aws/support/memory.h"
#include "base/alloc.h"

#define PAGE(id, token)                                                                                                \
    {                                                                                                                  \
        .body = "<DescribeSubnetsResponse><subnetSet><item><subnetId>" id "</subnetId></item></subnetSet>" token       \
                "</DescribeSubnetsResponse>"                                                                           \
    }
#define NEXT(token) "<nextToken>" token "</nextToken>"

typedef struct {
    MemoryTransport *memory;
    AwsClient *client;
    Arena arena;
    Err err;
    Buffer seen;     // ids, with a space after each
    uint32_t wanted; // pages; 0: all
    uint32_t pages;
} World;

static ErrCode take(void *self, int64_t wall_ns, const AwsGrant *refused, AwsGrant **ret_grant, Err *err) {
    (void)self, (void)wall_ns, (void)refused, (void)err;
    *ret_grant = aws_grant_new(&(AwsKeys){SLICE("AKID"), SLICE("secret"), SLICE("")}, INT64_MAX);
    return OK;
}

static World *setup(void) {
    World *w = NEW(World);
    AwsClientOptions options = {.region = SLICE("eu-west-1"), .identity = {take, NULL}};

    w->memory = memory_new();
    options.transport = w->memory->transport;
    w->client = aws_client_new(&options);
    return w;
}

static void teardown(World *w) {
    aws_client_free(w->client);
    memory_free(w->memory);
    buffer_free(&w->seen);
    arena_free(&w->arena);
    free(w);
}

FIXTURE(World, setup, teardown);

static bool take_page(void *context, const void *output) {
    World *w = context;
    const Ec2DescribeSubnetsOutput *page = output;

    for (vec_each(const Ec2Subnet, subnet, &page->subnets))
        buffer_printf(&w->seen, "%.*s ", SLICE_ARG(subnet->subnet_id));
    return ++w->pages != w->wanted;
}

static ErrCode pages(World *w, AwsOutcome *outcome) {
    Ec2DescribeSubnetsInput input = {0};
    const AwsPageVisitor visitor = {take_page, w};

    return aws_pages(w->client, &w->arena, &ec2_describe_subnets, &input, NULL, &visitor, outcome, &w->err);
}

TEST_F(World, w, each_page_is_asked_for_with_the_last_ones_token) {
    MEMORY_REPLIES(w->memory, PAGE("a", NEXT("t1")), PAGE("b", NEXT("t2")), PAGE("c", ""));
    assert_int_equal(pages(w, NULL), OK);
    assert_true(slice_eq_text(buffer_slice(&w->seen), "a b c "));
    assert_null(strstr(w->memory->sent.items[0].body, "NextToken"));
    assert_non_null(strstr(w->memory->sent.items[1].body, "NextToken=t1"));
    assert_non_null(strstr(w->memory->sent.items[2].body, "NextToken=t2"));
}

TEST_F(World, w, an_empty_token_is_the_end) {
    MEMORY_REPLIES(w->memory, PAGE("a", NEXT("")));
    assert_int_equal(pages(w, NULL), OK);
    assert_int_equal(w->pages, 1);
}

TEST_F(World, w, the_visitor_may_have_enough) {
    MEMORY_REPLIES(w->memory, PAGE("a", NEXT("t1")), PAGE("b", NEXT("t2")));
    w->wanted = 2;
    assert_int_equal(pages(w, NULL), OK);
    assert_int_equal(w->memory->sent.count, 2);
}

TEST_F(World, w, pages_that_go_in_a_circle_are_an_error) {
    MEMORY_REPLIES(w->memory, PAGE("a", NEXT("t1")), PAGE("b", NEXT("t2")), PAGE("a", NEXT("t1")));
    assert_int_equal(pages(w, NULL), ERR_INVALID);
    assert_int_equal(w->memory->sent.count, 3);
}

static MemoryReply endless(void *context, const MemorySent *sent) {
    World *w = context;

    (void)sent;
    return (MemoryReply){.body = arena_printf(&w->arena,
                                              "<DescribeSubnetsResponse><nextToken>%u</nextToken>"
                                              "</DescribeSubnetsResponse>",
                                              w->pages)
                                     .ptr};
}

TEST_F(World, w, pages_without_end_are_an_error) {
    w->memory->answer = endless;
    w->memory->context = w;
    assert_int_equal(pages(w, NULL), ERR_TOO_LARGE);
    assert_int_equal(w->pages, AWS_PAGES_MAX + 1);
}

TEST_F(World, w, a_page_that_fails_fails_the_list) {
    AwsOutcome outcome;

    MEMORY_REPLIES(w->memory, PAGE("a", NEXT("t1")),
                   {.status = 400,
                    .body =
                        "<Response><Errors><Error><Code>InvalidNextToken</Code><Message>m</Message></Error></Errors>"
                        "</Response>"});
    assert_int_equal(pages(w, &outcome), ERR_INVALID);
    assert_true(slice_eq_text(outcome.fault.code, "InvalidNextToken"));
}
