// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// noise is what cannot be packed.
func noise(size int, seed byte) []byte {
	data := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{seed}).Read(data)
	return data
}

// counted is a repository in memory that counts requests.
func counted(t testing.TB) (r origin, lists, fetches *atomic.Int32) {
	t.Helper()
	lists, fetches = new(atomic.Int32), new(atomic.Int32)
	r = httpRemote(t, func(_ http.ResponseWriter, request *http.Request, _ gittest.Repository) bool {
		if strings.HasSuffix(request.URL.Path, "/git-upload-pack") {
			fetches.Add(1)
		} else {
			lists.Add(1)
		}
		return false
	})
	fill(t, r.repo)
	return r, lists, fetches
}

// However many ask, a run lists references once, fetches nothing twice, and sees one state of a branch.
func TestRunFetchesOnce(t *testing.T) {
	t.Parallel()
	r, lists, fetches := counted(t)
	run, at := r.client(t).Snapshots(), git.Revision{Repo: r.url, Branch: "dev"}
	read := func() {
		files, err := readAll(t, run, at, ".")
		if err != nil || files["records/one"] != "one 5" {
			t.Errorf("%q, error %v", files, err)
		}
		l, err := run.Log(t.Context(), r.branch("dev"), 1)
		if err != nil {
			t.Error(err)
			return
		}
		commits, err := l.Commits(t.Context(), 6)
		if err != nil || len(commits) != 6 || commits[0].Subject() != "commit 5" {
			t.Errorf("%d commits, error %v", len(commits), err)
			return
		}
		dirs, err := l.Folders(t.Context(), commits, []string{"records"})
		if err != nil {
			t.Error(err)
			return
		}
		if contents, err := l.Contents(t.Context(), dirs["records"], 1<<20, all); err != nil || len(contents) != 8 {
			t.Errorf("%q, error %v", contents, err)
		}
	}
	var readers sync.WaitGroup
	for range 10 {
		readers.Go(read)
	}
	readers.Wait()
	if lists.Load() != 1 || fetches.Load() != 5 { // the head's trees, its files, further commits, their folders and files
		t.Errorf("listed %d times, fetched %d times", lists.Load(), fetches.Load())
	}
	r.repo.CommitFiles(t, "dev", map[string][]byte{"records/one": []byte("new")}, "later")
	if read(); lists.Load() != 1 || fetches.Load() != 5 {
		t.Errorf("listed %d times, fetched %d times", lists.Load(), fetches.Load())
	}
}

// A look at a branch fetches the trees on the path and nothing else, if the caller knows the folder.
func TestReadFetchesLittle(t *testing.T) {
	t.Parallel()
	r, lists, fetches := counted(t)
	files := map[string][]byte{}
	for i := range 50 {
		files[fmt.Sprintf("other/%d", i)] = noise(10_000, byte(i))
	}
	r.repo.CommitFiles(t, "dev", files, "noise")
	before := r.server.Sent()
	_, err := r.client(t).Read(t.Context(), r.branch("dev"), git.Query{Paths: map[string]tree.Entry{
		"deep/er": tree.Subdir("", dir(t, map[string]string{"file": "deep 2"})),
	}})
	if sent := r.server.Sent() - before; err != nil || lists.Load() != 1 || fetches.Load() != 1 || sent > 5_000 {
		t.Errorf("listed %d times, fetched %d times and %d bytes, error %v", lists.Load(), fetches.Load(), sent, err)
	}
}

// However many folders there are, they cost one fetch for each level of trees that did not
// come with the commits, and their files another one.
func TestManyFoldersAreOneFetch(t *testing.T) {
	t.Parallel()
	r, _, fetches := counted(t)
	var folders []string
	files := map[string][]byte{}
	for i := range 50 {
		folders = append(folders, fmt.Sprintf("teams/type-%d/app", i))
		files[folders[i]+"/file"] = fmt.Append(nil, i)
	}
	r.repo.CommitFiles(t, "dev", files, "all")
	l := openLog(t, r, 1)
	found, err := l.Folders(t.Context(), newest(t, l, 20), folders)
	if err != nil || fetches.Load() != 4 {
		t.Errorf("%d fetches, error %v", fetches.Load(), err)
	}
	var dirs []*tree.Dir
	for _, folder := range folders {
		dirs = append(dirs, found[folder]...)
	}
	contents, err := l.Contents(t.Context(), dirs, 100, all)
	if err != nil || len(contents) != 50 || fetches.Load() != 5 {
		t.Errorf("%d files, %d fetches, error %v", len(contents), fetches.Load(), err)
	}
}

