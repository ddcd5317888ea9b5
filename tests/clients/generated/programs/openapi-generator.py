"""`<url> <file of a ruleset>`: stores, reads, executes and filters by the Python client of openapi-generator."""
import json
import sys

from engine import (ApiClient, Configuration, DataFiltersApi, ExecuteRequest, ExecutionApi, FilterRequest, Ruleset,
                    RulesetConfig, RulesetsApi, Step, TerminalResult, TerminalStep)

url, file = sys.argv[1:]
client = ApiClient(Configuration(host=url))
rulesets = RulesetsApi(client)

done = TerminalStep(id="done", type="terminal", result=TerminalResult(code="DONE", message=""))
rulesets.post_rulesets(Ruleset(config=RulesetConfig(name="made-before", entry_step="done"), steps={"done": Step(done)}))

ruleset = Ruleset.from_json(open(file).read())
rulesets.post_rulesets(ruleset)
name = ruleset.config.name
read = rulesets.get_rulesets_name(name)
called = read.steps["prepare"].actual_instance.actions[3].actual_instance
assert called.ruleset_name == "made-before", read
executed = ExecutionApi(client).post_execute_name(name, ExecuteRequest(input={"age": 20, "country": "DE"}))
filtered = DataFiltersApi(client).post_rulesets_name_filter(
    name, FilterRequest(known_input={}, target_results=["ADULT"]))
print(json.dumps({"ruleset": json.loads(read.to_json()), "code": executed.code, "filter": filtered.filter}))
