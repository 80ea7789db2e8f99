// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"fmt"
	"sync"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/sandbox"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// used is the use of a run's assignments, by workspace. It is safe for concurrent use.
// Whether a workspace exceeds its bounds does not depend on the order of the assignments.
type used struct {
	mu         sync.Mutex
	most       sandbox.Budget // of all assignments of a workspace
	workspaces map[string]use
}

// use is how many steps, and bytes of output, assignments have taken.
type use struct{ steps, output int }

// add records the use of an assignment.
func (u *used) add(workspace string, steps, output int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	was := u.workspaces[workspace]
	u.workspaces[workspace] = use{was.steps + steps, was.output + output}
}

// exceeded reports whether the assignments of a workspace exceed their bounds together.
func (u *used) exceeded(workspace string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	sum := u.workspaces[workspace]
	return sum.steps > u.most.Steps || sum.output > u.most.Output
}

// Exceeded returns a problem if the assignments of a workspace, or their probes, exceed their
// bounds together. After all assignments are rendered, the answer does not depend on their order.
// It names no template or file, because those that were rendered before the end depend on it.
func (r *Renderer) Exceeded(workspace string) error {
	switch {
	case r.used.exceeded(workspace):
		return problem.Problem{Summary: "Template failed", Detail: fmt.Sprintf("The templates take more than %d steps, or write more than "+
			"%d MiB, in all packages of %s together. Look for loops over large values, for large files, and for workloads with templates "+
			"of their own.", r.used.most.Steps, r.used.most.Output>>20, wording.Workspace(workspace))}
	case r.probes.exceeded(workspace):
		return problem.Problem{Summary: "Texts of workloads cannot be checked", Detail: fmt.Sprintf("The check that texts of deployment "+
			"targets cannot change other parts of a file takes more than %d steps in all packages of %s together. Ask the application team "+
			"for fewer and shorter texts, or for texts without characters such as : # , and quotes.",
			r.probes.most.Steps, wording.Workspace(workspace))}
	}
	return nil
}
