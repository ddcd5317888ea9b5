// Prints `<flag> <value> <error code>` a line.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/open-feature/go-sdk-contrib/providers/ofrep"
	"github.com/open-feature/go-sdk/openfeature"
)

func show(key string, value any, details openfeature.EvaluationDetails) {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	fmt.Println(strings.TrimSpace(fmt.Sprintf("%s %s %s", key, text, details.ErrorCode)))
}

func keys(name string) []string { return strings.Fields(os.Getenv(name)) }

func main() {
	provider := ofrep.NewProvider(os.Getenv("ENGINE_URL"), ofrep.WithBearerToken(os.Getenv("ENGINE_TOKEN")))
	if err := openfeature.SetProviderAndWait(provider); err != nil {
		panic(err)
	}
	client := openfeature.NewClient("check")
	all := context.Background()
	asked := openfeature.NewEvaluationContext("ada", map[string]any{"tier": "gold", "order": map[string]any{"total": 12.5}})
	// An error is part of the details as well.
	for _, key := range keys("BOOLEANS") {
		found, _ := client.BooleanValueDetails(all, key, false, asked)
		show(key, found.Value, found.EvaluationDetails)
	}
	for _, key := range keys("TEXTS") {
		found, _ := client.StringValueDetails(all, key, "other", asked)
		show(key, found.Value, found.EvaluationDetails)
	}
	for _, key := range keys("WHOLES") {
		found, _ := client.IntValueDetails(all, key, -1, asked)
		show(key, found.Value, found.EvaluationDetails)
	}
	for _, key := range keys("FRACTIONS") {
		found, _ := client.FloatValueDetails(all, key, -1, asked)
		show(key, found.Value, found.EvaluationDetails)
	}
	for _, key := range keys("OBJECTS") {
		found, _ := client.ObjectValueDetails(all, key, map[string]any{}, asked)
		show(key, found.Value, found.EvaluationDetails)
	}
}
