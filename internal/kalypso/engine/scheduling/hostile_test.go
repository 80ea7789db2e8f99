// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package scheduling_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/scheduling"
)

// Expressions that take as much time or memory as they get. By a hub's measure, many cost
// next to nothing.
var hostile = map[string]string{
	"nested comprehensions":         `[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, [1,2,3,4,5,6,7,8,9,10].all(f, true))))))`,
	"replacing makes longer":        `"` + strings.Repeat("a", 10) + `"` + strings.Repeat(`.replace("a", "aaaaaaaaaa")`, 9) + ` != ""`,
	"replacing once":                `"` + strings.Repeat("a", 45_000) + `".replace("a", "` + strings.Repeat("a", 45_000) + `") != ""`,
	"replacing nothing":             `"` + strings.Repeat("a", 45_000) + `".replace("", "` + strings.Repeat("a", 45_000) + `") != ""`,
	"joining with much":             `"` + strings.Repeat("a", 45_000) + `".split("").join("` + strings.Repeat("a", 45_000) + `") != ""`,
	"a text twice as long":          `[` + `"aaaaaaaaaaaaaaaa"]` + strings.Repeat(`.map(x, x + x)`, 26) + `[0] != ""`,
	"a list twice as long":          `[[1]]` + strings.Repeat(`.map(x, x + x)`, 40) + `[0].sum() > 0`,
	"a list that is held by itself": `[[0]]` + strings.Repeat(`.map(x, [x, x])`, 24) + `.all(x, x == x)`,
	"is it in the list":             `[[0]]` + strings.Repeat(`.map(x, [x, x])`, 24) + `.all(x, x in [x, x])`,
	"a map that is held by itself":  `[{"a": 0}]` + strings.Repeat(`.map(x, {"a": dyn(x), "b": dyn(x)})`, 24) + `.all(x, x == x)`,
	"a type twice as large":         `[1]` + strings.Repeat(`.map(x, {x: x})`, 20) + `.size() > 0`,
	"a large type": `[1]` + strings.Repeat(`.map(x, `+strings.Repeat("[", 30)+"x"+strings.Repeat("]", 30)+`)`, 40) +
		`.size() > 0`,
	"a large type, doubled": `[1]` + strings.Repeat(`.map(x, [x])`, 40) + strings.Repeat(`.map(x, {x: x})`, 4) +
		strings.Repeat(`.map(x, [x])`, 40) + `.size() > 0`,
	"optional values in others": strings.Repeat("optional.of(", 200) + "1" + strings.Repeat(")", 200) + ".hasValue()",
	"a macro that writes twice": "optional.of(1)" + strings.Repeat(".optMap(x, x)", 20) + ".hasValue()",
	"the other one":             "optional.of(1)" + strings.Repeat(".optFlatMap(x, optional.of(x))", 20) + ".hasValue()",
	"many types":                "[" + strings.Repeat("[]==[],", 12_000) + "true].size() > 0",
	"many lists":                "[" + strings.Repeat("[],", 30_000) + "[]].size() > 0",
	"lists in lists":            strings.Repeat("[", 240) + strings.Repeat("]", 240) + ".size() > 0",
	"written as text":           `"%s".format([[[0]]` + strings.Repeat(`.map(x, [x, x])`, 24) + `]) != ""`,
	"many digits":               `"%.999999999f".format([1.0]) != ""`,
	"searching a text":          `"` + strings.Repeat("a", 45_000) + `".indexOf("` + strings.Repeat("a", 22_000) + `b") == -1`,
	"searching it backwards":    `"` + strings.Repeat("a", 45_000) + `".lastIndexOf("b` + strings.Repeat("a", 22_000) + `") == -1`,
	"a large pattern":           `"` + strings.Repeat("a", 30_000) + `".find("` + strings.Repeat("(a?){90}", 8) + `b") == ""`,
	"a large pattern, often": `"` + strings.Repeat("a", 30_000) + `".findAll("` + strings.Repeat("a?", 900) + strings.Repeat("a", 900) +
		`b").size() == 1`,
	"the same often":   `[0,1,2,3,4,5,6,7,8,9].all(a, [0,1,2,3,4,5,6,7,8,9].all(b, [0,1,2,3,4,5,6,7,8,9].all(c, [0,1,2,3,4,5,6,7,8,9].all(d, "` + strings.Repeat("a", 90_000) + `".upperAscii() != ""))))`,
	"a quantity":       `quantity("1e-1000000000").isGreaterThan(quantity("1"))`,
	"is it a quantity": `isQuantity("1e1000000000")`,
	"a version":        `semver("` + strings.Repeat("1", 90_000) + `.0.0").major() > 0`,
	"JSON in JSON":     `"` + strings.Repeat("[", 45_000) + strings.Repeat("]", 45_000) + `".parseJSON() != null`,
	"deeply nested":    strings.Repeat("(", 40_000) + "true" + strings.Repeat(")", 40_000),
	"a long sum":       "1" + strings.Repeat("+1", 45_000) + " > 0",
	"too long":         `"` + strings.Repeat("a", 2_000_000) + `" != ""`,
	"weighing much often": `[[0]]` + strings.Repeat(`.map(x, x + x)`, 18) +
		`.all(x, [0,1,2,3,4,5,6,7,8,9].all(a, [0,1,2,3,4,5,6,7,8,9].all(b, [0,1,2,3,4,5,6,7,8,9].all(c, x != [a, b, c]))))`,
	"searching often": `[0,1,2,3,4,5,6,7,8,9].all(a, [0,1,2,3,4,5,6,7,8,9].all(b, [0,1,2,3,4,5,6,7,8,9].all(c, "` +
		strings.Repeat("a", 4000) + `".indexOf("` + strings.Repeat("a", 2000) + `b") == -1)))`,
	"as a duration": `duration("` + strings.Repeat("1h", 40_000) + `") > duration("1s")`,
	"escaped":       `strings.quote("` + strings.Repeat("\u0007", 10_000) + `") != ""`,
	"an address":    `isCIDR("` + strings.Repeat("1", 90_000) + `/8")`,
}

