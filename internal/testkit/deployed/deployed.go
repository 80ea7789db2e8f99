// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package deployed makes fleets that run somewhere, for tests and benchmarks of what shows
// them: as large as one likes, and the same each time.
package deployed

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/inventory"
)

// clusterTypes that every fleet has at least, and workloads for small ones.
var (
	regions   = []string{"west", "east", "north", "south"}
	sizes     = []string{"cloud", "store", "drone", "edge", "lab"}
	workloads = []string{"shop", "telemetry", "payments", "catalog", "search"}
)

// start is when the last commit was made.
var start = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

// Environments are the names of a fleet's environments.
var Environments = []string{"dev", "prod", "stage"}

// Fleet returns three environments of about so many packages each, with differences
// between them, health, history and a file that could not be read.
func Fleet(packages int) inventory.Fleet {
	var all []inventory.Environment
	for _, name := range Environments {
		all = append(all, environment(name, packages))
	}
	return inventory.NewFleet(all, inventory.Rules{})
}

// environment returns one of the three: dev is ahead, stage follows, prod is behind. Of dev,
// a cluster type fails and another one is under way, prod is healthy, and of stage nobody
// has reported on the head, but on commits before it.
func environment(name string, packages int) inventory.Environment {
	behind := map[string]int{"dev": 0, "stage": 1, "prod": 2}[name]
	columns := 2 + min(packages/10, 38)
	at := start.Add(-time.Duration(behind) * 26 * time.Hour)
	e := inventory.Environment{
		Name: name, Repo: "https://git.example.com/gitops", Branch: name, Head: ID(name, "head"), Time: inventory.Stamp(at),
		Releases: []string{ID("control plane", 40-behind)},
	}
	e.History = history(e, at, behind, packages, columns)
	for n := range packages {
		if p := newPackage(e, n, columns, behind); p.Workload != "" {
			e.Packages = append(e.Packages, p)
		}
	}
	reports, expected := reportsOn(name, min(columns, packages)), []string(nil)
	for _, clusterType := range clusterTypesOf(e.Packages) {
		for n := range 2 {
			expected = append(expected, fmt.Sprintf("kalypso/%s/%s/%s-%d", name, clusterType, clusterType, n+1))
		}
	}
	if name != "prod" { // every cluster of prod reports
		reports = reports[:max(0, len(reports)-1)]
	}
	e.Report(expected, reports)
	e.Packages[0].Unreadable = []string{"reconciler.yaml: line 3: did not find expected key"}
	return e
}

// place returns the cluster type and the workload of a package by its number.
func place(n, columns int) (clusterType, workload, target string) {
	c, w := n%columns, n/columns
	clusterType = sizes[c%len(sizes)] + "-" + regions[c/len(sizes)%len(regions)]
	if c >= len(sizes)*len(regions) {
		clusterType += fmt.Sprint("-", c/len(sizes)/len(regions)+1)
	}
	workload = workloads[w%len(workloads)]
	if w >= len(workloads) {
		workload += fmt.Sprint("-", w/len(workloads)+1)
	}
	return clusterType, workload, workload + "-live"
}

