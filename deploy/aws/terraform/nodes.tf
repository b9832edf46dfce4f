data "aws_iam_policy_document" "node_trust" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["ec2.${data.aws_partition.this.dns_suffix}"]
    }
  }
}

resource "aws_iam_role" "node" {
  name               = local.node_role
  assume_role_policy = data.aws_iam_policy_document.node_trust.json
  tags               = var.tags
}

resource "aws_iam_role_policy_attachment" "node" {
  for_each = toset([
    "AmazonEKS_CNI_Policy",
    "AmazonEKSWorkerNodePolicy",
    "AmazonEC2ContainerRegistryPullOnly",
    "AmazonSSMManagedInstanceCore",
  ])

  role       = aws_iam_role.node.name
  policy_arn = "${local.iam}::aws:policy/${each.value}"
}

resource "aws_eks_access_entry" "node" {
  count = var.node_access == "access-entry" ? 1 : 0

  cluster_name  = var.cluster_name
  principal_arn = aws_iam_role.node.arn
  type          = "EC2_LINUX"
  tags          = var.tags
}

# Ids are known when the network is made, their number before that: so no for_each.
resource "aws_ec2_tag" "subnet" {
  count = length(var.discovery_tag.subnet_ids)

  resource_id = var.discovery_tag.subnet_ids[count.index]
  key         = var.discovery_tag.key
  value       = coalesce(var.discovery_tag.value, var.cluster_name)
}

resource "aws_ec2_tag" "security_group" {
  count = length(var.discovery_tag.security_group_ids)

  resource_id = var.discovery_tag.security_group_ids[count.index]
  key         = var.discovery_tag.key
  value       = coalesce(var.discovery_tag.value, var.cluster_name)
}
