"""`<url> <file of a ruleset>`: stores, reads, executes and filters by the client of openapi-python-client."""
import json
import sys

from engine import Client
from engine.api.data_filters import post_rulesets_name_filter
from engine.api.execution import post_execute_name
from engine.api.rulesets import get_rulesets_name, post_rulesets
from engine.models import (ExecuteRequest, ExecuteRequestInput, FilterRequest, FilterRequestKnownInput, Ruleset,
                           RulesetConfig, RulesetSteps, SavedRuleset, TerminalResult, TerminalStep, TerminalStepType)

url, file = sys.argv[1:]
client = Client(base_url=url, raise_on_unexpected_status=True)

steps = RulesetSteps()
steps["done"] = TerminalStep(id="done", type_=TerminalStepType.TERMINAL, result=TerminalResult(code="DONE", message=""))
before = Ruleset(config=RulesetConfig(name="made-before", entry_step="done"), steps=steps)
saved = post_rulesets.sync(client=client, body=before)
assert isinstance(saved, SavedRuleset), saved

ruleset = Ruleset.from_dict(json.load(open(file)))
saved = post_rulesets.sync(client=client, body=ruleset)
assert isinstance(saved, SavedRuleset), saved
name = ruleset.config.name
read = get_rulesets_name.sync(name, client=client)
assert type(read.steps["prepare"].actions[3]).__name__ == "CallRuleset", read
executed = post_execute_name.sync(
    name, client=client, body=ExecuteRequest(input_=ExecuteRequestInput.from_dict({"age": 20, "country": "DE"})))
filtered = post_rulesets_name_filter.sync(
    name, client=client, body=FilterRequest(known_input=FilterRequestKnownInput(), target_results=["ADULT"]))
print(json.dumps({"ruleset": read.to_dict(), "code": executed.code, "filter": filtered.filter_}))
