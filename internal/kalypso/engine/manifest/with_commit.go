// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import "strings"

// WithCommit returns the document of a BaseRepo that is pinned to a commit, written anew
// if it is not so already. Other documents stay as they are.
func (d Document) WithCommit(commit string) Document {
	if pinned, changed := withCommit(d.Object, commit); changed {
		return d.anew(pinned)
	}
	return d
}

// WithCommits returns an input whose BaseRepos of these names are pinned to these commits.
// If that changes a BaseRepo, the objects of the input are written again without the other
// text of the file, and keep the place that they were read from. Input that does not
// decode does not change.
func (in Text) WithCommits(commits map[string]string) Text {
	objects, err := Decode([]Text{in})
	if err != nil {
		return in
	}
	texts, changes := make([]string, len(objects)), false
	for i, o := range objects {
		if commit, meant := commits[o.Metadata().Name]; meant {
			pinned, changed := withCommit(o, commit)
			o, changes = pinned, changes || changed
		}
		texts[i] = Encode(o)
	}
	if !changes {
		return in
	}
	origin := ""
	if line, _, _ := strings.Cut(in.Text, "\n"); strings.HasPrefix(line, originComment) {
		origin = line + "\n"
	}
	in.Text = origin + strings.Join(texts, "---\n")
	return in
}

// withCommit returns a BaseRepo that is pinned to a commit, and whether it is another one.
func withCommit(o Object, commit string) (Object, bool) {
	b, ok := o.(*BaseRepo)
	if !ok || b.Commit == commit {
		return o, false
	}
	pinned := *b
	pinned.Commit = commit
	return &pinned, true
}
