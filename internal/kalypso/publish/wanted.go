// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

// changeOf computes the fleet, finds the place, and returns the change as the state shows it. After an error,
// the change has the place alone, as far as it is known.
func (p *Publisher) changeOf(ctx context.Context, job Job) (c Change, m message.Messages) {
	result, m := p.render(ctx, job)
	if m.Failed() {
		return c, m
	}
	at, more := p.locate(ctx, job, result)
	c.Wanted.Location = at
	if m.Add(more); m.Failed() {
		return c, m
	}
	c.Job = job
	c.Had, c.Replaces = job.at(at)
	if c.Result, more = p.keepBroken(ctx, c.Had, result); len(more.Errors) > 0 {
		m.Add(more)
		return c, m
	}
	if c.Wanted, m.Errors = job.wanted(at, c.Result); m.Failed() {
		return c, m
	}
	c.Wanted.Version = p.Version
	return c.planned(), m
}

func (p *Publisher) render(ctx context.Context, job Job) (result *engine.Result, m message.Messages) {
	fleet := job.Fleet
	fleet.PromotedCommit = job.Release.Commit
	if job.KeepBroken {
		fleet.Reject = &job.Findings
	}
	if job.Was != nil && !job.isOtherEnvironment() {
		fleet.Before, fleet.Owners = job.Was.Fleet.Manifests, job.Memory.Owners
	}
	result, err := p.compute(ctx, fleet)
	if result == nil || !job.KeepBroken {
		m.Errors = message.Problems(err)
	}
	if m.Failed() {
		return nil, advise(m, result != nil, job.Was != nil && !p.HoldAll)
	}
	p.Logger(ctx, "computed", map[string]any{"environment": fleet.Environment, "assignments": len(result.Placement.Assignments),
		"cluster_types": len(result.Folders), "failed": len(result.Failures)})
	return result, m
}

// computed is what the engine computed for an input.
type computed struct {
	input  engine.Input
	result *engine.Result
	err    error
}

// maxComputed is how many results wait: as many resources as Terraform applies at the same time.
const maxComputed = 10

// compute runs the engine. In an apply, Terraform plans once more, and applies right after that: so the result waits for one more call with
// this input.
func (p *Publisher) compute(ctx context.Context, in engine.Input) (*engine.Result, error) {
	p.mu.Lock()
	if i := slices.IndexFunc(p.waiting, func(c computed) bool { return reflect.DeepEqual(c.input, in) }); i >= 0 {
		defer p.mu.Unlock()
		found := p.waiting[i]
		p.waiting = slices.Delete(p.waiting, i, i+1)
		return found.result, found.err
	}
	p.mu.Unlock()
	result, err := p.Compute(ctx, in)
	if result != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.waiting = append(p.waiting, computed{in, result, err})
		p.waiting = slices.Delete(p.waiting, 0, max(0, len(p.waiting)-maxComputed))
	}
	return result, err
}

// advise adds to the errors of a fleet how to go on until they are fixed: without the broken
// applications, or, if nothing can be computed without them, with the branch as it is.
func advise(m message.Messages, ofApplications, exists bool) message.Messages {
	last := &m.Errors[len(m.Errors)-1]
	switch {
	case ofApplications:
		last.Detail += "\n\nTo write all other packages until the errors are fixed, set on_error = \"keep\". The packages with errors then " +
			"stay in the branch unchanged."
	case exists:
		last.Detail += "\n\nTo keep the branch unchanged until the errors are fixed, set KALYPSO_HOLD=1."
	}
	return m
}

// wanted returns what should be at a place: the folders of the fleet's cluster types, the file of the
// promoted commit, and the files of the settings. Errors: files has a path that is not valid.
func (s *Settings) wanted(at git.Location, r *engine.Result) (w ownership.Wanted, wrong []message.Message) {
	w = ownership.Wanted{
		Location: at, Environment: s.Fleet.Environment, IsPart: s.Fleet.IsPart(), Content: ownership.Content{}, Others: r.Others,
		Removal: s.OnRemoval, Release: record.Release{Commit: record.AsRelease(r.Fleet.PromotedCommit), Sources: s.Release.Sources},
	}
	for name, dir := range r.Folders {
		w.Content[name] = tree.Subdir(name, dir)
	}
	if record.PlainPath(at.Path) == "." { // the branch has one such file, and several paths may have environments
		for file, content := range r.FilesBeside {
			w.Content[file] = tree.File(file, content)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		if err := checkFile(at, name, r); err != nil {
			wrong = append(wrong, message.Message{Setting: "files", Summary: "Invalid file", Detail: problem.Sentence(err)})
			continue
		}
		w.Content["./"+name] = tree.File(name, []byte(s.Files[name]))
	}
	return w, wrong
}

func checkFile(at git.Location, name string, r *engine.Result) error {
	if err := record.CheckKey("./" + name); err != nil {
		return err
	}
	if reserved := reservedAt(at.Join(name)); reserved != "" {
		return fmt.Errorf("files has the path %s, and the provider writes the folder %s itself. Choose another path", name, reserved)
	}
	top, _, _ := strings.Cut(name, "/")
	if slices.Contains(clusterTypesOf(r), top) {
		return fmt.Errorf("files has the path %s, and %s is the folder of a cluster type. Choose another path, or let a template write the file",
			name, top)
	}
	return nil
}

// reservedAt returns the folder of the provider's own files that a path from the root is in; empty for none.
func reservedAt(full string) string {
	for _, reserved := range []string{record.RecordsFolder, path.Dir(engine.PromotedCommitFile)} {
		if full == reserved || strings.HasPrefix(full, reserved+"/") {
			return reserved
		}
	}
	return ""
}

// clusterTypesOf returns the names of the cluster types of a fleet, sorted.
func clusterTypesOf(r *engine.Result) (names []string) {
	for _, ct := range r.Fleet.ClusterTypes {
		names = append(names, ct.Name)
	}
	return names
}
