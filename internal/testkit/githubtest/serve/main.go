// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Command serve is a GitHub with one empty repository, for scripts/check-app. It prints the URL of the repository and a
// token. Then it does what each line of its input says, and answers with one line, until the input ends:
//
//	report COMMIT CONTEXT STATE   posts a status
//	merge NUMBER                  merges a pull request, and prints its title
//	latest CONTEXT                prints the commit and the state of the latest status
package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"os"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
)

// script takes the place of a test: a mistake ends the program.
type script struct{ testing.TB }

func (script) Helper()                           {}
func (script) Cleanup(func())                    {}
func (script) Context() context.Context          { return context.Background() }
func (script) Fatal(args ...any)                 { log.Fatal(args...) }
func (script) Fatalf(format string, args ...any) { log.Fatalf(format, args...) }
func (script) Errorf(format string, args ...any) { log.Fatalf(format, args...) }

func main() {
	t := script{}
	server := githubtest.Start(t, gitmem.New(t))
	fmt.Println(server.URL(), server.AddToken("flux", true))
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var does, about, name, state, answer string
		_, _ = fmt.Sscan(lines.Text(), &does, &about, &name, &state) // the last ones may be missing
		switch does {
		case "report":
			server.AddStatuses(githubtest.Status{Commit: about, Context: name, State: state, Creator: "flux"})
		case "merge":
			var number int
			if _, err := fmt.Sscan(about, &number); err != nil {
				log.Fatal(err)
			}
			server.Merge(t, number, "merge")
			answer = server.Pull(t, number).Title
		case "latest":
			for _, status := range server.Statuses() {
				if status.Context == about {
					answer = status.Commit + " " + status.State
				}
			}
		default:
			log.Fatalf("unknown: %s", lines.Text())
		}
		fmt.Println(answer)
	}
}