// A missing branch has no commits, as long as the run sees this state.
func TestLogOfNothing(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	l := openLog(t, r, 1)
	for range 2 {
		commits, err := l.Commits(t.Context(), 5)
		found, atErr := l.At(t.Context(), commits, "folder")
		if err != nil || atErr != nil || len(commits)+len(found) > 0 {
			t.Errorf("%v %v, %v %v", commits, err, found, atErr)
		}
		r.repo.CommitFiles(t, "dev", map[string][]byte{"file": []byte("x")}, "only")
	}
	absent, err := newClient(t).Snapshots().Log(t.Context(), git.Branch{Repo: gitmem.New(t).URL() + "/none", Name: "dev"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = absent.Commits(t.Context(), 1)
	wantKind(t, err, remote.KindNotFound, "none")
}

// limits are what a server allows: partial fetches, and wants of any object.
var limits = map[string]struct{ filters, anyObject bool }{"all": {true, true}, "filters only": {true, false}, "nothing": {false, false}}

// A shallow clone has the history that it has.
func TestShallowClone(t *testing.T) {
	t.Parallel()
	whole := gitmem.New(t)
	fill(t, whole)
	for name, allowed := range limits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := fileRemote(t)
			r.repo.Limit(t, allowed.filters, allowed.anyObject)
			r.disk.Git(t, "fetch", "--quiet", "--depth=3", whole.URL(), "dev:dev")
			l := openLog(t, r, 0)
			for _, most := range []int{2, 3, 9} {
				commits, err := l.Commits(t.Context(), most)
				if err != nil || len(commits) != min(most, 3) || commits[len(commits)-1].Subject() != fmt.Sprint("commit ", 6-min(most, 3)) {
					t.Errorf("%+v, error %v", commits, err)
				}
			}
			apply(t, r.client(t), r.branch("dev"), "write", edits{"a": folder(drone(t, "one"))})
			r.repo.Fsck(t)
		})
	}
}

// A branch that is replaced, and cleaned up, between two reads goes on as it was, or is an error that passes.
func TestReplacedBranch(t *testing.T) {
	t.Parallel()
	for name, allowed := range limits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := memoryRemote(t)
			r.repo.Limit(t, allowed.filters, allowed.anyObject)
			fill(t, r.repo)
			l := openLog(t, r, 0)
			newest(t, l, 2)
			r.repo.DeleteBranch(t, "dev")
			r.repo.DeleteBranch(t, "side")
			r.repo.CommitFiles(t, "dev", map[string][]byte{"f": []byte("x")}, "elsewhere")
			r.repo.Prune(t)
			_, err := l.Commits(t.Context(), 6)
			wantKind(t, err, remote.KindServer, remote.Redact(r.url), "changed the branch meanwhile, or", "Plan again")
		})
	}
}

// A branch that is replaced between the listing and the first fetch is listed again.
func TestBranchReplacedAfterListing(t *testing.T) {
	t.Parallel()
	var once sync.Once
	r := httpRemote(t, func(_ http.ResponseWriter, request *http.Request, repo gittest.Repository) bool {
		if request.Method == http.MethodPost {
			once.Do(func() {
				repo.DeleteBranch(t, "dev")
				repo.CommitFiles(t, "dev", map[string][]byte{"f": []byte("new")}, "elsewhere")
				repo.Prune(t)
			})
		}
		return false
	})
	r.repo.CommitFiles(t, "dev", map[string][]byte{"f": []byte("old")}, "first")
	files, err := readAll(t, r.client(t).Snapshots(), git.Revision{Repo: r.url, Branch: "dev"}, ".")
	if diff := cmp.Diff(map[string]string{"f": "new"}, files); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
}

// A fetch never brings more than its limit.
func TestMaxFetch(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	r.repo.Limit(t, false, false)
	r.repo.CommitFiles(t, "dev", map[string][]byte{"noise": noise(1<<20, 1), "file": []byte("content")}, "first")
	for most, words := range map[int64]string{1 << 20: "max_fetch_mib", 2 << 20: ""} {
		c, err := git.NewClient(git.Options{Credentials: []git.Credential{r.credential}, MaxFetch: most})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = readAll(t, c.Snapshots(), git.Revision{Repo: r.url, Branch: "dev"}, "."); words != "" {
			wantKind(t, err, remote.KindTooLarge, "1 MiB", words, remote.Redact(r.url))
		} else if err != nil {
			t.Error(err)
		}
	}
}

