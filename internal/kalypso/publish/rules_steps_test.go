// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// regroup gives each resource a list, at random.
func (w *rulesWorld) regroup(s *workspace) {
	names := slices.Sorted(maps.Keys(s.configs))
	if len(names) == 1 && w.IntN(2) == 0 {
		s.configs[names[0]].list = nil
		return
	}
	for _, name := range names {
		s.configs[name].list = []string{}
	}
	for _, clusterType := range ruledTypes {
		if i := w.IntN(len(names) + 1); i < len(names) {
			c := s.configs[names[i]]
			c.list = append(c.list, clusterType)
		}
	}
	for _, name := range names {
		w.tell("  %s names %v", name, s.configs[name].list)
	}
}

// steps are what may happen, some of it more often.
var steps = []string{
	"regroup", "regroup", "fleet", "leave", "return", "apply", "apply", "apply", "target", "kill", "kill", "aliases", "replace",
	"kill a replacement", "rename", "rename",
	"delete", "add", "add", "move", "environment", "hold", "removal", "state rm", "restore", "copy the configuration", "copy the state",
	"apply the other",
	"another environment", "file", "edit a record", "edit a record", "revert", "revert",
}

// step is one thing that happens.
func (w *rulesWorld) step() {
	s, other := w.spaces[0], w.spaces[1]
	step := steps[w.IntN(len(steps))]
	w.tell("%s", step)
	if len(s.configs) == 0 && step != "apply" {
		w.tell("  a is written again")
		s.configs["a"] = &ruled{environment: "dev", branch: "prod", path: ".", removal: ownership.Empty}
	}
	switch step {
	case "regroup":
		w.regroup(s)
	case "fleet":
		s.family = fmt.Sprint("f", w.IntN(1000))
	case "leave":
		s.fleet = slices.DeleteFunc(slices.Clone(s.fleet), func(string) bool { return w.IntN(3) == 0 })
	case "return":
		s.fleet = ruledTypes
	case "apply":
		w.run(0, runOptions{})
	case "target":
		w.run(0, runOptions{target: []string{pick(w, s.configs)}})
	case "kill":
		w.run(0, runOptions{kill: 1 + w.IntN(4), notSaved: w.IntN(2) == 0})
	case "aliases":
		w.run(0, runOptions{aliases: true})
	case "replace":
		w.run(0, runOptions{replace: []string{pick(w, s.configs)}, createFirst: w.IntN(2) == 0})
	case "kill a replacement":
		w.run(0, runOptions{replace: []string{pick(w, s.configs)}, createFirst: w.IntN(2) == 0, kill: 1 + w.IntN(5), notSaved: w.IntN(2) == 0})
	case "apply the other":
		w.run(1, runOptions{})
	case "restore":
		s.states = maps.Clone(s.older[w.IntN(len(s.older))])
	case "copy the configuration":
		other.fleet, other.family, other.configs = s.fleet, s.family, map[string]*ruled{}
		for name, c := range s.configs {
			copied := *c
			other.configs[name] = &copied
		}
	case "copy the state":
		other.states = maps.Clone(s.states)
	case "another environment":
		other.fleet, other.states = ruledTypes, map[string]*instance{}
		other.configs = map[string]*ruled{"foreign": {environment: "stage", branch: "prod", path: ".", list: []string{ruledTypes[w.IntN(3)]},
			removal: ownership.Empty}}
		w.run(1, runOptions{})
	default:
		w.configure(s, step)
		w.tamper(step)
	}
}

// configure is a change of the configuration, or of the state alone.
func (w *rulesWorld) configure(s *workspace, step string) {
	name := pick(w, s.configs)
	c := s.configs[name]
	switch step {
	case "rename":
		next := fmt.Sprint("n", len(w.story))
		s.configs[next] = c
		delete(s.configs, name)
		if w.IntN(2) == 0 && s.states[name] != nil {
			w.tell("  with a moved block")
			s.states[next] = s.states[name]
			delete(s.states, name)
		}
	case "delete":
		if delete(s.configs, name); len(s.configs) > 0 && w.IntN(2) == 0 {
			w.regroup(s)
		}
	case "add":
		if len(s.configs) < 3 {
			added := *c
			s.configs[fmt.Sprint("n", len(w.story))] = &added
			w.regroup(s)
		}
	case "move":
		at := [][2]string{{"prod", "."}, {"next", "."}, {"prod", "p"}}[w.IntN(3)]
		for _, c := range s.configs {
			c.branch, c.path = at[0], at[1]
		}
		w.tell("  to %v", at)
	case "environment":
		environment := []string{"dev", "test"}[w.IntN(2)]
		for _, c := range s.configs {
			c.environment = environment
		}
	case "hold":
		c.hold = !c.hold
		w.tell("  of %s: %t", name, c.hold)
	case "removal":
		c.removal = []ownership.Removal{ownership.Empty, ownership.Delete, ownership.Retain}[w.IntN(3)]
		w.tell("  of %s: %s", name, c.removal)
	case "state rm":
		if len(s.states) > 0 {
			delete(s.states, pick(w, s.states))
		}
	}
}

