package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolpost/toolpost/tool"
)

// demoTools is the tool that the demo's program adds to the built-in ones, as
// any program that embeds toolpost may.
func demoTools() []tool.Tool {
	type in struct {
		Count int `json:"count" desc:"How many orders." min:"1" max:"100000"`
	}
	return []tool.Tool{tool.New(tool.Spec{
		Name:        "export_orders",
		Label:       "Export orders",
		Description: "Export the orders of the demo's shop as a list of objects with id, item and note.",
		Risk:        tool.RiskReads,
		Idempotent:  true,
		Examples:    []json.RawMessage{json.RawMessage(`{"count":2}`)},
	}, func(_ context.Context, x in) ([]order, error) {
		list := make([]order, x.Count)
		note := strings.Repeat("handle with care ", 3)
		for i := range list {
			list[i] = order{fmt.Sprintf("order-%d", i+1), fmt.Sprintf("item %d", i%97), note}
		}
		return list, nil
	})}
}

type order struct {
	ID   string `json:"id"`
	Item string `json:"item"`
	Note string `json:"note"`
}
