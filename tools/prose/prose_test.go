// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package prose

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// root is the project's folder.
const root = "../.."

// TestRules checks that each rule refuses its own bad sentence, so that every rule has an
// effect.
func TestRules(t *testing.T) {
	t.Parallel()
	for _, r := range Rules {
		if len(r.refuses(r.Bad)) == 0 {
			t.Errorf("the rule %q does not refuse %q", r.Phrase, r.Bad)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		check func() []string
		want  []string
	}{
		"a phrase over two lines of a comment": {
			func() []string {
				p, _ := CheckGo("a.go", "package a\n\n// All but\n// for one.\nvar A = `x`\n")
				return p
			},
			[]string{"a.go:3: "},
		},
		"a string of several lines": {
			func() []string { p, _ := CheckGo("a.go", "package a\n\nvar A = `x\n\nIt stands here.`\n"); return p },
			[]string{"a.go:5: "},
		},
		"imports and tags": {
			func() []string {
				p, _ := CheckGo("a.go", "package a\n\nimport _ \"example.org/upon\"\n\ntype T struct {\n\tA int `upon:\"upon\"`\n}\n")
				return p
			},
			nil,
		},
		"Markdown with code": {
			func() []string {
				return CheckMarkdown("a.md", "Say `upon`.\n\n```text\nupon\n```\n\n[a](upon.md) upon\n")
			},
			[]string{"a.md:7: "},
		},
		"a comment in a script": {
			func() []string { return CheckScript("a", "upon\n# a thing\n  # upon it\n") },
			[]string{"a:3: "},
		},
		"an exception": {
			func() []string {
				return CheckMarkdown("a.md", "There is no branch. It is no longer here. PR stands for request.\n")
			},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := c.check()
			if len(got) != len(c.want) {
				t.Fatalf("got %q, want %q", got, c.want)
			}
			for i, p := range got {
				if !strings.HasPrefix(p, c.want[i]) {
					t.Errorf("got %q, want %q", p, c.want[i])
				}
			}
		})
	}
}

// TestProject checks every file of the project that people read. It leaves out files that
// others wrote, generated files, test data, and the rules themselves.
func TestProject(t *testing.T) {
	t.Parallel()
	list, err := exec.CommandContext(t.Context(), "git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for file := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		if strings.HasPrefix(file, "docs/") || strings.Contains(file, "testdata/") || strings.HasPrefix(file, "tools/prose/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, file))
		if os.IsNotExist(err) {
			continue // deleted, and not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		problems, read, err := check(file, string(text))
		if err != nil {
			t.Fatal(err)
		}
		if read {
			checked++
		}
		for _, p := range problems {
			t.Error(p)
		}
	}
	if checked < 500 {
		t.Errorf("only %d files were checked", checked)
	}
}

// check chooses how a file is read by its name, and reports whether it is one that
// people read.
func check(file, text string) (problems []string, read bool, err error) {
	switch ext := filepath.Ext(file); {
	case ext == ".go":
		problems, err = CheckGo(file, text)
	case ext == ".md", ext == ".tmpl":
		problems = CheckMarkdown(file, text)
	case ext == ".tf", ext == ".sh", ext == ".yml", strings.HasPrefix(file, "scripts/"), file == "GNUmakefile", file == ".ci/run":
		problems = CheckScript(file, text)
	default:
		return nil, false, nil
	}
	return problems, true, err
}
