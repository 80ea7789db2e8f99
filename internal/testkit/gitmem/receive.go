// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gitmem

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/storage/memory"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// push is a push that is being carried out.
type push struct {
	*Repo
	commands     []*packp.Command
	capabilities []string
	pack         []byte
	// fresh are objects of the pack that the repository does not have. It takes them only
	// if the push is not refused.
	fresh  map[plumbing.Hash]*object
	report *packp.ReportStatus
	said   strings.Builder
}

// receive carries out a push, and returns the report about it.
func (r *Repo) receive(body []byte) ([]byte, error) {
	if bytes.Equal(body, []byte("0000")) {
		return nil, nil // git asks this way whether a login is good enough
	}
	p := &push{Repo: r, report: packp.NewReportStatus()}
	if err := p.read(body); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p.report.UnpackStatus = "ok"
	p.carryOut()
	var report, out bytes.Buffer
	if err := p.report.Encode(&report); err != nil {
		return nil, err
	}
	if !slices.Contains(p.capabilities, "side-band-64k") {
		return report.Bytes(), nil
	}
	gittest.InPackets(bandOfWords, []byte(p.said.String()))(&out)
	gittest.InPackets(bandOfData, report.Bytes())(&out)
	out.WriteString(gittest.Flush)
	return out.Bytes(), nil
}

// read reads the commands of a push, and the pack behind them. The name of a branch is
// all that a line has left: git reads spaces in it too.
func (p *push) read(body []byte) (err error) {
	rest := bytes.NewReader(body)
	packets := pktline.NewScanner(rest)
	for packets.Scan() && len(packets.Bytes()) > 0 {
		line, capabilities, _ := strings.Cut(strings.TrimSuffix(string(packets.Bytes()), "\n"), "\x00")
		words := strings.SplitN(line, " ", 3)
		if words[0] == "shallow" {
			continue
		}
		if len(words) < 3 {
			return fmt.Errorf("receive-pack: unexpected packet %q", line)
		}
		c := &packp.Command{Name: plumbing.ReferenceName(words[2])}
		var oldErr, newErr error
		c.Old, oldErr = hash(words[0])
		c.New, newErr = hash(words[1])
		if err := errors.Join(oldErr, newErr); err != nil {
			return err
		}
		p.commands = append(p.commands, c)
		p.capabilities = append(p.capabilities, strings.Fields(capabilities)...)
	}
	if err := packets.Err(); err != nil {
		return err
	}
	p.pack, err = io.ReadAll(rest)
	return err
}

func (p *push) carryOut() {
	if err := p.unpack(); err != nil {
		p.said.WriteString("error: " + err.Error() + "\n")
		p.report.UnpackStatus = "unpack-objects abnormal exit"
		for _, c := range p.commands {
			p.answer(c, "unpacker error")
		}
		return
	}
	refusals := make([]string, len(p.commands))
	for i, c := range p.commands {
		if c.Action() != packp.Delete && (connection{objects: p.fresh, known: p.objects}).check(c.New) != nil {
			refusals[i] = "missing necessary objects"
		}
	}
	declined := p.declined()
	maps.Copy(p.objects, p.fresh)
	accepted := false
	for i, c := range p.commands {
		switch {
		case refusals[i] != "":
		case declined:
			refusals[i] = "pre-receive hook declined"
		default:
			refusals[i] = p.update(c)
		}
		accepted = accepted || refusals[i] == ""
		p.answer(c, refusals[i])
	}
	if !accepted {
		maps.DeleteFunc(p.objects, func(id plumbing.Hash, _ *object) bool { return p.fresh[id] != nil })
	}
}

// unpack reads the pack, if any.
func (p *push) unpack() error {
	if len(p.pack) == 0 {
		return nil
	}
	come := &arriving{Storage: memory.NewStorage(), repo: p.Repo}
	parser, err := packfile.NewParserWithStorage(packfile.NewScanner(bytes.NewReader(p.pack)), come)
	if err != nil {
		return err
	}
	if _, err := parser.Parse(); err != nil {
		return err
	}
	p.fresh = make(map[plumbing.Hash]*object, len(come.Objects))
	for id, o := range come.Objects {
		data, err := contentOf(o)
		if err != nil {
			return err
		}
		if p.objects[id] == nil {
			p.fresh[id] = newObject(o.Type(), data)
		}
	}
	return nil
}

