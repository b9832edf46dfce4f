// Certificates by OpenSSL. What fails here fails the test by abort.
#include "net/support/authority.h"

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

enum { DAY_S = 86400 };

struct Authority {
    EVP_PKEY *key;
    X509 *certificate;
};

static void must(bool ok) {
    if (!ok)
        abort();
}

// A certificate without signature. `issuer` NULL: its own.
static X509 *draft(EVP_PKEY *key, const char *common_name, X509 *issuer) {
    static long serial = 1;
    X509 *certificate = X509_new();
    X509_NAME *name = X509_get_subject_name(certificate);

    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial++);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate), DAY_S);
    X509_set_pubkey(certificate, key);
    must(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)common_name, -1, -1, 0));
    must(X509_set_issuer_name(certificate, issuer ? X509_get_subject_name(issuer) : name));
    return certificate;
}

static void extend(X509 *certificate, int extension, const char *value) {
    X509_EXTENSION *made = X509V3_EXT_conf_nid(NULL, NULL, extension, value);

    must(made && X509_add_ext(certificate, made, -1));
    X509_EXTENSION_free(made);
}

// Copies the bytes of a BIO into the arena and frees it.
static Slice drain(BIO *memory, Arena *arena) {
    char *bytes;
    long len = BIO_get_mem_data(memory, &bytes);
    Slice text = arena_slice(arena, (Slice){bytes, (size_t)len});

    BIO_free(memory);
    return text;
}

static Slice certificate_text(X509 *certificate, Arena *arena) {
    BIO *memory = BIO_new(BIO_s_mem());

    must(PEM_write_bio_X509(memory, certificate));
    return drain(memory, arena);
}

Authority *authority_new(const char *name) {
    Authority *authority = calloc(1, sizeof *authority);

    must(authority);
    authority->key = EVP_EC_gen("P-256");
    must(authority->key);
    authority->certificate = draft(authority->key, name, NULL);
    extend(authority->certificate, NID_basic_constraints, "critical,CA:TRUE");
    must(X509_sign(authority->certificate, authority->key, EVP_sha256()));
    return authority;
}

void authority_free(Authority *authority) {
    EVP_PKEY_free(authority->key);
    X509_free(authority->certificate);
    free(authority);
}

Slice authority_pem(const Authority *authority, Arena *arena) {
    return certificate_text(authority->certificate, arena);
}

Issued authority_issue(const Authority *authority, Arena *arena, const char *common_name, const char *names) {
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = draft(key, common_name, authority->certificate);
    BIO *memory = BIO_new(BIO_s_mem());
    Issued issued;

    extend(certificate, NID_subject_alt_name, names);
    extend(certificate, NID_ext_key_usage, "serverAuth,clientAuth");
    must(X509_sign(certificate, authority->key, EVP_sha256()));
    must(PEM_write_bio_PrivateKey(memory, key, NULL, NULL, 0, NULL, NULL));
    issued = (Issued){certificate_text(certificate, arena), drain(memory, arena)};
    X509_free(certificate);
    EVP_PKEY_free(key);
    return issued;
}
