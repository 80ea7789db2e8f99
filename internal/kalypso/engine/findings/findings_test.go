// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings_test

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/elided"
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
//
//go:embed testdata/sound.yaml
var sound string

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
				"warning TARGET_UNASSIGNED DeploymentTarget/web-spare: … web-spare …",
				"info CLUSTER_TYPE_IDLE ClusterType/cloud: Cluster type cloud has no deployment target.",
			},
		},
		"a label that is nearly asked for": {
			[]string{replace("workspace: team}, ", "labelSelector: {matchExpressions: [{key: purpose, operator: In, values: [live, "+
				"spaer]}]}}, ")},
			[]string{
				"warning TARGET_UNASSIGNED DeploymentTarget/web-spare: … web-spare … purpose = spare (the nearest is spaer).",
			},
		},
		"several GitOpsRepos": {
			[]string{sound, gitOpsRepo("prod"), gitOpsRepo("prod-eu")},
			[]string{"warning GITOPS_REPO_UNWRITTEN GitOpsRepo/prod-eu: … prod to branch main of https://git.example/prod-eu … GitOpsRepo/prod " +
				"alone. …"},
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
				"warning PLACEMENT_UNUSED Placement/idle: … idle.",
				"warning SCORE_MISSING Placement/two: Placement two scores by ResourceAllocatableMemory for policy everywhere. …: cloud (1 of 1).",
				"warning CLUSTER_UNKNOWN AddOnPlacementScore/moon/load: AddOnPlacementScore/moon/load … moon, …",
				"warning CLUSTER_UNKNOWN ManagedCluster/clout: ManagedCluster/clout … clout, … (the nearest is cloud).",
				"warning CLUSTER_UNKNOWN PlacementDecision/d: PlacementDecision/d … egde, … (the nearest is edge).",
				"info CONFIG_UNUSED ConfigMap/b-edge: ConfigMap b-edge applies to no assignment.",
				"info CLUSTER_TYPE_IDLE ClusterType/edge: Cluster type edge has no deployment target.",
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
				"warning PLACEMENT_UNSATISFIED Placement/there: Placement there finds 0 cluster types for policy there, but asks for at least one. " +
					"The policy selects 2 cluster types: 2 NOT_DECIDED, e.g. cloud: wants …, found (none).",
			},
		},
		"groups that nothing is in": {
			[]string{
				replace("metadata: {name: everywhere}", "metadata: {name: everywhere, annotations: {kalypso-gitops.io/placement: groups}}"),
				ocm("v1beta1", "Placement", "{name: groups}", `spec:
  decisionStrategy: {groupStrategy: {decisionGroups: [{groupName: canary, groupClusterSelector: {labelSelector: {matchLabels: {tier: egde}}}}, {groupName: all, groupClusterSelector: {}}, {groupName: late, groupClusterSelector: {labelSelector: {matchLabels: {tier: edge}}}}]}}`),
			},
			[]string{
				"warning DECISION_GROUP_EMPTY Placement/groups: Decision group canary of placement groups … 2 cluster types … everywhere: … the " +
					"label tier = egde (the nearest is edge). …",
				"warning DECISION_GROUP_EMPTY Placement/groups: Decision group late of placement groups … 2 cluster types … everywhere: …",
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
				"info POLICY_IDLE SchedulingPolicy/combination: Scheduling policy combination selects no cluster type: …",
				"info POLICY_IDLE SchedulingPolicy/expressions: Scheduling policy expressions selects no deployment target: no deployment " +
					"target " +
					"has the label purpose = life (the nearest is live), and no deployment target has the label purpose = sparse (the nearest is " +
					"spare); and it selects no cluster type: no cluster type has a label gpu.",
				"info POLICY_IDLE SchedulingPolicy/typo: Scheduling policy typo selects no deployment target: … teem (the nearest is team), and no " +
					"deployment target has a label purpsoe (the nearest is purpose); and it selects no cluster type: … the label tier = egde (the " +
					"nearest is edge).",
			},
		},
		"configuration that applies nowhere": {
			[]string{sound, config("c", ", region: wset, cluster-type: egde", "A: b"),
				config("d", ", tier: edge, purpose: live, workload: shop", "A: b"), config("azure-app-config", "", `region.east.A: b`)},
			[]string{
				"info CONFIG_UNUSED ConfigMap/c: ConfigMap c …: no … has the label cluster-type = egde (the nearest is edge), and no … has the label " +
					"region = wset (the nearest is west).",
				"info CONFIG_UNUSED ConfigMap/d: ConfigMap d …: no … has the label workload = shop.",
			},
		},
		"ConfigMaps without the label that makes them count": {
			[]string{sound, unmarked("absent", "region: west, tier: edge"), unmarked("capital", "platform-config: 'True', any: thing"),
				unmarked("misspelled", "platformConfig: 'true'"), unmarked("off", "platform-config: 'false', tier: edge"),
				unmarked("foreign", "tier: edge, app: nginx"), unmarked("bare", ""), unmarked("named", "cluster-type: edge, app: nginx")},
			[]string{
				"warning CONFIG_UNUSED ConfigMap/absent: ConfigMap absent …",
				`warning CONFIG_UNUSED ConfigMap/capital: ConfigMap capital … platform-config: "True". …`,
				`warning CONFIG_UNUSED ConfigMap/misspelled: ConfigMap misspelled … platformConfig: "true". …`,
				"warning CONFIG_UNUSED ConfigMap/named: ConfigMap named …",
			},
		},
		"configuration of which one value is left": {
			[]string{sound, config("c", ", tier: edge", "FLAG: a, OTHER: a"), config("d", ", tier: edge, workload: web", "FLAG: b")},
			[]string{},
		},
		"configuration that names decide": {
			[]string{sound, config("c", ", tier: edge", "LEVEL: trace")},
			[]string{"warning CONFIG_CONFLICT ConfigMap/c: ConfigMaps b-edge and c both apply to edge/web-live, edge/web-spare and set LEVEL " +
				"differently. c …. To let b-edge …"},
		},
		"credentials, whatever their YAML says of them": {
			[]string{sound, strings.Replace(config("c", "", "DB_PASSWORD: hunter2"), "name: c,",
				`name: c, annotations: {kalypso-gitops.io/ignore-credentials: DB_PASSWORD},`, 1)},
			[]string{"error CREDENTIAL ConfigMap/c/DB_PASSWORD: The value of DB_PASSWORD …"},
		},
		"what is probably a mistake": {
			[]string{
				replace("type: reconciler", "type: reconciler\n  contentType: .sh"),
				"apiVersion: scheduler.kalypso.io/v1alpha1\nkind: BaseRepo\nmetadata: {name: main}\nspec: {repo: r, branch: b, commit: v1.0}\n",
				config("c", "", "yes: b") + "binaryData: {logo: YQ==}\n",
			},
			[]string{
				`warning MANIFEST_DOUBTFUL BaseRepo/main: BaseRepo main is pinned to "v1.0", …`,
				"warning MANIFEST_DOUBTFUL ConfigMap/c: ConfigMap c …",
				"warning MANIFEST_DOUBTFUL ConfigMap/c: ConfigMap c has the key true, …",
				`warning MANIFEST_DOUBTFUL Template/rec: Template rec … ".sh", …`,
			},
		},
		"a target without an environment": {[]string{strings.ReplaceAll(sound, ", environment: prod", "")}, []string{}},
		"a workload without an environment beside another one": {
			[]string{sound, "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: Workload\nmetadata: {name: all, labels: {workspace: team}}\n" +
				"spec: {deploymentTargets: [{name: live, labels: {purpose: live}}]}\n"},
			[]string{},
		},
		"a target without an environment beside others": {
			[]string{strings.Replace(sound, ", environment: prod", "", 1)},
			[]string{"warning MANIFEST_DOUBTFUL DeploymentTarget/web-live: Target live of workload web …"},
		},
		"texts that end or begin something": {
			[]string{sound, "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: Workload\nmetadata: {name: rogue, labels: {workspace: team}}\n" +
				`spec: {deploymentTargets: [{name: live, environment: prod, labels: {purpose: live}, manifests: {repo: "https://git.example/a", branch: "b\"", "a\nb": c, last: "a\n"}}]}` + "\n"},
			[]string{
				`error TEXT_BREAKS_OUT DeploymentTarget/rogue-live/a\nb: The text "a\nb" … rogue-live (test, line 4) holds …), so …`,
				`error TEXT_BREAKS_OUT DeploymentTarget/rogue-live/branch: The text "branch" … rogue-live (test, line 4) holds the character ", so …`,
				`error TEXT_BREAKS_OUT DeploymentTarget/rogue-live/last: The text "last" … rogue-live (test, line 4) holds …), so …`,
			},
		},
		"credentials": {
			[]string{replace("mysql://west", "mysql://root:hunter2@west", `"https://git.example/web"`,
				`"https://bot:hunter2@git.example/web", password: S3cr3t-94hfkq2, tlsSecret: web-tls`, rec, rec+"      data:\n        password: hunter2\n"), config("c", "", "DB_PASSWORD: hunter2, TOKEN: \"${TOKEN}\"")},
			[]string{
				"error CREDENTIAL ConfigMap/a-west/DATABASE_URL: The value of DATABASE_URL …",
				"error CREDENTIAL ConfigMap/c/DB_PASSWORD: The value of DB_PASSWORD …",
				"error CREDENTIAL DeploymentTarget/web-live/password: ….password …",
				"error CREDENTIAL DeploymentTarget/web-live/repo: ….repo …",
				"error CREDENTIAL Template/rec: Manifest 1 sets password, …",
			},
		},
		"a Secret": {
			[]string{replace("kind: ConfigMap\n      metadata:\n", "kind: Secret\n      data: {a: YQ==}\n      metadata:\n")},
			[]string{"error CREDENTIAL Template/rec: Template rec renders Secret web-live …: cloud/web-live/reconciler.yaml and 3 more files. …"},
		},
		"several Secrets": {
			[]string{replace("kind: ConfigMap\n      metadata:\n", "kind: Secret\n      data: {a: YQ==}\n"+
				"      metadata: {name: {{ .DeploymentTargetName }}-2}\n      ---\n"+
				"      apiVersion: v1\n      kind: Secret\n      data: {a: YQ==}\n      metadata:\n        namespace: {{ .ClusterType }}\n")},
			[]string{"error CREDENTIAL Template/rec: Template rec renders Secret web-live-2 …: cloud/web-live/reconciler.yaml and 3 more files. … " +
				"Secret cloud/web-live. …"},
		},
		"invalid YAML": {
			[]string{replace(rec, rec+"      {{ if eq .ClusterType \"edge\" }}: ]{{ end }}\n")},
			[]string{"warning OUTPUT_NOT_YAML Template/rec: Template rec renders … (near line 4: … key): edge/web-live/reconciler.yaml and 1 more " +
				"file."},
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
				"data): cloud/web-live/reconciler.yaml and 3 more files. …"},
		},
		"an unknown field": {
			[]string{replace(rec, rec+"      dta: {a: b}\n")},
			[]string{"warning OBJECT_INVALID Template/rec: Template rec renders ConfigMap web-live with the unknown field dta (the nearest is " +
				"data): cloud/web-live/reconciler.yaml and 3 more files. …"},
		},
		"a mapping in a ConfigMap": {
			[]string{replace(rec, rec+"      data:\n        MAP: {a: b}\n")},
			[]string{invalid("a mapping at data.MAP, instead of text")},
		},
		"a value that is invalid somewhere": {
			[]string{replace(rec, rec+"      immutable: {{ if eq .ClusterType \"edge\" }}maybe{{ else }}true{{ end }}\n")},
			[]string{"warning OBJECT_INVALID Template/rec: Template rec renders ConfigMap web-live with text at immutable, instead of true or " +
				"false: edge/web-live/reconciler.yaml and 1 more file. …"},
		},
		"two reasons": {
			[]string{replace(rec, rec+"      a: 1\n      b: 1\n")},
			[]string{invalid("the unknown field a"), another("the unknown field b")},
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
			[]string{`warning MANIFEST_DOUBTFUL Template/rec: Template rec … "Sh", …`},
		},
		"names that are too long": {
			[]string{replace("apiVersion: v1\n      kind: ConfigMap", "apiVersion: batch/v1\n      kind: CronJob", rec,
				"name: {{ .DeploymentTargetName }}-"+strings.Repeat("n", 44)+"\n        namespace: "+strings.Repeat("s",
					64)+"\n        labels: {a: "+strings.Repeat("l", 64)+"}\n      spec: {schedule: '@daily', jobTemplate: {}}\n")},
			[]string{
				tooLong + "a name at metadata.name that clusters refuse (… 52 characters, because it …" +
					"…jobs, which become labels…" + files + "…when it runs. Let the template write…" +
					"shorter one.",
				tooLong + "a namespace at metadata.namespace that clusters refuse (… 63 characters)" + files,
				tooLong + "more than 63 characters at metadata.labels.a, …" + files,
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
			[]string{"info TEMPLATE_UNUSED Template/spare: … spare."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(append([]string{}, test.want...), find(t, false, test.manifests...), elided.Texts); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// another is a finding about the ConfigMap web-live of the sound fleet. The first one, invalid, says what to do.
func another(what string) string {
	return "warning OBJECT_INVALID Template/rec: Template rec renders ConfigMap web-live with " + what +
		": cloud/web-live/reconciler.yaml and 3 more files."
}

func invalid(what string) string { return another(what) + " … writes." }

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
		if diff := cmp.Diff(want, find(t, false, texts...), elided.Texts); diff != "" {
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

// An object of an examined package that another package has too is found, also if only one of the two is examined.
func TestFindings_examinesDuplicates(t *testing.T) {
	t.Parallel()
	doubled := strings.Replace(sound, "{{ .DeploymentTargetName }}", "same", 1)
	result, err := engine.Compute(t.Context(), engine.Input{Environment: "prod", Manifests: []manifest.Text{{Name: "test", Text: doubled}}})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]int{"edge/web-live": 1, "edge/web-spare": 1, "": 0} {
		found, err := result.Findings(t.Context(), func(each string) bool { return each == key })
		found = slices.DeleteFunc(found, func(f findings.Finding) bool { return f.Code != findings.ObjectDuplicate })
		if err != nil || len(found) != want {
			t.Errorf("%q: %v, %v", key, found, err)
		}
	}
}

// Only the files of the packages that are asked for are examined, so a fault in another one does not show.
func TestFindings_examines(t *testing.T) {
	t.Parallel()
	faulty := strings.Replace(sound, "kind: ConfigMap\n", "kind: ConfigMap\n      {{- if eq .ClusterType \"edge\" }}\n      dta: {}\n      "+
		"{{- end }}\n", 1)
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
