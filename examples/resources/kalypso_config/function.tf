locals {
  west_us = provider::kalypso::manifest({
    kind   = "ConfigMap"
    name   = "west-us-config"
    labels = { region = "west-us" }

    data = {
      REGION       = "West US"
      DATABASE_URL = "mysql://west-stage:8806/mysql"
      ENDPOINTS = yamlencode([
        { name = "api", port = 8080 },
        { name = "metrics", port = 9090 },
      ])
    }
  })
}
