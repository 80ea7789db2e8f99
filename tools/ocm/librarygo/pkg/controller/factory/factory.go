// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package factory makes controllers that work only when a test calls Sync.
package factory

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/util/workqueue"

	"github.com/openshift/library-go/pkg/operator/events"
)

type (
	// EventFilterFunc says which events count.
	EventFilterFunc func(any) bool
	// ObjectQueueKeyFunc returns the key under which an object waits.
	ObjectQueueKeyFunc func(runtime.Object) string
	// ObjectQueueKeysFunc returns the keys under which an object waits.
	ObjectQueueKeysFunc func(runtime.Object) []string
	// SyncFunc does the controller's work for one key.
	SyncFunc func(context.Context, SyncContext) error
)

// Informer reports events. This package ignores them.
type Informer interface{ HasSynced() bool }

// SyncContext has the queue and the key for a controller's work.
type SyncContext interface {
	Queue() workqueue.TypedRateLimitingInterface[any]
	QueueKey() string
	Recorder() events.Recorder
}

// Controller does the work for one key at a time.
type Controller interface {
	Sync(context.Context, SyncContext) error
}

// Factory makes a controller.
type Factory struct{ sync SyncFunc }

// New returns a factory.
func New() *Factory { return &Factory{} }

// WithSyncContext changes nothing: Sync gets its context as an argument.
func (f *Factory) WithSyncContext(SyncContext) *Factory { return f }

// WithInformersQueueKeysFunc changes nothing: this package ignores informers.
func (f *Factory) WithInformersQueueKeysFunc(ObjectQueueKeysFunc, ...Informer) *Factory { return f }

// WithFilteredEventsInformersQueueKeyFunc changes nothing: this package ignores informers.
func (f *Factory) WithFilteredEventsInformersQueueKeyFunc(ObjectQueueKeyFunc, EventFilterFunc, ...Informer) *Factory {
	return f
}

// WithBareInformers changes nothing: this package ignores informers.
func (f *Factory) WithBareInformers(...Informer) *Factory { return f }

// WithSync sets the controller's work.
func (f *Factory) WithSync(sync SyncFunc) *Factory {
	f.sync = sync
	return f
}

// ToController returns the controller.
func (f *Factory) ToController(string, events.Recorder) Controller { return controller{f.sync} }

type controller struct{ sync SyncFunc }

// Sync does the work for the context's key.
func (c controller) Sync(ctx context.Context, with SyncContext) error { return c.sync(ctx, with) }

// NewSyncContext returns a context with a queue that no controller empties.
func NewSyncContext(name string, _ events.Recorder) SyncContext {
	return NewKeyContext(name)
}

// NewKeyContext returns a context for the work on one key.
func NewKeyContext(key string) SyncContext {
	return keyContext{key, workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[any]())}
}

type keyContext struct {
	key   string
	queue workqueue.TypedRateLimitingInterface[any]
}

func (c keyContext) Queue() workqueue.TypedRateLimitingInterface[any] { return c.queue }
func (c keyContext) QueueKey() string                                 { return c.key }
func (c keyContext) Recorder() events.Recorder                        { return nil }
