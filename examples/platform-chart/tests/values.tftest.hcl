run "each_target_has_its_values" {
  command = plan

  assert {
    condition = jsonencode(output.values) == jsonencode({
      "cloud/log-shipper-agent/platform-config.yaml"      = { role = "Agent" }
      "cloud/log-shipper-aggregator/platform-config.yaml" = { replicas = 3, role = "Aggregator" }
      "store/log-shipper-agent/platform-config.yaml"      = { resources = { limits = { memory = "64Mi" } }, role = "Agent" }
    })
    error_message = jsonencode(output.values)
  }
}
