// NodeClasses: looked up in AWS, and ended. Reference aws.md 1.3, 7.1.
#pragma once

#include "cloud/aws/provider/class_snapshot.h"

ProviderClasses *provider_classes_new(AwsProvider *provider);
void provider_classes_free(ProviderClasses *classes);

// Of the table.
ErrCode provider_class_resolve(AwsProvider *provider, Arena *arena, Slice name, CloudClass *ret_class,
                               CloudError *error);
ErrCode provider_class_finalize(AwsProvider *provider, Slice name, CloudError *error);

// CLOUD_REFRESH_IMAGES: what aliases stood for is asked again where the image is deprecated by now.
ErrCode provider_images_refresh(AwsProvider *provider, CloudError *error);