// arriving takes the objects of a pack, whose deltas may be of objects that the
// repository has.
type arriving struct {
	*memory.Storage
	repo *Repo
}

func (a *arriving) EncodedObject(kind plumbing.ObjectType, id plumbing.Hash) (plumbing.EncodedObject, error) {
	o := a.repo.objects[id]
	if o == nil {
		return a.Storage.EncodedObject(kind, id)
	}
	found := &plumbing.MemoryObject{}
	found.SetType(o.kind)
	_, err := found.Write(o.data)
	return found, err
}

func contentOf(o plumbing.EncodedObject) ([]byte, error) {
	reader, err := o.Reader()
	if err != nil {
		return nil, err
	}
	return io.ReadAll(reader)
}

// declined reports whether the push is to a branch that takes none.
func (p *push) declined() bool {
	for _, c := range p.commands {
		if words, refused := p.refused[c.Name.String()]; refused {
			p.said.WriteString(words + "\n")
			return true
		}
	}
	return false
}

// update carries out one command, and returns why not where it does not.
func (p *push) update(c *packp.Command) (refusal string) {
	branch, isBranch := strings.CutPrefix(c.Name.String(), "refs/heads/")
	old := c.Old
	switch {
	case !twoLevels.MatchString(c.Name.String()) || funny.MatchString(c.Name.String()):
		p.said.WriteString("error: refusing to create funny ref '" + c.Name.String() + "' remotely\n")
		return "funny refname"
	case !isBranch:
		return "only branches are kept here"
	case c.Action() == packp.Delete && branch == defaultBranch:
		p.said.WriteString(adviceOnDeletion + "error: refusing to delete the current branch: " + c.Name.String() + "\n")
		return "deletion of the current branch prohibited"
	case c.Action() == packp.Update && p.fastForward && (!p.isCommit(c.Old) || !p.isCommit(c.New)):
		return "bad ref"
	case c.Action() == packp.Update && p.fastForward && !p.ancestors(c.New)[c.Old]:
		p.said.WriteString("error: denying non-fast-forward " + c.Name.String() + " (you should pull first)\n")
		return "non-fast-forward"
	case c.Action() == packp.Delete && p.objects[c.Old] == nil: // git takes the branch from wherever it is
		old = p.branches[p.named(branch)]
		if old.IsZero() {
			p.said.WriteString("warning: deleting a non-existent ref\n")
		} else {
			p.said.WriteString("warning: allowing deletion of corrupt ref\n")
		}
	}
	if err := p.Repo.update(branch, old, c.New); err != nil {
		p.said.WriteString("error: " + err.Error() + "\n")
		return "failed to update ref"
	}
	return ""
}

// Names of references have two levels at least below refs, and nothing that is funny, as
// git calls it.
var (
	twoLevels = regexp.MustCompile(`^refs/[^/]+/`)
	funny     = regexp.MustCompile(`[\x00- \x7f~^:?*[\\]|\.\.|@\{|//|/\.|\.lock(/|$)|[/.]$`)
)

// answer reports the result of a command. An empty refusal means success.
func (p *push) answer(c *packp.Command, refusal string) {
	if refusal == "" {
		refusal = "ok"
	}
	p.report.CommandStatuses = append(p.report.CommandStatuses, &packp.CommandStatus{ReferenceName: c.Name, Status: refusal})
}

// adviceOnDeletion is what git says besides where somebody deletes the branch of HEAD.
const adviceOnDeletion = `error: By default, deleting the current branch is denied, because the next
'git clone' won't result in any file checked out, causing confusion.

You can set 'receive.denyDeleteCurrent' configuration variable to
'warn' or 'ignore' in the remote repository to allow deleting the
current branch, with or without a warning message.

To squelch this message, you can set it to 'refuse'.
`
