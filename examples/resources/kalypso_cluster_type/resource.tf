resource "kalypso_cluster_type" "drone" {
  name              = "drone"
  labels            = { region = "east-us", restricted = "true", edge = "true" }
  reconciler        = kalypso_template.flux.name
  namespace_service = kalypso_template.namespace.name
}

resource "kalypso_template" "flux" {
  name = "arc-flux"
  type = "reconciler"
  manifests = [<<-EOT
    apiVersion: source.toolkit.fluxcd.io/v1
    kind: GitRepository
    metadata:
      name: {{ .DeploymentTargetName }}
      namespace: {{ .Namespace }}
    spec:
      interval: 1m
      url: {{ .Repo | quote }}
      ref:
        branch: {{ .Branch | quote }}
  EOT
  ]
}

resource "kalypso_template" "namespace" {
  name = "arc-namespace"
  type = "namespace"
  manifests = [<<-EOT
    apiVersion: v1
    kind: Namespace
    metadata:
      name: {{ .Namespace }}
  EOT
  ]
}
