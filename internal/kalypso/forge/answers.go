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
	// maxAnswers is how many bytes all answers of a forge to one operation may have: lists of
	// requests come in pages.
	maxAnswers = 256 << 20
	// maxAnswer is how many bytes one answer may have.
	maxAnswer = 64 << 20
	// perAnswer is the smallest number of bytes that an answer counts for: a list without an
	// end may have empty pages.
	perAnswer = 64 << 10
	// maxValues is how many values one answer may have. A page of a hundred pull requests has
	// 40,000. In a library, the two bytes of an empty value take half a kilobyte.
	maxValues = 200_000
)

// tooLarge returns the error that an answer is too large. what names the answer and its size.
func tooLarge(what string) error {
	return &remote.Error{Kind: remote.KindTooLarge, Message: what + ", which is far more than a forge should send. The answer was not read. " +
		"Check that base_url is the address of the forge"}
}

// values reads a JSON text within its limits: its size, and its number of values. A text that
// is not JSON passes, because later no library can decode it.
type values struct {
	io.ReadCloser
	bytes, n       int
	text, escaping bool // in a string; behind a backslash in a string
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
		return 0, tooLarge("the answer is larger than " + remote.Size(maxAnswer))
	case v.n > maxValues:
		return 0, tooLarge(fmt.Sprintf("the answer has more than %d values", maxValues))
	}
	return n, err
}

// present removes the nil items from a list. Libraries return them for null in an answer.
func present[T any](list []*T) []*T {
	return slices.DeleteFunc(list, func(item *T) bool { return item == nil })
}

// given returns an error if an answer is empty. Libraries treat an empty answer as a success.
func given[T any](item *T, err error) error {
	if err == nil && item == nil {
		return &remote.Error{Kind: remote.KindServer, Message: "the answer is empty. Check that base_url is the address of the forge"}
	}
	return err
}

// collect reads a list without its nil items. It returns only the first items, at most so
// many; all if most is 0.
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
