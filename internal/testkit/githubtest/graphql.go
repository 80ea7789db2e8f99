// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package githubtest

import (
	_ "embed" // GitHub's schema
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
)

//go:embed testdata/schema.graphql
var graphQLSchema string

var loadSchema = sync.OnceValues(func() (*ast.Schema, error) {
	return gqlparser.LoadSchema(&ast.Source{Name: "schema.graphql", Input: graphQLSchema})
})

// graphQL answers a request to the GraphQL interface: what REST does not have.
func (s *Server) graphQL(answer *httptest.ResponseRecorder, r *http.Request, body []byte) {
	_, credential, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	who := s.known(credential)
	if who == nil {
		respondError(answer, http.StatusUnauthorized, "Bad credentials")
		return
	}
	operation, input, err := parseOperation(body)
	if err != nil {
		s.t.Errorf("GitHub's schema does not know this: %v\n%s", err, body)
		respondError(answer, http.StatusBadRequest, err.Error())
		return
	}
	kind, problem := "FORBIDDEN", "Resource not accessible by personal access token"
	var p *pull
	if who.write {
		p, kind, problem = mutations[operation.Name](s, input)
	}
	if problem != "" {
		respondJSON(answer, http.StatusOK, object{
			"data":   object{operation.Name: nil},
			"errors": []object{{"type": kind, "path": []string{operation.Name}, "message": problem}},
		})
		return
	}
	payload := object{"clientMutationId": nil, "pullRequest": p.graph()}
	respondJSON(answer, http.StatusOK, object{"data": object{operation.Name: selected(payload, operation.SelectionSet)}})
}

// graph returns what is known of the request, in the words of GitHub's GraphQL interface.
func (p *pull) graph() object {
	pull := object{"id": p.node(), "number": p.Number, "autoMergeRequest": nil}
	if p.AutoMerge != "" {
		pull["autoMergeRequest"] = object{"enabledAt": stamp(p.Number), "mergeMethod": strings.ToUpper(p.AutoMerge)}
	}
	return pull
}

// mutations run, and return the request that they changed, or the reason of a refusal.
var mutations = map[string]func(s *Server, input map[string]any) (p *pull, kind, problem string){
	"enablePullRequestAutoMerge": (*Server).enableAutoMerge,
}

// parseOperation checks a query against the schema, and returns the mutation and
// its input.
func parseOperation(body []byte) (*ast.Field, map[string]any, error) {
	schema, err := loadSchema()
	if err != nil {
		return nil, nil, err
	}
	var request struct {
		Query     string
		Variables map[string]any
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, nil, err
	}
	document, problems := gqlparser.LoadQueryWithRules(schema, request.Query, nil) // nil: all rules
	if len(problems) > 0 {
		return nil, nil, problems
	}
	variables, err := validator.VariableValues(schema, document.Operations[0], request.Variables)
	if err != nil {
		return nil, nil, err
	}
	field, ok := document.Operations[0].SelectionSet[0].(*ast.Field)
	if !ok || mutations[field.Name] == nil {
		return nil, nil, fmt.Errorf("the server knows only the mutation of automatic merging")
	}
	input, ok := field.ArgumentMap(variables)["input"].(map[string]any)
	if !ok {
		return nil, nil, fmt.Errorf("there is no input")
	}
	return field, input, nil
}

// selected takes the fields out of a value that a query asks for.
func selected(value object, fields ast.SelectionSet) object {
	chosen := object{}
	for _, selection := range fields {
		field, ok := selection.(*ast.Field)
		if !ok {
			continue
		}
		chosen[field.Alias] = value[field.Name]
		if inner, ok := value[field.Name].(object); ok {
			chosen[field.Alias] = selected(inner, field.SelectionSet)
		}
	}
	return chosen
}

// node returns the request with an identifier.
func (s *Server) node(id any) (p *pull, kind, problem string) {
	i := slices.IndexFunc(s.pulls, func(p *pull) bool { return p.node() == id })
	if i < 0 {
		return nil, "NOT_FOUND", fmt.Sprintf("Could not resolve to a node with the global id of '%v'", id)
	}
	return s.pulls[i], "UNPROCESSABLE", ""
}

func (s *Server) enableAutoMerge(input map[string]any) (p *pull, kind, problem string) {
	if p, kind, problem = s.node(input["pullRequestId"]); p == nil {
		return p, kind, problem
	}
	method := strings.ToLower(fmt.Sprint(input["mergeMethod"]))
	head, given := input["expectedHeadOid"]
	switch {
	case !s.settings.AllowAutoMerge:
		problem = "Pull request Auto merge is not allowed for this repository"
	case slices.Contains(s.settings.Forbidden, method):
		problem = strings.ToUpper(method[:1]) + method[1:] + " merges are not allowed on this repository."
	case p.Draft:
		problem = "Pull request is in draft state"
	case p.State != "open":
		problem = "Can't enable auto-merge for this pull request."
	case given && head != p.HeadCommit:
		problem = "The head sha does not match"
	case s.blocked(p) == "":
		problem = "Pull request is in clean status"
	default:
		p.AutoMerge = method
		return p, "", ""
	}
	return p, kind, problem
}
