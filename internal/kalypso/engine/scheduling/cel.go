// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package scheduling

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/labels"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	clusterlisterv1alpha1 "open-cluster-management.io/api/client/cluster/listers/cluster/v1alpha1"
	clusterv1alpha1 "open-cluster-management.io/api/cluster/v1alpha1"
	"open-cluster-management.io/sdk-go/pkg/cel/common"
	"open-cluster-management.io/sdk-go/pkg/cel/library"
)

// maxCost is what the expressions of one run may cost together, in CEL's units: some
// seconds. A simple one takes sixteen thousand among a thousand clusters, so that a hundred
// placements with a few each pass. Compiling counts as well. Ours: a hub has
// limits for each cluster alone, which would let a run take hours.
const maxCost = 30_000_000

// expressions are those of one run.
type expressions struct {
	env      *cel.Env
	written  *cel.Env // without macros
	compiled map[string]*expression
	cost     uint64
	meter    meter
}

// expression is a compiled one.
type expression struct {
	text    string
	program cel.Program
	// asked is the first cluster that it was asked about, and said what it came to there.
	asked, said string
	answered    bool // with true or false, for one cluster at least
}

// compile compiles an expression, once for all that say the same. The error names the
// column, and the line where there are several.
func (h *hub) compile(text string) (*expression, error) {
	if h.expressions == nil {
		env, err := cel.NewEnv(append([]cel.EnvOption{
			library.ManagedClusterLib(scoreLister(h.scores)), library.JsonLib(),
		}, common.BaseEnvOpts...)...)
		if err != nil {
			return nil, err
		}
		written, err := newWritten()
		if err != nil {
			return nil, err
		}
		h.expressions = &expressions{env: env, written: written, compiled: map[string]*expression{}}
	}
	if e, known := h.expressions.compiled[text]; known {
		return e, nil
	}
	if err := h.costly(); err != nil {
		return nil, err
	}
	cost, err := compilable(h.expressions.written, text)
	if err != nil {
		return nil, err
	}
	h.expressions.cost += cost
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
		return nil, fmt.Errorf("it gives a value of the type %s, but has to be true or false", out)
	}
	program, err := h.expressions.env.Program(ast,
		cel.CostLimit(celconfig.PerCallLimit),
		cel.CostTracking(&common.BaseEnvCostEstimator{CostEstimator: &library.CostEstimator{}}),
		boundCalls(h.expressions.env, &h.expressions.meter),
	)
	if err != nil {
		return nil, err
	}
	e := &expression{text: text, program: program}
	h.expressions.compiled[text] = e
	return e, nil
}

// holdAll reports whether all expressions hold for a cluster, within what a hub lets them
// cost together. An expression that fails does not hold. Errors: what all of the run cost.
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

// costly returns an error where the expressions of the run have cost all that they may.
func (h *hub) costly() error {
	if h.expressions == nil || h.expressions.cost <= maxCost {
		return nil
	}
	return errors.New("the expressions of all placements take too long among these cluster types; simplify them, or select by labels first")
}

// evaluate reports whether an expression holds for a cluster, and what it came to.
func (h *hub) evaluate(e *expression, c *cluster) (holds bool, said string) {
	holds, answers, said := h.run(e, c)
	if e.asked == "" {
		e.asked, e.said = c.Name, said
	}
	e.answered = e.answered || answers
	return holds, said
}

// run evaluates an expression; answers reports whether it is true or false.
func (h *hub) run(e *expression, c *cluster) (holds, answers bool, said string) {
	if c.object == nil {
		object, err := common.ConvertObjectToUnstructured(c.ManagedCluster)
		if err != nil {
			return false, false, err.Error()
		}
		c.object = object.Object
	}
	m := &h.expressions.meter
	before := m.spent
	m.limit = before + celconfig.PerCallLimit
	value, details, err := e.program.Eval(map[string]any{"managedCluster": c.object})
	h.expressions.cost += m.spent - before
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

// scoreLister answers the function scores of expressions.
type scoreLister map[scoreKey]*clusterv1alpha1.AddOnPlacementScoreStatus

// AddOnPlacementScores returns the scores of a cluster.
func (l scoreLister) AddOnPlacementScores(cluster string) clusterlisterv1alpha1.AddOnPlacementScoreNamespaceLister {
	return clusterScores{l, cluster}
}

// List is not asked by any function.
func (scoreLister) List(labels.Selector) ([]*clusterv1alpha1.AddOnPlacementScore, error) {
	return nil, nil
}

// clusterScores are the scores of one cluster.
type clusterScores struct {
	scores  scoreLister
	cluster string
}

// Get returns the scores of that name.
func (s clusterScores) Get(name string) (*clusterv1alpha1.AddOnPlacementScore, error) {
	status, exists := s.scores[scoreKey{s.cluster, name}]
	if !exists {
		return nil, fmt.Errorf("there is no AddOnPlacementScore %s/%s", s.cluster, name)
	}
	return &clusterv1alpha1.AddOnPlacementScore{Status: *status}, nil
}

// List is not asked by any function.
func (clusterScores) List(labels.Selector) ([]*clusterv1alpha1.AddOnPlacementScore, error) {
	return nil, nil
}
