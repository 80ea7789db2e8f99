// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package rendering turns templates into the files of an assignment
// (docs/guides/semantics.md, section 4). Templates come from several teams. For any
// template, rendering is deterministic and bounded in time and memory.
package rendering

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/sandbox"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// Renderer renders any assignment of one fleet. It is safe for concurrent use.
type Renderer struct {
	environment string
	language    *sandbox.Language
	templates   map[string]*compiled
	configs     configs
	// budget is the budget of every assignment. used is the use of assignments, and probes the
	// use of their probes.
	budget  sandbox.Budget
	used    used
	probes  used
	workers sync.Pool // of *worker
}

// The bounds of one assignment, and of all assignments of a workspace: a team cannot use up what
// other teams need.
const (
	// maxOutput is how many bytes the manifests of an assignment may have, counting each
	// rendering.
	maxOutput = 16 << 20
	// maxSteps bounds the work: some ten seconds.
	maxSteps = 50_000_000

	maxOutputOfWorkspace = 512 << 20
	// maxStepsOfWorkspace is twice the steps of 100,000 packages of the library of templates.
	maxStepsOfWorkspace = 500_000_000
)

// compiled is a Template with the programs of its manifests; nil for a manifest with a
// syntax error.
type compiled struct {
	template *manifest.Template
	programs []*sandbox.Program
}

// New parses every template of the fleet, once. Errors (a problem.List): all syntax errors,
// with template, number of the manifest, line and column.
func New(f *fleet.Fleet) (*Renderer, error) {
	var problems problem.List
	r := &Renderer{
		environment: f.Environment,
		templates:   make(map[string]*compiled, len(f.Templates)),
		budget:      sandbox.Budget{For: "assignment", Steps: maxSteps, Output: maxOutput},
		used:        used{most: sandbox.Budget{Steps: maxStepsOfWorkspace, Output: maxOutputOfWorkspace}, workspaces: map[string]use{}},
		probes:      used{most: sandbox.Budget{Steps: maxStepsOfWorkspace}, workspaces: map[string]use{}},
	}
	r.language = newLanguage(&r.configs)
	r.workers.New = func() any { return &worker{executor: r.language.NewExecutor()} }
	for _, name := range slices.Sorted(maps.Keys(f.Templates)) {
		t := f.Templates[name]
		c := &compiled{template: t, programs: make([]*sandbox.Program, len(t.Manifests))}
		for i, source := range t.Manifests {
			p, errs := r.language.Parse(source)
			for _, e := range errs {
				problems.Add(problem.Problem{
					Summary: "Invalid template",
					Subject: t.ID(),
					Where:   t.At(i, e.Line).String(),
					Detail:  fmt.Sprintf("Manifest %d, %s", i+1, e),
				})
			}
			c.programs[i] = p
		}
		r.templates[name] = c
	}
	return r, problems.Err()
}

// Parse checks the syntax of one template source. Errors (a problem.List about
// the name): as of New.
func Parse(name, source string) error {
	var problems problem.List
	_, errs := newLanguage(new(configs)).Parse(source)
	for _, e := range errs {
		text := e.Error()
		problems.Add(problem.Problem{Summary: "Invalid template", Subject: name, Detail: strings.ToUpper(text[:1]) + text[1:]})
	}
	return problems.Err()
}

// maxNamespace is the length of the longest namespace in Kubernetes.
const maxNamespace = 63

// Render returns the files of the assignment's package: reconciler, namespace and, unless it
// is empty, platform-config. Errors (a problem.List): templates that fail or exceed their
// bounds, each with template, number of the manifest and place; a namespace that
// is too long; earlier assignments of the workspace exceed their bounds together; the end of
// the context. If Exceeded returns a problem later, the files do not count.
func (r *Renderer) Render(ctx context.Context, a *placement.Assignment, c *composition.Config) ([]tree.Entry, error) {
	if r.used.exceeded(a.Target.Workspace) {
		return nil, r.Exceeded(a.Target.Workspace)
	}
	files, steps, output, err := r.render(ctx, a, c)
	r.used.add(a.Target.Workspace, steps, output)
	if err != nil {
		return nil, err
	}
	return files, nil
}

// render renders an assignment, and returns the steps and bytes of output that this takes.
func (r *Renderer) render(ctx context.Context, a *placement.Assignment, c *composition.Config) (files []tree.Entry, steps, output int,
	err error) {
	var problems problem.List
	if len(a.Namespace) > maxNamespace {
		problems.Add(problem.Problem{
			Summary: "Namespace too long",
			Detail: fmt.Sprintf("The namespace <environment>-<cluster type>-<deployment target> would have more than the %d characters that "+
				"clusters accept. Shorten the name of the environment, the cluster type, the workload or the deployment target.",
				maxNamespace),
		})
		return nil, 0, 0, problems.Err()
	}
	w := r.workers.Get().(*worker) //nolint:errcheck // the pool contains nothing else.
	defer r.workers.Put(w)
	r.configs.add(c)
	w.executor.Begin(ctx, r.budget)
	w.data, w.config, w.copied = newData(a, r.environment, c), c, false
	w.boxed = *w.data

	for _, part := range []struct {
		name, template string
		always         bool
	}{
		{"reconciler", a.ClusterType.Reconciler, true},
		{"namespace", a.ClusterType.NamespaceService, true},
		{platformConfig, a.ClusterType.ConfigType, false},
	} {
		file, err := r.file(w, a, c, part.name, part.template)
		problems.AddErr("Template failed", err)
		if w.executor.Exhausted() {
			break // the assignment has exceeded its bounds, so no other file can be rendered
		}
		if part.always || len(file.Content) > 0 {
			files = append(files, file)
		}
	}
	steps, output = w.executor.Used()
	return files, steps, output, problems.Err()
}

// platformConfig is the name of the file, and of the built-in ConfigMap, with the
// configuration.
const platformConfig = "platform-config"

// file renders one file of the package. Only the platform configuration needs no template.
func (r *Renderer) file(w *worker, a *placement.Assignment, c *composition.Config, name, templateName string) (tree.Entry, error) {
	if templateName == "" && name == platformConfig {
		content, err := builtinConfigMap(a.Namespace, c.Values)
		if err != nil {
			return tree.Entry{}, problem.Problem{
				Summary: "Configuration cannot be written",
				Subject: a.Key(),
				Detail:  fmt.Sprintf("The built-in ConfigMap %s cannot contain the value of %s.", platformConfig, err),
			}
		}
		return tree.File(name+".yaml", content), nil
	}
	t, known := r.templates[templateName]
	if !known {
		return tree.Entry{}, problem.Problem{
			Summary: "Missing template",
			Subject: a.ClusterType.ID(),
			Where:   a.ClusterType.Source.String(),
			Detail:  fmt.Sprintf("The cluster type refers to the template %q, which is not among the manifests.", templateName),
		}
	}
	content, err := w.render(t)
	extension := ".yaml"
	if t.template.ContentType == manifest.ContentTypeShell {
		extension = ".sh"
	}
	return tree.File(name+extension, content), err
}
