// `<url> <file of a ruleset>`: stores, reads, executes and filters by the Go client of openapi-generator.
package main

import (
	"context"
	"encoding/json"
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
	configuration := engine.NewConfiguration()
	configuration.Servers = engine.ServerConfigurations{{URL: os.Args[1]}}
	client := engine.NewAPIClient(configuration)

	done := engine.NewTerminalStep("done", "terminal", *engine.NewTerminalResult("DONE", ""))
	before := engine.NewRuleset(*engine.NewRulesetConfig("made-before"), map[string]engine.Step{
		"done": engine.TerminalStepAsStep(done),
	})
	before.Config.SetEntryStep("done")
	text, err := os.ReadFile(os.Args[2])
	must(err)
	var ruleset engine.Ruleset
	must(json.Unmarshal(text, &ruleset))
	for _, one := range []engine.Ruleset{*before, ruleset} {
		_, _, err = client.RulesetsAPI.PostRulesets(ctx).Ruleset(one).Execute()
		must(err)
	}

	name := ruleset.Config.Name
	read, _, err := client.RulesetsAPI.GetRulesetsName(ctx, name).Execute()
	must(err)
	if call := read.Steps["prepare"].ActionStep.Actions[3].CallRuleset; call == nil || call.RulesetName != "made-before" {
		panic("no call")
	}
	input := map[string]interface{}{"age": 20, "country": "DE"}
	executed, _, err := client.ExecutionAPI.PostExecuteName(ctx, name).
		ExecuteRequest(*engine.NewExecuteRequest(input)).Execute()
	must(err)
	filtered, _, err := client.DataFiltersAPI.PostRulesetsNameFilter(ctx, name).
		FilterRequest(*engine.NewFilterRequest(map[string]interface{}{}, []string{"ADULT"})).Execute()
	must(err)
	filter := filtered.GetFilter()
	must(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"ruleset": read, "code": executed.Code, "filter": filter,
	}))
}
