locals {
  region = provider::kalypso::manifest({
    kind   = "ConfigSchema"
    name   = "region"
    labels = { cluster-type = "drone" }

    schema = jsonencode({
      type     = "object"
      required = ["REGION"]
      properties = {
        REGION = { type = "string", enum = ["East US", "West US"] }
      }
    })
  })
}
