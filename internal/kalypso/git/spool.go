// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"fmt"
	"io"
	"os"
)

// spoolMemory is how much of a pack is held in memory before it goes to a file: most
// packs have less.
const spoolMemory = 4 << 20

// spool keeps what is written to it, to be read again: in memory, or in a temporary
// file where it is much.
type spool struct {
	limit int64
	size  int64
	small []byte
	file  *os.File
	named bool // the file still has a name
}

// Write appends to the spool. Errors: errTooLong where it would hold more than its
// limit, those of the file.
func (s *spool) Write(p []byte) (int, error) {
	if s.size+int64(len(p)) > s.limit {
		return 0, errTooLong
	}
	s.size += int64(len(p))
	if s.file == nil && s.size <= spoolMemory {
		s.small = append(s.small, p...)
		return len(p), nil
	}
	if s.file == nil {
		if err := s.open(); err != nil {
			return 0, err
		}
	}
	n, err := s.file.Write(p)
	return n, temporary(err)
}

// open moves the spool into a file. Where the system lets it, the file has no name
// from now on, so that it is gone with the process, however that ends.
func (s *spool) open() error {
	var err error
	if s.file, err = os.CreateTemp("", "kalypso-pack"); err != nil {
		return temporary(err)
	}
	s.named = os.Remove(s.file.Name()) != nil
	_, err = s.file.Write(s.small)
	s.small = nil
	return temporary(err)
}

func temporary(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("what is fetched needs a temporary file: %w. Free some space, or name another folder for temporary files (TMPDIR)", err)
}

// ReadAt reads what was written.
func (s *spool) ReadAt(p []byte, at int64) (int, error) {
	if s.file != nil {
		return s.file.ReadAt(p, at)
	}
	if at >= int64(len(s.small)) {
		return 0, io.EOF
	}
	n := copy(p, s.small[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// close removes the spool.
func (s *spool) close() {
	s.small = nil
	if s.file == nil {
		return
	}
	_ = s.file.Close() // nothing of it is needed any more
	if s.named {
		_ = os.Remove(s.file.Name())
	}
}
