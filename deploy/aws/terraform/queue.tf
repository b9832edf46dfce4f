resource "aws_sqs_queue" "events" {
  name                      = local.queue
  message_retention_seconds = 300
  sqs_managed_sse_enabled   = true
  tags                      = var.tags
}

data "aws_iam_policy_document" "queue" {
  statement {
    sid       = "EventsMaySend"
    actions   = ["sqs:SendMessage"]
    resources = [aws_sqs_queue.events.arn]

    principals {
      type        = "Service"
      identifiers = ["events.amazonaws.com", "sqs.amazonaws.com"]
    }
  }

  statement {
    sid       = "OnlyByTLS"
    effect    = "Deny"
    actions   = ["sqs:*"]
    resources = [aws_sqs_queue.events.arn]

    principals {
      type        = "*"
      identifiers = ["*"]
    }

    condition {
      test     = "Bool"
      variable = "aws:SecureTransport"
      values   = ["false"]
    }
  }
}

resource "aws_sqs_queue_policy" "events" {
  queue_url = aws_sqs_queue.events.url
  policy    = data.aws_iam_policy_document.queue.json
}

locals {
  events = {
    health                   = { source = "aws.health", type = "AWS Health Event" }
    spot-interruption        = { source = "aws.ec2", type = "EC2 Spot Instance Interruption Warning" }
    rebalance                = { source = "aws.ec2", type = "EC2 Instance Rebalance Recommendation" }
    state-change             = { source = "aws.ec2", type = "EC2 Instance State-change Notification" }
    reservation-interruption = { source = "aws.ec2", type = "EC2 Capacity Reservation Instance Interruption Warning" }
  }
}

resource "aws_cloudwatch_event_rule" "events" {
  for_each = local.events

  name_prefix   = "tenon-${each.key}-"
  event_pattern = jsonencode({ source = [each.value.source], detail-type = [each.value.type] })
  tags          = var.tags
}

resource "aws_cloudwatch_event_target" "events" {
  for_each = local.events

  rule = aws_cloudwatch_event_rule.events[each.key].name
  arn  = aws_sqs_queue.events.arn
}
