// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package githubtest is a GitHub for tests: one repository, served over git and
// over GitHub's REST and GraphQL interfaces on one address, as a GitHub Enterprise
// Server has them. It keeps pull requests, commit statuses and check runs, merges in the
// repository by all three methods, protects branches, fails when it is told to, and knows GitHub
// Apps. Every request and every answer is checked
// against GitHub's own descriptions, so that a test fails if either is wrong.
package githubtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// The repository's owner and name.
const (
	Owner = "octo"
	Name  = "gitops"
)

// Server is a GitHub with one repository.
type Server struct {
	t           testing.TB
	repo        *gitmem.Repo
	git         *gittest.HTTPServer
	description *description

	mu       sync.Mutex
	settings Settings
	tokens   map[string]*token
	app      *app
	pulls    []*pull
	statuses []Status   // oldest first
	checks   []CheckRun // oldest first
	numbers  int
	guarded  map[string]bool
	former   string // owner and name before the repository was renamed
	faults   []*Fault
	log      []string
}

// Settings are those of the repository. Change them with Configure.
type Settings struct {
	AllowAutoMerge      bool
	DeleteBranchOnMerge bool
	// Forbidden are methods of merging that are turned off: "squash".
	Forbidden []string
	NoDrafts  bool
	Archived  bool
	// Users and Teams may be asked for reviews; teams by slug.
	Users, Teams []string
}

// token is who asks, and what for.
type token struct {
	login   string
	write   bool
	expires time.Time // zero: never
}

// Start serves a repository until the test ends.
func Start(t testing.TB, repo *gitmem.Repo, options ...gittest.HTTPOption) *Server {
	t.Helper()
	d, err := loadDescription()
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{
		t: t, repo: repo, description: d,
		settings: Settings{AllowAutoMerge: true, Users: []string{"octocat", "hubot"}, Teams: []string{"platform"}},
		tokens:   map[string]*token{}, guarded: map[string]bool{},
	}
	s.git = gittest.ServeHTTP(t, repo, append(options, gittest.WithHook(s.serve))...)
	return s
}

// Address is where the server's pages would be.
func (s *Server) Address() string {
	return s.git.URL()[:strings.LastIndexByte(s.git.URL(), '/')]
}

// URL is the repository's URL for git.
func (s *Server) URL() string { return s.Address() + "/" + Owner + "/" + Name }

// Configure changes the repository's settings.
func (s *Server) Configure(change func(*Settings)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.settings)
}

// AddToken returns a user's token, which may write or only read.
func (s *Server) AddToken(login string, write bool) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := "ghp_" + strings.Repeat("0", 20) + login + map[bool]string{true: "W", false: "R"}[write]
	s.tokens[text] = &token{login: login, write: write}
	return text
}

// CABundle is the certificate to trust, as PEM; empty without TLS.
func (s *Server) CABundle() string { return s.git.CABundle() }

// Requests returns what was asked so far, as "POST /repos/octo/gitops/pulls".
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// serve answers what is not git, and hands git over with the path at which the
// repository is served.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) (handled bool) {
	if s.faulty(w, r) {
		return true
	}
	former := s.formerly()
	switch {
	case strings.HasPrefix(r.URL.Path, "/api/"):
		s.forward(w, r)
		return true
	case strings.HasPrefix(r.URL.Path, "/"+former+"/"):
		s.redirect(w, r, "/"+Owner+"/"+Name+strings.TrimPrefix(r.URL.Path, "/"+former))
		return true
	case strings.HasPrefix(r.URL.Path, "/"+Owner+"/"+Name+"/"), strings.HasPrefix(r.URL.Path, "/"+Owner+"/"+Name+".git/"):
		if !s.mayUseGit(w, r) {
			return true
		}
		_, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"+Owner+"/"), "/")
		r.URL.Path = s.git.URL()[len(s.Address()):] + "/" + rest
		return false
	}
	http.NotFound(w, r)
	return true
}

