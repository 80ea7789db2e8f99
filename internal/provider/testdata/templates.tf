
resource "kalypso_template" "reconciler" {
  name      = "reconciler"
  type      = "reconciler"
  manifests = [<<-EOT
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: {{ .DeploymentTargetName }}
      labels:
        family: {{ index .Labels "family" | default "none" }}
  EOT
  ]
}

resource "kalypso_template" "namespace" {
  name      = "namespace"
  type      = "namespace"
  manifests = [<<-EOT
    apiVersion: v1
    kind: Namespace
    metadata:
      name: {{ .Namespace }}
  EOT
  ]
}

resource "kalypso_template" "config" {
  name      = "config"
  type      = "config"
  manifests = [<<-EOT
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: platform-config
      namespace: {{ .Namespace }}
    data:
    {{ toYaml .ConfigData | indent 2 }}
  EOT
  ]
}
