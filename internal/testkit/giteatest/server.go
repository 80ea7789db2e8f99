// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package giteatest runs a real Gitea for tests, on loopback and with SQLite, as
// soon as a test asks for a repository: one server for all tests of a package.
// The environment variable KALYPSO_GITEA names the folder that scripts/gitea
// prints; tests that need it are skipped where it is not set (make test-gitea).
package giteatest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"code.gitea.io/sdk/gitea"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/process"
)

// Variable is the environment variable that names Gitea's folder.
const Variable = "KALYPSO_GITEA"

// server is a Gitea that runs.
type server struct {
	folder  string
	process *process.Process
	address string
	admin   *gitea.Client
	// tokens of people who may write in all repositories, by their names.
	tokens map[string]string
}

// People whom each server knows, and the team of the organization.
const (
	Writer   = "kalypso"
	Reviewer = "octocat"
	Other    = "hubot"
	Owner    = "octo"
	Team     = "platform"
)

const password = "correct-horse-battery"

var (
	mu      sync.Mutex
	running *server
	broken  error
)

// current returns the server, which it starts once.
func current() (*server, error) {
	mu.Lock()
	defer mu.Unlock()
	if running == nil && broken == nil {
		running, broken = start(os.Getenv(Variable))
	}
	return running, broken
}

// Run runs a package's tests (m.Run), and stops the server after them.
func Run(tests func() int) (code int) {
	defer func() {
		mu.Lock()
		defer mu.Unlock()
		if running != nil {
			running.stop()
		}
	}()
	return tests()
}

// start makes a Gitea in a folder of its own and waits until it answers.
func start(program string) (_ *server, err error) {
	folder, err := os.MkdirTemp("", "gitea")
	if err != nil {
		return nil, err
	}
	s := &server{folder: folder, tokens: map[string]string{}}
	defer func() {
		if err != nil {
			s.stop()
		}
	}()
	// Gitea refuses to run as root, and nobody may not read root's folders.
	if err := os.CopyFS(filepath.Join(folder, "gitea"), os.DirFS(program)); err != nil {
		return nil, err
	}
	if err := s.configure(); err != nil {
		return nil, err
	}
	if out, err := s.gitea("migrate").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("gitea migrate: %w\n%s", err, out)
	}
	out, err := s.gitea("admin", "user", "create", "--admin", "--username", "root-user", "--password", password,
		"--email", "root@example.com", "--must-change-password=false", "--access-token", "--access-token-scopes", "all").Output()
	if err != nil {
		return nil, fmt.Errorf("gitea admin user create: %w\n%s", err, out)
	}
	fields := strings.Fields(string(out)) // the token is the last word
	if s.process, err = process.Start(s.gitea("web")); err != nil {
		return nil, err
	}
	if err := s.ready(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, s.process.Output())
	}
	if s.admin, err = gitea.NewClient(s.address, gitea.SetToken(fields[len(fields)-1])); err != nil {
		return nil, err
	}
	return s, s.people()
}

// configure writes the server's settings, and returns its folder to who runs it.
func (s *server) configure() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err := errors.Join(err, listener.Close()); err != nil {
		return err
	}
	s.address = "http://127.0.0.1:" + port
	data := filepath.Join(s.folder, "data")
	settings := fmt.Sprintf(`RUN_USER = %s
RUN_MODE = prod
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = %s
ROOT_URL = %s/
OFFLINE_MODE = true
DISABLE_SSH = true
STATIC_ROOT_PATH = %s
[database]
DB_TYPE = sqlite3
PATH = %s
[repository]
ROOT = %s
[security]
INSTALL_LOCK = true
SECRET_KEY = secret
INTERNAL_TOKEN = eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJuYmYiOjE1NTk5MTg4MTF9.0
[webhook]
ALLOWED_HOST_LIST = loopback
[service]
DEFAULT_KEEP_EMAIL_PRIVATE = true
[log]
MODE = console
LEVEL = Warn
[actions]
ENABLED = false
[indexer]
ISSUE_INDEXER_TYPE = db
[session]
PROVIDER = memory
[queue]
TYPE = channel
`, s.user(), port, s.address, filepath.Join(s.folder, "gitea"), filepath.Join(data, "gitea.db"), filepath.Join(data, "repositories"))
	if err := os.MkdirAll(data, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.folder, "app.ini"), []byte(settings), 0o644); err != nil {
		return err
	}
	if !asRoot() {
		return nil
	}
	out, err := exec.CommandContext(context.Background(), "chown", "-R", s.user(), s.folder).CombinedOutput()
	if err != nil {
		return fmt.Errorf("chown: %w\n%s", err, out)
	}
	return nil
}

