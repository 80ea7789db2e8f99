// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

const (
	// maxAnswers is how many bytes a forge may answer with while one thing is done: lists
	// of requests and issues come in pages.
	maxAnswers = 256 << 20
	// maxAnswer is how many of them one answer may have.
	maxAnswer = 64 << 20
	// perAnswer is how many bytes an answer counts for at least: a list without an end may
	// have empty pages.
	perAnswer = 64 << 10
	// maxValues is how many values one answer may hold. A page of a hundred pull requests
	// has 40,000; to a library, the two bytes of an empty one become half a kilobyte.
	maxValues = 200_000
)

// tooLarge says that an answer is not read.
func tooLarge(what string) error {
	return &remote.Error{Kind: remote.KindTooLarge, Message: what + ", which is far more than a forge should send. It was not read. " +
		"Check that base_url is the address of the forge"}
}

// values reads a JSON text within its bounds: its size, and its number of values. Text
// that is not JSON passes: nothing decodes it either.
type values struct {
	io.ReadCloser
	bytes, n       int
	text, escaping bool // we are in a string, behind a backslash in it
}

func (v *values) Read(p []byte) (int, error) {
	n, err := v.ReadCloser.Read(p)
	v.bytes += n
	for _, b := range p[:n] {
		switch {
		case v.escaping:
			v.escaping = false
		case b == '\\':
			v.escaping = v.text
		case b == '"':
			v.text = !v.text
		case !v.text && (b == ',' || b == '[' || b == '{'):
			v.n++
		}
	}
	switch {
	case v.bytes > maxAnswer:
		return 0, tooLarge("the answer has more than " + remote.Size(maxAnswer))
	case v.n > maxValues:
		return 0, tooLarge(fmt.Sprintf("the answer holds more than %d values", maxValues))
	}
	return n, err
}

// present leaves out of a list what an answer has null for, which the libraries take for
// nothing at all.
func present[T any](list []*T) []*T {
	return slices.DeleteFunc(list, func(item *T) bool { return item == nil })
}

// given makes an error of an answer that holds nothing, which the libraries take for a
// success.
func given[T any](item *T, err error) error {
	if err == nil && item == nil {
		return &remote.Error{Kind: remote.KindServer, Message: "the answer is empty. Check that base_url is the address of the forge"}
	}
	return err
}

// collect reads a list, without what an answer has null for; the first items alone, so many,
// unless most is 0.
func collect[T, R any](list iter.Seq2[*T, error], most int, read func(*T) R) ([]R, error) {
	var found []R
	for item, err := range list {
		if err != nil {
			return nil, err
		}
		if item != nil {
			found = append(found, read(item))
		}
		if most > 0 && len(found) >= most {
			break
		}
	}
	return found, nil
}
