# Each module on a recorded answer.

run "azure_resource_graph" {
  module {
    source = "./azure-resource-graph"
  }
  variables {
    environment = "dev"
    repo        = "https://github.com/contoso/gitops"
    branch      = "dev"
    rows        = jsondecode(file("recorded/azure-resource-graph.json")).data
  }
  assert {
    condition = jsondecode(output.reports) == [
      { commit = "c4e327286379495f8b6edc2c9c208095b6cc53ab", context = "kalypso/dev/cloud", state = "success", time = "2026-03-02T11:54:54.83Z" },
      { commit = "c4e327286379495f8b6edc2c9c208095b6cc53ab", context = "kalypso/dev/store", state = "pending", time = "2026-03-02T12:03:10.12Z" },
      { commit = "0ba6f0d30760d567de0bac86c8c4eec13ce1a590", context = "kalypso/dev/store", state = "failure", time = "2026-03-01T08:00:00Z" },
    ]
    error_message = output.reports
  }
  assert {
    condition     = strcontains(output.query, "url == 'https://github.com/contoso/gitops' and properties.gitRepository.repositoryRef.branch == 'dev'")
    error_message = output.query
  }
}

run "prometheus" {
  module {
    source = "./prometheus"
  }
  variables {
    environment = "dev"
    answer      = jsondecode(file("recorded/prometheus.json"))
  }
  assert {
    condition = jsondecode(output.reports) == [
      { commit = "c4e327286379495f8b6edc2c9c208095b6cc53ab", context = "kalypso/dev/store/store-1", state = "success", time = "2026-03-02T11:00:00Z" },
      { commit = "c4e327286379495f8b6edc2c9c208095b6cc53ab", context = "kalypso/dev/store/store-2", state = "failure", time = "2026-03-02T10:00:00Z" },
      { commit = "c4e327286379495f8b6edc2c9c208095b6cc53ab", context = "kalypso/dev/store/store-3", state = "pending", time = "2026-03-02T09:00:00Z" },
    ]
    error_message = output.reports
  }
}

run "folder" {
  module {
    source = "./folder"
  }
  variables {
    folder = "recorded/folder"
  }
  assert {
    condition     = jsondecode(output.reports) == concat(jsondecode(file("recorded/folder/clusters.json")), [jsondecode(file("recorded/folder/smoke.json"))])
    error_message = output.reports
  }
}
