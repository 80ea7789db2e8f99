// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/transport"
)

// local answers the requests of git over HTTP for a repository on this machine, by the git program. go-git's transport for files gives
// all environment variables of this process to git, and so to the hooks of the repository.
type local struct{}

// localVariables are the environment variables that git gets: where programs, its configuration and temporary files are.
var localVariables = []string{"PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "GIT_EXEC_PATH", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM",
	"GIT_CONFIG_NOSYSTEM", "USERPROFILE", "TEMP", "TMP", "PATHEXT"} // the last four on Windows

// RoundTrip runs git for one request. Errors: transport.ErrRepositoryNotFound, what git says, and git cannot be started.
func (local) RoundTrip(request *http.Request) (*http.Response, error) {
	folder, lists := strings.CutSuffix(request.URL.Path, "/info/refs")
	service, args := request.URL.Query().Get("service"), []string{"--stateless-rpc", "--advertise-refs"}
	if !lists {
		folder, service = path.Split(folder)
		args = args[:1]
	}
	if drive := strings.TrimPrefix(folder, "/"); filepath.IsAbs(drive) { // C:/folder on Windows
		folder = drive
	}
	args = slices.Concat([]string{"-c", "uploadpack.allowFilter=true", "-c", "uploadpack.allowAnySHA1InWant=true",
		strings.TrimPrefix(service, "git-")}, args, []string{folder})
	cmd := exec.CommandContext(request.Context(), "git", args...) //nolint:gosec // go-git names the service, and the configuration the folder.
	for _, name := range localVariables {
		if value, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	var said bytes.Buffer
	cmd.Stdin, cmd.Stderr, cmd.WaitDelay = request.Body, &said, time.Second
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	answer := running{bufio.NewReader(out), cmd}
	if _, err := answer.Peek(1); err != nil {
		failed := cmd.Wait()
		switch text := said.String(); {
		case strings.Contains(text, "does not appear to be a git repository"):
			return nil, transport.ErrRepositoryNotFound
		case text != "":
			return nil, &pktline.ErrorLine{Text: text}
		case failed != nil:
			return nil, failed
		}
	}
	return &http.Response{StatusCode: http.StatusOK, Body: answer, Request: request}, nil
}

// running is the answer of a process that may still run.
type running struct {
	*bufio.Reader
	cmd *exec.Cmd
}

// Close ends the process if its answer was not read to the end.
func (r running) Close() error {
	if _, err := r.Peek(1); err != io.EOF { //nolint:errorlint // bufio returns the error of the pipe.
		_ = r.cmd.Process.Kill() // it may have ended
	}
	_ = r.cmd.Wait() // its answer says whether it failed
	return nil
}
