// SQS: the queue of interruptions. Reference aws.md 7.7.
#pragma once

#include "aws/protocol/operation.h"

extern const AwsService sqs_service;

#define SQS_GET_QUEUE_URL_INPUT(X, T) X(T, STRING, queue_name, "QueueName")
AWS_STRUCT(SqsGetQueueUrlInput, SQS_GET_QUEUE_URL_INPUT);

#define SQS_GET_QUEUE_URL_OUTPUT(X, T) X(T, STRING, queue_url, "QueueUrl")
AWS_STRUCT(SqsGetQueueUrlOutput, SQS_GET_QUEUE_URL_OUTPUT);

#define SQS_GET_QUEUE_ATTRIBUTES_INPUT(X, T)                                                                           \
    X(T, STRING, queue_url, "QueueUrl")                                                                                \
    X(T, STRINGS, attribute_names, "AttributeNames")
AWS_STRUCT(SqsGetQueueAttributesInput, SQS_GET_QUEUE_ATTRIBUTES_INPUT);

#define SQS_GET_QUEUE_ATTRIBUTES_OUTPUT(X, T) X(T, STRING_MAP, attributes, "Attributes")
AWS_STRUCT(SqsGetQueueAttributesOutput, SQS_GET_QUEUE_ATTRIBUTES_OUTPUT);

// attributes: "SentTimestamp" in milliseconds since 1970, where it is asked for.
#define SQS_MESSAGE(X, T)                                                                                              \
    X(T, STRING, message_id, "MessageId")                                                                              \
    X(T, STRING, receipt_handle, "ReceiptHandle")                                                                      \
    X(T, STRING, body, "Body")                                                                                         \
    X(T, STRING_MAP, attributes, "Attributes")
AWS_STRUCT(SqsMessage, SQS_MESSAGE);

// Times in seconds.
#define SQS_RECEIVE_MESSAGE_INPUT(X, T)                                                                                \
    X(T, STRING, queue_url, "QueueUrl")                                                                                \
    X(T, INTEGER, max_number_of_messages, "MaxNumberOfMessages")                                                       \
    X(T, INTEGER, wait_time_seconds, "WaitTimeSeconds")                                                                \
    X(T, INTEGER, visibility_timeout, "VisibilityTimeout")                                                             \
    X(T, STRINGS, message_system_attribute_names, "MessageSystemAttributeNames")                                       \
    X(T, STRINGS, message_attribute_names, "MessageAttributeNames")
AWS_STRUCT(SqsReceiveMessageInput, SQS_RECEIVE_MESSAGE_INPUT);

#define SQS_RECEIVE_MESSAGE_OUTPUT(X, T) X(T, LIST, messages, "Messages", SqsMessage)
AWS_STRUCT(SqsReceiveMessageOutput, SQS_RECEIVE_MESSAGE_OUTPUT);

#define SQS_DELETE_MESSAGE_INPUT(X, T)                                                                                 \
    X(T, STRING, queue_url, "QueueUrl")                                                                                \
    X(T, STRING, receipt_handle, "ReceiptHandle")
AWS_STRUCT(SqsDeleteMessageInput, SQS_DELETE_MESSAGE_INPUT);

extern const AwsOperation sqs_get_queue_url;
extern const AwsOperation sqs_get_queue_attributes;
// Waits for up to wait_time_seconds, 20 at most, for the first message; gives 10 at most.
extern const AwsOperation sqs_receive_message;
extern const AwsOperation sqs_delete_message;
