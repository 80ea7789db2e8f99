// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gitmem

import (
	"bytes"
	"io"
	"maps"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/storage/memory"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// push is a push that is being carried out.
type push struct {
	*Repo
	request *packp.ReferenceUpdateRequest
	// fresh are objects of the pack that the repository does not have. It takes them only
	// where the push is not refused.
	fresh  map[plumbing.Hash]*object
	report *packp.ReportStatus
	said   strings.Builder
}

// receive carries out a push, and returns the report about it.
func (r *Repo) receive(body []byte) ([]byte, error) {
	if bytes.Equal(body, []byte("0000")) {
		return nil, nil // git asks this way whether a login is good enough
	}
	p := &push{Repo: r, request: packp.NewReferenceUpdateRequest(), report: packp.NewReportStatus()}
	if err := p.request.Decode(bytes.NewReader(body)); err != nil {
		return nil, err
	}
	p.report.UnpackStatus = "ok"
	p.carryOut()
	var report, out bytes.Buffer
	if err := p.report.Encode(&report); err != nil {
		return nil, err
	}
	if !p.request.Capabilities.Supports(capability.Sideband64k) {
		return report.Bytes(), nil
	}
	gittest.InPackets(bandOfWords, []byte(p.said.String()))(&out)
	gittest.InPackets(bandOfData, report.Bytes())(&out)
	out.WriteString(gittest.Flush)
	return out.Bytes(), nil
}

func (p *push) carryOut() {
	if err := p.unpack(); err != nil {
		p.said.WriteString("error: " + err.Error() + "\n")
		p.report.UnpackStatus = "unpack-objects abnormal exit"
		p.answerAll("unpacker error")
		return
	}
	refusals := make([]string, len(p.request.Commands))
	for i, c := range p.request.Commands {
		if c.Action() != packp.Delete && (connection{objects: p.fresh, known: p.objects}).check(c.New) != nil {
			refusals[i] = "missing necessary objects"
		}
	}
	if p.declined() {
		p.answerAll("pre-receive hook declined")
		return
	}
	maps.Copy(p.objects, p.fresh)
	accepted := false
	for i, c := range p.request.Commands {
		if refusals[i] == "" {
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
	pack, err := io.ReadAll(p.request.Packfile)
	if err != nil || len(pack) == 0 {
		return err
	}
	come := &arriving{Storage: memory.NewStorage(), repo: p.Repo}
	parser, err := packfile.NewParserWithStorage(packfile.NewScanner(bytes.NewReader(pack)), come)
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
	for _, c := range p.request.Commands {
		if words, refused := p.refused[c.Name.Short()]; refused {
			p.said.WriteString(words + "\n")
			return true
		}
	}
	return false
}

// update carries out one command, and returns why not where it does not.
func (p *push) update(c *packp.Command) (refusal string) {
	branch, isBranch := strings.CutPrefix(c.Name.String(), "refs/heads/")
	target := p.named(branch)
	switch {
	case !isBranch:
		return "funny refname"
	case c.Action() == packp.Delete && target == defaultBranch:
		p.said.WriteString(adviceOnDeletion + "error: refusing to delete the current branch: " + c.Name.String() + "\n")
		return "deletion of the current branch prohibited"
	case c.Action() == packp.Update && p.fastForward && !p.ancestors(c.New)[c.Old]:
		p.said.WriteString("error: denying non-fast-forward " + c.Name.String() + " (you should pull first)\n")
		return "non-fast-forward"
	case c.Action() == packp.Delete && p.branches[target].IsZero():
		p.said.WriteString("warning: deleting a non-existent ref\n")
		return ""
	}
	if err := p.Repo.update(branch, c.Old, c.New); err != nil {
		p.said.WriteString("error: " + err.Error() + "\n")
		return "failed to update ref"
	}
	return ""
}

// answer reports about a command. An empty refusal is none.
func (p *push) answer(c *packp.Command, refusal string) {
	if refusal == "" {
		refusal = "ok"
	}
	p.report.CommandStatuses = append(p.report.CommandStatuses, &packp.CommandStatus{ReferenceName: c.Name, Status: refusal})
}

func (p *push) answerAll(refusal string) {
	for _, c := range p.request.Commands {
		p.answer(c, refusal)
	}
}

// adviceOnDeletion is what git says besides where somebody deletes the branch of HEAD.
const adviceOnDeletion = `error: By default, deleting the current branch is denied, because the next
'git clone' won't result in any file checked out, causing confusion.

You can set 'receive.denyDeleteCurrent' configuration variable to
'warn' or 'ignore' in the remote repository to allow deleting the
current branch, with or without a warning message.

To squelch this message, you can set it to 'refuse'.
`