// tamper changes a branch as people do by hand.
func (w *rulesWorld) tamper(step string) {
	defer w.catchUp()
	commits := w.repo.Commits(w.t, "prod")
	switch step {
	case "file":
		all := ruledFolders()
		f := all[w.IntN(len(all))]
		w.tell("  in %s", f)
		w.edit(w.t, f.branch, map[string]string{f.place() + "/by-hand": fmt.Sprint(w.IntN(100))})
	case "edit a record":
		now := w.snapshot("prod", commits[len(commits)-1])
		if len(now.records) == 0 {
			return
		}
		instance := pick(w, now.records)
		r := now.records[instance].Record
		name := ruledTypes[w.IntN(3)]
		switch w.IntN(3) {
		case 0:
			w.tell("  %s is deleted", instance)
			w.edit(w.t, "prod", map[string]string{".kalypso/" + instance: ""})
			return
		case 1:
			w.tell("  %s does not list %s", instance, name)
			r.ClusterTypes = slices.DeleteFunc(slices.Clone(r.ClusterTypes), func(n string) bool { return n == name })
		default:
			w.tell("  %s lists %s", instance, name)
			r.ClusterTypes = slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(r.ClusterTypes), name))))
		}
		w.edit(w.t, "prod", map[string]string{".kalypso/" + instance: string(r.Content())})
	case "revert":
		if i := w.IntN(len(commits)); i > 0 {
			w.tell("  to commit %d of %d", i, len(commits))
			w.repo.CommitTree(w.t, "prod", commits[i], "revert")
		}
	}
}

// settle plans and applies the first workspace alone, with the cures that errors name, until
// nothing is to do, and checks that everything wanted is there.
func (w *rulesWorld) settle() {
	w.t.Helper()
	w.tell("it settles")
	s := w.spaces[0]
	w.spaces[1] = &workspace{}
	for _, c := range s.configs {
		c.hold = false
	}
	const rounds = 24
	for range rounds {
		failures, differs := w.run(0, runOptions{})
		if len(failures) == 0 && !differs {
			w.isThere(s)
			return
		}
		if len(failures) > 0 {
			w.cure(s, failures[w.IntN(len(failures))])
		}
	}
	w.wrong("there is no end of it")
}

var (
	recordNames = regexp.MustCompile(`\.kalypso/([0-9a-f]{16})`)
	lineNames   = regexp.MustCompile(`"cluster_type: ([a-z])"`)
	folderNames = regexp.MustCompile(`(?:cluster types?|folders?) ([uvw](?:, [uvw])*)`)
)

