// EC2: instance types, and where they are offered. Reference aws.md 4.
#include "aws/service/ec2_type.h"

AWS_SHAPE(Ec2ProcessorInfo, EC2_PROCESSOR_INFO);
AWS_SHAPE(Ec2VCpuInfo, EC2_VCPU_INFO);
AWS_SHAPE(Ec2MemoryInfo, EC2_MEMORY_INFO);
AWS_SHAPE(Ec2InstanceStorageInfo, EC2_INSTANCE_STORAGE_INFO);
AWS_SHAPE(Ec2EbsOptimizedInfo, EC2_EBS_OPTIMIZED_INFO);
AWS_SHAPE(Ec2EbsInfo, EC2_EBS_INFO);
AWS_SHAPE(Ec2NetworkCard, EC2_NETWORK_CARD);
AWS_SHAPE(Ec2EfaInfo, EC2_EFA_INFO);
AWS_SHAPE(Ec2NetworkInfo, EC2_NETWORK_INFO);
AWS_SHAPE(Ec2GpuDevice, EC2_GPU_DEVICE);
AWS_SHAPE(Ec2GpuInfo, EC2_GPU_INFO);
AWS_SHAPE(Ec2InferenceDevice, EC2_INFERENCE_DEVICE);
AWS_SHAPE(Ec2InferenceAcceleratorInfo, EC2_INFERENCE_ACCELERATOR_INFO);
AWS_SHAPE(Ec2NeuronCoreInfo, EC2_NEURON_CORE_INFO);
AWS_SHAPE(Ec2NeuronDevice, EC2_NEURON_DEVICE);
AWS_SHAPE(Ec2NeuronInfo, EC2_NEURON_INFO);
AWS_SHAPE(Ec2PlacementGroupInfo, EC2_PLACEMENT_GROUP_INFO);
AWS_SHAPE(Ec2InstanceType, EC2_INSTANCE_TYPE);
AWS_SHAPE(Ec2DescribeInstanceTypesInput, EC2_DESCRIBE_INSTANCE_TYPES_INPUT);
AWS_SHAPE(Ec2DescribeInstanceTypesOutput, EC2_DESCRIBE_INSTANCE_TYPES_OUTPUT);
AWS_SHAPE(Ec2InstanceTypeOffering, EC2_INSTANCE_TYPE_OFFERING);
AWS_SHAPE(Ec2DescribeInstanceTypeOfferingsInput, EC2_DESCRIBE_INSTANCE_TYPE_OFFERINGS_INPUT);
AWS_SHAPE(Ec2DescribeInstanceTypeOfferingsOutput, EC2_DESCRIBE_INSTANCE_TYPE_OFFERINGS_OUTPUT);

AWS_OPERATION(ec2_describe_instance_types, ec2_service, "DescribeInstanceTypes", Ec2DescribeInstanceTypes,
              AWS_PAGED(Ec2DescribeInstanceTypes, next_token, next_token));
AWS_OPERATION(ec2_describe_instance_type_offerings, ec2_service, "DescribeInstanceTypeOfferings",
              Ec2DescribeInstanceTypeOfferings, AWS_PAGED(Ec2DescribeInstanceTypeOfferings, next_token, next_token));
