// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleetgen

import (
	"fmt"
	"math/rand/v2"
)

// The company: 9 teams with 10 applications each, and 48 cluster types in five environments.
var (
	companyTeams = []string{"billing", "customs", "fleet-care", "freight", "parcels", "returns", "routes", "tracking", "yards"}
	companySites = []string{"hub", "depot", "yard", "lab"}
	companySizes = []struct {
		environment, continent string
		clusterTypes           int
	}{{"dev", "eu", 4}, {"qa", "eu", 4}, {"stage", "us", 8}, {"prod-eu", "eu", 16}, {"prod-us", "us", 16}}
)

const (
	applicationsPerTeam = 10
	regionsPerContinent = 3
)

// Company returns the files of a logistics firm, by their paths: fleet/… in the layout of the starter, without its
// templates, and teams/<team>/…, the repository of each team below the URL repositories. An application runs on the
// cluster types of one sort of sites in each environment; the seed chooses the sort.
func Company(seed uint64, repositories string) map[string]string {
	files, r := map[string]string{}, rand.New(rand.NewPCG(seed, 0))
	for _, e := range companySizes {
		for i := range e.clusterTypes {
			name := fmt.Sprintf("site-%02d", i)
			files["fleet/environments/"+e.environment+"/"+name+".yaml"] = companyObject("ClusterType", name,
				fmt.Sprintf("{site: %s, region: %s-%d, continent: %[2]s}", companySites[i%len(companySites)], e.continent, i%regionsPerContinent),
				"reconciler: flux-kustomization\n  namespaceService: namespace\n  configType: configmap")
		}
	}
	for _, site := range companySites {
		files["fleet/common/policies/"+site+".yaml"] = companyObject("SchedulingPolicy", site, "{}", fmt.Sprintf(`deploymentTargetSelector:
    labelSelector: {matchLabels: {site: %s}}
  clusterTypeSelector:
    labelSelector: {matchLabels: {site: %[1]s}}`, site))
	}
	for _, continent := range []string{"eu", "us"} {
		for i := range regionsPerContinent {
			name := fmt.Sprintf("%s-%d", continent, i)
			files["fleet/common/configs/"+name+".yaml"] = fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\n"+
				"  labels: {platform-config: \"true\", region: %[1]s}\ndata:\n  REGION: %[1]s\n", name)
		}
	}
	for _, team := range companyTeams {
		files["fleet/common/registrations/"+team+".yaml"] = companyObject("WorkloadRegistration", team, "{}",
			fmt.Sprintf("workspace: %s\n  workload: {repo: %q, branch: main, path: .}", team, repositories+"/"+team+".git"))
		for i := range applicationsPerTeam {
			name := fmt.Sprintf("%s-%d", team, i)
			files["teams/"+team+"/"+name+".yaml"] = companyObject("Workload", name, "{}", fmt.Sprintf(`deploymentTargets:
    - name: live
      labels: {site: %s}
      manifests: {repo: "https://github.com/contoso/%s", branch: main, path: ./deploy}`, companySites[r.IntN(len(companySites))], name))
		}
	}
	return files
}

func companyObject(kind, name, labels, spec string) string {
	return fmt.Sprintf("apiVersion: scheduler.kalypso.io/v1alpha1\nkind: %s\nmetadata:\n  name: %s\n  labels: %s\nspec:\n  %s\n", kind, name,
		labels, spec)
}
