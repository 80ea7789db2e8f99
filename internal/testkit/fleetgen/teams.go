// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleetgen

import "fmt"

// The fleet of six teams: each team has so many workloads, each with one deployment target.
const (
	workloadsPerTeam = 20
	regionsOfTeams   = 4
)

// sitesOfTeams are the environments with their numbers of cluster types, which are 30 in all. Each
// environment has every region.
var sitesOfTeams = []struct {
	environment string
	sites       int
}{{"dev", 4}, {"stage", 6}, {"prod", 20}}

// teams have the cluster types of a label each: all, those of one region, or the large ones.
var teams = []struct{ name, label, value string }{
	{"retail", "kind", "site"},
	{"finance", "region", "r0"},
	{"logistics", "region", "r1"},
	{"media", "region", "r2"},
	{"energy", "region", "r3"},
	{"research", "size", "large"},
}

// Teams returns the YAML files of a fleet in the layout of the starter, by their paths below its folder
// fleet: six teams, 120 workloads, 30 cluster types in three environments. The templates are those of
// the starter.
func Teams() map[string]string {
	files := map[string]string{}
	for _, e := range sitesOfTeams {
		for i := range e.sites {
			name, size := fmt.Sprintf("site-%02d", i), "small"
			if i < regionsOfTeams {
				size = "large"
			}
			files[fmt.Sprintf("environments/%s/%s.yaml", e.environment, name)] = fmt.Sprintf(`apiVersion: scheduler.kalypso.io/v1alpha1
kind: ClusterType
metadata:
  name: %s
  labels:
    kind: site
    region: r%d
    size: %s
spec:
  reconciler: flux-kustomization
  namespaceService: namespace
  configType: configmap
`, name, i%regionsOfTeams, size)
		}
	}
	for _, team := range teams {
		files["common/policies/"+team.name+".yaml"] = fmt.Sprintf(`apiVersion: scheduler.kalypso.io/v1alpha1
kind: SchedulingPolicy
metadata:
  name: %s
spec:
  deploymentTargetSelector:
    workspace: %[1]s
    labelSelector:
      matchLabels:
        team: %[1]s
  clusterTypeSelector:
    labelSelector:
      matchLabels:
        %[2]s: %[3]s
`, team.name, team.label, team.value)
		for i := range workloadsPerTeam {
			name := fmt.Sprintf("%s-%02d", team.name, i)
			files["common/workloads/"+team.name+"/"+name+".yaml"] = teamWorkload(team.name, name)
		}
	}
	files["common/configs/everywhere.yaml"] = teamConfig("everywhere", "kind: site", "LOG_LEVEL: info")
	for i := range regionsOfTeams {
		region := fmt.Sprintf("r%d", i)
		files["common/configs/"+region+".yaml"] = teamConfig(region, "region: "+region, "REGION: "+region)
	}
	return files
}

// teamWorkload is a workload of a team with one deployment target.
func teamWorkload(team, name string) string {
	return fmt.Sprintf(`apiVersion: scheduler.kalypso.io/v1alpha1
kind: Workload
metadata:
  name: %s
  labels:
    workspace: %s
spec:
  deploymentTargets:
    - name: live
      labels:
        team: %[2]s
      manifests:
        repo: https://github.com/contoso/%[1]s
        branch: main
        path: ./deploy
`, name, team)
}

func teamConfig(name, label, value string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: ConfigMap
metadata:
  name: %s
  labels:
    platform-config: "true"
    %s
data:
  %s
`, name, label, value)
}