// Every expression ends, in a few megabytes. If an expression does not end, the whole test
// does not end.
func TestHostileExpressions(t *testing.T) { //nolint:paralleltest // memory is measured
	for name, expression := range hostile { //nolint:paralleltest // memory is measured
		t.Run(name, func(t *testing.T) {
			f := byExpression(t, expression)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _ = scheduling.Decide(t.Context(), f, uses(f)) // with any result
			runtime.ReadMemStats(&after)
			if allocated := (after.TotalAlloc - before.TotalAlloc) >> 20; allocated > 300 {
				t.Errorf("it takes %d MiB", allocated)
			}
		})
	}
}

// A run ends when its expressions exceed the cost of a run. It reports this once, for any
// number of placements, and neither evaluates nor compiles another expression.
func TestManyHostilePlacements(t *testing.T) {
	t.Parallel()
	for name, expression := range map[string]string{
		"evaluated": hostile["nested comprehensions"] + " && %d > -1",
		"compiled":  "[" + strings.Repeat("[]==[],", 490) + "true].size() > %d",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			texts := []string{clusterTypes(20)}
			for i := range 100 {
				of := fmt.Sprintf("a%d", i)
				texts = append(texts, policy(of, of, false), placement(of,
					"{predicates: [{requiredClusterSelector: {celSelector: {celExpressions: ['"+fmt.Sprintf(expression, i)+"']}}}]}"))
			}
			f := newFleet(t, texts...)
			_, err := scheduling.Decide(t.Context(), f, uses(f))
			if err == nil || strings.Count(err.Error(), "take too long") != 1 {
				t.Errorf("got %v", err)
			}
		})
	}
}

// The message about an expression that is too large names the limit.
func TestExpressionsTooLarge(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ expression, want string }{
		"letters":  {hostile["searching a text"], "more than 4096 letters"},
		"macros":   {"[1]" + strings.Repeat(".map(x, x)", 11) + ".size() > 0", "more than 10 macros such as all and map"},
		"brackets": {hostile["lists in lists"], "nests brackets more than 30 deep"},
		"exponent": {hostile["a quantity"], "an exponent of more than two digits"},
		"large, allowed": {"managedCluster.metadata.name in [" + strings.Repeat("'cluster', ", 200) + "'other'] || " +
			strings.Repeat("has(managedCluster.metadata.labels.a) || ", 20) + "true", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := scheduling.CheckExpression(test.expression)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want one with %q", err, test.want)
			}
		})
	}
}

// byExpression is a fleet of one cluster type with a placement of that expression.
func byExpression(t testing.TB, expression string) *fleet.Fleet {
	t.Helper()
	f := newFleet(t, clusterTypes(1), policy("p", "a", false), placement("a", "{}"))
	f.Placements[0].Spec.Predicates = []clusterv1beta1.ClusterPredicate{{RequiredClusterSelector: clusterv1beta1.ClusterSelector{
		CelSelector: clusterv1beta1.ClusterCelSelector{CelExpressions: []string{expression}},
	}}}
	return f
}
