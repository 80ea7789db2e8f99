// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package request_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
)

// proposal is what the digits of a branch depend on.
type proposal struct {
	instance string
	last     int
	change   git.Change
	base     map[string]tree.ID
}

func newProposal() proposal {
	return proposal{"1111111111111111", 3, git.Change{Message: "dev: +1", Edits: map[string]tree.Entry{
		"large": tree.Subdir("", tree.FromEntries([]tree.Entry{tree.File("web.yaml", []byte("new"))})),
		"small": {Mode: tree.ModeDir},
	}}, map[string]tree.ID{"large": {1}, "small": {2}}}
}

func (p proposal) digits() string { return request.Digits(p.instance, p.last, p.change, p.base) }

// The digits change with the content, with the base, with the instance, and with the last request
// that was merged or replaced. Nothing else changes them.
func TestDigits(t *testing.T) {
	t.Parallel()
	same := newProposal().digits()
	if !regexp.MustCompile(`^[0-9a-f]{12}$`).MatchString(same) {
		t.Errorf("the digits are %q", same)
	}
	seen := map[string]string{same: "the same"}
	for name, test := range map[string]struct {
		change func(p *proposal)
		isSame bool
	}{
		"nothing":                  {func(*proposal) {}, true},
		"the message":              {func(p *proposal) { p.change.Message = "dev: other" }, true},
		"the base at another path": {func(p *proposal) { p.base["other"] = tree.ID{9} }, true},
		"the instance":             {func(p *proposal) { p.instance = "2222222222222222" }, false},
		"the last request":         {func(p *proposal) { p.last = 4 }, false},
		"a content":                {func(p *proposal) { p.change.Edits["large"] = tree.File("", []byte("other")) }, false},
		"a removal":                {func(p *proposal) { p.change.Edits["large"] = tree.Entry{Mode: tree.ModeDir} }, false},
		"one more edit":            {func(p *proposal) { p.change.Edits["tiny"] = tree.Entry{Mode: tree.ModeDir} }, false},
		"one edit less":            {func(p *proposal) { delete(p.change.Edits, "small") }, false},
		"the base":                 {func(p *proposal) { p.base["large"] = tree.ID{3} }, false},
		"the base is gone":         {func(p *proposal) { delete(p.base, "small") }, false},
		"two paths are swapped": {func(p *proposal) {
			p.change.Edits["large"], p.change.Edits["small"] = p.change.Edits["small"], p.change.Edits["large"]
		}, false},
	} {
		p := newProposal()
		test.change(&p)
		got := p.digits()
		if other, known := seen[got]; known != test.isSame {
			t.Errorf("%s: the digits are %s, as with %q", name, got, other)
		}
		seen[got] = name
	}
}

func TestNoted_replace(t *testing.T) {
	t.Parallel()
	noted := request.Noted{Number: 8, Branch: "b", Commit: "c", Last: 7}
	if noted.Replace(); noted != (request.Noted{Branch: "b", Commit: "c", Last: 8}) {
		t.Errorf("replaced: %+v", noted)
	}
	if noted.Replace(); noted != (request.Noted{Branch: "b", Commit: "c", Last: 8}) {
		t.Errorf("replaced twice: %+v", noted)
	}
}

// A plan may not know the settings, so an apply checks them too, before it writes anything.
func TestProposeChecks(t *testing.T) {
	t.Parallel()
	c := request.Client{Forges: forge.NewClient(forge.Options{Forges: []forge.Config{{Token: "t"}}})}
	_, err := c.Propose(t.Context(), request.Order{
		Settings: request.Settings{TeamReviewers: []string{"platform"}},
		Location: git.Location{Repo: "https://gitlab.com/octo/gitops", Branch: "dev"},
	})
	if err == nil || !strings.Contains(err.Error(), "GitLab does not have team_reviewers") {
		t.Errorf("the error is %v", err)
	}
}
