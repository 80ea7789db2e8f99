# Two cluster types at the edge in each of four regions, those with much memory first.
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

# Every cluster type, also a drained one, in groups for waves.
resource "kalypso_placement" "everywhere" {
  name = "everywhere"

  tolerations {
    key      = "example.com/drained"
    operator = "Exists"
  }

  decision_strategy {
    group_strategy {
      clusters_per_decision_group = "25%"
    }
  }
}
