// Digests, by OpenSSL.
#include "aws/sign/digest.h"

#include <openssl/sha.h>

void aws_hex(const unsigned char *bytes, size_t count, char *ret_hex) {
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < count; i++) {
        ret_hex[2 * i] = digits[bytes[i] >> 4];
        ret_hex[2 * i + 1] = digits[bytes[i] & 15];
    }
    ret_hex[2 * count] = '\0';
}

void aws_digest_hex(Slice bytes, char ret_hex[AWS_DIGEST_HEX + 1]) {
    unsigned char digest[SHA256_DIGEST_LENGTH];

    SHA256((const unsigned char *)(bytes.len ? bytes.ptr : ""), bytes.len, digest);
    aws_hex(digest, sizeof digest, ret_hex);
}