// RenamedFrom gives the repository a former owner and name, "acme/gitops". Requests to these
// are redirected, as GitHub does.
func (s *Server) RenamedFrom(former string) (url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.former = former
	return s.Address() + "/" + former
}

func (s *Server) formerly() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cmp.Or(s.former, "-")
}

// redirect sends a request to another path. A request that writes keeps its method and body.
func (s *Server) redirect(w http.ResponseWriter, r *http.Request, path string) {
	to := url.URL{Path: path, RawQuery: r.URL.RawQuery}
	status := map[bool]int{true: http.StatusMovedPermanently, false: http.StatusTemporaryRedirect}[r.Method == http.MethodGet]
	http.Redirect(w, r, s.Address()+to.String(), status)
}

// mayUseGit checks the token that git sends as a password.
func (s *Server) mayUseGit(w http.ResponseWriter, r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, password, _ := r.BasicAuth()
	who := s.known(password)
	switch {
	case who == nil:
		w.Header().Set("WWW-Authenticate", `Basic realm="GitHub"`)
		http.Error(w, "Invalid username or token.", http.StatusUnauthorized)
	case !who.write && strings.Contains(r.URL.String(), "git-receive-pack"):
		http.Error(w, "Write access to repository not granted.", http.StatusForbidden)
	default:
		return true
	}
	return false
}

// known returns the token's owner; nil for one that is wrong or has expired.
func (s *Server) known(text string) *token {
	who := s.tokens[text]
	if who != nil && !who.expires.IsZero() && who.expires.Before(time.Now()) {
		return nil
	}
	return who
}

// forward answers a request to the REST or GraphQL interface.
func (s *Server) forward(w http.ResponseWriter, r *http.Request) {
	answer := httptest.NewRecorder()
	s.api(answer, r)
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes()) // who has gone away misses it
}

func (s *Server) api(answer *httptest.ResponseRecorder, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Errorf("unreadable request: %v", err)
	}
	answer.Header().Set("Content-Type", "application/json; charset=utf-8")
	path := strings.TrimPrefix(r.URL.EscapedPath(), "/api/v3") // the name of a branch may have "/"
	s.log = append(s.log, r.Method+" "+path)
	if rest, old := strings.CutPrefix(path, "/repos/"+cmp.Or(s.former, "-")+"/"); old {
		s.redirect(answer, r, "/api/v3/repositories/1/"+rest)
		return
	}
	if rest, byNumber := strings.CutPrefix(path, "/repositories/1/"); byNumber {
		path = "/repos/" + Owner + "/" + Name + "/" + rest
	}
	s.synchronize()
	if r.URL.Path == "/api/graphql" {
		s.graphQL(answer, r, body)
		return
	}
	request := r.Clone(r.Context())
	request.URL.Path, request.URL.RawPath = unescaped(path), path
	input, err := s.description.checkRequest(request, body)
	if err != nil {
		s.t.Errorf("%s %s is not what GitHub takes: %v\n%s", r.Method, path, err, body)
		respondError(answer, http.StatusBadRequest, err.Error())
		return
	}
	c := &call{Server: s, answer: answer, request: request, parameters: input.PathParams, body: body}
	if c.allowed() {
		routes[r.Method+" "+input.Route.Path](c)
	}
	if err := s.description.checkResponse(input, answer); err != nil {
		s.t.Errorf("the answer to %s %s is not what GitHub gives: %v\n%s", r.Method, path, err, answer.Body)
	}
}

func unescaped(path string) string {
	plain, err := url.PathUnescape(path)
	if err != nil {
		panic(err) // the path of a request was read already
	}
	return plain
}

// call is a request to the REST interface that is being answered.
type call struct {
	*Server
	answer     *httptest.ResponseRecorder
	request    *http.Request
	parameters map[string]string
	body       []byte
	who        *token
}

