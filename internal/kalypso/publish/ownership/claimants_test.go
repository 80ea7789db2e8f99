// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ownership_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// recordsOf are records by instance, each "path: name name", on one branch.
func recordsOf(claims map[string]string) ownership.Records {
	all := ownership.Records{}
	for instance, text := range claims {
		at, names, _ := strings.Cut(text, ": ")
		all[instance] = ownership.Recorded{Record: ownership.Record{Instance: instance, Environment: "dev", Branch: "main", Path: at,
			ClusterTypes: strings.Fields(names)}}
	}
	return all
}

// instances are those of records, in their order.
func instances(records []ownership.Record) string {
	var all []string
	for _, r := range records {
		all = append(all, r.Instance)
	}
	return strings.Join(all, ", ")
}

// Who names a path comes before who names one around it, and that before one in it.
func TestClaimants(t *testing.T) {
	t.Parallel()
	all := recordsOf(map[string]string{
		"a in":     "fleet/large/deep/er: x",
		"b around": ".: fleet",
		"c exact":  "fleet: large",
		"d inner":  "fleet/medium: web",
		"e root":   ".: solo",
		"f empty":  "fleet/none: ",
		"g also":   "./fleet/: large other",
	})
	for file, want := range map[string]string{
		"fleet/large":             "c exact, g also, b around, a in",
		"fleet/large/web":         "c exact, g also, b around",
		"fleet/large/deep":        "c exact, g also, b around, a in",
		"fleet/large/deep/er/x":   "a in, c exact, g also, b around",
		"fleet/large/deep/er/x/y": "a in, c exact, g also, b around",
		"fleet/medium/web":        "d inner, b around",
		"fleet/medium":            "b around, d inner",
		"fleet/small":             "b around",
		"fleet":                   "b around, c exact, g also", // of those in it, one folder's are enough
		"solo":                    "e root",
		"solo/x":                  "e root",
		"flee":                    "",
		"fleets":                  "",
		"sol":                     "",
		"":                        "",
		".":                       "",
		".github/tracking/file":   "",
	} {
		c := all.Claimants("")
		if got := instances(c.Of(file)); got != want || c.Claim(file) != (want != "") {
			t.Errorf("%q is of %s, want %s", file, got, want)
		}
	}
	for file, want := range map[string]string{"fleet/large": "c exact, g also, a in", "fleet/medium": "d inner", "fleet/none": "",
		"fleet/small": ""} {
		if got := instances(all.Claimants("b around").Of(file)); got != want {
			t.Errorf("without us, %q is of %s, want %s", file, got, want)
		}
	}
}

// The promoted commit's file is listed by each record that says what is promoted.
func TestClaimantsOfThePromotedCommit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		promoted, except, want string
	}{
		"another one promotes": {"c1", "b", "a"}, "we do": {"c1", "a", ""}, "no record does": {"", "b", ""},
	} {
		all := recordsOf(map[string]string{"a": "fleet: large", "b": "fleet: small"})
		r := all["a"]
		r.PromotedCommit = test.promoted
		all["a"] = r
		if got := instances(all.Claimants(test.except).Of(engine.PromotedCommitFile)); got != test.want {
			t.Errorf("%s: it is of %q", name, got)
		}
	}
}

// slowly is what claimants.of says, said slowly: by how near a folder is, and instance.
func slowly(all ownership.Records, but, file string) string {
	type claim struct {
		folder, instance string
	}
	var around, in []claim
	for _, instance := range slices.Sorted(maps.Keys(all)) {
		r := all[instance]
		if instance == but {
			continue
		}
		for _, folder := range r.Paths() {
			if file == folder || strings.HasPrefix(file, folder+"/") {
				around = append(around, claim{folder, instance})
			} else if strings.HasPrefix(folder, file+"/") {
				in = append(in, claim{folder, instance})
			}
		}
	}
	slices.SortStableFunc(around, func(a, b claim) int { return len(b.folder) - len(a.folder) })
	slices.SortStableFunc(in, func(a, b claim) int { return strings.Compare(a.folder, b.folder) })
	in = slices.DeleteFunc(in, func(c claim) bool { return c.folder != in[0].folder })
	var found []string
	for _, c := range slices.Concat(around, in) {
		found = append(found, c.instance)
	}
	return strings.Join(found, ", ")
}

// However many records there are, and whatever they claim.
func TestClaimantsAreAllFound(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	somewhere := func(depth int) string {
		segments := []string{"."}
		for range r.IntN(depth) {
			segments = append(segments, string("ab"[r.IntN(2)]))
		}
		return path.Join(segments...)
	}
	for range 2_000 {
		all := ownership.Records{}
		for i := range r.IntN(8) {
			instance := fmt.Sprintf("%016x", i)
			record := ownership.Recorded{Record: ownership.Record{Instance: instance, Environment: "dev", Branch: "main", Path: somewhere(4)}}
			for _, name := range []string{"a", "b", "c"} {
				if r.IntN(2) == 0 {
					record.ClusterTypes = append(record.ClusterTypes, name)
				}
			}
			all[instance] = record
		}
		but := fmt.Sprintf("%016x", r.IntN(8))
		others := all.Claimants(but)
		for range 10 {
			file := somewhere(6)
			if file == "." {
				continue
			}
			want := slowly(all, but, file)
			if got := instances(others.Of(file)); got != want || others.Claim(file) != (want != "") {
				t.Fatalf("%s is of %s, want %s without %s: %v", file, got, want, but, all)
			}
		}
		if !reflect.DeepEqual(others, all.Claimants(but)) {
			t.Fatal("the same records claim something else")
		}
	}
}

// manyClaims are those of so many instances with so many folders each.
func manyClaims(instances, folders int, at func(i int) string) ownership.Records {
	all := ownership.Records{}
	for i := range instances {
		r := ownership.Record{Instance: fmt.Sprintf("%016x", i), Environment: "dev", Branch: "main", Path: at(i)}
		for n := range folders {
			r.ClusterTypes = append(r.ClusterTypes, fmt.Sprintf("cluster-type-%04d", n))
		}
		all[r.Instance] = ownership.Recorded{Record: r}
	}
	return all
}

// deepPath is the longest path that a record may have, another one for each instance.
func deepPath(i int) string {
	return fmt.Sprintf("%04d", i) + strings.Repeat("/a", (ownership.MaxRecordPath-4)/2)
}

// Many records with deep paths are read as others are. The benchmark shows the cost.
func TestClaimantsOfHostileRecords(t *testing.T) {
	t.Parallel()
	c := manyClaims(ownership.MaxRecords, 1, deepPath).Claimants("")
	if !c.Claim("0999") || !c.Claim("0999/a/a") || c.Claim("1000") || !c.Claim(deepPath(7)+"/cluster-type-0000/x") {
		t.Error("a claim is not found")
	}
}

func BenchmarkClaimants(b *testing.B) {
	for name, all := range map[string]ownership.Records{
		"claims=10000": manyClaims(100, 100, func(i int) string { return fmt.Sprint("teams/", i) }),
		"deep":         manyClaims(ownership.MaxRecords, 1, deepPath),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c := all.Claimants("")
				for i := range 1000 {
					c.Of(fmt.Sprintf("teams/%d/cluster-type-%04d", i%100, i))
				}
			}
		})
	}
}
