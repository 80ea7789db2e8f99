# Reports of Flux on AKS and Azure Arc, from Azure Resource Graph: one for each cluster type and commit.
#
#   data "azapi_resource_action" "compliance" {
#     type                   = "Microsoft.ResourceGraph@2022-10-01"
#     resource_id            = "/providers/Microsoft.ResourceGraph"
#     action                 = "resources"
#     body                   = { query = module.compliance.query, options = { resultFormat = "objectArray" } }
#     response_export_values = ["data"]
#   }
#
#   module "compliance" {
#     source      = "./azure-resource-graph"
#     environment = "dev"
#     repo        = "https://github.com/contoso/gitops"
#     branch      = "dev"
#     rows        = data.azapi_resource_action.compliance.output.data
#   }
variable "environment" {
  description = "The environment, for the context: kalypso/<environment>/<cluster type>."
  type        = string
}

variable "repo" {
  description = "The GitOps repository, as the Flux configurations name it."
  type        = string
}

variable "branch" {
  description = "The branch of the environment."
  type        = string
}

variable "rows" {
  description = "The answer to the query."
  type        = list(object({ clusterType = string, commit = string, clusters = number, compliant = number, failed = number, since = string }))
  nullable    = false
}

locals {
  # How many clusters of each type there are, at any commit.
  clusters = { for row in var.rows : row.clusterType => row.clusters... }
}

# A Flux configuration has one Kustomization, which has the name of the cluster type. Its commit is <branch>/<id>.
output "query" {
  value = <<-KQL
    kubernetesconfigurationresources
    | where type == 'microsoft.kubernetesconfiguration/fluxconfigurations'
    | where properties.gitRepository.url == '${var.repo}' and properties.gitRepository.repositoryRef.branch == '${var.branch}'
    | extend state = tostring(properties.complianceState), changed = todatetime(properties.statusUpdatedAt)
    | extend commit = extract('[0-9a-f]{40}', 0, tostring(properties.sourceSyncedCommitId))
    | extend clusterType = extract('^[^"]*"([^"]+)"', 1, tostring(properties.kustomizations))
    | summarize clusters = count(), compliant = countif(state == 'Compliant'), failed = countif(state == 'Non-Compliant'), since = max(changed) by clusterType, commit
  KQL
}

# A commit is green when all clusters of the type have it and are compliant. A cluster that is offline
# keeps its old commit, so the type stays pending.
output "reports" {
  value = jsonencode([
    for row in var.rows : {
      commit  = row.commit
      context = "kalypso/${var.environment}/${row.clusterType}"
      state   = row.failed > 0 ? "failure" : row.compliant == sum(local.clusters[row.clusterType]) ? "success" : "pending"
      time    = row.since
    } if row.commit != ""
  ])
}
