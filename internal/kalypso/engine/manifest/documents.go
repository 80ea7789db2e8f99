// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"cmp"
	"fmt"
	"iter"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// document is one YAML document of an input, with all that was found wrong in it.
type document struct {
	input Text
	// offset is the number of lines before the piece of the input that was parsed.
	offset int
	root   *yaml.Node
	// inList reports whether the document is an item of a List.
	inList bool
	// foreign reports whether the document is not a Kubernetes object at all.
	foreign bool
	// subject is the object's kind/name as far as it is known.
	subject  string
	problems problem.List
}

func (d *document) at(n *yaml.Node) Origin {
	return d.input.at(d.offset + n.Line)
}

func (d *document) report(n *yaml.Node, summary, format string, args ...any) {
	d.problems.Add(problem.Problem{
		Summary: summary,
		Subject: d.subject,
		Where:   d.at(n).String(),
		Detail:  fmt.Sprintf(format, args...),
	})
}

// documents returns the documents of an input, one after the other, so that only one of them is in
// memory. The items of a List are documents. A document that cannot be parsed is a problem.
func documents(in Text, problems *problem.List) iter.Seq[*document] {
	text := in.Text
	if !strings.HasSuffix(text, "\n") {
		// As Kubernetes reads it: a block scalar that ends the text keeps its line
		// break, also where an editor or "$(cat file)" has eaten it.
		text += "\n"
	}
	return func(yield func(*document) bool) {
		for _, p := range split(text) {
			p.offset += in.before
			if len(p.text) > maxDocument {
				problems.Add(tooLarge(in.at(p.offset + 1)))
				continue
			}
			roots, err := parse(p.text)
			for _, root := range roots {
				for _, d := range (&document{input: in, offset: p.offset, root: root}).items() {
					if !yield(d) {
						return
					}
				}
			}
			if err != nil {
				problems.Add(invalidYAML(in, p, err))
			}
		}
	}
}

// piece is a part of an input that can be parsed by itself.
type piece struct {
	text string
	// offset is the number of lines before the piece.
	offset int
}

// prologue matches comments and directives, which belong to the document that follows.
var prologue = regexp.MustCompile(`^(?:[ \t]*(?:#.*)?\r?\n|%.*\n)*$`)

// split cuts a text at the markers of its documents, so that a syntax error in one document hides
// nothing in the others. A marker is at the start of a line, where no value can contain it.
func split(text string) (pieces []piece) {
	start, position, offset := 0, 0, 0
	for line := range strings.Lines(text) {
		rest, isMarker := strings.CutPrefix(line, "---")
		if isMarker && strings.ContainsAny(rest[:1], " \t\r\n") && !prologue.MatchString(text[start:position]) {
			pieces = append(pieces, piece{text[start:position], offset})
			offset += strings.Count(text[start:position], "\n")
			start = position
		}
		position += len(line)
	}
	return append(pieces, piece{text[start:], offset})
}

// parse returns the root nodes of the documents in a text, up to the first syntax error.
func parse(text string) (roots []*yaml.Node, err error) {
	documents, err := yamlnode.Documents([]byte(text))
	for _, document := range documents {
		if strings.Contains(text, `\r\n`) {
			endLines(document)
		}
		roots = append(roots, document.Content[0])
	}
	return roots, err
}

// endLines applies unixLines to all strings.
func endLines(n *yaml.Node) {
	n.Value = unixLines(n.Value)
	for _, inner := range n.Content {
		endLines(inner)
	}
}

// syntaxError takes a message of the parser apart.
var syntaxError = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?(?s:(.*))$`)

func invalidYAML(in Text, p piece, err error) problem.Problem {
	match := syntaxError.FindStringSubmatch(err.Error())
	line, _ := strconv.Atoi(match[1]) // the parser gives no line for the first one
	if line > 0 && strings.HasPrefix(match[2], "did not find expected") {
		line++ // errors of the grammar count from 0, those of the scanner from 1
	}
	return problem.Problem{
		Summary: "Invalid YAML",
		Where:   in.at(p.offset + max(line, 1)).String(),
		Detail: fmt.Sprintf("The document cannot be read: %s. Fix it near this line: tabs cannot indent, and text that begins with a brace or "+
			"an asterisk, or holds a colon, needs quotes.", match[2]),
	}
}

// listKind is the kind of a list of objects, as kubectl prints it.
const listKind = "List"

// items returns the objects that a document holds as documents: the items of a List, or the
// document itself.
func (d *document) items() []*document {
	list := yamlnode.At(d.root, "items")
	if d.scalarAt("kind") != listKind || list == nil || list.Kind != yaml.SequenceNode || !d.inList && d.unbounded() != nil {
		return []*document{d}
	}
	var all []*document
	for _, item := range list.Content {
		all = append(all, (&document{input: d.input, offset: d.offset, inList: true, root: yamlnode.Resolve(item)}).items()...)
	}
	return all
}

// scalarAt returns the text at a path of keys; empty for any other node.
func (d *document) scalarAt(path ...string) string {
	n := yamlnode.At(d.root, path...)
	if n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

const (
	// maxDocument is how many bytes a document may have, and how many its aliases may repeat.
	// Kubernetes takes no object of this size, and parsing takes many times as much memory.
	maxDocument = 2 << 20
	// maxDepth is how deep a document may nest, aliases included.
	maxDepth = 1000
)

func tooLarge(at Origin) problem.Problem {
	return problem.Problem{
		Summary: "Document too large",
		Where:   at.String(),
		Detail: fmt.Sprintf("The document is larger than %d MiB, and Kubernetes takes no object of that size. Split it: of a List, write each "+
			"item into a file of its own.", maxDocument>>20),
	}
}

// isBounded reports whether the document is small enough to follow every alias in it.
func (d *document) isBounded() bool {
	if d.inList {
		return true // it was checked with its list, which may hold the anchors of its aliases
	}
	if n := d.unbounded(); n != nil {
		d.report(n, "Invalid YAML", "The document nests too deeply, or its aliases stand for too much. Flatten it, or write out what the "+
			"aliases stand for.")
		return false
	}
	return true
}

// unbounded returns a node that nests too deeply, or the alias at which all aliases together repeat
// more text than a document may have; nil without such a node. A few lines of aliases of aliases
// could repeat a text billions of times, and an alias can name what contains it.
func (d *document) unbounded() *yaml.Node {
	aliased := 0
	var walk func(n, alias *yaml.Node, depth int) *yaml.Node
	walk = func(n, alias *yaml.Node, depth int) *yaml.Node {
		if n.Kind == yaml.AliasNode {
			n, alias = n.Alias, cmp.Or(alias, n)
		}
		if alias != nil {
			aliased += 1 + len(n.Value)
		}
		if depth > maxDepth || aliased > maxDocument {
			return cmp.Or(alias, n)
		}
		for _, child := range n.Content {
			if at := walk(child, alias, depth+1); at != nil {
				return at
			}
		}
		return nil
	}
	return walk(d.root, nil, 1)
}