func asRoot() bool { return os.Geteuid() == 0 }

// user is who runs Gitea.
func (s *server) user() string {
	if asRoot() {
		return "nobody"
	}
	return os.Getenv("USER")
}

// gitea is a command of Gitea's, run as somebody else than root.
func (s *server) gitea(args ...string) *exec.Cmd {
	args = append([]string{filepath.Join(s.folder, "gitea", "gitea"), "--config", filepath.Join(s.folder, "app.ini")}, args...)
	if asRoot() {
		args = append([]string{"setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--pdeathsig=KILL"}, args...)
	}
	command := exec.CommandContext(context.Background(), args[0], args[1:]...)
	data := filepath.Join(s.folder, "data")
	command.Dir = data
	command.Env = []string{"HOME=" + data, "USER=" + s.user(), "PATH=" + os.Getenv("PATH"), "GITEA_WORK_DIR=" + data}
	return command
}

// ready waits until the server answers.
func (s *server) ready() error {
	for range 300 {
		response, err := http.Get(s.address + "/api/v1/version")
		if err == nil {
			_ = response.Body.Close() // its status is what counts
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	return errors.New("the Gitea does not answer within 30 seconds")
}

func (s *server) stop() {
	if s.process != nil {
		s.process.Stop() // it has nothing to keep
	}
	_ = os.RemoveAll(s.folder) // a temporary folder, at worst it stays
}

// people makes the users, with a token each, the organization and its team.
func (s *server) people() error {
	for _, name := range []string{Writer, Reviewer, Other} {
		change := false
		if _, _, err := s.admin.AdminCreateUser(gitea.CreateUserOption{
			Username: name, Email: name + "@example.com", Password: password, MustChangePassword: &change,
		}); err != nil {
			return err
		}
		token, err := s.token(name, gitea.AccessTokenScopeAll)
		if err != nil {
			return err
		}
		s.tokens[name] = token
	}
	if _, _, err := s.admin.CreateOrg(gitea.CreateOrgOption{Name: Owner}); err != nil {
		return err
	}
	team, _, err := s.admin.CreateTeam(Owner, gitea.CreateTeamOption{
		Name: Team, Permission: gitea.AccessModeWrite, IncludesAllRepositories: true,
		Units: []gitea.RepoUnitType{gitea.RepoUnitCode, gitea.RepoUnitIssues, gitea.RepoUnitPulls},
	})
	if err != nil {
		return err
	}
	for _, name := range []string{Writer, Reviewer, Other} {
		if _, err := s.admin.AddTeamMember(team.ID, name); err != nil {
			return err
		}
	}
	return nil
}

// tokenNumber tells the tokens of one user apart.
var tokenNumber int

// token makes a token of a user.
func (s *server) token(user string, scopes ...gitea.AccessTokenScope) (string, error) {
	client, err := gitea.NewClient(s.address, gitea.SetBasicAuth(user, password))
	if err != nil {
		return "", err
	}
	tokenNumber++
	token, _, err := client.CreateAccessToken(gitea.CreateAccessTokenOption{Name: fmt.Sprint("test", tokenNumber), Scopes: scopes})
	if err != nil {
		return "", err
	}
	return token.Token, nil
}
