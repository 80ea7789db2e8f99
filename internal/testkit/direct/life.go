// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package direct

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
)

// Life is one resource whose operations a test plays as Terraform does: it is planned, planned again in
// the apply, and applied.
type Life struct {
	*Plan
	name   string
	schema *tfprotov6.SchemaBlock
	// State is the value in the state, null before the first apply.
	State   cty.Value
	private []byte
}

// NewLife begins with no state. config is HCL with a provider block at most.
func NewLife(t testing.TB, server tfprotov6.ProviderServer, config, name string) *Life {
	t.Helper()
	d := New(t, server, config)
	schema := d.Schemas.ResourceSchemas[name].Block
	return &Life{Plan: d, name: name, schema: schema, State: cty.NullVal(TypeOf(schema.ValueType()))}
}

// On is the same resource with another server: another run of Terraform.
func (l Life) On(other *Life) *Life {
	l.Plan = other.Plan
	return &l
}

// Config reads the body of the resource's block.
func (l *Life) Config(body string) cty.Value {
	l.t.Helper()
	block, _ := BodyOf(l.t, body).(*hclsyntax.Body)
	config, ok := l.Decode(block, l.schema)
	if !ok {
		l.t.Fatal(l.Told())
	}
	return config
}

// Refreshes reads the resource.
func (l *Life) Refreshes() {
	l.t.Helper()
	resp, err := l.Server.ReadResource(l.t.Context(), &tfprotov6.ReadResourceRequest{TypeName: l.name,
		CurrentState: l.Encode(l.State, l.schema), Private: l.private})
	l.must(err)
	if !l.hears(resp.Diagnostics) {
		l.t.Fatal(l.Told())
	}
	l.State, l.private = l.Decoded(resp.NewState, l.schema), resp.Private
}

// Planned is what a plan says.
type Planned struct {
	// Action is create, update, replace or nothing.
	Action string
	After  cty.Value
	Errors []string

	private []byte
}

// Plans plans a configuration. If the provider wants a replacement, it plans the creation as Terraform does.
func (l *Life) Plans(config cty.Value) Planned {
	l.t.Helper()
	p := l.plans(config, l.State, l.private)
	if p.Action == "replace" && len(p.Errors) == 0 {
		return l.creates(config)
	}
	return p
}

// PlansAgain plans a configuration in the apply of a plan. The creation of a replacement has no state any more.
func (l *Life) PlansAgain(config cty.Value, first Planned) Planned {
	l.t.Helper()
	if first.Action == "replace" {
		return l.creates(config)
	}
	return l.Plans(config)
}

func (l *Life) creates(config cty.Value) Planned {
	l.t.Helper()
	p := l.plans(config, cty.NullVal(l.State.Type()), nil)
	p.Action = "replace"
	return p
}

func (l *Life) plans(config, prior cty.Value, private []byte) (p Planned) {
	l.t.Helper()
	resp, err := l.Server.PlanResourceChange(l.t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: l.name, PriorState: l.Encode(prior, l.schema), ProposedNewState: l.Encode(proposed(l.schema, prior, config), l.schema),
		Config: l.Encode(config, l.schema), PriorPrivate: private,
	})
	l.must(err)
	for _, each := range resp.Diagnostics {
		if each.Severity == tfprotov6.DiagnosticSeverityError {
			p.Errors = append(p.Errors, each.Summary+": "+each.Detail)
		}
	}
	if len(p.Errors) > 0 {
		return p
	}
	p.After, p.private = l.Decoded(resp.PlannedState, l.schema), resp.PlannedPrivate
	switch {
	case prior.IsNull():
		p.Action = "create"
	case len(resp.RequiresReplace) > 0:
		p.Action = "replace"
	case p.After.RawEquals(prior):
		p.Action = "nothing"
	default:
		p.Action = "update"
	}
	return p
}

// Applies applies a plan whose configuration is known, and returns the errors.
func (l *Life) Applies(config cty.Value, p Planned) (errors []string) {
	l.t.Helper()
	prior := l.State
	if p.Action == "replace" {
		prior = cty.NullVal(l.State.Type())
	}
	resp, err := l.Server.ApplyResourceChange(l.t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: l.name, PriorState: l.Encode(prior, l.schema), PlannedState: l.Encode(p.After, l.schema), Config: l.Encode(config, l.schema),
		PlannedPrivate: p.private,
	})
	l.must(err)
	for _, each := range resp.Diagnostics {
		if each.Severity == tfprotov6.DiagnosticSeverityError {
			errors = append(errors, each.Summary+": "+each.Detail)
		}
	}
	l.State, l.private = l.Decoded(resp.NewState, l.schema), resp.Private
	return errors
}

