# Chooses two cluster types at the edge in each of four regions, preferably with much memory.
resource "kalypso_placement" "edge" {
  name               = "two-of-each-region"
  number_of_clusters = 8

  predicates {
    required_cluster_selector {
      label_selector {
        match_labels = { tier = "edge" }
      }
      cel_selector {
        cel_expressions = ["semver(managedCluster.status.version.kubernetes).isGreaterThan(semver(\"1.30.0\"))"]
      }
    }
  }

  prioritizer_policy {
    configurations {
      weight = 2
      score_coordinate {
        built_in = "ResourceAllocatableMemory"
      }
    }
    configurations {
      score_coordinate {
        type = "AddOn"
        add_on {
          resource_name = "load"
          score_name    = "free"
        }
      }
    }
  }

  spread_policy {
    spread_constraints {
      topology_key       = "region"
      topology_key_type  = "Label"
      when_unsatisfiable = "DoNotSchedule"
    }
  }
}

# Chooses all cluster types, also drained ones, in groups for waves.
resource "kalypso_placement" "everywhere" {
  name = "everywhere"

  tolerations {
    key      = "example.com/drained"
    operator = "Exists"
  }

  decision_strategy {
    group_strategy {
      clusters_per_decision_group = "25%"
      decision_groups {
        group_name = "canary"
        group_cluster_selector {
          label_selector {
            match_labels = { canary = "true" }
          }
        }
      }
    }
  }
}

# The placement chooses some of the cluster types that the policy selects.
resource "kalypso_scheduling_policy" "store" {
  name      = "store"
  placement = kalypso_placement.edge.name

  deployment_target_selector {
    match_labels = { purpose = "store" }
  }

  cluster_type_selector {
    match_all = true
  }
}
