// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package scheduling

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	celcommon "github.com/google/cel-go/common"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/ext"
	"k8s.io/apimachinery/pkg/runtime"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/library"
)

// maxCost bounds the cost of all expressions of one run in CEL's units, which is some
// seconds. A simple expression costs sixteen thousand among a thousand clusters, so a
// hundred placements with a few expressions each pass. Ours: a hub has limits for each
// cluster alone, with which a run could take hours.
const maxCost = 30_000_000

type expressions struct {
	env      *cel.Env
	compiled map[string]*expression
	cost     uint64
}

type expression struct {
	text    string
	program cel.Program
	// asked is the first cluster for which the expression was evaluated, and said the result
	// there.
	asked, said string
	answered    bool // true or false was the result for at least one cluster
}

// environment returns the declarations that a hub offers to expressions.
func (h *hub) environment() (*cel.Env, error) {
	return cel.NewEnv(
		cel.Variable("managedCluster", cel.MapType(cel.StringType, cel.DynType)),
		cel.Function("scores", cel.MemberOverload("cluster_scores", []*cel.Type{cel.DynType, cel.StringType}, cel.ListType(cel.DynType),
			cel.BinaryBinding(h.scoresOf))),
		cel.Function("parseJSON", cel.MemberOverload("parse_json_string", []*cel.Type{cel.StringType}, cel.DynType, cel.UnaryBinding(parseJSON))),
		cel.OptionalTypes(), ext.Strings(), library.Lists(), library.Regex(), library.URLs(), library.Quantity(),
		library.IP(), library.CIDR(), library.Format(), library.SemverLib(),
	)
}

func (h *hub) scoresOf(cluster, name ref.Val) ref.Val {
	of, _ := cluster.(traits.Mapper)
	var metadata, clusterName ref.Val
	if of != nil {
		metadata, _ = of.Find(types.String("metadata"))
	}
	if in, isMap := metadata.(traits.Mapper); isMap {
		clusterName, _ = in.Find(types.String("name"))
	}
	key := scoreKey{resource: string(name.(types.String))} //nolint:errcheck,forcetypeassert // by the overload
	if text, isText := clusterName.(types.String); isText {
		key.cluster = string(text)
	}
	status, exists := h.scores[key]
	if !exists {
		return types.NewErr("the AddOnPlacementScore %s/%s does not exist", key.cluster, key.resource)
	}
	all := make([]ref.Val, len(status.Scores))
	for i, score := range status.Scores {
		all[i] = types.NewStringInterfaceMap(types.DefaultTypeAdapter, map[string]any{"name": score.Name, "value": score.Value})
	}
	return types.NewDynamicList(types.DefaultTypeAdapter, all)
}

func parseJSON(text ref.Val) ref.Val {
	var value any
	if err := json.Unmarshal([]byte(text.(types.String)), &value); err != nil { //nolint:errcheck,forcetypeassert // by the overload
		return types.NewErr("failed to parse json: %v", err)
	}
	return types.DefaultTypeAdapter.NativeToValue(value)
}

// estimator estimates the cost of calls. The hub's own functions cost as much as on a hub.
// All other functions cost as much as in Kubernetes, although a hub counts 1 for most of
// them.
type estimator struct{ library.CostEstimator }

// CallCost returns the cost of a call.
func (e *estimator) CallCost(function, overload string, args []ref.Val, result ref.Val) *uint64 {
	var cost uint64
	switch function {
	case "scores":
		cost = celcommon.ListCreateBaseCost
		if list, isList := result.(traits.Lister); isList {
			cost += sizeOf(list) * (celcommon.SelectAndIdentCost + celcommon.MapCreateBaseCost)
		}
	case "parseJSON":
		cost = celcommon.MapCreateBaseCost
		if text, isText := args[0].(types.String); isText {
			cost += sizeOf(text)
		}
	default:
		return e.CostEstimator.CallCost(function, overload, args, result)
	}
	return &cost
}

func sizeOf(v traits.Sizer) uint64 {
	n, _ := v.Size().(types.Int)
	return uint64(max(n, 0))
}

// The bounds of the text of an expression. They are our own, because CEL counts the cost of
// a call only after the call, and ignores macros and types: a few hundred letters could take
// hours to compile. Expressions of people are far below the bounds.
const (
	maxLetters  = 4 << 10
	maxMacros   = 10
	maxBrackets = 30
)

var (
	macros  = regexp.MustCompile(`\.\s*(all|exists|exists_one|existsOne|filter|map|optMap|optFlatMap)\s*\(`)
	huge    = regexp.MustCompile(`(?i)\d\.?e[+-]?\d{3,}`) // a quantity that takes hours to read
	opening = "([{"
	closing = ")]}"
)

