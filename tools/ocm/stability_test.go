// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ocm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	kevents "k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
	clusterfake "open-cluster-management.io/api/client/cluster/clientset/versioned/fake"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"
	"open-cluster-management.io/ocm/pkg/placement/controllers/metrics"
	"open-cluster-management.io/ocm/pkg/placement/controllers/scheduling"
	testinghelpers "open-cluster-management.io/ocm/pkg/placement/helpers/testing"
)

// BenchmarkStability counts how many of 10,000 decisions (1,000 placements of 10 among 100
// cluster types) move when one cluster type is added or removed. The result is the mean of
// several cluster types, at different positions among the names. At least about a hundred
// decisions have to move: those of the added or removed cluster type.
func BenchmarkStability(b *testing.B) {
	for _, by := range []struct {
		name   string
		decide decider
	}{{"ours", decidedByOurs}, {"hub", decidedByHub}} {
		for _, change := range changes {
			b.Run(by.name+"/"+change.name, func(b *testing.B) {
				for b.Loop() {
					b.ReportMetric(change.moves(b, by.decide), "moved")
				}
			})
		}
	}
}

// TestOursMovesLittle checks the figures of BenchmarkStability.
func TestOursMovesLittle(t *testing.T) {
	t.Parallel()
	for _, change := range changes {
		if n := change.moves(t, decidedByOurs); n < 80 || n > 120 {
			t.Errorf("%.0f decisions move when one %s", n, change.name)
		}
	}
}

// decider returns the clusters that are decided on, by placement.
type decider func(t testing.TB, clusters []string) map[string][]string

// change is one of the cluster types that there are.
type change struct {
	name string
	make func(all []string, at int) []string
}

var changes = []change{
	{"comes", func(all []string, at int) []string { return slices.Insert(all, at, all[at]+"a") }},
	{"goes", func(all []string, at int) []string { return slices.Delete(all, at, at+1) }},
}

// moves returns how many decisions move, the mean over some places of the change.
func (c change) moves(t testing.TB, decide decider) float64 {
	t.Helper()
	before, sum, places := decide(t, clusterNames(100)), 0, []int{5, 25, 50, 75, 95}
	for _, at := range places {
		sum += moved(t, before, decide(t, c.make(clusterNames(100), at)))
	}
	return float64(sum) / float64(len(places))
}

func clusterNames(n int) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("cluster%03d", i))
	}
	return all
}

// tenOf are placements that ask for ten clusters each, and nothing else.
func tenOf() []*clusterv1beta1.Placement {
	ten := int32(10)
	var all []*clusterv1beta1.Placement
	for i := range 1000 {
		p := &clusterv1beta1.Placement{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("placement%03d", i), Namespace: namespace}}
		p.Spec.NumberOfClusters, p.Spec.PrioritizerPolicy.Mode = &ten, clusterv1beta1.PrioritizerPolicyModeAdditive
		p.Spec.DecisionStrategy.GroupStrategy.ClustersPerDecisionGroup = intstr.FromString("100%")
		all = append(all, p)
	}
	return all
}

// moved counts the decisions that were others before.
func moved(t testing.TB, before, after map[string][]string) int {
	t.Helper()
	n, decisions := 0, 0
	for placement, clusters := range after {
		for _, c := range clusters {
			decisions++
			if !slices.Contains(before[placement], c) {
				n++
			}
		}
	}
	if decisions != 10_000 {
		t.Fatalf("there are %d decisions", decisions)
	}
	return n
}

func decidedByOurs(t testing.TB, clusters []string) map[string][]string {
	t.Helper()
	w := &world{placements: tenOf()}
	for _, name := range clusters {
		w.clusters = append(w.clusters, &clusterv1.ManagedCluster{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	f, err := newFleet(w.manifests(t, rand.New(rand.NewPCG(1, 1))))
	if err != nil {
		t.Fatal(err)
	}
	decisions, err := decide(f)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for name, d := range decisions {
		for at := range d.Chosen(-1).EachSet() {
			all[name] = append(all[name], f.ClusterTypes[at].Name)
		}
	}
	return all
}

// decidedByHub lets Open Cluster Management's scheduler decide for one placement after the
// other, beginning with none decided, as a plan that keeps no history would.
func decidedByHub(t testing.TB, names []string) map[string][]string {
	t.Helper()
	ctx := klog.NewContext(t.Context(), klog.Logger{})
	client := clusterfake.NewSimpleClientset()
	informers := testinghelpers.NewClusterInformerFactory(client).Cluster()
	scheduler := scheduling.NewPluginScheduler(scheduling.NewSchedulerHandler(client, informers.V1beta1().PlacementDecisions().Lister(),
		informers.V1alpha1().AddOnPlacementScores().Lister(), informers.V1().ManagedClusters().Lister(), &kevents.FakeRecorder{},
		metrics.NewScheduleMetrics(clock.RealClock{})))
	var clusters []*clusterv1.ManagedCluster
	for _, name := range names {
		clusters = append(clusters, &clusterv1.ManagedCluster{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	all := map[string][]string{}
	for _, p := range tenOf() {
		result, status := scheduler.Schedule(ctx, p, slices.Clone(clusters))
		if status.IsError() {
			t.Fatal(status.Message())
		}
		d := &clusterv1beta1.PlacementDecision{ObjectMeta: metav1.ObjectMeta{Name: p.Name, Namespace: namespace,
			Labels: map[string]string{clusterv1beta1.PlacementLabel: p.Name}}}
		for _, c := range result.Decisions() {
			all[p.Name] = append(all[p.Name], c.Name)
			d.Status.Decisions = append(d.Status.Decisions, clusterv1beta1.ClusterDecision{ClusterName: c.Name})
		}
		if err := informers.V1beta1().PlacementDecisions().Informer().GetStore().Add(d); err != nil {
			t.Fatal(err)
		}
	}
	return all
}
