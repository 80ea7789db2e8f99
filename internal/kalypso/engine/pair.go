// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"fmt"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/rendering"
)

// Explain returns why the scheduling policies place the deployment target on the
// cluster type, or why not. Errors are a problem.List, as those of Compute.
func Explain(manifests []manifest.Text, environment, target, clusterType string) (*placement.Explanation, error) {
	f, err := newFleet(manifests, environment)
	if err != nil {
		return nil, err
	}
	return placement.Explain(f, target, clusterType)
}

// EffectiveConfig is the platform configuration of a deployment target on a cluster type,
// with the origin of its values.
type EffectiveConfig struct {
	// Values are the texts that the built-in ConfigMap would hold.
	Values map[string]string
	// Leaves are the scalars in the values, sorted by path.
	Leaves []composition.Leaf
}

// ComposeOne composes the configuration of one pair, whether or not a policy
// places it: configuration depends on labels and names alone. Errors (a
// problem.List): as those of Compute, and a half of the pair that does not exist.
func ComposeOne(manifests []manifest.Text, environment, target, clusterType string) (*EffectiveConfig, error) {
	f, err := newFleet(manifests, environment)
	if err != nil {
		return nil, err
	}
	t, haveTarget := f.Target(target)
	ct, haveClusterType := f.ClusterType(clusterType)
	if !haveTarget || !haveClusterType {
		return nil, placement.UnknownPair(f, target, clusterType)
	}
	config := composition.New(f).Compose(&placement.Assignment{ClusterType: ct, Target: t})
	values, err := rendering.Texts(config.Values)
	if err != nil {
		return nil, problem.List{{
			Summary: "Configuration cannot be written",
			Subject: placement.Key(clusterType, target),
			Detail:  fmt.Sprintf("The value of %s.", err),
		}}
	}
	return &EffectiveConfig{Values: values, Leaves: config.Leaves()}, nil
}

// newFleet decodes manifests and takes the part of one environment. Errors (a
// problem.List): those of fleet.New, broken files of other teams, and an environment that
// nothing names.
func newFleet(manifests []manifest.Text, environment string) (*fleet.Fleet, error) {
	objects, err := manifest.Decode(manifests)
	if err != nil {
		return nil, err
	}
	f, err := fleet.New(objects, environment)
	if err == nil {
		err = f.BrokenFiles().Err()
	}
	if err == nil {
		err = f.CheckEnvironment()
	}
	return f, err
}
