// Certificates by OpenSSL.
#include "net/certificate.h"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <time.h>

enum { SERIAL_BYTES = 16, COMMON_NAME_MAX = 64 };

static ErrCode fail(Err *err) {
    ERR_clear_error();
    return err_set(err, ERR_IO, "cannot make a certificate");
}

// --- texts

static Slice take_text(Arena *arena, BIO *memory) {
    char *bytes = NULL;
    long len = BIO_get_mem_data(memory, &bytes);

    return arena_slice(arena, (Slice){bytes, len > 0 ? (size_t)len : 0});
}

static Slice certificate_text(Arena *arena, X509 *certificate) {
    BIO *memory = BIO_new(BIO_s_mem());
    Slice text = {0};

    if (memory && PEM_write_bio_X509(memory, certificate))
        text = take_text(arena, memory);
    BIO_free(memory);
    return text;
}

static Slice key_text(Arena *arena, EVP_PKEY *key) {
    BIO *memory = BIO_new(BIO_s_mem());
    Slice text = {0};

    if (memory && PEM_write_bio_PrivateKey(memory, key, NULL, NULL, 0, NULL, NULL))
        text = take_text(arena, memory);
    BIO_free(memory);
    return text;
}

// --- making

static bool set_serial(X509 *certificate) {
    unsigned char bytes[SERIAL_BYTES];
    BIGNUM *number;
    bool done;

    if (RAND_bytes(bytes, sizeof bytes) != 1)
        return false;
    bytes[0] = (unsigned char)((bytes[0] & 0x3f) | 0x40); // positive, and of one length
    number = BN_bin2bn(bytes, sizeof bytes, NULL);
    done = number && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate));
    BN_free(number);
    return done;
}

static bool set_subject(X509 *certificate, Slice name) {
    return X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                                      (const unsigned char *)name.ptr, (int)name.len, -1, 0);
}

static bool extend(X509 *certificate, X509 *issuer, int extension, const char *value) {
    X509_EXTENSION *made;
    X509V3_CTX context;
    bool done;

    X509V3_set_ctx(&context, issuer ? issuer : certificate, certificate, NULL, NULL, 0);
    made = X509V3_EXT_conf_nid(NULL, &context, extension, value);
    done = made && X509_add_ext(certificate, made, -1);
    X509_EXTENSION_free(made);
    return done;
}

// A certificate without extensions and signature. `issuer` NULL: its own.
static X509 *draft(EVP_PKEY *key, Slice name, X509 *issuer, const CertificateRequest *request) {
    X509 *certificate = X509_new();

    if (certificate && X509_set_version(certificate, 2) && set_serial(certificate) &&
        ASN1_TIME_set(X509_getm_notBefore(certificate), (time_t)request->from_s) &&
        ASN1_TIME_set(X509_getm_notAfter(certificate), (time_t)request->until_s) && X509_set_pubkey(certificate, key) &&
        set_subject(certificate, name) &&
        X509_set_issuer_name(certificate, X509_get_subject_name(issuer ? issuer : certificate)))
        return certificate;
    X509_free(certificate);
    return NULL;
}

static bool add_name(GENERAL_NAMES *names, Slice text) {
    GENERAL_NAME *name = GENERAL_NAME_new();
    ASN1_IA5STRING *value = ASN1_IA5STRING_new();

    if (name && value && ASN1_STRING_set(value, text.ptr, (int)text.len)) {
        GENERAL_NAME_set0_value(name, GEN_DNS, value);
        if (sk_GENERAL_NAME_push(names, name))
            return true;
        value = NULL; // the name's
    }
    ASN1_IA5STRING_free(value);
    GENERAL_NAME_free(name);
    return false;
}

static bool add_names(X509 *certificate, const CertificateRequest *request) {
    GENERAL_NAMES *names = sk_GENERAL_NAME_new_null();
    bool done = names;

    for (size_t i = 0; i < request->count && done; i++)
        done = add_name(names, request->names[i]);
    done = done && X509_add1_ext_i2d(certificate, NID_subject_alt_name, names, 0, 0) == 1;
    sk_GENERAL_NAME_pop_free(names, GENERAL_NAME_free);
    return done;
}

