// FNV-1 over names, values and order of fields.
#include "model/hash/struct_hash.h"

uint64_t struct_hash_bytes(const void *bytes, size_t len) {
    uint64_t hash = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < len; i++)
        hash = hash * UINT64_C(1099511628211) ^ ((const uint8_t *)bytes)[i];
    return hash;
}

uint64_t struct_hash_text(Slice text) {
    return struct_hash_bytes(text.ptr, text.len);
}

static void put_little_endian(uint8_t bytes[8], uint64_t number) {
    for (size_t i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
}

uint64_t struct_hash_number(uint64_t number) {
    uint8_t bytes[8];

    put_little_endian(bytes, number);
    return struct_hash_bytes(bytes, sizeof bytes);
}

uint64_t struct_hash_ordered(uint64_t a, uint64_t b) {
    uint8_t bytes[16];

    put_little_endian(bytes, a);
    put_little_endian(bytes + 8, b);
    return struct_hash_bytes(bytes, sizeof bytes);
}

uint64_t struct_hash_start(const char *type) {
    return struct_hash_text(slice_of(type));
}

void struct_hash_add(uint64_t *hash, const char *field, uint64_t value) {
    *hash = struct_hash_number(*hash ^ struct_hash_ordered(struct_hash_text(slice_of(field)), value));
}
