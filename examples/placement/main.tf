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
    local.cluster_types, local.scores, [local.placement, local.policy, local.workload],
    provider::kalypso::files({ for f in fileset(path.module, "*.yaml") : f => file("${path.module}/${f}") }),
  )

  # The function makes plans faster than twenty resources would.
  cluster_types = [for s in local.sites : provider::kalypso::manifest({
    kind              = "ClusterType"
    name              = s.name
    labels            = { tier = "edge", region = s.region }
    taints            = s.draining == "true" ? [{ key = "example.com/draining", effect = "NoSelect" }] : []
    reconciler        = "flux"
    namespace_service = "namespace"
  })]

  # Scores are from -100 to 100. On a hub, an add-on writes them.
  scores = [for s in local.sites : yamlencode({
    apiVersion = "cluster.open-cluster-management.io/v1alpha1"
    kind       = "AddOnPlacementScore"
    metadata   = { name = "load", namespace = s.name }
    status     = { scores = [{ name = "freeMemory", value = tonumber(s.free_memory) }] }
  })]

  placement = provider::kalypso::manifest({
    kind               = "Placement"
    name               = "two-of-each-region"
    number_of_clusters = 4

    spread_policy = {
      spread_constraints = [{ topology_key = "region", topology_key_type = "Label", when_unsatisfiable = "DoNotSchedule" }]
    }

    # An earlier decision adds 300 to the total. Two values of free memory differ by at most 200.
    prioritizer_policy = {
      mode = "Exact"
      configurations = [
        { score_coordinate = { built_in = "Steady" }, weight = 3 },
        { score_coordinate = { type = "AddOn", add_on = { resource_name = "load", score_name = "freeMemory" } } },
      ]
    }
  })

  policy = provider::kalypso::manifest({
    kind                       = "SchedulingPolicy"
    name                       = "shop"
    deployment_target_selector = { match_labels = { app = "shop" } }
    cluster_type_selector      = { match_labels = { tier = "edge" } }
    placement                  = "two-of-each-region"
  })

  workload = provider::kalypso::manifest({
    kind   = "Workload"
    name   = "shop"
    labels = { app = "shop" }
    deployment_target = [{
      name        = "live"
      environment = "prod"
      manifests   = { repo = "https://github.com/contoso/shop", branch = "main", path = "./live" }
    }]
  })

  assignments = provider::kalypso::assignments(local.fleet, "prod")
  explanation = var.ask == null ? null : provider::kalypso::explain(local.fleet, "prod", "shop-live", var.ask)
}

resource "kalypso_gitops_commit" "prod" {
  environment = "prod"
  manifests   = local.fleet
  repo        = coalesce(var.gitops_repo, "file://${abspath("${path.module}/gitops.git")}")
  branch      = "prod"

  # Spare sites and drained sites are not mistakes.
  ignore_findings = ["CLUSTER_TYPE_IDLE", "TAINT_UNTOLERATED_ANYWHERE"]
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
