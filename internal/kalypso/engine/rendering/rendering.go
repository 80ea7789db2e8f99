// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package rendering turns templates into the files of an assignment
// (docs/guides/semantics.md, section 4). Rendering is deterministic: it depends on the fleet
// alone.
package rendering

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"

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
	// clusterTypes are the labels of cluster types, which assignments share.
	clusterTypes map[*manifest.ClusterType]labels
	language     *sandbox.Language
	templates    map[string]*compiled
	configs      configs
}

// compiled is a Template with the programs of its manifests; nil for a manifest with a
// syntax error.
type compiled struct {
	template *manifest.Template
	programs []*sandbox.Program
}

// New parses every template of the fleet, once. The fleet has every template that its cluster types name
// (fleet.Used). Errors (a problem.List): the first syntax error of
// each manifest, with template, number of the manifest and line.
func New(f *fleet.Fleet) (*Renderer, error) {
	var problems problem.List
	r := &Renderer{
		environment:  f.Environment,
		clusterTypes: make(map[*manifest.ClusterType]labels, len(f.ClusterTypes)),
		templates:    make(map[string]*compiled, len(f.Templates)),
	}
	for _, ct := range f.ClusterTypes {
		r.clusterTypes[ct] = newLabels(ct.Labels)
	}
	r.language = newLanguage(&r.configs)
	for _, name := range slices.Sorted(maps.Keys(f.Templates)) {
		t := f.Templates[name]
		c := &compiled{template: t, programs: make([]*sandbox.Program, len(t.Manifests))}
		for i, source := range t.Manifests {
			p, err := r.language.Parse(source)
			if err != nil {
				problems.Add(problem.Problem{
					Summary: "Invalid template",
					Subject: t.ID(),
					Where:   t.At(i, lineOf(err)).String(),
					Detail:  fmt.Sprintf("Manifest %d, %s", i+1, err),
				})
			}
			c.programs[i] = p
		}
		r.templates[name] = c
	}
	return r, problems.Err()
}

// Parse checks the syntax of one template source. The error has its line.
func Parse(source string) error {
	_, err := newLanguage(new(configs)).Parse(source)
	return err
}

// ErrTooLarge is an error of Render beside the problems of a package whose output exceeds its bound.
var ErrTooLarge = errors.New("the output of a package is too large")

// Render returns the files of the assignment's package: reconciler, namespace and, unless it
// is empty, platform-config. Errors (a problem.List): templates that fail or exceed their
// bounds, each with template, number of the manifest and place; a namespace that clusters
// refuse, if a template writes it; ErrTooLarge. At the end of the context, the last error has its cause.
func (r *Renderer) Render(ctx context.Context, a *placement.Assignment, c *composition.Config) ([]tree.Entry, error) {
	var problems problem.List
	r.configs.add(c)
	w := &worker{language: r.language, execution: sandbox.NewExecution(ctx), data: r.newData(a, c)}
	w.boxed = *w.data

	var files []tree.Entry
	for _, part := range []struct {
		name, template string
		always         bool
	}{
		{"reconciler", a.ClusterType.Reconciler, true},
		{"namespace", a.ClusterType.NamespaceService, true},
		{platformConfig, a.ClusterType.ConfigType, false},
	} {
		file, err := r.file(ctx, w, a, c, part.name, part.template)
		problems.AddErr("Template failed", err)
		if w.execution.IsFull() {
			return nil, errors.Join(problems.Err(), ErrTooLarge)
		}
		if ctx.Err() != nil {
			break
		}
		if part.always || len(file.Content) > 0 {
			files = append(files, file)
		}
	}
	if err := r.checkNamespace(a.Namespace, files); err != nil {
		problems.AddErr("Invalid namespace", err)
	}
	return files, problems.Err()
}

// checkNamespace returns why clusters refuse a namespace, if a file has it. A template may build a
// name of its own. The error does not name the assignment, so that several can share it.
func (r *Renderer) checkNamespace(namespace string, files []tree.Entry) error {
	refusals := validation.IsDNS1123Label(namespace)
	if len(refusals) == 0 {
		return nil
	}
	for _, file := range files {
		if bytes.Contains(file.Content, []byte(namespace)) {
			return problem.Problem{
				Summary: "Invalid namespace",
				Detail: fmt.Sprintf("Clusters refuse the namespace %s-<cluster type>-<deployment target> in %s: it %s. Use another name for the "+
					"environment, the cluster type, the workload or the deployment target, or have the template build a name of its own.",
					r.environment, file.Name, refusals[0]),
			}
		}
	}
	return nil
}

// platformConfig is the name of the file, and of the built-in ConfigMap, with the
// configuration.
const platformConfig = "platform-config"

// file renders one file of the package. Only the platform configuration needs no template.
func (r *Renderer) file(ctx context.Context, w *worker, a *placement.Assignment, c *composition.Config, name, templateName string) (
	tree.Entry, error,
) {
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
	t := r.templates[templateName] // fleet.Used has found it
	content, err := w.render(ctx, t)
	extension := ".yaml"
	if t.template.ContentType == manifest.ContentTypeShell {
		extension = ".sh"
	}
	return tree.File(name+extension, content), err
}