static bool sign_authority(X509 *authority, EVP_PKEY *key) {
    return extend(authority, NULL, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
           extend(authority, NULL, NID_key_usage, "critical,keyCertSign") &&
           extend(authority, NULL, NID_subject_key_identifier, "hash") && X509_sign(authority, key, EVP_sha256());
}

static bool sign_server(X509 *server, X509 *authority, EVP_PKEY *key, const CertificateRequest *request) {
    return extend(server, authority, NID_basic_constraints, "critical,CA:FALSE") &&
           extend(server, authority, NID_key_usage, "critical,digitalSignature") &&
           extend(server, authority, NID_ext_key_usage, "serverAuth") &&
           extend(server, authority, NID_authority_key_identifier, "keyid:always") && add_names(server, request) &&
           X509_sign(server, key, EVP_sha256());
}

static Slice common_name(const CertificateRequest *request) {
    return request->names[0].len <= COMMON_NAME_MAX ? request->names[0] : SLICE("server");
}

static bool make(Arena *arena, const CertificateRequest *request, Certificate *ret_certificate) {
    EVP_PKEY *authority_key = EVP_EC_gen("P-256"), *key = EVP_EC_gen("P-256");
    X509 *authority = NULL, *server = NULL;
    bool done;

    if (authority_key && key)
        authority = draft(authority_key, SLICE("tenon"), NULL, request);
    if (authority)
        server = draft(key, common_name(request), authority, request);
    done = server && sign_authority(authority, authority_key) && sign_server(server, authority, authority_key, request);
    if (done)
        *ret_certificate =
            (Certificate){key_text(arena, key), certificate_text(arena, server), certificate_text(arena, authority)};
    X509_free(server);
    X509_free(authority);
    EVP_PKEY_free(key);
    EVP_PKEY_free(authority_key);
    return done && ret_certificate->key_pem.len && ret_certificate->certificate_pem.len &&
           ret_certificate->authority_pem.len;
}

ErrCode certificate_make(Arena *arena, const CertificateRequest *request, Certificate *ret_certificate, Err *err) {
    if (!request->count || request->count > CERTIFICATE_NAMES_MAX)
        return err_set(err, ERR_INVALID, "expected 1 to %d names of a server", CERTIFICATE_NAMES_MAX);
    for (size_t i = 0; i < request->count; i++) {
        if (!request->names[i].len || request->names[i].len > CERTIFICATE_NAME_MAX)
            return err_set(err, ERR_INVALID, "expected a name of 1 to %d bytes", CERTIFICATE_NAME_MAX);
    }
    return make(arena, request, ret_certificate) ? OK : fail(err);
}

// --- reading

static int no_password(char *text, int size, int writing, void *context) {
    (void)text, (void)size, (void)writing, (void)context;
    return -1;
}

static BIO *reader(Slice pem) {
    return pem.len && pem.len <= CERTIFICATE_BYTES_MAX ? BIO_new_mem_buf(pem.ptr, (int)pem.len) : NULL;
}

static X509 *next_certificate(BIO *memory) {
    X509 *certificate = memory ? PEM_read_bio_X509(memory, NULL, no_password, NULL) : NULL;

    ERR_clear_error();
    return certificate;
}

static EVP_PKEY *read_key(Slice pem) {
    BIO *memory = reader(pem);
    EVP_PKEY *key = memory ? PEM_read_bio_PrivateKey(memory, NULL, no_password, NULL) : NULL;

    BIO_free(memory);
    ERR_clear_error();
    return key;
}

static X509 *read_certificate(Slice pem) {
    BIO *memory = reader(pem);
    X509 *certificate = next_certificate(memory);

    BIO_free(memory);
    return certificate;
}

static int64_t time_of(const ASN1_TIME *time) {
    struct tm tm = {0};

    return ASN1_TIME_to_tm(time, &tm) ? (int64_t)timegm(&tm) : INT64_MIN;
}

static bool has_names(X509 *certificate, const CertificateRequest *request) {
    for (size_t i = 0; i < request->count; i++) {
        if (X509_check_host(certificate, request->names[i].ptr, request->names[i].len, 0, NULL) != 1)
            return false;
    }
    return true;
}

static bool is_signed_by(X509 *certificate, X509 *authority) {
    EVP_PKEY *key = X509_get0_pubkey(authority);
    bool is = key && X509_verify(certificate, key) == 1;

    ERR_clear_error();
    return is;
}

// When the authority of a certificate ends; INT64_MIN: it is of none of them.
static int64_t authority_until(X509 *certificate, Slice bundle) {
    BIO *memory = reader(bundle);
    int64_t until_s = INT64_MIN;

    for (X509 *one = next_certificate(memory); one; one = next_certificate(memory)) {
        if (is_signed_by(certificate, one))
            until_s = time_of(X509_get0_notAfter(one));
        X509_free(one);
    }
    BIO_free(memory);
    return until_s;
}

static bool is_sound(X509 *certificate, EVP_PKEY *key, const CertificateRequest *request) {
    bool is = certificate && key && X509_check_private_key(certificate, key) == 1 && has_names(certificate, request) &&
              time_of(X509_get0_notBefore(certificate)) <= request->from_s;

    ERR_clear_error();
    return is;
}

bool certificate_is_sound(const Certificate *certificate, const CertificateRequest *request, int64_t *ret_until_s) {
    X509 *server = read_certificate(certificate->certificate_pem);
    EVP_PKEY *key = read_key(certificate->key_pem);
    bool sound = is_sound(server, key, request);
    int64_t until_s = INT64_MIN, own_s;

    if (sound) {
        own_s = time_of(X509_get0_notAfter(server));
        until_s = authority_until(server, certificate->authority_pem);
        *ret_until_s = own_s < until_s ? own_s : until_s;
    }
    X509_free(server);
    EVP_PKEY_free(key);
    return until_s != INT64_MIN;
}

// --- bundles

static bool is_among(const SliceVec *texts, Slice text) {
    for (vec_each(const Slice, known, texts)) {
        if (slice_eq(*known, text))
            return true;
    }
    return false;
}

static Slice joined(Arena *arena, const SliceVec *texts) {
    Slice all = SLICE("");

    for (vec_each(const Slice, text, texts))
        all = arena_printf(arena, "%.*s%.*s", SLICE_ARG(all), SLICE_ARG(*text));
    return all;
}

Slice certificate_bundle(Arena *arena, Slice pem, int64_t at_s, uint32_t most) {
    BIO *memory = reader(pem);
    SliceVec kept = {0};

    for (X509 *one = next_certificate(memory); one; one = next_certificate(memory)) {
        Slice text = certificate_text(arena, one);

        if (kept.count < most && time_of(X509_get0_notAfter(one)) > at_s && !is_among(&kept, text))
            vec_push(arena, &kept, text);
        X509_free(one);
    }
    BIO_free(memory);
    return joined(arena, &kept);
}
