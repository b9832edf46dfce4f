output "controller_role_arn" {
  description = "Of irsa: serviceAccount.annotations of the chart, eks.amazonaws.com/role-arn"
  value       = aws_iam_role.controller.arn
}

output "node_role_name" {
  description = "spec.role of EC2NodeClasses"
  value       = aws_iam_role.node.name
}

output "node_role_arn" {
  description = "Of the nodes' role"
  value       = aws_iam_role.node.arn
}

output "queue_name" {
  description = "settings.interruptionQueue of the chart"
  value       = aws_sqs_queue.events.name
}

output "aws_auth_map_role" {
  description = "For mapRoles of the ConfigMap aws-auth, where the cluster has no access entries"
  value = {
    rolearn  = aws_iam_role.node.arn
    username = "system:node:{{EC2PrivateDNSName}}"
    groups   = ["system:bootstrappers", "system:nodes"]
  }
}
