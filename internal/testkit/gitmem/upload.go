// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gitmem

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/pktline"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// fetch is what a client asks for.
type fetch struct {
	wants        []plumbing.Hash
	capabilities []string
	depth        int // 0 is all
	filter       filter
	// asked says that all wants were read. Then the client waits for an answer, or is done.
	asked, waiting, done bool
}

// readFetch reads the packets of a request.
func readFetch(body []byte) (*fetch, error) {
	f := &fetch{filter: everything}
	packets := pktline.NewScanner(bytes.NewReader(body))
	for !f.waiting && !f.done && packets.Scan() {
		line := strings.TrimSuffix(string(packets.Bytes()), "\n")
		if err := f.take(line); err != nil {
			return nil, err
		}
	}
	return f, packets.Err()
}

func (f *fetch) take(line string) (err error) {
	var id plumbing.Hash
	word, rest, _ := strings.Cut(line, " ")
	switch value, more, _ := strings.Cut(rest, " "); word {
	case "": // a flush
		f.asked, f.waiting = true, f.asked
	case "want":
		if f.capabilities == nil {
			f.capabilities = strings.Fields(more)
		}
		id, err = hash(value)
		f.wants = append(f.wants, id)
	case "deepen":
		f.depth, err = strconv.Atoi(value)
	case "filter":
		f.filter, err = readFilter(value)
	case "shallow", "have": // the client gets everything that it wants, also what it has
	case "done":
		f.done = true
	default:
		err = fmt.Errorf("upload-pack: unexpected packet %q", line)
	}
	return err
}

func (f *fetch) supports(capability string) bool { return slices.Contains(f.capabilities, capability) }

// filter says which objects below commits are left out, unless a client wants them by
// their ids: trees and blobs from a depth on, or all blobs.
type filter struct {
	depth   int
	noBlobs bool
}

var everything = filter{depth: 1 << 30}

func readFilter(text string) (f filter, err error) {
	f = everything
	switch {
	case text == "blob:none":
		f.noBlobs = true
	case strings.HasPrefix(text, "tree:"):
		f.depth, err = strconv.Atoi(strings.TrimPrefix(text, "tree:"))
	default:
		err = errors.New("upload-pack: the filter " + text + " is not known here")
	}
	return f, err
}

// upload answers a fetch.
func (r *Repo) upload(body []byte) ([]byte, error) {
	f, err := readFetch(body)
	if err != nil || len(f.wants) == 0 {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.multiACK && !f.supports("multi_ack") && !f.supports("multi_ack_detailed") {
		return nil, errors.New("upload-pack: the client has to support multi_ack")
	}
	for _, id := range f.wants {
		if r.objects[id] == nil || r.tipsOnly && !r.advertisesTip(id) {
			return nil, fmt.Errorf("upload-pack: not our ref %s", id)
		}
	}
	var out bytes.Buffer
	say := pktline.NewEncoder(&out)
	ends := r.shallowEnds(f)
	if f.depth > 0 {
		for _, id := range sortedIDs(ends) {
			_ = say.Encodef("shallow %s", id)
		}
		_ = say.Flush()
		if !f.waiting && !f.done {
			return out.Bytes(), nil // the client reads this before it goes on
		}
	}
	_ = say.Encodef("NAK\n")
	if f.done {
		f.send(&out, packOf(r.wanted(f, ends)))
	}
	return out.Bytes(), nil
}

// send writes a pack, on a side band if the client takes one.
func (f *fetch) send(out *bytes.Buffer, pack []byte) {
	if !f.supports("side-band-64k") {
		out.Write(pack)
		return
	}
	gittest.InPackets(bandOfData, pack)(out)
	out.WriteString(gittest.Flush)
}

// shallowEnds returns the commits whose parents the client does not get.
func (r *Repo) shallowEnds(f *fetch) map[plumbing.Hash]bool {
	ends, seen := map[plumbing.Hash]bool{}, map[plumbing.Hash]bool{}
	level := f.wants
	for depth := 1; depth <= f.depth && len(level) > 0; depth++ {
		var next []plumbing.Hash
		for _, id := range level {
			if o := r.objects[id]; o == nil || o.kind != plumbing.CommitObject || seen[id] {
				continue
			}
			seen[id], ends[id] = true, depth == f.depth
			next = append(next, r.commitAt(id).parents...)
		}
		level = next
	}
	maps.DeleteFunc(ends, func(_ plumbing.Hash, end bool) bool { return !end })
	return ends
}

// history returns commits and those before them, up to the ends.
func (r *Repo) history(of []plumbing.Hash, ends map[plumbing.Hash]bool) map[plumbing.Hash]bool {
	all := map[plumbing.Hash]bool{}
	for left := slices.Clone(of); len(left) > 0; {
		id := left[len(left)-1]
		left = left[:len(left)-1]
		if o := r.objects[id]; o == nil || o.kind != plumbing.CommitObject || all[id] {
			continue
		}
		all[id] = true
		if !ends[id] {
			left = append(left, r.commitAt(id).parents...)
		}
	}
	return all
}

// wanted returns the objects that a client wants.
func (r *Repo) wanted(f *fetch, ends map[plumbing.Hash]bool) []*object {
	gets := collection{repo: r, filter: f.filter, depths: map[plumbing.Hash]int{}}
	for _, id := range sortedIDs(r.history(f.wants, ends)) {
		gets.add(id, 0)
	}
	for _, id := range f.wants {
		gets.addWanted(id)
	}
	return gets.list
}

// collection collects objects.
type collection struct {
	repo   *Repo
	filter filter
	// depths has the smallest depth at which each object was met.
	depths map[plumbing.Hash]int
	list   []*object
}

// addWanted adds an object that was wanted by its id, which no filter leaves out, and
// what is below it.
func (c *collection) addWanted(id plumbing.Hash) {
	o := c.repo.objects[id]
	if _, met := c.depths[id]; !met && o.kind != plumbing.CommitObject {
		c.depths[id] = -1
		c.list = append(c.list, o)
	}
	c.addBelow(o, 0)
}

// add adds an object, at a depth below a commit's root, with everything below it.
func (c *collection) add(id plumbing.Hash, depth int) {
	before, met := c.depths[id]
	o := c.repo.objects[id]
	if o == nil || met && before <= depth {
		return
	}
	if o.kind != plumbing.CommitObject && depth >= c.filter.depth || o.kind == plumbing.BlobObject && c.filter.noBlobs {
		return
	}
	if c.depths[id] = depth; !met {
		c.list = append(c.list, o)
	}
	c.addBelow(o, depth+1)
}

// addBelow adds the objects that an object names. Trees and blobs below it are at depth.
func (c *collection) addBelow(o *object, depth int) {
	switch o.kind {
	case plumbing.CommitObject:
		c.add(o.commit().tree, 0)
	case plumbing.TreeObject:
		for _, e := range o.tree() {
			if e.mode != filemode.Submodule {
				c.add(e.id, depth)
			}
		}
	default: // blobs name nothing
	}
}

// sortedIDs returns the ids of a set in an order that is always the same.
func sortedIDs(set map[plumbing.Hash]bool) []plumbing.Hash {
	return slices.SortedFunc(maps.Keys(set), func(a, b plumbing.Hash) int { return bytes.Compare(a[:], b[:]) })
}
