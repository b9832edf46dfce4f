// SQS: the queue of interruptions. Reference aws.md 7.7.
#include "aws/service/sqs.h"

const AwsService sqs_service = {
    .id = "sqs",
    .endpoint_prefix = "sqs",
    .signing_name = "sqs",
    .api_version = "2012-11-05",
    .json_target = "AmazonSQS",
    .protocol = AWS_JSON_1_0,
    .was_query = true,
};

AWS_SHAPE(SqsGetQueueUrlInput, SQS_GET_QUEUE_URL_INPUT);
AWS_SHAPE(SqsGetQueueUrlOutput, SQS_GET_QUEUE_URL_OUTPUT);
AWS_SHAPE(SqsGetQueueAttributesInput, SQS_GET_QUEUE_ATTRIBUTES_INPUT);
AWS_SHAPE(SqsGetQueueAttributesOutput, SQS_GET_QUEUE_ATTRIBUTES_OUTPUT);
AWS_SHAPE(SqsMessage, SQS_MESSAGE);
AWS_SHAPE(SqsReceiveMessageInput, SQS_RECEIVE_MESSAGE_INPUT);
AWS_SHAPE(SqsReceiveMessageOutput, SQS_RECEIVE_MESSAGE_OUTPUT);
AWS_SHAPE(SqsDeleteMessageInput, SQS_DELETE_MESSAGE_INPUT);

AWS_OPERATION(sqs_get_queue_url, sqs_service, "GetQueueUrl", SqsGetQueueUrl);
AWS_OPERATION(sqs_get_queue_attributes, sqs_service, "GetQueueAttributes", SqsGetQueueAttributes);
AWS_OPERATION(sqs_receive_message, sqs_service, "ReceiveMessage", SqsReceiveMessage);
AWS_OPERATION_MUTE(sqs_delete_message, sqs_service, "DeleteMessage", SqsDeleteMessage);
