// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package main

import "strconv"

// preface begins the page; the machine stands in it.
const preface = `# Benchmarks

What ` + "`make bench`" + ` measured in one run on a quiet machine (%s). Fleets are generated (` + "`internal/testkit/fleetgen`" + `): at 10,000 assignments 100 cluster types and 1,000 deployment targets, three files with four objects for each assignment, platform configuration at every level. Templates come in many shapes of YAML; where several were measured, the worst counts and is named. Times vary from run to run by a tenth.
`

// sections are what the page tells, and the aims.
var sections = []section{
	{
		"Plans",
		"Whole `terraform` processes, from start to end, of a fleet whose templates write flow mappings; as a multiple of the same with one assignment. Memory is the most that Terraform or the provider took.",
		[]row{
			plan("one assignment, no change", 1, "package", "none", 0),
			plan("first plan, 10,000 assignments", 10_000, "package", "first", 3.5),
			plan("first plan, 100,000", 100_000, "package", "first", 25),
			memory("first plan, 100,000: memory", 100_000, "package", "first", 450),
			plan("first plan, 100,000, `detail = \"cluster_type\"`", 100_000, "cluster_type", "first", 25),
			plan("apply of 10,000 new packages", 10_000, "package", "apply", 0),
			plan("apply of 100,000 new packages", 100_000, "package", "apply", 40),
			plan("apply of 100,000 new packages, `detail = \"cluster_type\"`", 100_000, "cluster_type", "apply", 40),
			plan("one value of one cluster type, 10,000", 10_000, "package", "changed", 0),
			plan("one value of one cluster type, 100,000", 100_000, "package", "changed", 20),
			plan("one value of one cluster type, 100,000, `detail = \"cluster_type\"`", 100_000, "cluster_type", "changed", 20),
			memory("one value of one cluster type, 100,000, `detail = \"cluster_type\"`: memory", 100_000, "cluster_type", "changed", 450),
			plan("no change, 10,000", 10_000, "package", "none", 4),
			plan("no change, 100,000", 100_000, "package", "none", 0),
			plan("no change, 100,000, `detail = \"cluster_type\"`", 100_000, "cluster_type", "none", 3),
			memory("no change, 100,000, `detail = \"cluster_type\"`: memory", 100_000, "cluster_type", "none", 0),
		},
	},
	{
		"Growth",
		"What takes how many times as long at 100,000 assignments as at 10,000.",
		[]row{
			growth("first plan", "package", "first"), growth("apply", "package", "apply"), growth("one value", "package", "changed"), growth("no change", "package", "none"),
			growth("first plan, `cluster_type`", "cluster_type", "first"), growth("apply, `cluster_type`", "cluster_type", "apply"),
			growth("one value, `cluster_type`", "cluster_type", "changed"), growth("no change, `cluster_type`", "cluster_type", "none"),
		},
	},
	{
		"The engine",
		"From manifests to tree ids, on all cores; processor time counts all of them.",
		[]row{
			{"10,000 assignments", "engine.Compute/assignments=10000", "sec/op", 0, "", "%.2f s", 0.3},
			{"10,000 assignments: heap", "engine.Compute/assignments=10000", "peak-B", 1e6, "", "%.0f MB", 200},
			{"100,000 assignments", "engine.Compute/assignments=100000", "sec/op", 0, "", "%.1f s", 3},
			{"100,000 assignments: heap", "engine.Compute/assignments=100000", "peak-B", 1e6, "", "%.0f MB", 1000},
			{"processor time of an assignment, templates in block style", "engine.Shapes/block", "cpu-µs/assignment", 0, "", "%.1f µs", 12},
			{"processor time of an assignment, the worst shape", "engine.Shapes/*", "cpu-µs/assignment", 0, "", "%.1f µs", 20},
			{"what findings add, templates in block style", "engine.Findings/block", "%-of-engine", 0, "", "%.0f %%", 25},
			{"what findings add, the worst shape", "engine.Findings/*", "%-of-engine", 0, "", "%.0f %%", 25},
			{"explaining one pair of 10,000, decoding included", "engine.Explain", "sec/op", 1e-3, "", "%.0f ms", 50},
			{"the diff of 30,000 files, one of which changes", "diff.Unchanged", "sec/op", 1e-3, "", "%.1f ms", 0},
			{"the diff of 30,000 files that all change", "diff.Relabel", "sec/op", 0, "", "%.2f s", 0},
		},
	},
	{
		"Commits",
		"Reading the branch, making the trees, pushing one commit, over smart HTTP on loopback; beside it, the same with the git command line.",
		[]row{
			{"30,000 new files", "git.Apply/files=30000/http/new", "sec/op", 0, "", "%.2f s", 0},
			{"1 % of 30,000 files", "git.Apply/files=30000/http/changed=1%", "sec/op", 0, "", "%.2f s", 0},
			{"none of 30,000 files", "git.Apply/files=30000/http/unchanged", "sec/op", 0, "", "%.2f s", 0},
			{"1 % of 300,000 files (with KALYPSO_BENCH_LARGE=1)", "git.Apply/files=300000/http/changed=1%", "sec/op", 0, "", "%.2f s", 3},
			{"git: shallow clone, write, add, commit, push", "git.Git/files=30000/http/work-tree", "sec/op", 0, "", "%.2f s", 0},
			{"git fast-import of the whole fleet", "git.Git/files=30000/http/fast-import", "sec/op", 0, "", "%.2f s", 0},
		},
	},
	{
		"Histories",
		"What 200 commits of a GitOps branch carried (100 cluster types, 1,000 packages), and 2,000 commits of a control plane, with 3,000 that they have merged, over smart HTTP on loopback: the time, and what travels.",
		[]row{
			{"200 GitOps commits", "history.GitOps/records", "sec/op", 0, "", "%.2f s", 0},
			{"200 GitOps commits", "history.GitOps/records", "B-fetched/op", 1e3, "", "%.0f kB", 0},
			{"200 GitOps commits of Kalypso's own", "history.GitOps/tracking", "B-fetched/op", 1e3, "", "%.0f kB", 0},
			{"2,000 source commits", "history.Source/all", "sec/op", 0, "", "%.2f s", 0},
			{"2,000 source commits", "history.Source/all", "B-fetched/op", 1e3, "", "%.0f kB", 0},
			{"2,000 source commits of a control plane in a folder", "history.Source/folder", "B-fetched/op", 1e3, "", "%.0f kB", 0},
			{"the source, where the environment is close behind", "history.Source/newest", "B-fetched/op", 1e3, "", "%.0f kB", 0},
		},
	},
	{
		"Deployments",
		"What runs where: three environments of 2,000 packages on 100 cluster types each, with 50 commits that change 10 packages each, over smart HTTP on loopback; and a whole terraform plan that tells it.",
		[]row{
			{"each with packages of its own", "history.Deployments/different", "sec/op", 0, "", "%.2f s", 2},
			{"the provider's processor time of it", "history.Deployments/different", "cpu-sec/op", 0, "", "%.2f s", 0},
			{"what travels", "history.Deployments/different", "B-fetched/op", 1e6, "", "%.1f MB", 0},
			{"in requests", "history.Deployments/different", "requests/op", 0, "", "%.0f", 0},
			{"all with the same packages", "history.Deployments/same", "sec/op", 0, "", "%.2f s", 0},
			{"what travels then", "history.Deployments/same", "B-fetched/op", 1e6, "", "%.1f MB", 0},
			{"a plan", "provider.PlanDeployments", "sec/op", 0, "", "%.2f s", 0},
		},
	},
	{
		"Control planes",
		"A control plane with 200 registrations in 20 repositories, over smart HTTP on loopback.",
		[]row{
			{"reading it", "controlplane.Load", "sec/op", 0, "", "%.2f s", 0},
		},
	},
}

// oneAssignment is the benchmark that plans are compared with.
const oneAssignment = "provider.Plan/assignments=1/detail=package/none"

func planOf(assignments int, detail, step string) string {
	return "provider.Plan/assignments=" + strconv.Itoa(assignments) + "/detail=" + detail + "/" + step
}

func plan(what string, assignments int, detail, step string, times float64) row {
	return row{what, planOf(assignments, detail, step), "sec/op", 0, oneAssignment, "%.2f s", times}
}

func memory(what string, assignments int, detail, step string, most float64) row {
	return row{what, planOf(assignments, detail, step), "peak-B", 1e6, "", "%.0f MB", most}
}

func growth(what, detail, step string) row {
	return row{what, planOf(100_000, detail, step), "sec/op", 0, planOf(10_000, detail, step), "%.2f s", 12}
}
