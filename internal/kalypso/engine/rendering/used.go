// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"fmt"
	"sync"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/sandbox"
)

// used is the use of a run's assignments. It is safe for concurrent use. Whether a run
// exceeds its bounds does not depend on the order of the assignments.
type used struct {
	mu            sync.Mutex
	most          sandbox.Budget // of all assignments
	steps, output int
	// costliest is the assignment with the most steps so far, and steps is their number.
	costliest struct {
		assignment *placement.Assignment
		steps      int
	}
	// tooMuch returns the problem of too many steps.
	tooMuch func(u *used) problem.Problem
	problem error
}

// add records the use of an assignment. Errors: as of exceeded.
func (u *used) add(a *placement.Assignment, steps, output int) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.steps, u.output = u.steps+steps, u.output+output
	if steps >= u.costliest.steps {
		u.costliest.assignment, u.costliest.steps = a, steps
	}
	switch {
	case u.problem != nil:
	case u.steps > u.most.Steps:
		u.problem = u.tooMuch(u)
	case u.output > u.most.Output:
		u.problem = problem.Problem{Summary: "Template failed", Assignment: a.Key(), Detail: fmt.Sprintf(
			"The output of all assignments together exceeds %d MiB. Look for files that are larger than they should be. The run ended at the named "+
				"assignment.", u.most.Output>>20)}
	}
	return u.problem
}

// tooMuchWork returns the problem that templates take too many steps.
func tooMuchWork(u *used) problem.Problem {
	return problem.Problem{Summary: "Template failed", Assignment: u.costliest.assignment.Key(), Detail: fmt.Sprintf(
		"The templates do too much work for all assignments together: the budget of a run is %d steps. Look for loops over large values, and "+
			"for workloads with templates of their own. The named assignment has taken the most so far, %d steps.", u.most.Steps,
		u.costliest.steps)}
}

// tooManyProbes returns the problem that probing takes too many steps.
func tooManyProbes(u *used) problem.Problem {
	t := u.costliest.assignment.Target
	return problem.Problem{Summary: "Texts of workloads cannot be checked", Subject: "DeploymentTarget/" + t.FullName,
		Where: t.Source.String(), Detail: fmt.Sprintf(
			"The check that texts of deployment targets stay in their places takes more than %d steps. The manifests of this deployment "+
				"target have taken the most steps so far. "+
				"Ask the application team for fewer and shorter texts, or for texts without characters such as : # , and quotes.", u.most.Steps)}
}

// exceeded returns a problem, always the same, once the assignments exceed their bounds.
func (u *used) exceeded() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.problem
}
