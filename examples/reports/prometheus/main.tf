# Reports of Flux from Prometheus: one for each cluster and commit, of the last seven days.
#
#   data "http" "flux" {
#     url = "https://prometheus.contoso.com/api/v1/query?query=${urlencode(module.flux.query)}"
#   }
#
#   module "flux" {
#     source      = "./prometheus"
#     environment = "dev"
#     answer      = jsondecode(data.http.flux.response_body)
#   }
#
# Each Prometheus sets the labels cluster and cluster_type as external_labels.
variable "environment" {
  description = "The environment, for the context: kalypso/<environment>/<cluster type>/<cluster>."
  type        = string
}

variable "kustomization" {
  description = "The Kustomization that points at the folder of the cluster type."
  type        = string
  default     = "packages"
}

variable "answer" {
  description = "The answer to the query."
  type = object({ data = object({ result = list(object({
    metric = object({ cluster = string, cluster_type = string, revision = string, ready = string, edge = string })
    value  = tuple([number, string])
  })) }) })
}

locals {
  series = "max by (cluster, cluster_type, revision, ready) (%s_over_time(timestamp(gotk_resource_info{customresource_kind=\"Kustomization\", name=\"${var.kustomization}\"})[7d:1m]))"

  # When each cluster first and last had each commit in each state, by "<type>/<cluster> <commit>". A
  # revision is <branch>@sha1:<id>.
  seen = { for row in var.answer.data.result :
    "${row.metric.cluster_type}/${row.metric.cluster} ${element(split(":", row.metric.revision), 1)}" => {
      "${row.metric.ready} ${row.metric.edge}" = tonumber(row.value[1])
    }... if strcontains(row.metric.revision, "@sha1:")
  }
}

output "query" {
  value = "label_replace(${format(local.series, "min")}, \"edge\", \"first\", \"\", \"\") or label_replace(${format(local.series, "max")}, \"edge\", \"last\", \"\", \"\")"
}

# The state that was seen last counts. It began when the other one was seen last.
output "reports" {
  value = jsonencode([
    for key, parts in local.seen : merge([for times in [merge(parts...)] : {
      commit  = split(" ", key)[1]
      context = "kalypso/${var.environment}/${split(" ", key)[0]}"
      state   = lookup(times, "True last", 0) > lookup(times, "False last", 0) ? "success" : lookup(times, "False last", 0) > 0 ? "failure" : "pending"
      time = timeadd("1970-01-01T00:00:00Z", format("%ds",
        lookup(times, "True last", 0) > lookup(times, "False last", 0) ? lookup(times, "False last", lookup(times, "True first", 0)) :
        lookup(times, "True last", lookup(times, "False first", lookup(times, "Unknown first", 0)))
      ))
    }]...)
  ])
}
