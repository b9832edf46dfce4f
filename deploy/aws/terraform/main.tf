# What tenon needs in AWS to look after the nodes of one EKS cluster (docs/install.md).

data "aws_partition" "this" {}
data "aws_region" "this" {}
data "aws_caller_identity" "this" {}

locals {
  node_role = coalesce(var.node_role_name, "KarpenterNodeRole-${var.cluster_name}")
  queue     = coalesce(var.queue_name, var.cluster_name)
  iam       = "arn:${data.aws_partition.this.partition}:iam"

  # The rights, as `tenon iam-policy` prints them; scripts/infrastructure.py writes the files.
  policies = concat(
    ["NodeLifecycle", "IAMIntegration", "EKSIntegration", "Interruption", "ResourceDiscovery"],
    var.zonal_shift ? ["ZonalShift"] : [],
    var.old_nodes ? ["OldNodes"] : [],
  )
  names = {
    cluster    = var.cluster_name
    node_role  = local.node_role
    queue      = local.queue
    account    = data.aws_caller_identity.this.account_id
    region     = data.aws_region.this.name
    partition  = data.aws_partition.this.partition
    dns_suffix = data.aws_partition.this.dns_suffix
  }
}
