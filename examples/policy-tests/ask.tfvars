# terraform console -var-file=ask.tfvars
environment = "prod"
ask         = { deployment_target = "payments-live", cluster_type = "edge" }
