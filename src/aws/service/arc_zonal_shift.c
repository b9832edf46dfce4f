// ARC zonal shift: zones that workloads are moved away from. Reference aws.md 7.9.
#include "aws/service/arc_zonal_shift.h"

const AwsService arc_zonal_shift_service = {
    .id = "arc_zonal_shift",
    .endpoint_prefix = "arc-zonal-shift",
    .signing_name = "arc-zonal-shift",
    .api_version = "2022-10-30",
    .protocol = AWS_REST_JSON,
};

AWS_SHAPE(ArcZonalShift, ARC_ZONAL_SHIFT);
AWS_SHAPE(ArcAutoshift, ARC_AUTOSHIFT);
AWS_SHAPE(ArcGetManagedResourceInput, ARC_GET_MANAGED_RESOURCE_INPUT);
AWS_SHAPE(ArcGetManagedResourceOutput, ARC_GET_MANAGED_RESOURCE_OUTPUT);

AWS_OPERATION(arc_get_managed_resource, arc_zonal_shift_service, "GetManagedResource", ArcGetManagedResource,
              .method = "GET", .path = "/managedresources/{resourceIdentifier}");
