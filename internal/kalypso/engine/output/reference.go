// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package output

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/apischema"
)

// reference is a text that the library has read, or has been spared to read. A text that
// differs from it in slots alone has the same nodes, so it is valid, and has the same
// objects with what stands in the slots.
type reference struct {
	text    []byte
	objects []Identity
	slots   []slot // as they follow each other
	looks   looks
}

// identifying are the keys that say which objects there are.
var identifying = map[string]bool{
	"apiVersion": true, "kind": true, "metadata": true, "name": true, "namespace": true,
	"items": true, "data": true, "stringData": true, "sops": true,
}

// merge is the key of what else is in a mapping.
const merge = "<<"

// decisive are those of which a value is more than a name.
var decisive = map[string]bool{"apiVersion": true, "kind": true, "sops": true}

// scalar is a scalar of a reference.
type scalar struct {
	node *yaml.Node
	// value is that of the node, until it is marked.
	value  string
	inFlow bool
	// mapping is what the scalar is a key of, if it is one.
	mapping *mapping
	// stays reports whether another text has to have the same there.
	stays bool
	slots []slot
}

// builder makes a reference.
type builder struct {
	cursor
	scalars  []*scalar           // as they follow each other
	staying  map[*yaml.Node]bool // nodes of which all scalars stay
	comments []slot
	// isOdd reports whether there is something of which the meaning is not simply what
	// stands there.
	isOdd bool
	// merges reports whether mappings are merged, so that it depends on the keys of one
	// what is read of another.
	merges bool
}

// newReference makes a reference of a common text that the library reads as these
// contents, of which it changes the documents. Not ok where it does not find in the
// text what the documents say, and nothing else, or where something is in it that hardly
// a template writes, as tags and keys that are no words. The library reads those, so there
// are no rules for them that might be wrong.
func newReference(text []byte, c *contents) (r *reference, ok bool) {
	b := &builder{cursor: cursor{text: text}, staying: map[*yaml.Node]bool{}}
	for _, d := range c.documents {
		b.walk(d, false, false)
	}
	schemas := b.watch(c.watched)
	for _, s := range b.scalars {
		s.stays = s.stays || b.staying[s.node] || b.merges && s.mapping != nil
	}
	if b.isOdd || !b.layOut() {
		return nil, false
	}
	for _, s := range b.scalars {
		s.hold(schemas[s.node], text)
	}
	if !b.findUses(c.documents, c.objects) {
		return nil, false
	}
	return &reference{text: text, objects: c.objects, slots: b.slots()}, true
}

// watch has what verdicts depend on stay, and returns the schemas by which scalars may
// change.
func (b *builder) watch(all []watched) map[*yaml.Node][]*apischema.Value {
	schemas := map[*yaml.Node][]*apischema.Value{}
	for _, w := range all {
		if w.schema == nil {
			b.keep(w.node)
		} else {
			schemas[w.node] = append(schemas[w.node], w.schema)
		}
	}
	return schemas
}

// hold has a scalar become only what the schemas allow.
func (s *scalar) hold(schemas []*apischema.Value, text []byte) {
	if s.stays || len(schemas) == 0 {
		return
	}
	isPlain := s.node.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	isText := !slices.ContainsFunc(schemas, func(v *apischema.Value) bool { return !v.IsPlainText() })
	if isText && (!isPlain || len(s.slots) > 1) {
		return // whatever stands there is text, as several words are
	}
	if len(s.slots) != 1 || string(text[s.slots[0].start:s.slots[0].end]) != s.value {
		s.stays = true // its value is not what stands there
		return
	}
	s.slots[0].detail = textOnly
	if !isText {
		s.slots[0].detail = &detail{schemas: schemas}
	}
}

