// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// A repository on this machine is served by the git program of this machine, which
// speaks the protocol of HTTP on its standard input and output. Others may have written
// the repository, its configuration included, so nothing of that may start a program.

// localSettings win over the configuration of the repository. git reads the ones that are
// not here, and that start programs too, from the user's own configuration alone.
var localSettings = [][2]string{
	{"safe.bareRepository", "explicit"},
	{"core.hooksPath", "/dev/null"},
	{"core.alternateRefsCommand", "true"},
	{"core.fsmonitor", "false"},
	// A push does not touch a checkout: its filters are programs.
	{"receive.denyCurrentBranch", "refuse"},
	// It does not collect garbage either: gc.recentObjectsHook is a program.
	{"receive.autogc", "false"},
}

// localVariables are what git gets of the environment: where its programs, the user's own
// configuration and temporary files are. Tokens and keys are not among them.
var localVariables = []string{
	"PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "GIT_EXEC_PATH", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
	"USERPROFILE", "HOMEDRIVE", "HOMEPATH", "SYSTEMROOT", "PATHEXT", "TEMP", "TMP", // of Windows
}

func localEnvironment(lookup func(name string) (string, bool)) []string {
	// What a partial clone lacks is not fetched: its configuration says by which program.
	env := []string{"LC_ALL=C", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(localSettings))}
	for i, setting := range localSettings {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, setting[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, setting[1]))
	}
	for _, name := range localVariables {
		if value, ok := lookup(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// newLocal returns go-git's transport to a repository on this machine, and has the
// endpoint be what it takes.
func newLocal(repo remote.URL, ep *transport.Endpoint) transport.Transport {
	*ep = transport.Endpoint{Protocol: remote.HTTP, Host: "localhost"}
	return githttp.NewClient(&http.Client{Transport: remote.Bound(localGit{repo}, 0)})
}

// localGit answers requests for one repository by running git.
type localGit struct{ repo remote.URL }

// RoundTrip runs git for one request. Errors: git is not installed, or it says why it
// does not serve the repository.
func (l localGit) RoundTrip(request *http.Request) (*http.Response, error) {
	service, how := request.URL.Query().Get("service"), []string{"--stateless-rpc", "--advertise-refs"}
	if service == "" {
		service, how = path.Base(request.URL.Path), how[:1]
	}
	args := append([]string{strings.TrimPrefix(service, "git-")}, append(how, "--", l.folder())...)
	//nolint:gosec // the service is go-git's, and the folder is an absolute path.
	cmd := exec.CommandContext(request.Context(), "git", args...)
	cmd.Env, cmd.WaitDelay = localEnvironment(os.LookupEnv), time.Second
	var said progress
	answer, stdout := io.Pipe()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = request.Body, stdout, &said
	go func() {
		err := cmd.Run()
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			err = l.refused(&said)
		}
		_ = stdout.CloseWithError(err) // never fails
	}()
	buffered := bufio.NewReader(answer)
	if _, err := buffered.Peek(1); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	body := struct { // closing it ends the process
		io.Reader
		io.Closer
	}{buffered, answer}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: body, Request: request}, nil
}

// folder returns the path of the repository as this machine writes it.
func (l localGit) folder() string {
	if below := strings.TrimPrefix(l.repo.Path, "/"); len(below) > 1 && below[1] == ':' && os.PathSeparator == '\\' {
		return below // file:///C:/folder
	}
	return l.repo.Path
}

// refused says why git does not serve the repository.
func (l localGit) refused(said *progress) error {
	words := remote.Words(said.String())
	if strings.Contains(words, "does not appear to be a git repository") {
		return remote.Errorf(remote.KindNotFound, "there is no repository %s. Check the URL, and create the "+
			"repository first if it does not exist", l.repo)
	}
	return remote.Errorf(remote.KindServer, "git does not read %s: %s", l.repo, words)
}
