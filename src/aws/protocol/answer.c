// Headers of answers.
#include "aws/protocol/answer.h"

#include <strings.h>

Slice aws_answer_header(const AwsAnswer *answer, const char *name) {
    for (uint32_t i = 0; i < answer->header_count; i++) {
        const HttpHeader *header = &answer->headers[i];

        if (header->name.len == strlen(name) && strncasecmp(header->name.ptr, name, header->name.len) == 0)
            return header->value;
    }
    return (Slice){0};
}
