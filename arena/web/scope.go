package web

import (
	"context"
	"slices"

	"botarena/arena/store"
)

// events lists the events that pages are about: all, or those of the site.
func (r *request) events(ctx context.Context) ([]store.Event, error) {
	events, err := r.config.Store.Events(ctx)
	if err != nil || r.scope == nil {
		return events, err
	}
	return slices.DeleteFunc(events, func(e store.Event) bool { return !slices.Contains(r.scope, e.Name) }), nil
}

// versions lists the versions of the bots that pages are about.
func (r *request) versions(ctx context.Context) ([]store.Version, error) {
	list, err := r.config.Store.Versions(ctx)
	if err != nil || r.scope == nil {
		return list, err
	}
	events, err := r.events(ctx)
	if err != nil {
		return nil, err
	}
	entered := map[string]bool{}
	for i := range events {
		for _, b := range events[i].Entries {
			entered[b.Name] = true
		}
	}
	return slices.DeleteFunc(list, func(v store.Version) bool { return !entered[v.Bot] }), nil
}
