locals {
  namespace = provider::kalypso::manifest({
    kind = "Template"
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
  })

  # A template of a shell script instead of YAML. Its file is platform-config.sh.
  environment_variables = provider::kalypso::manifest({
    kind         = "Template"
    name         = "environment-variables"
    type         = "config"
    content_type = "sh"
    manifests = [<<-EOT
      {{- range $key, $value := .ConfigData }}
      export {{ $key }}={{ $value | quote }}
      {{- end }}
    EOT
    ]
  })
}
