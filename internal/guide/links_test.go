// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package guide_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var (
	pageFence   = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	pageCode    = regexp.MustCompile("`[^`\n]*`")
	pageLink    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	pageHeading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	pageAnchor  = regexp.MustCompile(`<a id="([^"]+)"`) // of the nested schemas in generated pages
	linkText    = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	notInAnchor = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// sources is the address of the files of this repository on the web.
const sources = "https://github.com/kalypso-gitops/terraform-provider-kalypso/"

// raw is the address of the pictures: a registry shows no others.
const raw = "https://raw.githubusercontent.com/kalypso-gitops/terraform-provider-kalypso/main/"

// Every link between pages of this repository leads to a file, and to a heading in this file.
func TestLinks(t *testing.T) {
	t.Parallel()
	root, anchors, links := filepath.Join("..", ".."), map[string]map[string]bool{}, 0
	texts := pagesBelow(t, root)
	for page, text := range texts {
		anchors[page] = anchorsOf(text)
	}
	for page, text := range texts {
		for _, match := range pageLink.FindAllStringSubmatch(pageCode.ReplaceAllString(pageFence.ReplaceAllString(text, ""), ""), -1) {
			target, anchor, _ := strings.Cut(match[1], "#")
			file := filepath.Join(filepath.Dir(page), target)
			if inSources, ok := strings.CutPrefix(target, sources); ok {
				kind, name, _ := strings.Cut(strings.TrimPrefix(inSources, "/"), "/main/")
				if kind != "tree" && kind != "blob" {
					continue // a page of the forge itself, such as its issues
				}
				file = filepath.Join(root, name)
			} else if picture, ok := strings.CutPrefix(target, raw); ok {
				file = filepath.Join(root, picture)
			} else if strings.Contains(target, ":") {
				continue
			}
			if target == "" {
				file = page
			}
			links++
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: the link %s leads to no file", page, match[1])
			} else if anchor != "" && anchors[file] != nil && !anchors[file][anchor] {
				t.Errorf("%s: the link %s leads to no heading", page, match[1])
			}
		}
	}
	if links < 300 {
		t.Errorf("only %d links were found", links)
	}
}

// pagesBelow returns the pages in a folder that people read, by the names of their files. It
// leaves out templates, because their output is in docs.
func pagesBelow(t *testing.T, root string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && (slices.Contains([]string{".git", "bin", "dist", "testdata"}, name) || path == filepath.Join(root, "templates")):
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(name) != ".md":
			return nil
		}
		text, err := os.ReadFile(path)
		texts[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// anchorsOf returns the anchors of a page, as GitHub makes them from headings.
func anchorsOf(text string) map[string]bool {
	anchors := map[string]bool{}
	for _, match := range pageHeading.FindAllStringSubmatch(pageFence.ReplaceAllString(text, ""), -1) {
		heading := strings.ToLower(linkText.ReplaceAllString(strings.TrimSpace(match[1]), "$1"))
		anchor := strings.ReplaceAll(notInAnchor.ReplaceAllString(heading, ""), " ", "-")
		for n, first := 1, anchor; anchors[anchor]; n++ {
			anchor = first + "-" + strconv.Itoa(n)
		}
		anchors[anchor] = true
	}
	for _, match := range pageAnchor.FindAllStringSubmatch(text, -1) {
		anchors[match[1]] = true
	}
	return anchors
}