// walk gathers the scalars of a node.
func (b *builder) walk(n *yaml.Node, inFlow, stays bool) {
	inFlow = inFlow || n.Style&yaml.FlowStyle != 0
	switch n.Kind {
	case yaml.DocumentNode:
		root := n.Content[0] // of a scalar it depends whether the document is null
		b.walk(root, inFlow, root.Kind == yaml.ScalarNode || root.Kind == yaml.AliasNode)
	case yaml.SequenceNode:
		for _, element := range n.Content {
			b.walk(element, inFlow, stays)
		}
	case yaml.MappingNode:
		b.walkMapping(n, inFlow, stays)
	case yaml.AliasNode:
		if stays {
			b.keep(n.Alias)
		}
	case yaml.ScalarNode:
		b.add(&scalar{node: n, value: n.Value, inFlow: inFlow, stays: stays})
	}
}

func (b *builder) walkMapping(n *yaml.Node, inFlow, stays bool) {
	m := &mapping{keys: make(map[string]bool, len(n.Content)/2)}
	for i := 0; i < len(n.Content); i += 2 {
		m.keys[n.Content[i].Value] = true
	}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		b.isOdd = b.isOdd || key.Kind != yaml.ScalarNode || key.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
		b.merges = b.merges || key.Value == merge
		b.add(&scalar{node: key, value: key.Value, inFlow: inFlow, mapping: m, stays: stays || identifying[key.Value]})
		b.walk(value, inFlow, stays || decisive[key.Value])
	}
}

func (b *builder) add(s *scalar) {
	b.scalars = append(b.scalars, s)
	b.isOdd = b.isOdd || strings.HasPrefix(s.value, mark)
}

// keep has all scalars of a node stay.
func (b *builder) keep(n *yaml.Node) {
	if b.staying[n] {
		return
	}
	b.staying[n] = true
	for _, child := range n.Content {
		b.keep(child)
	}
	if n.Alias != nil {
		b.keep(n.Alias)
	}
}

// findUses finds out which scalars identify objects: it reads the documents
// with a mark in place of each value. False where the objects depend on
// values in another way.
func (b *builder) findUses(documents []*yaml.Node, objects []Identity) bool {
	for i, s := range b.scalars {
		if !s.stays && s.mapping == nil {
			s.node.Value, s.node.Tag, s.node.Style = mark+strconv.Itoa(i), textTag, yaml.DoubleQuotedStyle
		}
	}
	var marked []Identity
	for _, d := range documents {
		for _, n := range apischema.Objects(d) {
			marked = append(marked, identityOf(n))
		}
	}
	if len(marked) != len(objects) {
		return false
	}
	for i, o := range marked {
		original := objects[i]
		b.use(o.Name, original.Name, use{object: i})
		b.use(o.Namespace, original.Namespace, use{object: i, isNamespace: true})
		if o.Name, o.Namespace, o.Verdict = original.Name, original.Namespace, original.Verdict; o != original {
			return false
		}
	}
	return true
}

// mark begins what stands in place of a value, in front of the scalar's position.
const mark = "\x00"

// use notes the use of a scalar of which the mark stands in place of a value. What
// comes from a scalar that stays is not marked.
func (b *builder) use(marked, original string, u use) {
	if marked == original {
		return
	}
	position, _ := strconv.Atoi(strings.TrimPrefix(marked, mark)) // we wrote it
	s := b.scalars[position]
	if len(s.slots) == 1 {
		only := &s.slots[0]
		suffix, isWhole := strings.CutPrefix(s.value, string(b.text[only.start:only.end]))
		if isWhole && (suffix == "" || only.style == blockLine) {
			d := detail{}
			if only.detail != nil {
				d = *only.detail
			}
			d.suffix, d.uses = suffix, append(d.uses, u)
			only.detail = &d
			return
		}
	}
	s.stays = true // its value is not what stands there
}

// slots returns the slots of all comments and scalars.
func (b *builder) slots() []slot {
	all := b.comments
	for _, s := range b.scalars {
		if !s.stays {
			all = append(all, s.slots...)
		}
	}
	slices.SortFunc(all, func(a, b slot) int { return a.start - b.start })
	return all
}
