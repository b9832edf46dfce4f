// URLs: percent-encodes everything but RFC 3986's unreserved characters.
#include "net/http.h"

void url_add_encoded(Buffer *url, Slice text) {
    static const char hex[] = "0123456789ABCDEF";

    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];

        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
            c == '.' || c == '~') {
            buffer_append_char(url, (char)c);
            continue;
        }
        buffer_append_char(url, '%');
        buffer_append_char(url, hex[c >> 4]);
        buffer_append_char(url, hex[c & 15]);
    }
}

void url_add_query(Buffer *url, const char *name, Slice value) {
    if (!value.len)
        return;
    buffer_append_char(url, slice_find(buffer_slice(url), '?') < 0 ? '?' : '&');
    buffer_append(url, slice_of(name));
    buffer_append_char(url, '=');
    url_add_encoded(url, value);
}

void url_add_segment(Buffer *url, Slice segment) {
    buffer_append_char(url, '/');
    url_add_encoded(url, segment);
}
