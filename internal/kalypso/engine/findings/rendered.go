// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// inspection is what is wrong with the rendered files.
type inspection struct {
	faults []fault
	// total and read count the files of each template, and those of them that were read.
	total, read map[string]int
}

// fault is one thing that is wrong with one file.
type fault struct {
	// faults of one mistake become one finding.
	mistake
	// what completes the sentence "Template x renders …".
	what string
	path string
	// object is the one that it is about, so that others in the file are named; empty if it
	// is not about an object.
	object string
}

// mistake is the common key of the faults that are one finding. For most codes a template has
// one finding, and for some codes one for each reason.
type mistake struct{ code, template, reason string }

// inspect looks for faults in all rendered files.
func inspect(ctx context.Context, in Facts) *inspection {
	files := look(ctx, in)
	n := &inspection{total: map[string]int{}, read: map[string]int{}}
	for _, ct := range in.Fleet.ClusterTypes {
		n.inspect(ct, in.Folders[ct.Name], files)
	}
	return n
}

// inspect records the faults in the folder of a cluster type.
func (n *inspection) inspect(ct *manifest.ClusterType, folder *tree.Dir, files map[tree.ID]*file) {
	seen := map[Identity]Location{} // the first file of each object
	for at, entry := range YAMLFiles(folder) {
		f, template := files[entry.ID], TemplateOf(ct, at.File)
		n.total[template]++
		if f.isRead {
			n.read[template]++
		}
		note := func(code, reason, object, what string) {
			n.faults = append(n.faults, fault{mistake{code, template, reason}, what, at.in(ct.Name), object})
		}
		if f.err != nil {
			note(OutputNotYAML, "", "", "text that is not valid YAML ("+syntaxError(f.err)+")")
		}
		for i := range f.objects {
			o := &f.objects[i]
			if o.missing != "" {
				note(ObjectIncomplete, o.missing, "", "an object without "+o.missing)
				continue
			}
			id := o.String()
			if first, isSecond := seen[o.Identity]; isSecond {
				note(ObjectDuplicate, "", id, fmt.Sprintf("%s into cluster type %s, but %s already contains it", id, ct.Name, first.in(ct.Name)))
			} else {
				seen[o.Identity] = at
			}
			if o.isPlainSecret {
				note(Credential, "", id, id+" with its values in plain text")
			}
			for _, refusal := range o.refusals {
				code := ObjectInvalid
				switch {
				case refusal.IsTooLong:
					code = NameTooLong
				case refusal.IsRemoved:
					code = APIRemoved
				}
				note(code, refusal.What, id, id+" with "+refusal.What)
			}
		}
	}
}

// quotation is a piece of the text that a message of the parser quotes.
var quotation = regexp.MustCompile(`[\x60'"].*[\x60'"]`)

// syntaxError returns the message of the parser without its quotations, because these may
// contain a secret. The parser counts lines sometimes from 0 and sometimes from 1.
func syntaxError(err error) string {
	text := quotation.ReplaceAllString(strings.TrimPrefix(err.Error(), "yaml: "), "…")
	if strings.HasPrefix(text, "line ") {
		return "near " + text
	}
	return text
}

// inFiles reports the faults of the row's code. A template usually makes the same mistake in all its
// files, so there is one finding for each mistake: the first fault, and the number of files with
// such a fault. The advice appears once for each template.
func inFiles(s *search) {
	faults := map[mistake][]fault{}
	mistakes := map[string][]mistake{} // by the template
	for _, f := range s.output().faults {
		if f.code != s.row.code {
			continue
		}
		if faults[f.mistake] == nil {
			mistakes[f.template] = append(mistakes[f.template], f.mistake)
		}
		faults[f.mistake] = append(faults[f.mistake], f)
	}
	for template, all := range mistakes {
		var messages []string
		for _, m := range all {
			messages = append(messages, message(faults[m]))
		}
		slices.Sort(messages)
		messages[0] += s.row.advice
		if total, read := s.output().total[template], s.output().read[template]; read < total {
			messages[0] += fmt.Sprintf(" The fleet is large, so the provider has read only %d of the template's %d files: fail_on = [%q] makes it "+
				"read all.", read, total, s.row.code)
		}
		for _, text := range messages {
			s.note(string(manifest.KindTemplate)+"/"+template, "%s", text)
		}
	}
}

// message describes the faults of one mistake.
func message(of []fault) string {
	first := of[0]
	files := map[string]bool{}
	var alike []string
	for _, f := range of {
		files[f.path] = true
		isNear := f.path == first.path || f.code == ObjectDuplicate
		if isNear && f.object != first.object && !slices.Contains(alike, f.object) {
			alike = append(alike, f.object)
		}
	}
	text := fmt.Sprintf("Template %s renders %s: %s", first.template, first.what, first.path)
	if more := len(files) - 1; more > 0 {
		text += " and " + wording.Count(more, "more file")
	}
	text += "."
	if len(alike) > 0 {
		text += fmt.Sprintf(" The same holds for %s.", wording.First(alike, wording.MaxListed))
	}
	return text
}
