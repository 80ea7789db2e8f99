resource "kalypso_template" "namespace" {
  name = "arc-namespace"
  type = "namespace"
  manifests = [<<-EOT
    apiVersion: v1
    kind: Namespace
    metadata:
      name: {{ .Namespace }}
      labels:
        workspace: {{ .Workspace }}
  EOT
  ]
}

# A template of a shell script instead of YAML. Its file is platform-config.sh.
resource "kalypso_template" "environment_variables" {
  name         = "environment-variables"
  type         = "config"
  content_type = "sh"
  manifests = [<<-EOT
    {{- range $key, $value := .ConfigData }}
    export {{ $key }}={{ $value | quote }}
    {{- end }}
  EOT
  ]
}