// routes are the operations, by method and path as in GitHub's description.
var routes = map[string]func(*call){
	"GET /repos/{owner}/{repo}/pulls":                                    (*call).listPulls,
	"POST /repos/{owner}/{repo}/pulls":                                   (*call).createPull,
	"GET /repos/{owner}/{repo}/pulls/{pull_number}":                      (*call).getPull,
	"PATCH /repos/{owner}/{repo}/pulls/{pull_number}":                    (*call).updatePull,
	"PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge":                (*call).mergePull,
	"POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers": (*call).requestReviewers,
	"POST /repos/{owner}/{repo}/issues/{issue_number}/comments":          (*call).createComment,
	"POST /repos/{owner}/{repo}/issues/{issue_number}/labels":            (*call).addLabels,
	"GET /repos/{owner}/{repo}/commits/{ref}/statuses":                   (*call).listStatuses,
	"GET /repos/{owner}/{repo}/commits/{ref}/check-runs":                 (*call).listCheckRuns,
	"POST /repos/{owner}/{repo}/statuses/{sha}":                          (*call).createStatus,
	"GET /repos/{owner}/{repo}/installation":                             (*call).repositoryInstallation,
	"POST /app/installations/{installation_id}/access_tokens":            (*call).createInstallationToken,
}

// allowed checks who asks, and answers the request if that is not enough.
func (c *call) allowed() bool {
	_, credential, _ := strings.Cut(c.request.Header.Get("Authorization"), " ")
	if strings.HasSuffix(c.request.URL.Path, "/installation") || strings.HasPrefix(c.request.URL.Path, "/app/") {
		return c.isApp(credential)
	}
	c.who = c.known(credential)
	switch {
	case c.who == nil:
		c.fail(http.StatusUnauthorized, "Bad credentials")
	case !strings.EqualFold(c.parameters["owner"], Owner) || !strings.EqualFold(c.parameters["repo"], Name):
		c.fail(http.StatusNotFound, "Not Found")
	case c.request.Method != http.MethodGet && !c.who.write:
		c.answer.Header().Set("X-Accepted-Github-Permissions", c.permission())
		c.fail(http.StatusForbidden, "Resource not accessible by personal access token")
	case c.request.Method != http.MethodGet && c.settings.Archived:
		c.fail(http.StatusForbidden, "Repository was archived so is read-only.")
	default:
		return true
	}
	return false
}

// permission is what a token needs to write what is asked for.
func (c *call) permission() string {
	if strings.Contains(c.request.URL.Path, "/statuses/") {
		return "statuses=write"
	}
	return "pull_requests=write"
}

// decode reads the request's body, which was checked already.
func (c *call) decode(into any) {
	if err := json.NewDecoder(bytes.NewReader(c.body)).Decode(into); err != nil {
		c.t.Errorf("%s %s: %v", c.request.Method, c.request.URL.Path, err)
	}
}

// respond answers with what GitHub's schema of that name describes.
func (c *call) respond(status int, schema string, have object) {
	respondJSON(c.answer, status, c.description.complete(schema, have))
}

// respondList answers with the page that is asked for.
func (c *call) respondList(schema string, all []object) {
	all = c.page(all)
	list := make([]any, len(all))
	for i, have := range all {
		list[i] = c.description.complete(schema, have)
	}
	respondJSON(c.answer, http.StatusOK, list)
}

func (c *call) fail(status int, message string) { respondError(c.answer, status, message) }

// invalid answers as GitHub does if a field is not as it has to be.
func (c *call) invalid(errors ...object) {
	respondJSON(c.answer, http.StatusUnprocessableEntity, object{
		"message": "Validation Failed", "errors": errors, "documentation_url": "https://docs.github.com/rest",
	})
}

func respondError(answer *httptest.ResponseRecorder, status int, message string) {
	respondJSON(answer, status, object{"message": message, "documentation_url": "https://docs.github.com/rest"})
}

func respondJSON(answer *httptest.ResponseRecorder, status int, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // what is made here can always be encoded
	}
	answer.WriteHeader(status)
	answer.Body.Write(text)
}