// newPackage returns the package of that number; a zero one if the environment lacks it.
func newPackage(e inventory.Environment, n, columns, behind int) inventory.Package {
	clusterType, workload, target := place(n, columns)
	if behind == 2 && n/columns == 2 {
		return inventory.Package{} // this workload has not come to the last environment
	}
	c := e.History[n%len(e.History)]
	version := fmt.Sprintf("1.%d.%d", 4+n/columns%7, 3-behind*(n/columns%2))
	p := inventory.Package{
		ClusterType: clusterType, DeploymentTarget: target, ID: ID(e.Name, n), Workload: workload, Workspace: workload + "-team",
		Namespace: fmt.Sprintf("%s-%s-%s", e.Name, clusterType, target),
		Sources: []inventory.Source{{Kind: "GitRepository", Repo: "https://git.example.com/" + workload + "/deployments",
			Ref: "v" + version, Path: "./" + e.Name + "/overlays"}},
		Version: version, Build: fmt.Sprint(4000 + n/columns), Commit: ID(workload, version),
		Values: map[string]string{
			"REGION": clusterType, "DATABASE_URL": "mysql://" + workload + "." + clusterType + ".example.com:8806",
			"LOG_LEVEL": []string{"debug", "info", "info"}[behind],
			"REPLICAS":  fmt.Sprint(1 + behind), "FEATURES": "checkout,search", "TIMEOUT": "30s", "CACHE": "memory", "TLS": "true",
			"limits.yaml": "cpu: 500m\nmemory: 512Mi\n", "OWNER": workload + "-team",
		},
		Changed: &inventory.LastChange{Commit: c.Commit, Author: c.Author, Subject: c.Subject, Time: c.Time},
	}
	if state := []inventory.HealthState{inventory.Healthy, inventory.Unhealthy, inventory.Healthy, "", inventory.Progressing,
		inventory.Healthy}[n%len(e.History)%6]; state != "" {
		p.Health = inventory.HealthOf([]inventory.Status{report(e.Name, clusterType, 1, state)})
	}
	return p
}

// clusterTypesOf are the cluster types of packages.
func clusterTypesOf(packages []inventory.Package) []string {
	var all []string
	for _, p := range packages {
		all = append(all, p.ClusterType)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// reportsOn are those of the clusters of an environment on its head, two of each type.
func reportsOn(environment string, columns int) []inventory.Status {
	if environment == "stage" {
		return nil
	}
	var all []inventory.Status
	for n := range 2 * columns {
		clusterType, _, _ := place(n/2, columns)
		state := inventory.Healthy
		if environment == "dev" && clusterType == "store-west" && n%2 == 0 {
			state = inventory.Unhealthy
		}
		if environment == "dev" && clusterType == "drone-west" {
			state = inventory.Progressing
		}
		all = append(all, report(environment, clusterType, n%2+1, state))
	}
	return all
}

// report is what a cluster of a cluster type says.
func report(environment, clusterType string, n int, state inventory.HealthState) inventory.Status {
	says := map[inventory.HealthState]string{inventory.Healthy: "reconciliation succeeded",
		inventory.Unhealthy: "health check failed", inventory.Progressing: "reconciliation in progress"}
	return inventory.Status{Context: fmt.Sprintf("kalypso/%s/%s/%s-%d", environment, clusterType, clusterType, n), Description: says[state],
		State: state}
}

// history returns fifty commits, each of which changed some packages.
func history(e inventory.Environment, head time.Time, behind, packages, columns int) []inventory.Change {
	var all []inventory.Change
	for i := range 50 {
		c := inventory.Change{
			Commit: ID(e.Name, "commit", i), Author: []string{"Ada Lovelace", "Grace Hopper", "terraform"}[i%3],
			Time: inventory.Stamp(head.Add(-time.Duration(i) * 7 * time.Hour)), Releases: []string{ID("control plane", 40-behind-i)},
			Run: fmt.Sprint("https://ci.example.com/runs/", 900-i),
		}
		for n := range 1 + i%4 {
			clusterType, _, target := place((i+50*n)%packages, columns)
			c.Changed = append(c.Changed, clusterType+"/"+target)
		}
		slices.Sort(c.Changed)
		c.Changed = slices.Compact(c.Changed)
		if i == 0 {
			c.Commit = e.Head
		}
		if i == 49 {
			c.Added, c.Changed = c.Changed, nil
		}
		c.Subject = fmt.Sprintf("%s: +%d ~%d -0 packages", e.Name, len(c.Added), len(c.Changed))
		all = append(all, c)
	}
	return all
}

// ID returns the id of a commit or a folder that is made up of these.
func ID(of ...any) string {
	sum := sha256.Sum256([]byte(fmt.Sprint(of...)))
	return hex.EncodeToString(sum[:20])
}
