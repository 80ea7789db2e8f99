// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package observability reads the files of examples/observability as Prometheus and Grafana do.
package observability

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/util/teststorage"
)

const (
	example     = "../../examples/observability"
	openMetrics = "application/openmetrics-text; version=1.0.0"
	text        = "text/plain; version=0.0.4" // what the textfile collector and the Pushgateway read
)

// ask stores the metrics of a run, and returns a function that evaluates an expression some time
// after the run.
func ask(t *testing.T, run, mediaType string, after time.Duration) func(expr string) promql.Vector {
	t.Helper()
	folder := os.Getenv("KALYPSO_RUNS")
	if folder == "" {
		t.Skip("make test-observability sets KALYPSO_RUNS")
	}
	metrics, err := os.ReadFile(filepath.Join(folder, run))
	if err != nil {
		t.Fatal(err)
	}
	_, last, _ := strings.Cut(string(metrics), "\nkalypso_run_timestamp_seconds ")
	started, err := time.ParseDuration(strings.SplitN(last, "\n", 2)[0] + "s")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(0, 0).Add(started + after)

	storage := teststorage.New(t)
	appender := storage.Appender(t.Context())
	lines, err := textparse.New(metrics, mediaType, nil, textparse.ParserOptions{})
	for err == nil {
		var entry textparse.Entry
		if entry, err = lines.Next(); err != nil || entry != textparse.EntrySeries {
			continue
		}
		var series labels.Labels
		lines.Labels(&series)
		_, _, value := lines.Series()
		_, err = appender.Append(0, series, at.UnixMilli(), value)
	}
	if !errors.Is(err, io.EOF) || appender.Commit() != nil {
		t.Fatalf("%s, as %s: %v", run, mediaType, err)
	}
	engine := promqltest.NewTestEngine(t, false, 0, 10_000)
	return func(expr string) promql.Vector {
		query, err := engine.NewInstantQuery(t.Context(), storage, nil, expr, at)
		if err != nil {
			t.Fatal(err)
		}
		result, err := query.Exec(t.Context()).Vector()
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
}

// No alert fires for a run without a problem. Every alert fires for a run with all problems.
func TestAlerts(t *testing.T) {
	t.Parallel()
	good, bad := ask(t, "good", openMetrics, time.Minute), ask(t, "bad", openMetrics, 3*time.Hour)
	groups, problems := rulefmt.ParseFile(filepath.Join(example, "alerts.yml"), false, model.UTF8Validation,
		parser.NewParser(parser.Options{}), slog.Default())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, rule := range groups.Groups[0].Rules {
		if firing := good(rule.Expr); len(firing) > 0 {
			t.Errorf("%s fires without a problem: %v", rule.Alert, firing)
		}
		if len(bad(rule.Expr)) == 0 {
			t.Errorf("%s does not fire", rule.Alert)
		}
	}
}

// The dashboard has the schema that Grafana publishes, and each panel shows something.
func TestDashboard(t *testing.T) {
	t.Parallel()
	bad := ask(t, "bad", text, time.Minute)
	file, err := os.ReadFile(filepath.Join(example, "dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	plugins.RegisterDefaultPlugins()
	var d dashboard.Dashboard //nolint:staticcheck // every version of Grafana imports this schema

	if err := d.UnmarshalJSONStrict(file); err != nil && err.Error() != "" { // without problems, an empty list
		t.Fatal(err)
	}
	if err := d.Validate(); err != nil {
		t.Fatal(err)
	}
	var shown struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(file, &shown); err != nil || len(shown.Panels) == 0 {
		t.Fatalf("%d panels: %v", len(shown.Panels), err)
	}
	for _, panel := range shown.Panels {
		for _, target := range panel.Targets {
			if len(bad(strings.ReplaceAll(target.Expr, "$environment", ".*"))) == 0 {
				t.Errorf("%s shows nothing", panel.Title)
			}
		}
	}
}
