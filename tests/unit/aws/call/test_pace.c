// Client-side rates by classes of operations.
#include "aws/call/pace.h"

#include "aws/service/ec2_instance.h"
#include "aws/service/ec2_network.h"
#include "aws/service/ssm.h"
#include "harness/test.h"

TEST(classes_have_buckets_of_their_own) {
    static const AwsPace paces[] = {
        {"ec2", "CreateTags", 1, 1},
        {"ec2", "Describe*", 10, 2},
        {"ec2", NULL, 5, 1},
    };
    AwsPacer *pacer = aws_pacer_new(paces, sizeof paces / sizeof *paces);
    Mono now = {NS_PER_S};

    assert_int_equal(aws_pacer_reserve(pacer, &ec2_create_tags, now), 0);
    assert_int_equal(aws_pacer_reserve(pacer, &ec2_create_tags, now), NS_PER_S);
    assert_int_equal(aws_pacer_reserve(pacer, &ec2_describe_subnets, now), 0);
    assert_int_equal(aws_pacer_reserve(pacer, &ec2_describe_instances, now), 0);
    assert_int_equal(aws_pacer_reserve(pacer, &ec2_describe_subnets, now), NS_PER_S / 10);
    assert_int_equal(aws_pacer_reserve(pacer, &ec2_terminate_instances, now), 0);
    assert_int_equal(aws_pacer_reserve(pacer, &ec2_reboot_instances, now), NS_PER_S / 5);
    for (int i = 0; i < 10; i++)
        assert_int_equal(aws_pacer_reserve(pacer, &ssm_get_parameter, now), 0);
    aws_pacer_free(pacer);
}
