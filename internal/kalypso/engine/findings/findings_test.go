// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/fleetgen"
)

// find computes a fleet and returns its findings, a line each.
func find(t *testing.T, placeOnly bool, texts ...string) []string {
	t.Helper()
	lines := []string{}
	for _, f := range result(t, placeOnly, texts...) {
		lines = append(lines, f.Severity+" "+f.Code+" "+f.Subject+": "+f.Message)
	}
	return lines
}

// result returns the findings of the environment prod.
func result(t *testing.T, placeOnly bool, texts ...string) []findings.Finding {
	t.Helper()
	in := engine.Input{Environment: "prod", PlaceOnly: placeOnly}
	for _, text := range texts {
		in.Manifests = append(in.Manifests, manifest.Text{Name: "test", Text: text})
	}
	result, err := engine.Compute(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return findingsOf(t, result)
}

// sound is a fleet without findings: web-live and web-spare on edge and cloud.
const sound = `
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Template
metadata: {name: rec}
spec:
  type: reconciler
  manifests:
    - |
      apiVersion: v1
      kind: ConfigMap
      metadata:
        name: {{ .DeploymentTargetName }}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Template
metadata: {name: ns}
spec: {type: namespace, manifests: ["{apiVersion: v1, kind: Namespace, metadata: {name: {{ .Namespace }}}}"]}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: ClusterType
metadata: {name: edge, labels: {tier: edge, region: west}}
spec: {reconciler: rec, namespaceService: ns}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: ClusterType
metadata: {name: cloud, labels: {tier: cloud, region: west}}
spec: {reconciler: rec, namespaceService: ns}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Workload
metadata: {name: web, labels: {workspace: team}}
spec:
  deploymentTargets:
    - {name: live, environment: prod, labels: {purpose: live}, manifests: {repo: "https://git.example/web"}}
    - {name: spare, environment: prod, labels: {purpose: spare}}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: SchedulingPolicy
metadata: {name: everywhere}
spec: {deploymentTargetSelector: {workspace: team}, clusterTypeSelector: {labelSelector: {}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: a-west, labels: {platform-config: "true", region: west}}
data: {LEVEL: info, DATABASE_URL: "mysql://west:8806/mysql"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: b-edge, labels: {platform-config: "true", region: west, tier: edge}}
data: {LEVEL: debug}
`

func policy(name, targets, clusterTypes string) string {
	return fmt.Sprintf("apiVersion: scheduler.kalypso.io/v1alpha1\nkind: SchedulingPolicy\nmetadata: {name: %s}\nspec: "+
		"{deploymentTargetSelector: {%s}, clusterTypeSelector: {%s}}\n", name, targets, clusterTypes)
}

func config(name, labels, data string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, labels: {platform-config: \"true\"%s}}\ndata: {%s}\n", name,
		labels, data)
}

// unmarked is a ConfigMap that is not platform configuration.
func unmarked(name, labels string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, labels: {%s}}\ndata: {a: b}\n", name, labels)
}

func ocm(version, kind, metadata, rest string) string {
	return "apiVersion: cluster.open-cluster-management.io/" + version + "\nkind: " + kind + "\nmetadata: " + metadata + "\n" + rest + "\n"
}

func gitOpsRepo(name string) string {
	return "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: GitOpsRepo\nmetadata: {name: " + name + "}\nspec: {repo: " +
		"\"https://git.example/" +
		name + "\", branch: main}\n"
}