// proposed merges a configuration with the prior state, as Terraform's objchange.ProposedNew: a computed
// attribute that the configuration does not set keeps its prior value.
func proposed(schema *tfprotov6.SchemaBlock, prior, config cty.Value) cty.Value {
	if config.IsNull() || !config.IsKnown() || prior.IsNull() || !prior.IsKnown() {
		return config
	}
	values := config.AsValueMap()
	for _, a := range schema.Attributes {
		if a.Computed && values[a.Name].IsNull() {
			values[a.Name] = prior.GetAttr(a.Name)
		}
	}
	for _, b := range schema.BlockTypes {
		given, had := values[b.TypeName], prior.GetAttr(b.TypeName)
		if b.Nesting == tfprotov6.SchemaNestedBlockNestingModeSingle {
			values[b.TypeName] = proposed(b.Block, had, given)
			continue
		}
		if given.IsNull() || !given.IsKnown() || had.IsNull() || !had.IsKnown() || given.LengthInt() == 0 || !given.Type().IsListType() {
			continue
		}
		elements := given.AsValueSlice()
		for i := range elements {
			if i < had.LengthInt() {
				elements[i] = proposed(b.Block, had.Index(cty.NumberIntVal(int64(i))), elements[i])
			}
		}
		values[b.TypeName] = cty.ListVal(elements)
	}
	return cty.ObjectVal(values)
}

// Contradicts says where the plan that Terraform makes in the apply differs from the plan that a person
// saw. The rules are those of Terraform's checkPlannedChange and objchange.AssertObjectCompatible
// (internal/terraform/node_resource_abstract_instance.go, internal/plans/objchange/compatible.go): the
// action is the same, except that an update may become nothing; what was known stays as it was; what was not
// known may become anything.
func (p Planned) Contradicts(again Planned) (all []string) {
	if p.Action != again.Action && (p.Action != "update" || again.Action != "nothing") {
		all = append(all, fmt.Sprintf("changed the planned action from %s to %s", p.Action, again.Action))
	}
	return append(all, differences("", p.After, again.After)...)
}

// differences are the known parts of a value that another one does not have.
func differences(at string, was, is cty.Value) (all []string) {
	differs := func(format string, args ...any) []string { return []string{at + ": " + fmt.Sprintf(format, args...)} }
	switch {
	case !was.IsKnown():
		return nil
	case was.IsNull() || is.IsNull():
		if was.IsNull() != is.IsNull() {
			return differs("was null %t, is null %t", was.IsNull(), is.IsNull())
		}
		return nil
	case !is.IsKnown():
		return differs("was known, and now is unknown")
	}
	switch kind := was.Type(); {
	case kind.IsObjectType():
		for name := range kind.AttributeTypes() {
			all = append(all, differences(at+"."+name, was.GetAttr(name), is.GetAttr(name))...)
		}
	case kind.IsMapType():
		had, has := was.AsValueMap(), is.AsValueMap()
		for key, value := range had {
			if now, there := has[key]; there {
				all = append(all, differences(at+"["+key+"]", value, now)...)
			} else {
				all = append(all, at+": element "+key+" has vanished")
			}
		}
		for key := range has {
			if _, there := had[key]; !there {
				all = append(all, at+": element "+key+" has appeared")
			}
		}
	case kind.IsListType(), kind.IsTupleType():
		had, has := was.AsValueSlice(), is.AsValueSlice()
		if len(had) != len(has) {
			return differs("had %d elements, has %d", len(had), len(has))
		}
		for i := range had {
			all = append(all, differences(fmt.Sprintf("%s[%d]", at, i), had[i], has[i])...)
		}
	case kind.IsSetType():
		if was.IsWhollyKnown() && !was.RawEquals(is) || was.LengthInt() != is.LengthInt() && was.IsWhollyKnown() {
			return differs("was %#v, is %#v", was, is)
		}
	case !was.RawEquals(is):
		return differs("was %#v, is %#v", was, is)
	}
	slices.SortFunc(all, strings.Compare)
	return all
}