// checkText refuses an expression that exceeds the bounds.
func checkText(text string) error {
	depth, deepest := 0, 0
	for _, letter := range text {
		switch {
		case strings.ContainsRune(opening, letter):
			depth++
			deepest = max(deepest, depth)
		case strings.ContainsRune(closing, letter):
			depth--
		}
	}
	switch {
	case len(text) > maxLetters:
		return fmt.Errorf("it has more than %d letters", maxLetters)
	case len(macros.FindAllString(text, maxMacros+1)) > maxMacros:
		return fmt.Errorf("it has more than %d macros such as all and map", maxMacros)
	case deepest > maxBrackets:
		return fmt.Errorf("it nests brackets more than %d deep", maxBrackets)
	case huge.MatchString(text):
		return errors.New("it has a number with an exponent of more than two digits")
	}
	return nil
}

// compile compiles an expression, once for each text. The error names the column, and the
// line if the text has several lines.
func (h *hub) compile(text string) (*expression, error) {
	if h.expressions == nil {
		env, err := h.environment()
		if err != nil {
			return nil, err
		}
		h.expressions = &expressions{env: env, compiled: map[string]*expression{}}
	}
	if e, known := h.expressions.compiled[text]; known {
		return e, nil
	}
	if err := h.costly(); err != nil {
		return nil, err
	}
	if err := checkText(text); err != nil {
		return nil, err
	}
	h.expressions.cost += uint64(len(text)*len(text)) / 16 // about the cost of compiling
	ast, issues := h.expressions.env.Compile(text)
	if issues.Err() != nil {
		var said []string
		for _, e := range issues.Errors() {
			where := fmt.Sprintf("column %d", e.Location.Column()+1)
			if strings.Contains(text, "\n") {
				where = fmt.Sprintf("line %d, ", e.Location.Line()) + where
			}
			said = append(said, where+": "+strings.TrimSuffix(e.Message, " (in container '')"))
		}
		return nil, errors.New(strings.Join(slices.Compact(said), "; "))
	}
	if out := ast.OutputType(); !out.IsExactType(cel.BoolType) && !out.IsExactType(cel.DynType) {
		return nil, fmt.Errorf("its result has the type %s, but must be true or false", out)
	}
	program, err := h.expressions.env.Program(ast, cel.CostLimit(celconfig.PerCallLimit), cel.CostTracking(&estimator{}))
	if err != nil {
		return nil, err
	}
	e := &expression{text: text, program: program}
	h.expressions.compiled[text] = e
	return e, nil
}

// holdAll reports whether all expressions are true for a cluster, within the cost that a hub
// allows for all of them. An expression that fails is not true. Errors: the run costs too
// much.
func (h *hub) holdAll(all []*expression, c *cluster) (bool, error) {
	if len(all) == 0 {
		return true, nil
	}
	before := h.expressions.cost
	for _, e := range all {
		if err := h.costly(); err != nil {
			return false, err
		}
		if ok, _ := h.evaluate(e, c); !ok || h.expressions.cost-before > celconfig.RuntimeCELCostBudget {
			return false, nil
		}
	}
	return true, nil
}

// costly returns an error if the expressions of the run have exceeded the cost of a run.
func (h *hub) costly() error {
	if h.expressions == nil || h.expressions.cost <= maxCost {
		return nil
	}
	return errors.New("the expressions of all placements take too long among these cluster types; simplify them, or select by labels first")
}

// evaluate reports whether an expression is true for a cluster, and its result as a text.
func (h *hub) evaluate(e *expression, c *cluster) (holds bool, said string) {
	holds, answers, said := h.run(e, c)
	if e.asked == "" {
		e.asked, e.said = c.Name, said
	}
	e.answered = e.answered || answers
	return holds, said
}

// run evaluates an expression. answers reports whether the result is true or false.
func (h *hub) run(e *expression, c *cluster) (holds, answers bool, said string) {
	if c.object == nil {
		object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(c.ManagedCluster)
		if err != nil {
			return false, false, err.Error()
		}
		c.object = object
	}
	value, details, err := e.program.Eval(map[string]any{"managedCluster": c.object})
	if details != nil {
		if cost := details.ActualCost(); cost != nil {
			h.expressions.cost += *cost
		}
	}
	if err != nil {
		return false, false, err.Error()
	}
	holds, answers = value.Value().(bool)
	if !answers {
		return false, false, fmt.Sprintf("a value of the type %s, which is neither true nor false", value.Type().TypeName())
	}
	return holds, true, fmt.Sprint(holds)
}

// CheckExpression returns an error, with the column, if a text is not a valid expression of
// a celSelector: it does not compile, or its result is neither true nor false.
func CheckExpression(text string) error {
	if _, err := (&hub{}).compile(text); err != nil {
		return fmt.Errorf("%q is not: %w", text, err)
	}
	return nil
}
