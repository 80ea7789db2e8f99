// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"errors"
	"fmt"
	"io"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// How much a server may say before it is not listened to any more. SECURITY.md has
// these numbers too.
const (
	// maxReferences is for the list of references: a million of them.
	maxReferences = 64 << 20
	// maxPreamble is for what comes before a pack: the ends of a shallow history.
	maxPreamble = 16 << 20
	// maxReport is for the answer to a push: the words of hooks are most of it.
	maxReport = 1 << 20
	// maxBeside is for what comes beside a pack: progress, headers of packets. They may
	// be an eighth of the pack more.
	maxBeside = 16 << 20
	// DefaultMaxFetch is how many bytes a pack may have.
	DefaultMaxFetch = 1 << 30
	// maxHeld is how many bytes of one fetch are held, unpacked, where nobody says
	// less: the trees of three million files. A fleet of 300,000 has 15 MiB of them.
	maxHeld = 128 << 20
	// largestTree is how large one folder may be: 300,000 names, which become several
	// times as much where they are read.
	largestTree = 16 << 20
	// maxObjects is how many objects a pack may hold: their places take memory, and each
	// some microseconds.
	maxObjects = 2 << 20
	// largestBase is the size up to which a blob that nobody wants may be what a delta
	// stands upon; baseCache is how much of such blobs is held, so as not to make them
	// again for every delta.
	largestBase = 32 << 20
	baseCache   = 32 << 20
	// freeWork bytes are unpacked of any pack, and workPerByte more for each of its own:
	// text shrinks to a third, to a twentieth at the best.
	freeWork    = 256 << 20
	workPerByte = 32
	// maxDeltaDepth is git's own.
	maxDeltaDepth = 4095
)

// ErrTooMuch says that what is wanted is more than may be held: less of it may be had.
var ErrTooMuch = errors.New("it holds more than may be held")

// What else there may be too much of.
var (
	errRun      = errors.New("all that was read holds more than may be held")
	errFolder   = errors.New("a folder holds more than may be read")
	errTooLong  = errors.New("the pack is larger than one may be")
	errObjects  = errors.New("the pack holds too many objects")
	errWork     = errors.New("the pack unpacks to too much")
	errBeside   = errors.New("more is sent beside a pack than belongs there")
	errDepth    = errors.New("deltas of the pack stand upon each other too deep")
	errTooSmall = errors.New("an object of the pack is not as large as it says")
)

// tooMuch explains what there is too much of in an answer; nil where there is not.
func (s *source) tooMuch(err error) error {
	var text string
	switch {
	case errors.Is(err, ErrTooMuch):
		text = fmt.Sprintf("what %s holds there is larger than %s, unpacked. Keep what is to be read in a folder or repository of its own", s.repo.name, remote.Size(s.limit))
	case errors.Is(err, errRun):
		text = fmt.Sprintf("with what %s holds, the control planes of this run are larger than %s together, unpacked. Read fewer of them in one configuration", s.repo.name, remote.Size(s.run.most))
	case errors.Is(err, errFolder):
		text = fmt.Sprintf("a folder of %s holds more names than are read (%s of them). Distribute what is in it to several folders, or write to another branch", s.repo.name, remote.Size(largestTree))
	case errors.Is(err, errTooLong):
		text = fmt.Sprintf("%s sends more than %s for one fetch: a server that knows no partial fetches sends everything beside what is wanted. Let one fetch be larger with max_fetch_mib of the provider (or KALYPSO_MAX_FETCH_MIB), turn partial fetches on (uploadpack.allowFilter), or keep what is to be read in a repository of its own", s.repo.name, remote.Size(s.repo.client.maxFetch))
	case errors.Is(err, errObjects):
		text = fmt.Sprintf("%s sends more than %d objects for one fetch, which are not read. Turn partial fetches on for the server (uploadpack.allowFilter), or keep what is to be read in a repository of its own", s.repo.name, maxObjects)
	case errors.Is(err, errWork):
		text = fmt.Sprintf("what %s sends unpacks to more than %d times its size, beyond %s, and is not read any further. If the repository is meant to hold files of such a kind, keep what is to be read in a repository of its own", s.repo.name, workPerByte, remote.Size(freeWork))
	case errors.Is(err, errBeside):
		text = fmt.Sprintf("%s sends more beside a pack than belongs there, and is not read any further. Ask those who run the server", s.repo.name)
	default:
		return nil
	}
	return &remote.Error{Kind: remote.KindTooLarge, Message: text, Cause: err}
}

// unpack adds to the source's objects what the options keep of a pack, as long as the
// run that it belongs to, if any, does not hold too much.
func (s *source) unpack(r io.Reader, in unpackOptions) error {
	in.limit = s.limit
	if s.run == nil {
		_, err := s.objects.unpack(r, in)
		return err
	}
	if s.run.held.Load() > s.run.most {
		return errRun
	}
	held, err := s.objects.unpack(r, in)
	s.run.held.Add(held)
	return err
}

// wire is what a server sends for a pack: the pack in packets, and what it has to say
// beside it.
type wire struct {
	r    io.Reader
	n    int64
	pack *countingReader
}

func (w *wire) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if w.n += int64(n); w.n > maxBeside+w.pack.n+w.pack.n/8 {
		return 0, errBeside
	}
	return n, err
}

type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
