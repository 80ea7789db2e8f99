locals {
  edge = provider::kalypso::manifest({
    kind               = "Placement"
    name               = "two-of-each-region"
    number_of_clusters = 8

    predicates = [{
      required_cluster_selector = {
        label_selector = { match_labels = { tier = "edge" } }
        cel_selector = {
          cel_expressions = ["semver(managedCluster.status.version.kubernetes).isGreaterThan(semver(\"1.30.0\"))"]
        }
      }
    }]

    prioritizer_policy = {
      configurations = [
        { score_coordinate = { built_in = "ResourceAllocatableMemory" }, weight = 2 },
        { score_coordinate = { type = "AddOn", add_on = { resource_name = "load", score_name = "free" } } },
      ]
    }

    spread_policy = {
      spread_constraints = [{
        topology_key       = "region"
        topology_key_type  = "Label"
        when_unsatisfiable = "DoNotSchedule"
      }]
    }
  })

  # Chooses all cluster types, also drained ones, in groups for waves.
  everywhere = provider::kalypso::manifest({
    kind        = "Placement"
    name        = "everywhere"
    tolerations = [{ key = "example.com/drained", operator = "Exists" }]

    decision_strategy = {
      group_strategy = {
        decision_groups             = [{ group_name = "canary", group_cluster_selector = { label_selector = { match_labels = { canary = "true" } } } }]
        clusters_per_decision_group = "25%"
      }
    }
  })
}
