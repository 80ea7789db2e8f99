// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ocm

import (
	"context"
	"slices"
	"strconv"
	"testing"

	"github.com/openshift/library-go/pkg/controller/factory"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kevents "k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
	clusterfake "open-cluster-management.io/api/client/cluster/clientset/versioned/fake"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"
	clusterv1beta2 "open-cluster-management.io/api/cluster/v1beta2"
	"open-cluster-management.io/ocm/pkg/placement/controllers/framework"
	"open-cluster-management.io/ocm/pkg/placement/controllers/metrics"
	"open-cluster-management.io/ocm/pkg/placement/controllers/scheduling"
	testinghelpers "open-cluster-management.io/ocm/pkg/placement/helpers/testing"
)

// group is a decision group.
type group struct {
	name  string
	index int
}

// outcome is the result of a hub's scheduler for one placement.
type outcome struct {
	err error // what is misconfigured
	// inSets, matched and tolerated are the clusters that come through each filter.
	inSets, matched, tolerated []string
	prioritizers               []scheduling.PrioritizerResult
	totals                     map[string]int64
	chosen                     []string // best first
	groups                     map[string]group
}

// ask runs Open Cluster Management's scheduling controller for one placement, with what a
// hub has in its caches and with those decisions.
func (w *world) ask(t testing.TB, p *clusterv1beta1.Placement, decisions []*clusterv1beta1.PlacementDecision) outcome {
	t.Helper()
	ctx := klog.NewContext(t.Context(), klog.Logger{})
	client := clusterfake.NewSimpleClientset(p)
	objects := []runtime.Object{p}
	for _, c := range w.clusters {
		objects = append(objects, c)
	}
	for _, s := range w.scores {
		objects = append(objects, s)
	}
	for _, d := range decisions {
		objects = append(objects, d)
	}
	for _, name := range sets {
		objects = append(objects, newSet(name), &clusterv1beta2.ManagedClusterSetBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: p.Namespace}, Spec: clusterv1beta2.ManagedClusterSetBindingSpec{ClusterSet: name},
		})
	}
	informers := testinghelpers.NewClusterInformerFactory(client, objects...).Cluster()
	recorder, measured := &kevents.FakeRecorder{}, metrics.NewScheduleMetrics(clock.RealClock{})
	overheard := &overheard{Scheduler: scheduling.NewPluginScheduler(scheduling.NewSchedulerHandler(client,
		informers.V1beta1().PlacementDecisions().Lister(), informers.V1alpha1().AddOnPlacementScores().Lister(),
		informers.V1().ManagedClusters().Lister(), recorder, measured))}
	controller := scheduling.NewSchedulingController(ctx, client, informers.V1().ManagedClusters(),
		informers.V1beta2().ManagedClusterSets(), informers.V1beta2().ManagedClusterSetBindings(),
		informers.V1beta1().Placements(), informers.V1beta1().PlacementDecisions(), informers.V1alpha1().AddOnPlacementScores(), overheard,
		nil, recorder, measured)
	overheard.err = controller.Sync(ctx, factory.NewKeyContext(p.Namespace+"/"+p.Name))
	overheard.groups = written(ctx, t, client, p)
	return overheard.outcome
}

// newSet is a cluster set, as hubs have them.
func newSet(name string) *clusterv1beta2.ManagedClusterSet {
	s := &clusterv1beta2.ManagedClusterSet{ObjectMeta: metav1.ObjectMeta{Name: name}}
	s.Spec.ClusterSelector.SelectorType = clusterv1beta2.ExclusiveClusterSetLabel
	if name == "global" {
		s.Spec.ClusterSelector.SelectorType, s.Spec.ClusterSelector.LabelSelector = clusterv1beta2.LabelSelector, &metav1.LabelSelector{}
	}
	return s
}

// written returns the groups of the PlacementDecisions that the controller has written.
func written(ctx context.Context, t testing.TB, client *clusterfake.Clientset, p *clusterv1beta1.Placement) map[string]group {
	t.Helper()
	made, err := client.ClusterV1beta1().PlacementDecisions(p.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	groups := map[string]group{}
	for _, d := range made.Items {
		index, err := strconv.Atoi(d.Labels[clusterv1beta1.DecisionGroupIndexLabel])
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range d.Status.Decisions {
			groups[c.ClusterName] = group{d.Labels[clusterv1beta1.DecisionGroupNameLabel], index}
		}
	}
	return groups
}

// overheard is a scheduler that keeps its results.
type overheard struct {
	scheduling.Scheduler
	outcome
}

// Schedule schedules, and keeps the result.
func (o *overheard) Schedule(ctx context.Context, p *clusterv1beta1.Placement,
	clusters []*clusterv1.ManagedCluster) (scheduling.ScheduleResult, *framework.Status) {
	o.inSets = names(clusters)
	result, status := o.Scheduler.Schedule(ctx, p, clusters)
	if filters := result.FilterResults(); len(filters) == 2 {
		o.matched, o.tolerated = slices.Clone(filters[0].FilteredClusters), filters[1].FilteredClusters
	}
	o.prioritizers, o.totals, o.chosen = result.PrioritizerResults(), result.PrioritizerScores(), names(result.Decisions())
	return result, status
}

func names(of []*clusterv1.ManagedCluster) []string {
	all := make([]string, len(of))
	for i, c := range of {
		all[i] = c.Name
	}
	return all
}