// cure follows the advice of an error.
func (w *rulesWorld) cure(s *workspace, f failure) {
	w.t.Helper()
	w.tell("the cure of: %s, for %s", f.Summary, f.address)
	defer w.catchUp()
	c := s.configs[f.address]
	var branch, path string
	switch {
	case c != nil:
		branch, path = c.branch, c.path
	default:
		branch, path = s.states[f.address].was.Location.Branch, s.states[f.address].was.Location.Path
	}
	var named []folderAt
	if m := folderNames.FindStringSubmatch(f.Detail); m != nil {
		for _, name := range strings.Split(m[1], ", ") {
			named = append(named, folderAt{branch, path, name})
		}
	}
	remove := func() {
		for _, at := range named {
			w.edit(w.t, at.branch, map[string]string{at.place(): ""})
		}
	}
	switch detail := f.Detail; {
	case f.Summary == "Two records list one folder" || strings.Contains(detail, "Two records list the same"):
		instance, line := recordNames.FindStringSubmatch(detail)[1], lineNames.FindStringSubmatch(detail)[1]
		path := ".kalypso/" + instance
		text := strings.Replace(w.repo.Files(w.t, branch)[path], "cluster_type: "+line+"\n", "", 1)
		w.edit(w.t, branch, map[string]string{path: text})
	case f.Summary == "Removed and wanted in one plan" && strings.Contains(detail, "apply the first resource alone"):
		first := recordNames.FindStringSubmatch(detail)[1]
		for name, state := range s.states {
			if state.was.Instance == first {
				w.run(0, runOptions{target: []string{name}})
				return
			}
		}
		w.wrong("no resource is %s", first)
	case f.Summary == "Removed and wanted in one plan":
		for name, c := range s.configs { // which takes them over
			if slices.ContainsFunc(named, func(at folderAt) bool {
				return slices.ContainsFunc(ruledFolders(), func(f folderAt) bool { return f.name == at.name && s.wants(c, f) })
			}) {
				failures, _ := w.run(0, runOptions{target: []string{name}})
				for _, f := range failures { // as what somebody else has put there
					w.cure(s, f)
				}
				return
			}
		}
		w.wrong("no resource names %v", named)
	case strings.Contains(detail, "The plan has not shown"): // which the next one does
	case f.Summary == "Folders have another owner now", f.Summary == "Another environment at another place",
		strings.Contains(detail, "must not be destroyed while hold"):
		delete(s.states, f.address)
	case f.Summary == "Unknown cluster type":
		c.list = slices.DeleteFunc(slices.Clone(c.list), func(name string) bool { return !slices.Contains(s.fleet, name) })
	case f.Summary == "A move would leave folders without an owner":
		was := s.states[f.address].was.Location
		for _, each := range s.configs {
			each.branch, each.path = was.Branch, was.Path
		}
		for _, at := range named {
			at.branch, at.path = was.Branch, was.Path
			isNamed := func(each *ruled) bool { return s.wants(each, at) }
			if !slices.ContainsFunc(slices.Collect(maps.Values(s.configs)), isNamed) && slices.Contains(s.fleet, at.name) {
				c.list = append(c.list, at.name)
			}
		}
	case f.Summary == "Folders of another owner":
		for _, m := range recordNames.FindAllStringSubmatch(detail, -1) {
			w.edit(w.t, branch, map[string]string{".kalypso/" + m[1]: ""})
		}
		remove()
	case f.Summary == "Folders without a known owner", strings.Contains(detail, "already has"):
		remove()
	// another resource of the run; plan again
	// another resource of the run; plan again
	// another resource of the run; plan again
	// another resource of the run; plan again
	// another resource of the run; plan again
	// another resource of the run; plan again
	// another resource of the run; plan again
	// another resource of the run; plan again
	// another resource of the run; plan again
	// another resource of the run; plan again
	// another resource of the run; plan again
	// another resource of the run; plan again
	// another resource of the run; plan again
	// another resource of the run; plan again
	// another resource of the run; plan again
	// another resource of the run; plan again
	// another resource of the run; plan again
	// another resource of the run; plan again
	// another resource of the run; plan again
	// another resource of the run; plan again
	// another resource of the run; plan again
	// another resource of the run; plan again
	// another resource of the run; plan again
	// another resource of the run; plan again
	// Another resource of the run did: plan again.
	case strings.Contains(detail, "somebody else changed"), strings.Contains(detail, "Somebody else changed"):
	default:
		w.wrong("there is no cure of %s: %s", f.Summary, detail)
	}
}

// isThere checks that the branch holds what the configuration wants, and that each folder is
// listed by the record of its resource, or by none.
func (w *rulesWorld) isThere(s *workspace) {
	w.t.Helper()
	for address, c := range s.configs {
		if w.repo.Head(w.t, c.branch) == "" {
			continue
		}
		now, files := w.snapshot(c.branch, w.repo.Head(w.t, c.branch)), w.repo.Files(w.t, c.branch)
		for _, name := range s.names(c) {
			f := folderAt{c.branch, c.path, name}
			if text := files[f.place()+"/web-live/reconciler.yaml"]; !strings.Contains(text, "namespace: "+c.environment+"-"+name) ||
				!strings.Contains(text, "family: "+s.family+"}") {
				w.wrong("%s is not as %s wants it: %s", f, address, text)
			}
			// A record that is gone comes back with the next commit.
			if listing := now.listing(f); len(listing) > 1 || len(listing) == 1 && listing[0].Instance != s.states[address].was.Instance {
				w.wrong("%s of %s is listed by %v", f, address, listing)
			}
		}
	}
}