// From a server that sends everything, deltas of files that are not wanted come too.
func TestPackOfEverything(t *testing.T) {
	t.Parallel()
	similar := func(folder string) map[string][]byte {
		text := strings.Repeat("a line of a file that has many versions\n", 200)
		files := map[string][]byte{}
		for i := range 40 {
			files[fmt.Sprintf("%s/%03d.yaml", folder, i)] = fmt.Appendf(nil, "%s %s %d\n%s", folder, text[:i*100], i, text[i*100:])
		}
		return files
	}
	wanted := similar("wanted")
	files := map[string][]byte{"noise": noise(1<<20, 1)}
	maps.Copy(files, wanted)
	maps.Copy(files, similar("other"))
	r := diskRemote(t)
	r.repo.Limit(t, false, false)
	first := r.repo.CommitFiles(t, "dev", files, "first")
	r.repo.CommitFiles(t, "dev", map[string][]byte{"wanted/000.yaml": []byte("new")}, "second")
	r.disk.Git(t, "repack", "-adfq", "--depth=4095", "--window=100")
	for commit, changed := range map[string]string{"": "new", first: string(wanted["wanted/000.yaml"])} {
		got, err := readAll(t, r.client(t).Snapshots(), git.Revision{Repo: r.url, Branch: "dev", Commit: commit}, "wanted")
		want := map[string]string{}
		for path, content := range wanted {
			want[path] = string(content)
		}
		want["wanted/000.yaml"] = changed
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("commit %q: error %v (-want +got):\n%s", commit, err, diff)
		}
	}
}

// Every file that differs is reported, however many there are.
func TestReadManyDifferences(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	files := map[string][]byte{}
	for i := range 5001 {
		files[fmt.Sprintf("drone/%d/%d", i%100, i)] = []byte("x")
	}
	r.repo.CommitFiles(t, "dev", files, "many")
	answer, err := r.client(t).Read(t.Context(), r.branch("dev"), git.Query{
		Paths:   map[string]tree.Entry{"drone": {Mode: tree.ModeDir}},
		Compare: map[string]tree.Entry{"drone": {}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if told := differing(answer); len(told) != len(files) || told["drone/0/0"] != "100644 x" {
		t.Errorf("%d files", len(told))
	}
}

func TestReadOnlyLoginSuffices(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	repo.CommitFiles(t, "dev", map[string][]byte{"drone/f": []byte("x")}, "first")
	server := gittest.ServeHTTP(t, repo, gittest.WithLogin(user, password), gittest.WithReadOnlyLogin("reader", "only-reading"))
	c := newClient(t, git.Credential{URLPrefix: server.URL(), Username: "reader", Password: "only-reading"})
	dev := git.Branch{Repo: server.URL(), Name: "dev"}
	if _, err := head(t.Context(), c, dev); err != nil {
		t.Error(err)
	}
	err := write(t.Context(), c, dev, "drone", drone(t, "one"))
	wantKind(t, err, remote.KindForbidden, "403", "right", "to write")
}

// What a job looks at is what it decides about, and its errors end it.
func TestApplyDecides(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	r.repo.CommitFiles(t, "dev", map[string][]byte{"drone/README.md": []byte("# drone"), "drone/x/y": []byte("y"), single: []byte("abc")},
		"first")
	c, dev := r.client(t), r.branch("dev")
	head := r.repo.Head(t, "dev")
	look := git.Query{
		Paths:   map[string]tree.Entry{single: {Mode: tree.ModeFile}, "drone": {Mode: tree.ModeDir}, "missing": {Mode: tree.ModeDir}},
		Content: func(file string) bool { return file == "drone/README.md" },
	}
	refused := errors.New("refused")
	for name, do := range map[string]func(job git.Work) error{
		"apply": func(job git.Work) error {
			_, err := c.Apply(t.Context(), dev, job)
			return err
		},
		"propose": func(job git.Work) error {
			_, err := c.Propose(t.Context(), dev, git.Proposal{Work: job})
			return err
		},
	} {
		err := do(git.Work{Query: look, Decide: func(found *git.Answer) (git.Change, error) {
			want := found.Found["drone"]
			if found.Head.String() != head || len(found.Found) != 2 || want == nil || string(want.Entries[0].Content) != "# drone" ||
				want.Entries[1].Content != nil || found.ID(single) != blob("abc") {
				t.Errorf("%s: found %+v", name, found)
			}
			return git.Change{}, refused
		}})
		if !errors.Is(err, refused) || r.repo.Head(t, "dev") != head || r.repo.Head(t, "proposal") != "" {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
