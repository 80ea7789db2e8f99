# Platform configuration. Each ConfigMap applies to targets and cluster types with its labels. If
# several ConfigMaps set a key to a text, the last ConfigMap in alphabetical order wins.
resource "kalypso_config" "this" {
  for_each = {
    dev-config     = { labels = {}, data = { ENVIRONMENT = "Dev", LOG_LEVEL = "debug" } }
    drone-config   = { labels = { cluster-type = "drone" }, data = { CLUSTER_NAME = "Drone" } }
    east-us-config = { labels = { region = "east-us" }, data = { REGION = "East US" } }
    west-us-config = { labels = { region = "west-us" }, data = { REGION = "West US", DATABASE_URL = "mysql://west:8806/mysql" } }
  }

  name   = each.key
  labels = each.value.labels
  data   = each.value.data
}
