// `<url> <file of a ruleset>`: stores, reads, executes and filters by the client of oapi-codegen.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"clients/engine"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ctx := context.Background()
	client, err := engine.NewClientWithResponses(os.Args[1])
	must(err)

	var done engine.Step
	must(done.FromTerminalStep(engine.TerminalStep{
		Id: "done", Result: engine.TerminalResult{Code: "DONE"}, Type: "terminal",
	}))
	entry := "done"
	before := engine.Ruleset{
		Config: engine.RulesetConfig{Name: "made-before", EntryStep: &entry},
		Steps:  map[string]engine.Step{"done": done},
	}
	text, err := os.ReadFile(os.Args[2])
	must(err)
	var ruleset engine.Ruleset
	must(json.Unmarshal(text, &ruleset))
	for _, one := range []engine.Ruleset{before, ruleset} {
		saved, err := client.PostRulesetsWithResponse(ctx, nil, one)
		must(err)
		if saved.JSON201 == nil {
			panic(string(saved.Body))
		}
	}

	name := ruleset.Config.Name
	read, err := client.GetRulesetsNameWithResponse(ctx, name, nil)
	must(err)
	step, err := read.JSON200.Steps["prepare"].AsActionStep()
	must(err)
	action, err := (*step.Actions)[3].ValueByDiscriminator()
	must(err)
	if call, is := action.(engine.CallRuleset); !is || call.RulesetName != "made-before" {
		panic(fmt.Sprint(action))
	}
	input := map[string]interface{}{"age": 20, "country": "DE"}
	executed, err := client.PostExecuteNameWithResponse(ctx, name, nil, engine.ExecuteRequest{Input: input})
	must(err)
	filtered, err := client.PostRulesetsNameFilterWithResponse(ctx, name, engine.FilterRequest{
		KnownInput: map[string]interface{}{}, TargetResults: []string{"ADULT"},
	})
	must(err)
	must(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"ruleset": read.JSON200, "code": executed.JSON200.Code, "filter": filtered.JSON200.Filter,
	}))
}