func TestFind(t *testing.T) {
	t.Parallel()
	replace := func(oldnew ...string) string {
		changed := strings.NewReplacer(oldnew...).Replace(sound)
		if changed == sound {
			t.Fatalf("%q replaces nothing", oldnew)
		}
		return changed
	}
	const (
		rec   = "name: {{ .DeploymentTargetName }}\n"
		files = ": cloud/web-live/reconciler.yaml and 3 more files."
	)
	tooLong := "warning NAME_TOO_LONG Template/rec: Template rec renders CronJob.batch " + strings.Repeat("s", 64) + "/web-live-" +
		strings.Repeat("n", 44) + " with "
	for name, test := range map[string]struct {
		manifests []string
		want      []string
	}{
		"nothing": {[]string{sound}, []string{}},
		"left over": {
			[]string{replace("workspace: team}, ", "labelSelector: {matchLabels: {purpose: live}}}, ", "clusterTypeSelector: {labelSelector: {}}",
				"clusterTypeSelector: {labelSelector: {matchLabels: {tier: edge}}}")},
			[]string{
				"warning TARGET_UNASSIGNED DeploymentTarget/web-spare: No scheduling policy puts deployment target web-spare on any cluster type.",
				"info CLUSTER_TYPE_IDLE ClusterType/cloud: Cluster type cloud has no deployment target.",
			},
		},
		"a label that is nearly asked for": {
			[]string{replace("workspace: team}, ", "labelSelector: {matchExpressions: [{key: purpose, operator: In, values: [live, "+
				"spaer]}]}}, ")},
			[]string{
				"warning TARGET_UNASSIGNED DeploymentTarget/web-spare: No scheduling policy puts deployment target web-spare on any cluster " +
					"type: no " +
					"scheduling policy asks for the label purpose = spare (the nearest is spaer).",
			},
		},
		"several GitOpsRepos": {
			[]string{sound, gitOpsRepo("prod"), gitOpsRepo("prod-eu")},
			[]string{"warning GITOPS_REPO_UNWRITTEN GitOpsRepo/prod-eu: Kalypso writes the environment prod to branch main of " +
				"https://git.example/prod-eu too, but a kalypso_gitops_commit that takes its place from the manifests writes to GitOpsRepo/prod " +
				"alone. Write a resource for each GitOpsRepo, with repo and branch. A resource that sets both does not report this."},
		},
		"GitOpsRepos of other environments": {
			[]string{sound, gitOpsRepo("prod"), gitOpsRepo("stage"), deploymentTarget("later", "workload: later, workspace: team",
				"environment: stage")},
			[]string{},
		},
		"GitOpsRepos of which none is chosen": {[]string{sound, gitOpsRepo("a"), gitOpsRepo("b")}, []string{}},
		"what placements decide": {
			[]string{
				replace("metadata: {name: everywhere}", "metadata: {name: everywhere, annotations: {kalypso-gitops.io/placement: two}}"),
				ocm("v1beta1", "Placement", "{name: two}", "spec: {numberOfClusters: 2, prioritizerPolicy: {configurations: [{scoreCoordinate: "+
					"{builtIn: ResourceAllocatableMemory}}]}}"),
				ocm("v1beta1", "Placement", "{name: idle}", "spec: {tolerations: [{key: known, operator: Exists}]}"),
				ocm("v1", "ManagedCluster", "{name: edge}", "spec: {taints: [{key: drain, effect: NoSelect}, {key: known, effect: NoSelect}, "+
					"{key: "+
					"slow, effect: PreferNoSelect}]}"),
				ocm("v1", "ManagedCluster", "{name: clout}", "spec: {}"),
				ocm("v1alpha1", "AddOnPlacementScore", "{name: load, namespace: moon}", "status: {}"),
				ocm("v1beta1", "PlacementDecision", "{name: d, labels: {cluster.open-cluster-management.io/placement: x}}",
					"status: {decisions: [{clusterName: egde}, {clusterName: cloud}, {clusterName: ''}]}"),
			},
			[]string{
				"warning PLACEMENT_UNSATISFIED Placement/two: Placement two finds 1 cluster type for policy everywhere, but asks for 2. " +
					"The policy selects 2 cluster types: 1 TAINT_NOT_TOLERATED, e.g. edge: wants only tolerated taints, " +
					"found taint drain:NoSelect.",
				"warning PLACEMENT_UNUSED Placement/idle: No scheduling policy names placement idle.",
				"warning SCORE_MISSING Placement/two: Placement two scores by ResourceAllocatableMemory for policy everywhere. These cluster " +
					"types have no such score, which counts 0: cloud (1 of 1).",
				"warning DECISIONS_UNUSED PlacementDecision/d: Nothing reads the decision for the placement x: no policy " +
					"and no Placement has that name.",
				"warning CLUSTER_UNKNOWN AddOnPlacementScore/moon/load: AddOnPlacementScore/moon/load is about the cluster moon, but no " +
					"cluster type has that name.",
				"warning CLUSTER_UNKNOWN ManagedCluster/clout: ManagedCluster/clout is about the cluster clout, but no cluster type has that " +
					"name (the nearest is cloud).",
				"warning CLUSTER_UNKNOWN PlacementDecision/d: PlacementDecision/d is about the cluster egde, but no cluster type has that name " +
					"(the nearest is edge).",
				"info CONFIG_UNUSED ConfigMap/b-edge: ConfigMap b-edge applies to no assignment.",
				"info CLUSTER_TYPE_IDLE ClusterType/edge: Cluster type edge has no deployment target.",
				"info TAINT_UNTOLERATED_ANYWHERE ManagedCluster/edge: No placement tolerates the taint drain:NoSelect of edge.",
			},
		},
		"why placements find nothing": {
			[]string{
				replace("metadata: {name: everywhere}", "metadata: {name: everywhere, annotations: {kalypso-gitops.io/placement: gpus}}"),
				strings.ReplaceAll(policy("more", "", ""), "{name: more}", "{name: more, annotations: {kalypso-gitops.io/placement: gpus}}"),
				strings.ReplaceAll(policy("there", "", ""), "{name: there}", "{name: there, annotations: {kalypso-gitops.io/placement: there}}"),
				policy("plain", "", ""),
				ocm("v1beta1", "Placement", "{name: gpus}", "spec: {predicates: [{requiredClusterSelector: {labelSelector: {matchLabels: {tier: "+
					"gpu}}}}]}"),
				ocm("v1beta1", "PlacementDecision", "{name: d, labels: {cluster.open-cluster-management.io/placement: there}}",
					"status: {decisions: []}"),
			},
			[]string{
				"warning PLACEMENT_UNSATISFIED Placement/gpus: Placement gpus finds 0 cluster types for policy everywhere, but asks for at " +
					"least one. The policy selects 2 cluster types: 2 PREDICATE_NOT_MET, e.g. cloud: wants label tier = gpu, found cloud.",
				"warning PLACEMENT_UNSATISFIED Placement/gpus: Placement gpus finds 0 cluster types for policy more, but asks for at least " +
					"one. The policy selects 2 cluster types: 2 PREDICATE_NOT_MET, e.g. cloud: wants label tier = gpu, found cloud.",
				"warning PLACEMENT_UNSATISFIED Placement/there: Placement there finds 0 cluster types for policy there, but asks for at " +
					"least one. The policy selects 2 cluster types: 2 NOT_DECIDED, e.g. cloud: wants a PlacementDecision that names the cluster " +
					"type, " +
					"found (none).",
			},
		},
		"groups that nothing is in": {
			[]string{
				replace("metadata: {name: everywhere}", "metadata: {name: everywhere, annotations: {kalypso-gitops.io/placement: groups}}"),
				ocm("v1beta1", "Placement", "{name: groups}", `spec:
  decisionStrategy: {groupStrategy: {decisionGroups: [{groupName: canary, groupClusterSelector: {labelSelector: {matchLabels: {tier: egde}}}}, {groupName: all, groupClusterSelector: {}}, {groupName: late, groupClusterSelector: {labelSelector: {matchLabels: {tier: edge}}}}]}}`),
			},
			[]string{
				"warning DECISION_GROUP_EMPTY Placement/groups: Decision group canary of placement groups contains none of the 2 cluster types " +
					"that are " +
					"chosen for policy everywhere: no cluster type has the label tier = egde (the nearest is edge). The groups after it have lower " +
					"indexes.",
				"warning DECISION_GROUP_EMPTY Placement/groups: Decision group late of placement groups contains none of the 2 cluster types " +
					"that " +
					"are " +
					"chosen for policy everywhere: no cluster type matches the whole selector, or earlier groups contain the ones that do. The " +
					"groups after it have lower " +
					"indexes.",
			},
		},
		"decisions that nothing reads": {
			[]string{
				replace("metadata: {name: everywhere}", "metadata: {name: everywhere, annotations: {kalypso-gitops.io/placement: apps}}"),
				strings.ReplaceAll(policy("elsewhere", "", ""), "{name: elsewhere}", "{name: elsewhere, annotations: "+
					"{kalypso-gitops.io/placement: "+
					"hubs}}"),
				ocm("v1beta1", "Placement", "{name: apps, namespace: prod}", "spec: {}"),
				ocm("v1beta1", "PlacementDecision", "{name: a-1, namespace: fleet, labels: {cluster.open-cluster-management.io/placement: app}}",
					"status: {decisions: [{clusterName: edge}]}"),
				ocm("v1beta1", "PlacementDecision", "{name: a-2, namespace: fleet, labels: {cluster.open-cluster-management.io/placement: app}}",
					"status: {decisions: [{clusterName: cloud}]}"),
				ocm("v1beta1", "PlacementDecision", "{name: b, namespace: fleet, labels: {cluster.open-cluster-management.io/placement: apps}}",
					"status: {decisions: [{clusterName: edge}]}"),
				ocm("v1beta1", "PlacementDecision", "{name: c, namespace: prod, labels: {cluster.open-cluster-management.io/placement: apps}}",
					"status: {decisions: [{clusterName: edge}]}"),
				ocm("v1beta1", "PlacementDecision", "{name: d, labels: {cluster.open-cluster-management.io/placement: apps}}",
					"status: {decisions: [{clusterName: edge}]}"),
				ocm("v1beta1", "PlacementDecision", "{name: e, namespace: else, labels: {cluster.open-cluster-management.io/placement: hubs}}",
					"status: {decisions: [{clusterName: edge}]}"),
			},
			[]string{
				"warning DECISIONS_UNUSED PlacementDecision/fleet/a-1: Nothing reads the decision for the placement app: no policy and no " +
					"Placement has that name (the nearest is apps).",
				"warning DECISIONS_UNUSED PlacementDecision/fleet/a-2: Nothing reads the decision for the placement app: no policy and no " +
					"Placement has that name (the nearest is apps).",
				"warning DECISIONS_UNUSED PlacementDecision/fleet/b: Nothing reads the decision for the placement apps: the Placement has the " +
					"namespace prod, and the decision has fleet. Write the same namespace in both, or leave it out of one.",
			},
		},
		"placements that decide": {
			[]string{
				replace("metadata: {name: everywhere}", "metadata: {name: everywhere, annotations: {kalypso-gitops.io/placement: all}}"),
				ocm("v1beta1", "Placement", "{name: all}", "spec: {tolerations: [{operator: Exists}]}"),
				ocm("v1", "ManagedCluster", "{name: edge}", "spec: {taints: [{key: drain, effect: NoSelect}]}"),
			},
			[]string{},
		},
		"policies that select nothing": {
			[]string{
				sound,
				policy("typo", "workspace: teem, labelSelector: {matchLabels: {purpsoe: live}}", "labelSelector: {matchLabels: {tier: egde}}"),
				policy("combination", "", "labelSelector: {matchLabels: {tier: edge}, matchExpressions: [{key: region, operator: DoesNotExist}]}"),
				policy("expressions", "labelSelector: {matchExpressions: [{key: purpose, operator: In, values: [life, sparse]}]}",
					"labelSelector: {matchExpressions: [{key: gpu, operator: Exists}, {key: tier, operator: In, values: [edge, x]}]}"),
			},
			[]string{
				"info POLICY_IDLE SchedulingPolicy/combination: Scheduling policy combination selects no cluster type: each label occurs, " +
					"but no cluster type matches the whole selector.",
				"info POLICY_IDLE SchedulingPolicy/expressions: Scheduling policy expressions selects no deployment target: no deployment " +
					"target " +
					"has the label purpose = life (the nearest is live), and no deployment target has the label purpose = sparse (the nearest is " +
					"spare); and it selects no cluster type: no cluster type has a label gpu.",
				"info POLICY_IDLE SchedulingPolicy/typo: Scheduling policy typo selects no deployment target: no deployment target is of the " +
					"workspace teem (the nearest is team), and no deployment target has a label purpsoe (the nearest is purpose); and it selects " +
					"no " +
					"cluster type: no cluster type has the label tier = egde (the nearest is edge).",
			},
		},
		"configuration that applies nowhere": {
			[]string{sound, config("c", ", region: wset, cluster-type: egde", "A: b"),
				config("d", ", tier: edge, purpose: live, workload: shop", "A: b"), config("azure-app-config", "", `region.east.A: b`)},
			[]string{
				"info CONFIG_UNUSED ConfigMap/c: ConfigMap c applies to no assignment: no cluster type or deployment target has the label " +
					"cluster-type = egde (the nearest is edge), and no cluster type or deployment target has the label region = wset (the " +
					"nearest is " +
					"west).",
				"info CONFIG_UNUSED ConfigMap/d: ConfigMap d applies to no assignment: no cluster type or deployment target has the label " +
					"workload = shop.",
			},
		},
		"ConfigMaps without the label that makes them count": {
			[]string{sound, unmarked("absent", "region: west, tier: edge"), unmarked("capital", "platform-config: 'True', any: thing"),
				unmarked("misspelled", "platformConfig: 'true'"), unmarked("off", "platform-config: 'false', tier: edge"),
				unmarked("foreign", "tier: edge, app: nginx"), unmarked("bare", ""), unmarked("named", "cluster-type: edge, app: nginx")},
			[]string{
				"warning CONFIG_UNUSED ConfigMap/absent: ConfigMap absent applies to no assignment: its labels select assignments, but it does " +
					"not " +
					"have the label platform-config. Write the label platform-config: \"true\", in quotes, if its values should count.",
				"warning CONFIG_UNUSED ConfigMap/capital: ConfigMap capital applies to no assignment: it has the label platform-config: " +
					"\"True\". " +
					"Write the label platform-config: \"true\", in quotes, if its values should count.",
				"warning CONFIG_UNUSED ConfigMap/misspelled: ConfigMap misspelled applies to no assignment: it has the label platformConfig: " +
					"\"true\". Write the label platform-config: \"true\", in quotes, if its values should count.",
				"warning CONFIG_UNUSED ConfigMap/named: ConfigMap named applies to no assignment: its labels select assignments, but it does not " +
					"have the label platform-config. Write the label platform-config: \"true\", in quotes, if its values should count.",
			},
		},
		"configuration that others override everywhere": {
			[]string{sound, config("c", ", tier: edge", "FLAG: a"), config("d", ", tier: edge, workload: web", "FLAG: b")},
			[]string{
				"info CONFIG_UNUSED ConfigMap/c: ConfigMap c applies, but d overrides all of its values. The last one in " +
					"alphabetical order wins. To let c win, give it a name that comes later. If d has to win everywhere, remove c.",
			},
		},
		"configuration of which one value is left": {
			[]string{sound, config("c", ", tier: edge", "FLAG: a, OTHER: a"), config("d", ", tier: edge, workload: web", "FLAG: b")},
			[]string{},
		},
		"configuration that names decide": {
			[]string{sound, config("c", ", tier: edge", "LEVEL: trace")},
			[]string{"warning CONFIG_CONFLICT ConfigMap/c: ConfigMaps b-edge and c both apply to edge/web-live, edge/web-spare and set LEVEL " +
				"differently. c wins by its name: the last one in alphabetical order wins. To let b-edge win, give it a name that comes later. " +
				"Or " +
				"set the value in only one of them."},
		},
		"credentials, whatever their YAML says of them": {
			[]string{sound, strings.Replace(config("c", "", "DB_PASSWORD: hunter2"), "name: c,",
				`name: c, annotations: {kalypso-gitops.io/ignore-credentials: DB_PASSWORD},`, 1)},
			[]string{"error CREDENTIAL ConfigMap/c/DB_PASSWORD: The value of DB_PASSWORD is a credential, by its name. Everybody who can " +
				"read the repository can read it. Write a reference to a secret store instead."},
		},
		"what is probably a mistake": {
			[]string{
				replace("type: reconciler", "type: reconciler\n  contentType: .sh"),
				"apiVersion: scheduler.kalypso.io/v1alpha1\nkind: BaseRepo\nmetadata: {name: main}\nspec: {repo: r, branch: b, commit: v1.0}\n",
				config("c", "", "yes: b") + "binaryData: {logo: YQ==}\n",
			},
			[]string{
				`warning MANIFEST_DOUBTFUL BaseRepo/main: BaseRepo main is pinned to "v1.0", which is not a commit id, so nothing can be read there. Write the 40 hexadecimal digits of a commit.`,
				"warning MANIFEST_DOUBTFUL ConfigMap/c: ConfigMap c has binaryData, which has no effect: Kalypso reads data alone, so no cluster " +
					"gets these values. Write them to data, or remove them.",
				"warning MANIFEST_DOUBTFUL ConfigMap/c: ConfigMap c has the key true, which is what Kubernetes makes of words like yes, y, no " +
					"and " +
					"off without quotes. Put the key in quotes if it is to be the word.",
				`warning MANIFEST_DOUBTFUL Template/rec: Template rec has the content type ".sh", which Kalypso does not know, so its files end in .yaml. Write sh for files that end in .sh, or leave it out.`,
			},
		},
		"a target without an environment": {[]string{strings.ReplaceAll(sound, ", environment: prod", "")}, []string{}},
		"a target without an environment beside others": {
			[]string{strings.Replace(sound, ", environment: prod", "", 1)},
			[]string{"warning MANIFEST_DOUBTFUL DeploymentTarget/web-live: Target live of workload web has no environment, so it exists in " +
				"every " +
				"environment, and other targets of the fleet have one. Set its environment if it belongs to one environment only."},
		},
		"texts that end or begin something": {
			[]string{sound, "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: Workload\nmetadata: {name: rogue, labels: {workspace: team}}\n" +
				`spec: {deploymentTargets: [{name: live, environment: prod, labels: {purpose: live}, manifests: {repo: "https://git.example/a", branch: "b\"", "a\nb": c, last: "a\n"}}]}` + "\n"},
			[]string{
				`error TEXT_BREAKS_OUT DeploymentTarget/rogue-live/a\nb: The text "a\nb" among the manifests of deployment target rogue-live (test, line 4) holds a line break (a block text has one at its end, unless it begins with |- or >-), so the workload could add lines, keys or objects of its own to what templates write. Write the text without it, or silence the finding where the templates write this text by quote.`,
				`error TEXT_BREAKS_OUT DeploymentTarget/rogue-live/branch: The text "branch" among the manifests of deployment target rogue-live (test, line 4) holds the character ", so the workload could add lines, keys or objects of its own to what templates write. Write the text without it, or silence the finding where the templates write this text by quote.`,
				`error TEXT_BREAKS_OUT DeploymentTarget/rogue-live/last: The text "last" among the manifests of deployment target rogue-live (test, line 4) holds a line break (a block text has one at its end, unless it begins with |- or >-), so the workload could add lines, keys or objects of its own to what templates write. Write the text without it, or silence the finding where the templates write this text by quote.`,
			},
		},
		"credentials": {
			[]string{replace("mysql://west", "mysql://root:hunter2@west", `"https://git.example/web"`,
				`"https://bot:hunter2@git.example/web", password: S3cr3t-94hfkq2, tlsSecret: web-tls`, rec, rec+"      data:\n        password: hunter2\n"), config("c", "", "DB_PASSWORD: hunter2, TOKEN: \"${TOKEN}\"")},
			[]string{
				"error CREDENTIAL ConfigMap/a-west/DATABASE_URL: The value of DATABASE_URL contains a URL with a password. Everybody who can " +
					"read the repository can read it. Write a reference to a secret store instead.",
				"error CREDENTIAL ConfigMap/c/DB_PASSWORD: The value of DB_PASSWORD is a credential, by its name. Everybody who can read the " +
					"repository can read it. Write a reference to a secret store instead.",
				"error CREDENTIAL DeploymentTarget/web-live/password: The value of manifests.password is a credential, by its name. Everybody who " +
					"can read the repository can read it. Write a reference to a secret store instead.",
				"error CREDENTIAL DeploymentTarget/web-live/repo: The value of manifests.repo contains a URL with a password. Everybody who " +
					"can read the repository can read it. Write a reference to a secret store instead.",
				"error CREDENTIAL Template/rec: Manifest 1 sets password, which is a credential by its name. Everybody who can read the " +
					"repository can read it. Write a reference to a secret store instead.",
			},
		},
		"a Secret": {
			[]string{replace("kind: ConfigMap\n      metadata:\n", "kind: Secret\n      data: {a: YQ==}\n      metadata:\n")},
			[]string{"error CREDENTIAL Template/rec: Template rec renders Secret web-live with its values in plain text: " +
				"cloud/web-live/reconciler.yaml and 3 more files. Everybody who can read the repository can read it. Write a reference to a " +
				"secret store instead."},
		},
		"several Secrets": {
			[]string{replace("kind: ConfigMap\n      metadata:\n", "kind: Secret\n      data: {a: YQ==}\n"+
				"      metadata: {name: {{ .DeploymentTargetName }}-2}\n      ---\n"+
				"      apiVersion: v1\n      kind: Secret\n      data: {a: YQ==}\n      metadata:\n        namespace: {{ .ClusterType }}\n")},
			[]string{"error CREDENTIAL Template/rec: Template rec renders Secret web-live-2 with its values in plain text: " +
				"cloud/web-live/reconciler.yaml and 3 more files. The same holds for Secret cloud/web-live. Everybody who can read the " +
				"repository can read it. Write a reference to a secret store instead."},
		},
		"invalid YAML": {
			[]string{replace(rec, rec+"      {{ if eq .ClusterType \"edge\" }}: ]{{ end }}\n")},
			[]string{"warning OUTPUT_NOT_YAML Template/rec: Template rec renders text that is not valid YAML (near line 4: did not find " +
				"expected " +
				"key): edge/web-live/reconciler.yaml and 1 more file."},
		},
		"incomplete objects": {
			[]string{replace("kind: ConfigMap\n      metadata:\n        "+rec, "metadata: {}\n")},
			[]string{"warning OBJECT_INCOMPLETE Template/rec: Template rec renders an object without kind and metadata.name: " +
				"cloud/web-live/reconciler.yaml and 3 more files."},
		},
		"objects that are incomplete in two ways": {
			[]string{replace("kind: ConfigMap\n      metadata:\n        "+rec, "kind: Thing\n      ---\n"+
				"      kind: Other\n      metadata: {name: a}\n")},
			[]string{"warning OBJECT_INCOMPLETE Template/rec: Template rec renders an object without apiVersion: " +
				"cloud/web-live/reconciler.yaml and 3 more files.",
				"warning OBJECT_INCOMPLETE Template/rec: Template rec renders an object without metadata.name: " +
					"cloud/web-live/reconciler.yaml and 3 more files."},
		},
		"duplicate objects": {
			[]string{replace(rec, "name: shared\n        namespace: flux-system\n")},
			[]string{"warning OBJECT_DUPLICATE Template/rec: Template rec renders ConfigMap flux-system/shared into cluster type cloud, but " +
				"cloud/web-live/reconciler.yaml already contains it: cloud/web-spare/reconciler.yaml and 1 more file."},
		},
		"the same object in other versions": {
			[]string{replace("apiVersion: v1\n      kind: ConfigMap", "apiVersion: example.com/{{ if eq .DeploymentTargetName \"web-live\" "+
				"}}v1{{ "+
				"else }}v2{{ end }}\n      kind: Thing", rec, "name: shared\n")},
			[]string{"warning OBJECT_DUPLICATE Template/rec: Template rec renders Thing.example.com shared into cluster type cloud, but " +
				"cloud/web-live/reconciler.yaml already contains it: cloud/web-spare/reconciler.yaml and 1 more file."},
		},
		"a list of one that a cluster would refuse": {
			[]string{replace("kind: ConfigMap\n      metadata:\n        name: {{ .DeploymentTargetName }}", "kind: ConfigMapList\n      "+
				"items:\n   "+
				"     - {apiVersion: v1, kind: ConfigMap, metadata: {name: {{ .DeploymentTargetName }}}, dta: {}}")},
			[]string{"warning OBJECT_INVALID Template/rec: Template rec renders ConfigMap web-live with the unknown field dta (the nearest is " +
				"data): cloud/web-live/reconciler.yaml and 3 more files. A cluster refuses such an object, or ignores what it does not know. " +
				"Correct the template, or the value that it writes."},
		},
		"an unknown field": {
			[]string{replace(rec, rec+"      dta: {a: b}\n")},
			[]string{"warning OBJECT_INVALID Template/rec: Template rec renders ConfigMap web-live with the unknown field dta (the nearest is " +
				"data): cloud/web-live/reconciler.yaml and 3 more files. A cluster refuses such an object, or ignores what it does not know. " +
				"Correct the template, or the value that it writes."},
		},
		"a mapping in a ConfigMap": {
			[]string{replace(rec, rec+"      data:\n        MAP: {a: b}\n")},
			[]string{invalid("a mapping at data.MAP, instead of text")},
		},
		"a value that is invalid somewhere": {
			[]string{replace(rec, rec+"      immutable: {{ if eq .ClusterType \"edge\" }}maybe{{ else }}true{{ end }}\n")},
			[]string{"warning OBJECT_INVALID Template/rec: Template rec renders ConfigMap web-live with text at immutable, instead of true or " +
				"false: edge/web-live/reconciler.yaml and 1 more file. A cluster refuses such an object, or ignores what it does not know. " +
				"Correct the template, or the value that it writes."},
		},
		"two reasons": {
			[]string{replace(rec, rec+"      a: 1\n      b: 1\n")},
			[]string{invalid("the unknown field a"), another("b")},
		},
		"a kind that nobody knows": {
			[]string{replace("apiVersion: v1\n      kind: ConfigMap", "apiVersion: example.com/v1\n      kind: Thing", rec,
				rec+"      spec: {size: large}\n")},
			[]string{},
		},
		"three objects twice": {
			[]string{replace(rec, "name: one\n      ---\n      {apiVersion: v1, kind: ConfigMap, metadata: {name: two}}\n      ---\n      "+
				"{apiVersion: v1, kind: ConfigMap, metadata: {name: three}}\n")},
			[]string{"warning OBJECT_DUPLICATE Template/rec: Template rec renders ConfigMap one into cluster type cloud, but " +
				"cloud/web-live/reconciler.yaml already contains it: cloud/web-spare/reconciler.yaml and 1 more file. The same holds for " +
				"ConfigMap " +
				"two, ConfigMap three."},
		},
		"content types that are nearly right": {
			[]string{replace("type: reconciler", "type: reconciler\n  contentType: Sh")},
			[]string{`warning MANIFEST_DOUBTFUL Template/rec: Template rec has the content type "Sh", which Kalypso does not know, so its files end in .yaml. Write sh for files that end in .sh, or leave it out.`},
		},
		"names that are too long": {
			[]string{replace("apiVersion: v1\n      kind: ConfigMap", "apiVersion: batch/v1\n      kind: CronJob", rec,
				"name: {{ .DeploymentTargetName }}-"+strings.Repeat("n", 44)+"\n        namespace: "+strings.Repeat("s",
					64)+"\n        labels: {a: "+strings.Repeat("l", 64)+"}\n      spec: {schedule: '@daily', jobTemplate: {}}\n")},
			[]string{
				tooLong + "a name at metadata.name that clusters refuse (must be no more than 52 characters, because it begins the names of its " +
					"jobs, which become labels of their pods)" + files + " A cluster refuses it, at once or when it runs. Let the template write a " +
					"shorter one.",
				tooLong + "a namespace at metadata.namespace that clusters refuse (must be no more than 63 characters)" + files,
				tooLong + "more than 63 characters at metadata.labels.a, which is a label's value" + files,
			},
		},
		"a long name of what has room for it": {
			[]string{replace(rec, "name: {{ .DeploymentTargetName }}-"+strings.Repeat("n", 200)+"\n")},
			[]string{},
		},
		"a script is not YAML": {
			[]string{replace("type: reconciler", "type: reconciler\n  contentType: sh", rec, rec+"      : ]\n")},
			[]string{},
		},
		"a template too many": {
			[]string{sound, "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: Template\nmetadata: {name: spare}\nspec: {type: config, " +
				"manifests: " +
				"[a]}\n"},
			[]string{"info TEMPLATE_UNUSED Template/spare: No cluster type uses template spare."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, find(t, false, test.manifests...)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// invalid is the finding about the ConfigMap web-live of the sound fleet.
func invalid(what string) string {
	return "warning OBJECT_INVALID Template/rec: Template rec renders ConfigMap web-live with " + what + ": cloud/web-live/reconciler.yaml " +
		"and 3 more files. A cluster refuses such an object, or ignores what it does not know. Correct the template, or the value that it " +
		"writes."
}

// another is one more finding about the ConfigMap web-live, an unknown field, which does
// not repeat what to do.
func another(field string) string {
	whole, _, _ := strings.Cut(invalid("the unknown field "+field), " A cluster")
	return whole
}

// TestFindPlacedOnly leaves out the findings that need the output, and nothing else.
func TestFindPlacedOnly(t *testing.T) {
	t.Parallel()
	broken := strings.Replace(sound, "        name: {{ .DeploymentTargetName }}", "      : ]", 1)
	if got := find(t, false, broken); len(got) != 1 {
		t.Errorf("want one finding, got %q", got)
	}
	got := find(t, true, broken, config("c", ", region: east", "A: b"))
	if len(got) != 1 || !strings.Contains(got[0], "CONFIG_UNUSED") {
		t.Errorf("want CONFIG_UNUSED, got %q", got)
	}
}

// TestFindIsDeterministic shuffles the documents of random fleets.
func TestFindIsDeterministic(t *testing.T) {
	t.Parallel()
	codes := map[string]bool{}
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 5))
		texts := fleetgen.Random(r)
		want := find(t, false, texts...)
		for _, line := range want {
			codes[strings.Fields(line)[1]] = true
		}
		r.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
		if diff := cmp.Diff(want, find(t, false, texts...)); diff != "" {
			t.Fatalf("seed %d: findings (-first +shuffled):\n%s", seed, diff)
		}
	}
	for _, code := range []string{findings.TargetUnassigned, findings.PolicyIdle, findings.ConfigUnused, findings.ConfigConflict,
		findings.ClusterTypeIdle} {
		if !codes[code] {
			t.Errorf("no fleet has %s, so the test proves little", code)
		}
	}
}

// findingsOf returns the findings about a result.
func findingsOf(t *testing.T, result *engine.Result) []findings.Finding {
	t.Helper()
	found, err := result.Findings(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// When the context ends, no file is read any more, and the caller gets an error instead of
// half of the findings.
func TestFindings_interrupted(t *testing.T) {
	t.Parallel()
	result, err := engine.Compute(t.Context(), engine.Input{Environment: "prod", Manifests: []manifest.Text{{Name: "test", Text: sound}}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := result.Findings(ctx, nil); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "the environment prod") {
		t.Errorf("%v", err)
	}
}

// Only the files of the packages that are asked for are examined, so a fault in another one does not show.
func TestFindings_examines(t *testing.T) {
	t.Parallel()
	faulty := strings.Replace(sound, "kind: ConfigMap\n", "kind: ConfigMap\n      {{- if eq .ClusterType \"edge\" }}\n      dta: {}\n      {{- end }}\n", 1)
	result, err := engine.Compute(t.Context(), engine.Input{Environment: "prod", Manifests: []manifest.Text{{Name: "test", Text: faulty}}})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]int{"edge/web-live": 1, "cloud/web-live": 0, "": 0} {
		found, err := result.Findings(t.Context(), func(each string) bool { return each == key })
		if err != nil || len(found) != want {
			t.Errorf("%q: %v, %v", key, found, err)
		}
	}
	if found := findingsOf(t, result); len(found) != 1 || found[0].Code != findings.ObjectInvalid {
		t.Errorf("all packages: %v", found)
	}
}
