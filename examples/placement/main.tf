# The shop runs on two of the ten sites in each region.
terraform {
  required_version = ">= 1.8"
  required_providers {
    kalypso = {
      source  = "kalypso-gitops/kalypso"
      version = ">= 0.1"
    }
  }
}

variable "gitops_repo" {
  description = "URL of the GitOps repository. By default a bare repository in this folder: git init --bare gitops.git"
  type        = string
  default     = null
}

variable "changes" {
  description = "Sites to add or to change, by name, to see what would happen."
  type        = map(object({ region = string, free_memory = string, draining = string }))
  default     = {}
}

variable "ask" {
  description = "A site to explain."
  type        = string
  default     = null
}

locals {
  sites = merge(
    { for s in csvdecode(file("${path.module}/sites.csv")) : s.name => s },
    { for name, s in var.changes : name => merge(s, { name = name }) },
  )

  fleet = concat(
    local.cluster_types, local.taints, local.scores, local.policies, [local.placement, local.workload],
    provider::kalypso::files({ for f in fileset(path.module, "*.yaml") : f => file("${path.module}/${f}") }),
  )

  cluster_types = [for s in local.sites : yamlencode({
    apiVersion = "scheduler.kalypso.io/v1alpha1"
    kind       = "ClusterType"
    metadata   = { name = s.name, labels = { tier = "edge", region = s.region } }
    spec       = { reconciler = "flux", namespaceService = "namespace" }
  })]

  # The ManagedCluster of a site that is draining has a taint.
  taints = [for s in local.sites : yamlencode({
    apiVersion = "cluster.open-cluster-management.io/v1"
    kind       = "ManagedCluster"
    metadata   = { name = s.name }
    spec       = { taints = [{ key = "example.com/draining", effect = "NoSelect" }] }
  }) if s.draining == "true"]

  # Scores are from -100 to 100. On a hub, an add-on writes them.
  scores = [for s in local.sites : yamlencode({
    apiVersion = "cluster.open-cluster-management.io/v1alpha1"
    kind       = "AddOnPlacementScore"
    metadata   = { name = "load", namespace = s.name }
    status     = { scores = [{ name = "freeMemory", value = tonumber(s.free_memory) }] }
  })]

  placement = yamlencode({
    apiVersion = "cluster.open-cluster-management.io/v1beta1"
    kind       = "Placement"
    metadata   = { name = "two-of-each-region" }
    spec = {
      numberOfClusters = 2

      # An earlier decision adds 300 to the total. Two values of free memory differ by at most 200.
      prioritizerPolicy = {
        mode = "Exact"
        configurations = [
          { scoreCoordinate = { builtIn = "Steady" }, weight = 3 },
          { scoreCoordinate = { type = "AddOn", addOn = { resourceName = "load", scoreName = "freeMemory" } } },
        ]
      }
    }
  })

  # The placement chooses among the sites of each policy.
  policies = [for region in distinct([for s in local.sites : s.region]) : yamlencode({
    apiVersion = "scheduler.kalypso.io/v1alpha1"
    kind       = "SchedulingPolicy"
    metadata   = { name = "shop-${region}", annotations = { "kalypso-gitops.io/placement" = "two-of-each-region" } }
    spec = {
      deploymentTargetSelector = { labelSelector = { matchLabels = { app = "shop" } } }
      clusterTypeSelector      = { labelSelector = { matchLabels = { tier = "edge", region = region } } }
    }
  })]

  workload = yamlencode({
    apiVersion = "scheduler.kalypso.io/v1alpha1"
    kind       = "Workload"
    metadata   = { name = "shop", labels = { app = "shop" } }
    spec = {
      deploymentTargets = [{
        name        = "live"
        environment = "prod"
        manifests   = { repo = "https://github.com/contoso/shop", branch = "main", path = "./live" }
      }]
    }
  })

  assignments = provider::kalypso::assignments(local.fleet, "prod")
  explanation = var.ask == null ? null : provider::kalypso::explain(local.fleet, "prod", "shop-live", var.ask)
}

resource "kalypso_gitops_commit" "prod" {
  environment = "prod"
  manifests   = local.fleet
  repo        = coalesce(var.gitops_repo, "file://${abspath("${path.module}/gitops.git")}")
  branch      = "prod"

  # Spare sites are not mistakes.
  ignore_findings = ["CLUSTER_TYPE_IDLE"]
}

output "sites" {
  description = "Where the shop is."
  value       = sort([for a in local.assignments : a.cluster_type])
}

# The prioritizer Steady reads these decisions in the next plan. Keep them beside the fleet.
output "decisions" {
  value = yamlencode({
    apiVersion = "cluster.open-cluster-management.io/v1beta1"
    kind       = "PlacementDecision"
    metadata   = { name = "two-of-each-region-decision-1", labels = { "cluster.open-cluster-management.io/placement" = "two-of-each-region" } }
    status     = { decisions = [for a in local.assignments : { clusterName = a.cluster_type, reason = "" }] }
  })
}

output "explanation" {
  value = local.explanation
}

output "short_of_sites" {
  description = "Placements that find fewer sites than they ask for."
  value       = [for f in provider::kalypso::findings(local.fleet, "prod") : f.message if f.code == "PLACEMENT_UNSATISFIED"]
}
