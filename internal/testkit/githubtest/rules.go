// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package githubtest

import (
	"cmp"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Ruleset is an active ruleset of the repository.
type Ruleset struct {
	Name string
	// Branches are patterns of names: "prod", "kalypso/*/*".
	Branches []string
	// Rules are the parameters of rules, by their type: "pull_request". Nil parameters are
	// those that GitHub sets.
	Rules map[string]map[string]any
	// Bypass says how the tokens may bypass the ruleset: "always", "exempt",
	// "pull_requests_only"; "never" if it is empty.
	Bypass string
}

// violations are GitHub's texts for pushes that a rule refuses.
var violations = map[string]string{
	"pull_request":           "Changes must be made through a pull request.",
	"merge_queue":            "Changes must be made through the merge queue",
	"required_signatures":    "Commits must have verified signatures.",
	"required_status_checks": `Required status check "ci" is expected.`,
	"update":                 "Cannot update this protected ref.",
	"commit_message_pattern": "Commit message must match a given regex pattern: ^OPS-",
}

// AddRuleset adds a ruleset. A branch that one of its patterns names exactly refuses pushes
// from then on.
func (s *Server) AddRuleset(r Ruleset) {
	s.mu.Lock()
	s.rulesets = append(s.rulesets, r)
	s.mu.Unlock()
	var said []string
	for _, kind := range sorted(r.Rules) {
		if violations[kind] != "" {
			said = append(said, "\n- "+violations[kind]+"\n")
		}
	}
	if r.Bypass == "always" || r.Bypass == "exempt" || len(said) == 0 {
		return
	}
	for _, branch := range r.Branches {
		s.repo.Refuse(branch, fmt.Sprintf("error: GH013: Repository rule violations found for refs/heads/%s.\nReview all repository rules at "+
			"%s/rules?ref=refs%%2Fheads%%2F%s\n%s", branch, s.URL(), branch, strings.Join(said, "")))
	}
}

func sorted(rules map[string]map[string]any) []string {
	var kinds []string
	for kind := range rules {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	return kinds
}

// parameters are what GitHub requires of the parameters of a rule.
var parameters = map[string]map[string]any{
	"pull_request": {"dismiss_stale_reviews_on_push": false, "require_code_owner_review": false, "require_last_push_approval": false,
		"required_approving_review_count": 0, "required_review_thread_resolution": false},
	"required_status_checks": {"required_status_checks": []object{{"context": "ci"}}, "strict_required_status_checks_policy": false},
	"required_deployments":   {"required_deployment_environments": []string{"staging"}},
	"merge_queue": {"check_response_timeout_minutes": 60, "grouping_strategy": "ALLGREEN", "max_entries_to_build": 5,
		"max_entries_to_merge": 5, "merge_method": "SQUASH", "min_entries_to_merge": 1, "min_entries_to_merge_wait_minutes": 5},
	"commit_message_pattern": {"operator": "regex", "pattern": "^OPS-"},
}

// binds reports whether the ruleset is for a branch.
func (r Ruleset) binds(branch string) bool {
	return slices.ContainsFunc(r.Branches, func(pattern string) bool {
		matches, err := path.Match(pattern, branch)
		return err == nil && matches
	})
}

// listRules lists the rules of a branch, which may be missing, without regard to who asks.
func (c *call) listRules() {
	found := []object{}
	for i, r := range c.rulesets {
		if !r.binds(unescaped(c.parameters["branch"])) {
			continue
		}
		for _, kind := range sorted(r.Rules) {
			rule := object{"type": kind, "ruleset_source_type": "Repository", "ruleset_source": Owner + "/" + Name, "ruleset_id": i + 1}
			given := object{}
			for _, from := range []map[string]any{parameters[kind], r.Rules[kind]} {
				for name, value := range from {
					given[name] = value
				}
			}
			if len(given) > 0 {
				rule["parameters"] = given
			}
			found = append(found, rule)
		}
	}
	respondJSON(c.answer, http.StatusOK, c.page(found))
}

func (c *call) getRuleset() {
	id, _ := strconv.Atoi(c.parameters["ruleset_id"])
	if id < 1 || id > len(c.rulesets) {
		c.notFound()
		return
	}
	r := c.rulesets[id-1]
	c.respond(http.StatusOK, "repository-ruleset", object{"id": id, "name": r.Name, "target": "branch", "source_type": "Repository",
		"source": Owner + "/" + Name, "enforcement": "active", "current_user_can_bypass": cmp.Or(r.Bypass, "never")})
}

// queue returns the method of the merge queue of a branch; empty if the branch has none.
func (s *Server) queue(branch string) (method string) {
	for _, r := range s.rulesets {
		if given, ok := r.Rules["merge_queue"]; ok && r.binds(branch) {
			method, _ = given["merge_method"].(string)
			return strings.ToLower(cmp.Or(method, "SQUASH"))
		}
	}
	return ""
}

// enqueue puts a request into the merge queue.
func (p *pull) enqueue() {
	p.InQueue, p.AutoMerge, p.event = true, "", object{"__typename": "AddedToMergeQueueEvent"}
}

// dequeue takes a request out of the merge queue.
func (p *pull) dequeue(reason string) {
	p.InQueue, p.event = false, object{"__typename": "RemovedFromMergeQueueEvent", "reason": reason}
}

// Dequeue removes a pull request from the merge queue for a reason, as GitHub does if a check
// fails ("failed_checks"), and people do ("manual").
func (s *Server) Dequeue(t testing.TB, number int, reason string) {
	t.Helper()
	s.with(t, number, func(p *pull) { p.dequeue(reason) })
}

// RunQueue merges the requests of the merge queue with the queue's method.
func (s *Server) RunQueue(t testing.TB) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.synchronize()
	for _, p := range s.pulls {
		if !p.InQueue {
			continue
		}
		p.dequeue("merged")
		if refusal := s.carryOut(p, s.queue(p.Base)); refusal != "" {
			t.Fatalf("pull request %d: %s", p.Number, refusal)
		}
	}
}
