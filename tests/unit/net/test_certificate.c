// Certificates that a server makes for itself.
#include "net/certificate.h"

#include "harness/test.h"

static const Slice names[] = {SLICE_INIT("karpenter.kube-system.svc"), SLICE_INIT("localhost")};
static const int64_t NOW_S = 1800000000, DAY_S = 86400;

static CertificateRequest request_at(int64_t from_s) {
    return (CertificateRequest){names, 2, from_s, from_s + 7 * DAY_S};
}

static Certificate made(Arena *arena, int64_t from_s) {
    CertificateRequest request = request_at(from_s);
    Certificate certificate = {0};
    Err err;

    if (certificate_make(arena, &request, &certificate, &err) != OK)
        fail_msg("%s", err.text);
    return certificate;
}

TEST(a_certificate_is_sound_until_its_end) {
    Arena arena = {0};
    Certificate certificate = made(&arena, NOW_S);
    CertificateRequest now = request_at(NOW_S), before = request_at(NOW_S - 1);
    int64_t until_s;

    assert_true(slice_starts_with(certificate.key_pem, SLICE("-----BEGIN PRIVATE KEY-----")));
    assert_true(certificate_is_sound(&certificate, &now, &until_s));
    assert_int_equal(until_s, NOW_S + 7 * DAY_S);
    assert_false(certificate_is_sound(&certificate, &before, &until_s));
    arena_free(&arena);
}

TEST(each_part_has_to_be_there_and_to_fit) {
    Arena arena = {0};
    Certificate certificate = made(&arena, NOW_S), other = made(&arena, NOW_S);
    const Certificate unsound[] = {
        {other.key_pem, certificate.certificate_pem, certificate.authority_pem},
        {certificate.key_pem, certificate.certificate_pem, other.authority_pem},
        {SLICE_INIT(""), certificate.certificate_pem, certificate.authority_pem},
        {certificate.key_pem, SLICE_INIT("none"), certificate.authority_pem},
        {certificate.key_pem, certificate.certificate_pem, SLICE_INIT("")},
        {certificate.key_pem, slice_first(certificate.certificate_pem, 100), certificate.authority_pem},
    };
    CertificateRequest now = request_at(NOW_S);
    int64_t until_s;

    for (size_t i = 0; i < sizeof unsound / sizeof *unsound; i++)
        assert_false(certificate_is_sound(&unsound[i], &now, &until_s));
    arena_free(&arena);
}

TEST(a_certificate_has_every_name) {
    static const Slice others[] = {SLICE_INIT("karpenter.kube-system.svc"), SLICE_INIT("karpenter.other.svc")};
    Arena arena = {0};
    Certificate certificate = made(&arena, NOW_S);
    CertificateRequest request = {others, 2, NOW_S, NOW_S + DAY_S};
    int64_t until_s;

    assert_false(certificate_is_sound(&certificate, &request, &until_s));
    request.count = 1;
    assert_true(certificate_is_sound(&certificate, &request, &until_s));
    arena_free(&arena);
}

// While one authority follows another, both are trusted, the ended ones no more.
TEST(a_bundle_has_what_is_valid_once_each) {
    Arena arena = {0};
    Certificate old = made(&arena, NOW_S - 10 * DAY_S), one = made(&arena, NOW_S - DAY_S), two = made(&arena, NOW_S);
    Slice all = arena_printf(&arena, "%.*s%.*s%.*s%.*snot one", SLICE_ARG(two.authority_pem),
                             SLICE_ARG(one.authority_pem), SLICE_ARG(old.authority_pem), SLICE_ARG(two.authority_pem));
    Slice both = arena_printf(&arena, "%.*s%.*s", SLICE_ARG(two.authority_pem), SLICE_ARG(one.authority_pem));
    Certificate with_both = two;
    CertificateRequest now = request_at(NOW_S);
    int64_t until_s;

    assert_true(slice_eq(certificate_bundle(&arena, all, NOW_S, 3), both));
    assert_true(slice_eq(certificate_bundle(&arena, all, NOW_S, 1), two.authority_pem));
    assert_true(slice_eq(certificate_bundle(&arena, SLICE("not one"), NOW_S, 3), SLICE("")));
    assert_true(slice_eq(certificate_bundle(&arena, SLICE(""), NOW_S, 3), SLICE("")));
    with_both.authority_pem = both;
    assert_true(certificate_is_sound(&with_both, &now, &until_s));
    with_both = one;
    with_both.authority_pem = both;
    assert_true(certificate_is_sound(&with_both, &now, &until_s));
    assert_int_equal(until_s, NOW_S + 6 * DAY_S);
    arena_free(&arena);
}

TEST(names_have_bounds) {
    static char many[CERTIFICATE_NAME_MAX + 1];
    const Slice bad[] = {{many, sizeof many}, SLICE_INIT("")};
    Arena arena = {0};
    Certificate certificate;
    Err err;

    memset(many, 'a', sizeof many);
    for (size_t i = 0; i < 2; i++) {
        CertificateRequest request = {&bad[i], 1, NOW_S, NOW_S + 1};

        assert_int_equal(certificate_make(&arena, &request, &certificate, &err), ERR_INVALID);
    }
    assert_int_equal(certificate_make(&arena, &(CertificateRequest){bad, 0, 0, 1}, &certificate, &err), ERR_INVALID);
    arena_free(&arena);
}

// A common name has 64 characters at most; the names that count are the others.
TEST(a_long_name_is_no_common_name) {
    Slice name = SLICE("a-name-of-a-service-that-is-long-enough.a-namespace-with-a-long-name.svc");
    Arena arena = {0};
    CertificateRequest request = {&name, 1, NOW_S, NOW_S + DAY_S};
    Certificate certificate;
    int64_t until_s;
    Err err;

    assert_int_equal(certificate_make(&arena, &request, &certificate, &err), OK);
    assert_true(certificate_is_sound(&certificate, &request, &until_s));
    arena_free(&arena);
}
