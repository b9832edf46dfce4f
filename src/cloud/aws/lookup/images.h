// Images that a NodeClass names, asked of the Systems Manager and EC2. Reference aws.md 5, 7.
#pragma once

#include "aws/call/pages.h"
#include "cloud/aws/ami/selection.h"
#include "cloud/aws/lookup/parameter_book.h"
#include "model/objects.h"

// What images are looked for with.
typedef struct {
    AwsClient *client;
    ParameterBook *book;
    Symbols *symbols;
    uint32_t minor; // Kubernetes 1.<minor>; 0: not known, and images by alias cannot be found
    Moment now;
} ImageLookup;

typedef struct {
    AmiStatusVec amis;
    Slice complaint; // why the alias has no images for this version of Kubernetes; empty: it may have
} ImagesFound;

// The choice among images takes the square of their number.
enum { LOOKUP_IMAGES_MAX = 20000 };

// The images of the class's terms, as they go into its status. Texts in `arena`. Parameters that are not there are
// passed over. ERR_INVALID: the version of Kubernetes is needed and not known. ERR_NOT_FOUND: none of the alias's
// parameters is there. ERR_TOO_LARGE: more than LOOKUP_IMAGES_MAX. Further: of aws_call and aws_pages.
ErrCode lookup_images(const ImageLookup *lookup, Arena *arena, const EC2NodeClass *class, ImagesFound *ret_found,
                      Err *err);

// Forgets remembered parameters whose image is deprecated by now, or gone: one request for all. Errors: of aws_pages.
ErrCode lookup_images_recheck(const ImageLookup *lookup, Err *err);
