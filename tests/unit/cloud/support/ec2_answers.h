// What EC2 answers, as texts that tests put together: one type of instances and where it is offered, refusals.
#pragma once

// Of DescribeInstanceTypes.
#define EC2_TYPE(name)                                                                                                 \
    "<item><instanceType>" name "</instanceType><supportedUsageClasses><item>on-demand</item><item>spot</item>"        \
    "</supportedUsageClasses><bareMetal>false</bareMetal><hypervisor>nitro</hypervisor><processorInfo>"                \
    "<supportedArchitectures><item>x86_64</item></supportedArchitectures><sustainedClockSpeedInGhz>3.1"                \
    "</sustainedClockSpeedInGhz><manufacturer>Intel</manufacturer></processorInfo><vCpuInfo><defaultVCpus>2"           \
    "</defaultVCpus></vCpuInfo><memoryInfo><sizeInMiB>8192</sizeInMiB></memoryInfo><ebsInfo><ebsOptimizedSupport>"     \
    "default</ebsOptimizedSupport><ebsOptimizedInfo><maximumBandwidthInMbps>4750</maximumBandwidthInMbps>"             \
    "</ebsOptimizedInfo><maximumEbsAttachments>27</maximumEbsAttachments><attachmentLimitType>shared"                  \
    "</attachmentLimitType></ebsInfo><networkInfo><defaultNetworkCardIndex>0</defaultNetworkCardIndex><networkCards>"  \
    "<item><networkCardIndex>0</networkCardIndex><maximumNetworkInterfaces>3</maximumNetworkInterfaces></item>"        \
    "</networkCards><ipv4AddressesPerInterface>10</ipv4AddressesPerInterface><enaSupport>required</enaSupport>"        \
    "<encryptionInTransitSupported>false</encryptionInTransitSupported></networkInfo><placementGroupInfo>"             \
    "<supportedStrategies><item>cluster</item></supportedStrategies></placementGroupInfo><nitroEnclavesSupport>"       \
    "unsupported</nitroEnclavesSupport></item>"
// `token`: "", or EC2_NEXT.
#define EC2_TYPES(items, token)                                                                                        \
    "<DescribeInstanceTypesResponse><instanceTypeSet>" items "</instanceTypeSet>" token                                \
    "</DescribeInstanceTypesResponse>"
#define EC2_NEXT "<nextToken>n</nextToken>"

#define EC2_OFFER(type, zone) "<item><instanceType>" type "</instanceType><location>" zone "</location></item>"
#define EC2_OFFERS(items, token)                                                                                       \
    "<DescribeInstanceTypeOfferingsResponse><instanceTypeOfferingSet>" items "</instanceTypeOfferingSet>" token        \
    "</DescribeInstanceTypeOfferingsResponse>"

// Whole replies.
#define EC2_THROTTLED                                                                                                  \
    {                                                                                                                  \
        .status = 503, .body = "<Response><Errors><Error><Code>RequestLimitExceeded</Code><Message>slow"               \
                               "</Message></Error></Errors></Response>"                                                \
    }
#define EC2_DENIED                                                                                                     \
    {                                                                                                                  \
        .status = 403, .body = "<Response><Errors><Error><Code>UnauthorizedOperation</Code><Message>no"                \
                               "</Message></Error></Errors></Response>"                                                \
    }
